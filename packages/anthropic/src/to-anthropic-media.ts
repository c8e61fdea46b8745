import type Anthropic from "@anthropic-ai/sdk";
import { bytesOf, ChatClientError, type DataContent, type UriContent } from "@tunic/core";

type ImageBlock = Anthropic.ImageBlockParam;
type DocumentBlock = Anthropic.DocumentBlockParam;
type ImageType = Anthropic.Base64ImageSource["media_type"];

const imageTypes: readonly ImageType[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/**
 * Bytes as an image or a document block: JPEG, PNG, GIF, WebP, PDF and plain text.
 *
 * @throws ChatClientError `unsupported` for any other media type.
 */
export function toMediaBlock(content: DataContent | UriContent): ImageBlock | DocumentBlock {
  return content.type === "data" ? fromBytes(content) : fromAddress(content);
}

function fromBytes(content: DataContent): ImageBlock | DocumentBlock {
  const { data, mediaType, name } = content;
  const type = plainType(mediaType);
  const imageType = imageTypes.find((each) => each === type);
  if (imageType) return { type: "image", source: { type: "base64", media_type: imageType, data } };
  const title = name === undefined ? {} : { title: name };
  if (type === "application/pdf") {
    return { type: "document", source: { type: "base64", media_type: type, data }, ...title };
  }
  if (type.startsWith("text/")) {
    const text = new TextDecoder().decode(bytesOf(content));
    const source = { type: "text", media_type: "text/plain", data: text } as const;
    return { type: "document", source, ...title };
  }
  throw unsupported(`data of type "${mediaType}"`);
}

function fromAddress({ uri, mediaType }: UriContent): ImageBlock | DocumentBlock {
  if (!/^https?:/i.test(uri)) throw unsupported(`the address "${uri}"`);
  const type = plainType(mediaType);
  if (type === "image/*" || imageTypes.some((each) => each === type)) {
    return { type: "image", source: { type: "url", url: uri } };
  }
  if (type === "application/pdf") return { type: "document", source: { type: "url", url: uri } };
  throw unsupported(`an address of type "${mediaType}"`);
}

/** `Image/PNG; charset=x` and `image/jpg` are ways to say `image/png` and `image/jpeg`. */
function plainType(mediaType: string): string {
  const type = (mediaType.split(";")[0] ?? "").trim().toLowerCase();
  return type === "image/jpg" ? "image/jpeg" : type;
}

function unsupported(what: string): ChatClientError {
  return new ChatClientError(
    "unsupported",
    `Anthropic's Messages API cannot take ${what}. It takes JPEG, PNG, GIF and WebP images and PDF (as data or at an https: address), and text as data.`,
  );
}

import type Anthropic from "@anthropic-ai/sdk";
import {
  bytesOf,
  ChatClientError,
  type DataContent,
  type JsonObject,
  type UriContent,
} from "@tunic/core";

type ImageBlock = Anthropic.ImageBlockParam;
type DocumentBlock = Anthropic.DocumentBlockParam;
type ImageType = Anthropic.Base64ImageSource["media_type"];
type MediaContent = DataContent | UriContent;
type MediaBlock = ImageBlock | DocumentBlock | Anthropic.TextBlockParam;

const imageTypes: readonly ImageType[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/** Members of the service's own that a content may bring in `providerData.anthropic`. */
const ofDocuments = ["cache_control", "citations", "context", "title"];
const ofImages = ["cache_control", "transformations"];

/**
 * Bytes or an address as an image or a document block: JPEG, PNG, GIF, WebP, PDF and plain text;
 * undefined for any other media type.
 */
export function toMediaBlock(content: MediaContent): MediaBlock | undefined {
  const block = content.type === "data" ? fromBytes(content) : fromAddress(content);
  const own = content.providerData?.["anthropic"];
  if (block === undefined || block.type === "text" || own === undefined) return block;
  return { ...block, ...picked(own, block.type === "image" ? ofImages : ofDocuments) };
}

/** The error for media that the service does not take. */
export function unsupportedMedia(content: MediaContent): ChatClientError {
  const what =
    content.type === "data"
      ? `data of type "${content.mediaType}"`
      : `the address "${content.uri}" of type "${content.mediaType}"`;
  return new ChatClientError(
    "unsupported",
    `Anthropic's Messages API cannot take ${what}. It takes JPEG, PNG, GIF and WebP images and PDF (as data or at an https: address), and text as data.`,
  );
}

/** A tool's file must not end the run: what cannot be shown is told. */
export function toldMedia(content: MediaContent): string {
  if (content.type === "uri") return `${content.uri} (${content.mediaType})`;
  return `[A file of type ${content.mediaType}, which cannot be shown to this model.]`;
}

function fromBytes(content: DataContent): MediaBlock | undefined {
  const { data, mediaType, name } = content;
  const type = plainType(mediaType);
  const imageType = imageTypes.find((each) => each === type);
  if (imageType) return { type: "image", source: { type: "base64", media_type: imageType, data } };
  const title = name === undefined ? {} : { title: name };
  if (type === "application/pdf") {
    return { type: "document", source: { type: "base64", media_type: type, data }, ...title };
  }
  if (!type.startsWith("text/")) return undefined;
  const text = new TextDecoder().decode(bytesOf(content));
  // A document without a visible character has the whole request refused, as a text has.
  if (text.trim() === "") return { type: "text", text: `[An empty file of type ${type}.]` };
  const source = { type: "text", media_type: "text/plain", data: text } as const;
  return { type: "document", source, ...title };
}

function fromAddress({ uri, mediaType }: UriContent): ImageBlock | DocumentBlock | undefined {
  if (!/^https?:/i.test(uri)) return undefined;
  const type = plainType(mediaType);
  if (type === "image/*" || imageTypes.some((each) => each === type)) {
    return { type: "image", source: { type: "url", url: uri } };
  }
  if (type !== "application/pdf") return undefined;
  return { type: "document", source: { type: "url", url: uri } };
}

function picked(own: JsonObject, members: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(own).filter(([member]) => members.includes(member)));
}

/** `Image/PNG; charset=x` and `image/jpg` are ways to say `image/png` and `image/jpeg`. */
function plainType(mediaType: string): string {
  const type = (mediaType.split(";")[0] ?? "").trim().toLowerCase();
  return type === "image/jpg" ? "image/jpeg" : type;
}

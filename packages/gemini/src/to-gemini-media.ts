import type { Part } from "@google/genai";
import { ChatClientError, type DataContent, type UriContent } from "@tunic/core";

/** What the service reads of images; audio, video and text it takes in any form. */
const imageTypes: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/webp",
  "image/heic",
  "image/heif",
  "image/bmp",
]);

/**
 * What may stand inside of a function's response, by
 * https://ai.google.dev/gemini-api/docs/function-calling ("Multimodal function responses").
 */
const responseTypes: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/webp",
  "application/pdf",
  "text/plain",
]);

/** Media as a part, or undefined where Gemini has no form for them. */
export function toMediaPart(content: DataContent | UriContent): Part | undefined {
  return content.type === "data" ? fromBytes(content) : fromAddress(content);
}

/** The error for media that a user sent and Gemini cannot take. */
export function unsupportedMedia(content: DataContent | UriContent): ChatClientError {
  return new ChatClientError(
    "unsupported",
    `Gemini cannot take ${describeMedia(content)}. It takes PNG, JPEG, WebP, HEIC and BMP images, audio, video, PDF and text, as data or at an https: or gs: address.`,
  );
}

/** What media are, in words. */
export function describeMedia(content: DataContent | UriContent): string {
  return content.type === "data"
    ? `data of type "${content.mediaType}"`
    : `the address "${content.uri}" of type "${content.mediaType}"`;
}

/** Whether a part may stand inside of a function's response: some kinds of bytes, and no addresses. */
export function fitsIntoResponse({ inlineData }: Part): boolean {
  return inlineData?.mimeType !== undefined && responseTypes.has(inlineData.mimeType);
}

function fromBytes({ data, mediaType }: DataContent): Part | undefined {
  const mimeType = plainType(mediaType);
  return isTaken(mimeType) ? { inlineData: { mimeType, data } } : undefined;
}

function fromAddress({ uri, mediaType }: UriContent): Part | undefined {
  if (!/^(https?|gs):/i.test(uri)) return undefined;
  const mimeType = plainType(mediaType);
  // Nobody knows what it is: the service finds out, as with videos of YouTube.
  if (mimeType.endsWith("/*") || mimeType === "application/octet-stream") {
    return { fileData: { fileUri: uri } };
  }
  return isTaken(mimeType) ? { fileData: { fileUri: uri, mimeType } } : undefined;
}

function isTaken(type: string): boolean {
  return (
    imageTypes.has(type) ||
    /^(audio|video|text)\/./.test(type) ||
    type === "application/pdf" ||
    type === "application/json"
  );
}

/** `Image/PNG; charset=x` and `image/jpg` are ways to say `image/png` and `image/jpeg`. */
function plainType(mediaType: string): string {
  const type = (mediaType.split(";")[0] ?? "").trim().toLowerCase();
  return type === "image/jpg" ? "image/jpeg" : type;
}

import { bytesOf, type DataContent, type UriContent } from "@tunic/core";
import type { ChatCompletionContentPart } from "openai/resources/chat/completions";

/** Sound formats that the service takes, by media type. */
const audioFormats: ReadonlyMap<string, "wav" | "mp3"> = new Map(
  Object.entries({
    "audio/wav": "wav",
    "audio/wave": "wav",
    "audio/x-wav": "wav",
    "audio/mpeg": "mp3",
    "audio/mp3": "mp3",
  } as const),
);

/** A file or an address as a part of a user message; undefined where the service takes none such. */
export function toContentPart(
  content: DataContent | UriContent,
): ChatCompletionContentPart | undefined {
  const mediaType = bareType(content.mediaType);
  if (content.type === "uri") {
    const fetchable = /^https?:/i.test(content.uri);
    if (!fetchable || !mediaType.startsWith("image/")) return undefined;
    return { type: "image_url", image_url: { url: content.uri } };
  }
  const address = `data:${content.mediaType};base64,${content.data}`;
  if (mediaType.startsWith("image/")) return { type: "image_url", image_url: { url: address } };
  const format = audioFormats.get(mediaType);
  if (format) return { type: "input_audio", input_audio: { data: content.data, format } };
  if (mediaType === "application/pdf") {
    return { type: "file", file: { filename: content.name ?? "file.pdf", file_data: address } };
  }
  // A text document is text, whatever wraps it.
  if (mediaType.startsWith("text/") || mediaType === "application/json") {
    return { type: "text", text: new TextDecoder().decode(bytesOf(content)) };
  }
  return undefined;
}

function bareType(mediaType: string): string {
  return (mediaType.split(";")[0] ?? "").trim().toLowerCase();
}

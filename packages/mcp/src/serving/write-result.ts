import {
  type Content,
  type FunctionResultContent,
  type JsonObject,
  type Message,
  textOf,
} from "@tunic/core";

/** A call's result as the answer to `tools/call`. What belongs to Tunic and its users stays here. */
export function writeResult({ contents, isError }: FunctionResultContent): JsonObject {
  return {
    content: contents.map(writeContent),
    ...(isError && { isError: true }),
  };
}

/** An answer of this package's own making: the call was not run, or failed. */
export function refusal(text: string): JsonObject {
  return { content: [{ type: "text", text: `Error: ${text}` }], isError: true };
}

/** The result of the only call of a log. */
export function resultIn(messages: readonly Message[]): FunctionResultContent | undefined {
  return messages
    .flatMap(({ contents }) => contents)
    .findLast((content): content is FunctionResultContent => content.type === "function_result");
}

function writeContent(content: Content): JsonObject {
  switch (content.type) {
    case "text":
      return { type: "text", text: content.text };
    case "error":
      return { type: "text", text: content.message };
    case "data":
      return writeData(content);
    case "uri":
      return {
        type: "resource_link",
        uri: content.uri,
        name: nameIn(content.uri),
        mimeType: content.mediaType,
      };
    case "function_result":
      return { type: "text", text: textOf(content) };
    default:
      return { type: "text", text: `[${content.type}]` };
  }
}

/** A link needs a name: the last part of its path. */
function nameIn(uri: string): string {
  const [path = ""] = uri.split(/[?#]/);
  return path.split("/").findLast((part) => part !== "") ?? uri;
}

function writeData({ data, mediaType, name }: Extract<Content, { type: "data" }>): JsonObject {
  const [kind] = mediaType.split("/");
  if (kind === "image" || kind === "audio") return { type: kind, data, mimeType: mediaType };
  // A resource needs an address, and this one lives nowhere but here.
  const uri = `attachment:///${encodeURIComponent(name ?? "data")}`;
  return { type: "resource", resource: { uri, mimeType: mediaType, blob: data } };
}

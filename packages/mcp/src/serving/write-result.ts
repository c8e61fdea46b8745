import {
  type Content,
  type FunctionResultContent,
  isJsonObject,
  type JsonObject,
  type Message,
  textOf,
} from "@tunic/core";

/** A call's result as the answer to `tools/call`. What belongs to Tunic and its users stays here. */
export function writeResult({ contents, isError }: FunctionResultContent): JsonObject {
  const structuredContent = isError ? undefined : structuredIn(contents);
  return {
    content: contents.map(writeBlock),
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isError && { isError: true }),
  };
}

/** Said twice, as data and as text, a result is twice as large, and clients have limits. */
const mostStructured = 1024 * 1024;

/**
 * The object that a result is, in its final form: what handlers have taken out of its text is not in it. Only where the
 * text is exactly what this program writes of it: of other JSON something may be lost, such as digits of a number.
 */
function structuredIn(contents: readonly Content[]): JsonObject | undefined {
  const [content, ...more] = contents;
  if (content?.type !== "text" || more.length > 0) return undefined;
  const { text } = content;
  if (!text.startsWith("{") || text.length > mostStructured) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
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

/** With whom it is for and how much it matters, where another server has said that. */
function writeBlock(content: Content): JsonObject {
  const { annotations } = mcpOf(content);
  return { ...writeContent(content), ...(isJsonObject(annotations) && { annotations }) };
}

function writeContent(content: Content): JsonObject {
  switch (content.type) {
    case "text":
      return writeText(content);
    case "error":
      return { type: "text", text: content.message };
    case "data":
      return writeData(content);
    case "uri":
      return writeLink(content);
    case "function_result":
      return { type: "text", text: textOf(content) };
    default:
      return { type: "text", text: `[${content.type}]` };
  }
}

function writeLink(content: Of<"uri">): JsonObject {
  const { uri, mediaType } = content;
  const title = mcpText(content, "title");
  const description = mcpText(content, "description");
  const { size } = mcpOf(content);
  return {
    type: "resource_link",
    uri,
    name: mcpText(content, "name") ?? nameIn(uri),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    mimeType: mediaType,
    ...(typeof size === "number" && { size }),
  };
}

/** A link needs a name: the last part of its path. */
function nameIn(uri: string): string {
  const [path = ""] = uri.split(/[?#]/);
  return path.split("/").findLast((part) => part !== "") ?? uri;
}

type Of<Type extends Content["type"]> = Extract<Content, { type: Type }>;

/** A text that came as a resource of another server goes out as one. */
function writeText(content: Of<"text">): JsonObject {
  const { text } = content;
  const uri = mcpText(content, "uri");
  if (uri === undefined) return { type: "text", text };
  const mimeType = mcpText(content, "mimeType");
  return { type: "resource", resource: { uri, ...(mimeType !== undefined && { mimeType }), text } };
}

function writeData(content: Of<"data">): JsonObject {
  const { data, mediaType, name } = content;
  const [kind] = mediaType.split("/");
  const given = mcpText(content, "uri");
  const isShown = given === undefined && (kind === "image" || kind === "audio");
  if (isShown) return { type: kind, data, mimeType: mediaType };
  // A resource needs an address, and one that was made here lives nowhere else.
  const uri = given ?? `attachment:///${encodeURIComponent(wellFormed(name ?? "data"))}`;
  const text = textIn(content);
  const inside = text === undefined ? { blob: data } : { text };
  return { type: "resource", resource: { uri, mimeType: mediaType, ...inside } };
}

/** Halves of a character, which no address can hold, become what stands for them. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

/** What a text type holds; undefined for bytes, and for what is no UTF-8 after all. */
function textIn({ data, mediaType }: Of<"data">): string | undefined {
  if (!/^(text\/|application\/([\w.+-]+\+)?(json|xml)\b)/i.test(mediaType)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(data, "base64"),
    );
  } catch {
    return undefined;
  }
}

/** What another server has said of a content, as the client of this package keeps it. */
function mcpText(content: Content, member: string): string | undefined {
  const value = mcpOf(content)[member];
  return typeof value === "string" ? value : undefined;
}

function mcpOf({ additionalProperties }: Content): JsonObject {
  const mcp = additionalProperties?.["mcp"];
  return isJsonObject(mcp) ? mcp : {};
}

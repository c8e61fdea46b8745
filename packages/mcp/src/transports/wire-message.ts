import { isJsonObject, type JsonObject } from "@tunic/core";

/** A JSON-RPC message, in the form that the SDKs take. */
export type WireMessage = JsonObject & { readonly jsonrpc: "2.0" };

/**
 * What a line of a server says: its messages (several, where it sends a batch), or undefined where it is
 * no JSON-RPC. The SDKs put aside what is not exactly in shape, and its request would wait for ever: so what
 * stands beside a message, such as `"error": null`, is left out, and an answer that is none becomes an error under the same id.
 */
export function readWireLine(line: string): readonly WireMessage[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line.charCodeAt(0) === byteOrderMark ? line.slice(1) : line);
  } catch {
    return undefined;
  }
  if (!Array.isArray(value)) {
    const message = readMessage(value);
    return message && [message];
  }
  const messages = value.flatMap((each) => readMessage(each) ?? []);
  return messages.length === 0 ? undefined : messages;
}

function readMessage(value: unknown): WireMessage | undefined {
  if (!isJsonObject(value) || value["jsonrpc"] !== "2.0") return undefined;
  const { id = null, method, params, result, error } = value;
  if (id !== null && typeof id !== "string" && !Number.isSafeInteger(id)) return undefined;
  if (typeof method === "string") {
    const message = isJsonObject(params) ? { method, params: withMeta(params) } : { method };
    return { jsonrpc: "2.0", ...(id !== null && { id }), ...message };
  }
  if (typeof id !== "number" && typeof id !== "string") return undefined;
  if (isJsonObject(result)) return { jsonrpc: "2.0", id, result: withMeta(result) };
  if (isJsonObject(error)) return { jsonrpc: "2.0", id, error: readError(error) };
  return errorMessage(id, "The server's answer is neither a result nor an error.");
}

/** Members of `_meta` whose form the SDKs know, and refuse a message for. */
const knownMeta: Readonly<Record<string, (value: unknown) => boolean>> = {
  progressToken: (value) => typeof value === "string" || Number.isSafeInteger(value),
  "io.modelcontextprotocol/related-task": (value) =>
    isJsonObject(value) && typeof value["taskId"] === "string",
};

/** Parameters or a result with a `_meta` that is one. */
function withMeta(value: JsonObject): JsonObject {
  const { _meta: meta, ...rest } = value;
  if (meta === undefined) return value;
  if (!isJsonObject(meta)) return rest;
  const isFit = (name: string): boolean =>
    !(name in meta) || knownMeta[name]?.(meta[name]) === true;
  if (Object.keys(knownMeta).every(isFit)) return value;
  const kept = Object.entries(meta).filter(([name]) => !(name in knownMeta) || isFit(name));
  return { ...rest, _meta: Object.fromEntries(kept) };
}

function readError(error: JsonObject): JsonObject {
  const { code, message, data } = error;
  return {
    code: typeof code === "number" && Number.isSafeInteger(code) ? code : internalError,
    message: typeof message === "string" ? message : "The server gives no reason.",
    ...(data !== undefined && { data }),
  };
}

/** An error that this side answers with in the server's place. */
export function errorMessage(id: number | string, message: string): WireMessage {
  return { jsonrpc: "2.0", id, error: { code: internalError, message } };
}

const internalError = -32603;
/** What some systems begin a stream of text with. */
const byteOrderMark = 0xfeff;

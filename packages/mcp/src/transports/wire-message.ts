import { isJsonObject, type JsonObject } from "@tunic/core";

/** A JSON-RPC message, in the form that the SDKs take. */
export type WireMessage = JsonObject & { readonly jsonrpc: "2.0" };

/**
 * What a line of a server says: its messages (several, where it sends a batch), or undefined where it is
 * no JSON-RPC. An answer that is out of shape becomes an error under the same id: the SDKs would put it
 * aside, and its request would wait for ever.
 */
export function readWireLine(line: string): readonly WireMessage[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
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
  const message = value as WireMessage;
  const { id, method, result, error } = message;
  if (typeof method === "string") return message;
  if (typeof id !== "number" && typeof id !== "string") return undefined;
  if (isJsonObject(result)) return message;
  if (isJsonObject(error)) return { jsonrpc: "2.0", id, error: readError(error) };
  return errorMessage(id, "The server's answer is neither a result nor an error.");
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

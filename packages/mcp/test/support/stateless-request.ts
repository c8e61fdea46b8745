import { isJsonObject, type JsonObject } from "@tunic/core";
import { type RawResponse, rawRequest } from "./raw-request.js";

export const meta: JsonObject = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

export interface StatelessAnswer extends RawResponse {
  /** The messages that came, the answer last. */
  readonly messages: readonly JsonObject[];
  readonly result: JsonObject;
  /** Undefined without an error. */
  readonly code: unknown;
}

/** A request of revision 2026-07-28, as it is written; a header that is empty is left out. */
export async function stateless(
  url: string,
  method: string,
  params: JsonObject = {},
  headers: Readonly<Record<string, string>> = {},
  onText?: (text: string) => void,
): Promise<StatelessAnswer> {
  const { name } = params;
  const all: Record<string, string> = {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(typeof name === "string" && { "mcp-name": name }),
    ...headers,
  };
  const response = await rawRequest(url, {
    body: { jsonrpc: "2.0", id: 7, method, params: { _meta: meta, ...params } },
    headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== "")),
    onText,
  });
  const messages = messagesIn(response.body);
  const { result, error } = messages.at(-1) ?? {};
  return {
    ...response,
    messages,
    result: isJsonObject(result) ? result : {},
    code: isJsonObject(error) ? error["code"] : undefined,
  };
}

/** Of a JSON text, or of a stream of events. */
function messagesIn(body: string): readonly JsonObject[] {
  const texts = body.startsWith("{")
    ? [body]
    : body.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
  return texts.map((text) => JSON.parse(text));
}

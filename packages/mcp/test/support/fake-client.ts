import type { JsonObject } from "@tunic/core";
import type { McpClient, McpRequestOptions, McpToolCall } from "../../src/index.js";

/** A client of this process, that does what it is told. */
export interface FakeClient extends McpClient {
  /** Every call, and what it was made with. */
  readonly calls: { readonly call: McpToolCall; readonly options: McpRequestOptions | undefined }[];
  /** How often the list was asked for. */
  readonly lists: (string | undefined)[];
}

export interface FakeTerms {
  readonly tools?: readonly object[] | ((cursor: string | undefined) => object);
  readonly call?: (call: McpToolCall) => JsonObject | Promise<JsonObject>;
  readonly request?: (method: string, params: JsonObject) => JsonObject;
  readonly capabilities?: JsonObject;
}

export function fakeClient({
  tools = [],
  call = () => ({ content: [] }),
  request = () => ({}),
  capabilities = { tools: {} },
}: FakeTerms): FakeClient {
  const calls: FakeClient["calls"] = [];
  const lists: FakeClient["lists"] = [];
  return {
    calls,
    lists,
    server: { name: "fake", version: "1", capabilities },
    async request(method, params = {}) {
      return request(method, params);
    },
    async listTools(cursor) {
      lists.push(cursor);
      const page = typeof tools === "function" ? tools(cursor) : { items: tools };
      return page as Awaited<ReturnType<McpClient["listTools"]>>;
    },
    async callTool(request, options) {
      calls.push({ call: request, options });
      return call(request);
    },
    async notify() {},
    async close() {},
  };
}

import { CallOptions } from "./call-options.js";
import type { McpClient, McpRequestOptions } from "./mcp-client.js";

/**
 * A client that somebody else has written: it gets options that are plain objects, which it may spread and change.
 * Of {@link CallOptions} a spread would lose the signal.
 */
export function ownClient(client: McpClient): McpClient {
  return {
    get server() {
      return client.server;
    },
    request: (method, params, options) => client.request(method, params, plain(options)),
    listTools: (cursor, options) => client.listTools(cursor, plain(options)),
    callTool: (call, options) => client.callTool(call, plain(options)),
    notify: (method, params) => client.notify(method, params),
    close: () => client.close(),
  };
}

function plain(options: McpRequestOptions | undefined): McpRequestOptions | undefined {
  if (!(options instanceof CallOptions)) return options;
  const { signal, onProgress, headers, allowInputRequired, origin } = options;
  return { signal, onProgress, headers, allowInputRequired, origin };
}

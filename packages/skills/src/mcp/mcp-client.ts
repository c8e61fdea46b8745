/** What this package needs of an MCP client; the `Client` of the official SDK is one. */
export interface McpSkillsClient {
  readResource(
    params: { uri: string },
    options?: { signal?: AbortSignal },
  ): Promise<{ contents: readonly McpResourceContents[] }>;
}

/** One part of what `resources/read` gives: a text, or bytes in base64. */
export interface McpResourceContents {
  readonly uri: string;
  readonly text?: string | undefined;
  readonly blob?: string | undefined;
}

/**
 * Sends `skills/list` of the MCP extension `io.modelcontextprotocol/skills`, for one page, and gives what the
 * server answers, which is checked here.
 */
export type ListMcpSkills = (
  params: { cursor?: string },
  options: { signal: AbortSignal },
) => Promise<unknown>;

/** What the codes of JSON-RPC mean here. */
const absent: ReadonlySet<unknown> = new Set([
  // Resource not found, until the revision 2026-07-28 of MCP.
  -32002,
  // Invalid parameters: a resource that there is not, since then.
  -32602,
  // Method not found: a server without resources, or without the extension.
  -32601,
]);

/** Whether an error says that the server does not have what was asked for. Every other error is a failure. */
export function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && absent.has(error.code);
}

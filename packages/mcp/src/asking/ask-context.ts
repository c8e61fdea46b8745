import type { AgentSession, FunctionTool, RunContext } from "@tunic/core";

/** On whose behalf a server asks something. Undefined outside a call, or where nobody can tell which. */
export interface McpAskContext {
  /** The server's label. */
  readonly server: string;
  readonly run: RunContext | undefined;
  readonly session: AgentSession | undefined;
  /** Which the server works on. */
  readonly tool: FunctionTool | undefined;
  /** Fires when the server no longer waits. */
  readonly signal: AbortSignal;
}

/** The call that a server works on, as far as it is known. */
export type Behalf = Pick<McpAskContext, "run" | "session" | "tool">;

export function askContext(
  server: string,
  context: Behalf | undefined,
  signal: AbortSignal,
): McpAskContext {
  const { run, session, tool } = context ?? {};
  return { server, run, session, tool, signal };
}

import type { Message } from "../messages/message.js";
import type { FunctionInvocationContext, ToolResult } from "../tools/tool.js";
import { paused } from "../tools/tool-pause.js";
import { toolResult } from "../tools/tool-result.js";
import type { RunOptions } from "./agent-options.js";
import type { AgentResponse } from "./agent-response.js";
import { handDown } from "./hand-down.js";
import type { AgentInput } from "./read-input.js";

/** What is needed of an agent to call it. */
export interface CallableAgent {
  run(input: AgentInput, options: RunOptions): Promise<AgentResponse>;
}

/** What a paused agent goes on with: its whole conversation. */
interface PausedAgent {
  readonly messages: readonly Message[];
}

/** One call of an agent that is a tool: its run, or the rest of one that had paused. */
export async function runSubAgent(
  agent: CallableAgent,
  name: string,
  task: string,
  context: FunctionInvocationContext,
): Promise<unknown> {
  const options: RunOptions = {
    parent: context.run,
    ...(context.streamed && { onUpdate: (update) => context.reportProgress({ update }) }),
  };
  const before = context.resumed && (context.resumed.state as unknown as PausedAgent).messages;
  const response = await agent.run(
    before ? [...before, ...context.resumed.answers] : task,
    handDown(options, { callId: context.call.callId, trusted: before !== undefined }),
  );
  if (response.outcome !== "paused") return response.text;
  if (response.openCalls.length > 0) return unanswerable(name, response);
  const messages = [...(before ?? []), ...response.newMessages];
  return paused(response.approvalRequests, { messages } satisfies PausedAgent);
}

/** The calling model cannot answer what the agent leaves to its caller's code. */
function unanswerable(name: string, { approvalRequests, openCalls }: AgentResponse): ToolResult {
  const asked = approvalRequests.map((request) => request.call);
  const calls = [...asked, ...openCalls].map((call) => call.name).join(", ");
  return toolResult({
    contents: `Error: ${name} needs an answer to ${calls}, which nobody here can give.`,
    isError: true,
    error: { code: "needs_answer", retryable: false, message: "The sub-agent paused." },
  });
}

import { ConfigurationError, checkOptionNames } from "../errors/configuration-error.js";
import type { ToolTrust } from "../messages/content.js";
import type { Message } from "../messages/message.js";
import { tool } from "../tools/function-tool.js";
import type { ApprovalMode, FunctionTool, ToolResult } from "../tools/tool.js";
import { paused } from "../tools/tool-pause.js";
import { toolResult } from "../tools/tool-result.js";
import type { RunOptions } from "./agent-options.js";
import type { AgentResponse } from "./agent-response.js";
import { handDown } from "./hand-down.js";
import type { AgentInput } from "./read-input.js";

/** How an agent presents itself as a tool. */
export interface AgentToolOptions {
  /** Default: the agent's name. */
  readonly name?: string | undefined;
  /** Default: the agent's description. */
  readonly description?: string | undefined;
  /** What the calling model is told about the task it hands over. */
  readonly taskDescription?: string | undefined;
  /** What the agent's tools do at most, as of any tool; default: not said. */
  readonly readOnly?: boolean | undefined;
  readonly destructive?: boolean | undefined;
  readonly runsCode?: boolean | undefined;
  readonly trust?: ToolTrust | undefined;
  /** When a person is asked before the agent is called at all. Default `never_require`. */
  readonly approvalMode?: ApprovalMode<{ readonly task: string }> | undefined;
}

const optionNames: ReadonlySet<string> = new Set<keyof AgentToolOptions>([
  "name",
  "description",
  "taskDescription",
  "readOnly",
  "destructive",
  "runsCode",
  "trust",
  "approvalMode",
]);

/** What is needed of an agent to call it. */
interface CallableAgent {
  readonly name?: string;
  readonly description?: string;
  run(input: AgentInput, options: RunOptions): Promise<AgentResponse>;
}

/**
 * A tool that hands its task to an agent. The agent's run is a child of the calling one: it shares
 * signal, budgets, services and events, its updates come as `progress`, and its failure is an error
 * result. What it asks a person surfaces at the calling run, and it goes on with the answer.
 *
 * @throws ConfigurationError `unknown_option`, or `invalid_option` without a name.
 */
export function agentAsTool(agent: CallableAgent, options: AgentToolOptions): FunctionTool {
  checkOptionNames("agent.asTool", options, optionNames);
  const name = options.name ?? agent.name;
  if (name === undefined) {
    throw new ConfigurationError(
      "invalid_option",
      'agent.asTool needs a name: agent.asTool({ name: "…" }), or an agent that has one.',
    );
  }
  const { readOnly, destructive, runsCode, trust, approvalMode } = options;
  return tool({
    name,
    readOnly,
    destructive,
    runsCode,
    trust,
    approvalMode,
    description: options.description ?? agent.description ?? `Hands a task to ${name}.`,
    parameters: {
      type: "object",
      properties: {
        task: {
          type: "string",
          description: options.taskDescription ?? "The task, with everything needed to do it.",
        },
      },
      required: ["task"],
      additionalProperties: false,
    },
    async execute({ task }, context) {
      const options: RunOptions = {
        parent: context.run,
        ...(context.streamed && { onUpdate: (update) => context.reportProgress({ update }) }),
      };
      const before = context.resumed && (context.resumed.state as unknown as PausedAgent).messages;
      const response = await agent.run(
        before ? [...before, ...context.resumed.answers] : task,
        handDown(options, { parentCallId: context.call.callId, trusted: before !== undefined }),
      );
      if (response.outcome !== "paused") return response.text;
      if (response.openCalls.length > 0) return unanswerable(name, response);
      const messages = [...(before ?? []), ...response.newMessages];
      return paused(response.approvalRequests, { messages } satisfies PausedAgent);
    },
  });
}

/** What a paused agent goes on with: its whole conversation. */
interface PausedAgent {
  readonly messages: readonly Message[];
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

import { ConfigurationError, checkOptionNames } from "../errors/configuration-error.js";
import { tool } from "../tools/function-tool.js";
import type { FunctionTool } from "../tools/tool.js";
import { toolResult } from "../tools/tool-result.js";
import type { RunOptions } from "./agent-options.js";
import type { AgentResponse } from "./agent-response.js";

/** How an agent presents itself as a tool. */
export interface AgentToolOptions {
  /** Default: the agent's name. */
  readonly name?: string | undefined;
  /** Default: the agent's description. */
  readonly description?: string | undefined;
  /** What the calling model is told about the task it hands over. */
  readonly taskDescription?: string | undefined;
}

const optionNames: ReadonlySet<string> = new Set<keyof AgentToolOptions>([
  "name",
  "description",
  "taskDescription",
]);

/** What is needed of an agent to call it. */
interface CallableAgent {
  readonly name?: string;
  readonly description?: string;
  run(input: string, options: RunOptions): Promise<AgentResponse>;
}

/**
 * A tool that hands its task to an agent. The agent's run is a child of the calling one: it shares
 * signal, budgets, services and events, its updates come as `progress`, and its failure is an error
 * result.
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
  return tool({
    name,
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
      const response = await agent.run(task, {
        parent: context.run,
        ...(context.streamed && { onUpdate: (update) => context.reportProgress({ update }) }),
      });
      if (response.outcome === "paused") {
        const asked = response.approvalRequests.map((request) => request.call);
        const calls = [...asked, ...response.openCalls].map((call) => call.name).join(", ");
        return toolResult({
          contents: `Error: ${name} needs an answer to ${calls}, which nobody here can give.`,
          isError: true,
          error: { code: "needs_answer", retryable: false, message: "The sub-agent paused." },
        });
      }
      return response.text;
    },
  });
}

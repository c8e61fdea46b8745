import { ConfigurationError, checkOptionNames } from "../errors/configuration-error.js";
import type { ToolTrust } from "../messages/content.js";
import { tool } from "../tools/function-tool.js";
import type { ApprovalMode, FunctionTool } from "../tools/tool.js";
import type { CallableAgent } from "./sub-agent.js";

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

/** What is needed of an agent to present it. */
interface NamedAgent extends CallableAgent {
  readonly name?: string;
  readonly description?: string;
}

/**
 * A tool that hands its task to an agent. The agent's run is a child of the calling one: it shares
 * signal, budgets, services and events, its updates come as `progress`, and its failure is an error
 * result. What it asks a person surfaces at the calling run, and it goes on with the answer.
 *
 * @throws ConfigurationError `unknown_option`, or `invalid_option` without a name.
 */
export function agentAsTool(agent: NamedAgent, options: AgentToolOptions): FunctionTool {
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
    execute: async ({ task }, context) =>
      (await import("./agent-flow.js")).runSubAgent(agent, name, task, context),
  });
}

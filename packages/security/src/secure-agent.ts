import {
  type ChatClient,
  ConfigurationError,
  type ContextProvider,
  isJsonObject,
  normalizeTools,
  type ToolInput,
} from "@tunic/core";
import { type FlowOptions, flowOptionNames, flowSettings } from "./flow/flow-options.js";
import { trackingBy } from "./flow/label-tracking.js";
import { enforcementBy } from "./flow/policy-enforcement.js";
import { checkPolicy } from "./policy/check-policy.js";
import { toolHash, toolKey } from "./policy/tool-identity.js";
import { inspectVariable } from "./tools/inspect-variable.js";
import { quarantinedLlm } from "./tools/quarantined-llm.js";
import { wrapTools } from "./tools/wrap-tool.js";

/** What {@link secureAgent} is made of. */
export interface SecureAgentOptions extends FlowOptions {
  /** The agent's tools. Others may stand at the agent: of these a misspelt argument in the policy is found at the first run only. */
  readonly tools?: ToolInput | undefined;
  /** Answers questions about hidden values, without tools and history. `false`: nobody does. */
  readonly quarantine: ChatClient | false;
}

const optionNames: ReadonlySet<string> = new Set([...flowOptionNames, "tools", "quarantine"]);

/** What the model is told; the same for every request, so that prompt caches hold. */
const instructions = `Some values are hidden and stand as references such as {"$ref":"vN"}, N a number. Pass a reference wherever its value is needed: as an argument, or of a part of it: {"$ref":"vN.name"}. Written in your answer, the user sees the value. To learn something from hidden values, ask quarantined_llm, with a schema as narrow as possible. inspect_variable shows you a value, but then actions that need a trusted context are refused; do it only when nothing else helps. When a call is denied, do not repeat it: do what the message says, and finish the rest of the task.`;

/**
 * Information flow control in one line: `contextProviders: [secureAgent({ tools, policy, quarantine })]`.
 * Brings the instructions, `inspect_variable` and `quarantined_llm`, and both middlewares in their
 * places. Runs of the agent need a session.
 *
 * @throws ConfigurationError for a missing policy or quarantine, for a policy that does not fit the tools
 * (`flow_policy`), and, from `new Agent`, when a seat of the middlewares is taken.
 */
export function secureAgent(options: SecureAgentOptions): ContextProvider {
  if (!isJsonObject(options)) {
    throw new ConfigurationError(
      "invalid_option",
      "secureAgent takes an object: { policy, quarantine, tools }.",
    );
  }
  const { quarantine } = options;
  if (quarantine !== false && typeof quarantine?.getResponse !== "function") {
    throw new ConfigurationError(
      "invalid_option",
      "secureAgent needs `quarantine`: the chat client that answers questions about hidden values (the agent's own will do), or false.",
    );
  }
  const settings = flowSettings(options, "secureAgent", optionNames);
  const tools = normalizeTools(options.tools ?? [], "tools of secureAgent");
  const [problem] = checkPolicy(options.policy, tools).filter(
    ({ severity }) => severity === "error",
  );
  if (problem !== undefined) throw new ConfigurationError("flow_policy", problem.message);
  for (const tool of tools) settings.pins.set(toolKey(tool), toolHash(tool));
  return {
    name: "information-flow",
    instructions: quarantine ? instructions : withoutQuarantine,
    tools: [wrapTools(tools), inspectVariable, ...(quarantine ? [quarantinedLlm(quarantine)] : [])],
    middleware: [trackingBy(settings, true), enforcementBy(settings, true)],
  };
}

const withoutQuarantine = instructions.replace(/ To learn something .*? as possible\./, "");

import type Anthropic from "@anthropic-ai/sdk";
import {
  type ChatOptions,
  type ChatRequest,
  ConfigurationError,
  joinInstructions,
  mergeProviderOptions,
  type Tool,
} from "@tunic/core";
import { withCacheMarks } from "./cache-marks.js";
import type { ClientSettings } from "./client-settings.js";
import { livingContainer, withContainerId } from "./container.js";
import { checkOptions } from "./request-options.js";
import { wireFormat } from "./structured-answer.js";
import { thinkingMembers } from "./thinking.js";
import { toConversation } from "./to-anthropic.js";
import { hostedName, type WireTools } from "./to-anthropic-tools.js";
import type { Notice } from "./wire-block.js";
import { wireToolName } from "./wire-names.js";

type Params = Anthropic.MessageCreateParams;

/** A request as it goes out, and what its answer is read with. */
export interface WireRequest {
  readonly params: Params;
  /** For the header `anthropic-beta`. */
  readonly betas: readonly string[];
  readonly calls: WireTools["calls"];
  readonly notice: Notice | undefined;
}

/**
 * The body of a request.
 *
 * @throws ChatClientError `unsupported` for an option or a content that the service has no word for.
 * @throws ConfigurationError for a tool that it would refuse, and for a setting given twice.
 */
export function toAnthropicRequest(
  { messages, options, run }: Pick<ChatRequest, "messages" | "options" | "run">,
  settings: ClientSettings,
): WireRequest {
  checkOptions(options);
  const notice = run && ((...about: Parameters<typeof run.notice>) => run.notice(...about));
  const conversation = toConversation(messages, notice);
  const offered = offeredTools(options);
  const wire = settings.tools.convert(offered, notice);
  const asked: Record<string, unknown> = {
    ...toSystem(options, conversation.system),
    ...(options.model !== undefined && { model: options.model }),
    ...(options.maxTokens !== undefined && { max_tokens: options.maxTokens }),
    ...(options.stop && { stop_sequences: [...options.stop] }),
    ...(options.metadata && { metadata: options.metadata }),
    ...(offered.length > 0 && toToolMembers(options, offered, wire)),
    ...(options.responseFormat && {
      output_config: { format: wireFormat(options.responseFormat) },
    }),
  };
  const { betas: ownBetas, ...own } = options.providerOptions?.["anthropic"] ?? {};
  const betas = [...new Set([...settings.betas, ...betaNames(ownBetas)])];
  const merged = mergeProviderOptions(asked, own, {
    provider: "anthropic",
    reserved: ["messages", "stream"],
  });
  const model = modelOf(options, settings);
  // Only the service's own tools have a use for it.
  const containerId = offered.some((tool) => tool.type === "hosted")
    ? livingContainer(conversation.container, run?.now() ?? Date.now())
    : undefined;
  const params: Record<string, unknown> = {
    ...merged,
    ...thinkingMembers(
      {
        model,
        thinking: merged["thinking"],
        maxTokens: merged["max_tokens"],
        toolChoice: merged["tool_choice"],
        betas,
        messages: conversation.messages,
      },
      notice,
    ),
    ...(containerId !== undefined && {
      container: withContainerId(merged["container"] as Params["container"], containerId),
    }),
    model,
    messages: conversation.messages,
  };
  // `providerOptions` are the vendor's own words, newer ones than these types know included.
  const marked = withCacheMarks(params as unknown as Params, settings.caching);
  return { params: marked, betas, calls: wire.calls, notice };
}

/** The model that a request asks. */
export function modelOf(options: ChatOptions, settings: Pick<ClientSettings, "model">): string {
  const own = options.providerOptions?.["anthropic"]?.["model"];
  return options.model ?? (typeof own === "string" ? own : settings.model);
}

function toSystem(options: ChatOptions, texts: readonly string[]): { system?: string } {
  const instructions = joinInstructions(options.instructions);
  const all = [instructions ?? "", ...texts].filter((text) => text.trim() !== "");
  return all.length > 0 ? { system: all.join("\n\n") } : {};
}

/**
 * The service has no list of allowed tools: the others are left out of this one request. That costs
 * the prompt cache, which begins with the tools.
 */
function offeredTools({ tools = [], toolChoice }: ChatOptions): readonly Tool[] {
  if (typeof toolChoice !== "object" || !("allowed" in toolChoice)) return tools;
  return tools.filter((tool) => toolChoice.allowed.includes(tool.name));
}

function toToolMembers(
  { toolChoice, parallelToolCalls }: ChatOptions,
  offered: readonly Tool[],
  { tools }: WireTools,
) {
  const choice = toToolChoice(toolChoice, parallelToolCalls === false, offered);
  return { tools, ...(choice && { tool_choice: choice }) };
}

function toToolChoice(
  choice: ChatOptions["toolChoice"],
  single: boolean,
  offered: readonly Tool[],
): Anthropic.ToolChoice | undefined {
  const limit = single && { disable_parallel_tool_use: true };
  if (choice === "none") return { type: "none" };
  if (choice === "required") return { type: "any", ...limit };
  if (typeof choice === "object" && "name" in choice) {
    return { type: "tool", name: chosenName(choice.name, offered), ...limit };
  }
  // "auto" is what the service does unasked.
  return single || choice === "auto" ? { type: "auto", ...limit } : undefined;
}

function chosenName(name: string, offered: readonly Tool[]): string {
  const tool = offered.find((each) => each.name === name);
  return (tool?.type === "hosted" && hostedName(tool)) || wireToolName(name);
}

function betaNames(given: unknown): readonly string[] {
  if (given === undefined) return [];
  if (Array.isArray(given) && given.every((each) => typeof each === "string")) return given;
  throw new ConfigurationError(
    "invalid_option",
    "providerOptions.anthropic.betas must be a list of names of beta features.",
  );
}

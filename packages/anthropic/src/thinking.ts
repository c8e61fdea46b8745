import type Anthropic from "@anthropic-ai/sdk";
import { ConfigurationError, isJsonObject } from "@tunic/core";
import { defaultMaxTokens } from "./max-tokens.js";
import type { Notice } from "./wire-block.js";

/** What of a request has to do with thinking. */
export interface ThinkingRequest {
  readonly model: string;
  readonly thinking: unknown;
  /** Undefined: the default. */
  readonly maxTokens: unknown;
  readonly toolChoice: unknown;
  readonly betas: readonly string[];
  readonly messages: readonly Anthropic.MessageParam[];
}

/** The members of a request that depend on its thinking. */
interface ThinkingMembers {
  readonly max_tokens: unknown;
  readonly thinking?: unknown;
}

const leastBudget = 1024;

/**
 * `max_tokens`, and `thinking` where it has to change. The rules are those of thinking with a budget
 * (`{ type: "enabled" }`); adaptive thinking has none of them:
 *
 * - No tool can be forced ("Thinking may not be enabled when tool_choice forces tool use").
 * - The budget is at least 1024 and less than `max_tokens`, but for interleaved thinking.
 * - A turn with calls that is being answered begins with its thinking. Where it has none (another
 *   model made it, or it was made without thinking), thinking is off for this request, with a notice.
 *
 * @throws ConfigurationError `invalid_option` for what the service would refuse.
 * @see https://platform.claude.com/docs/en/build-with-claude/thinking-tool-workflows
 */
export function thinkingMembers(request: ThinkingRequest, notice?: Notice): ThinkingMembers {
  const { model, thinking, maxTokens, toolChoice, betas, messages } = request;
  const limit = maxTokens ?? defaultMaxTokens(model);
  if (!isJsonObject(thinking) || thinking["type"] !== "enabled") return { max_tokens: limit };
  if (isForced(toolChoice)) {
    throw wrong(
      'toolChoice forces a tool (as responseFormat does with a model that has no form of its own for it), and Anthropic refuses that with thinking of type "enabled". Use toolChoice "auto", or thinking of type "adaptive".',
    );
  }
  const budget = thinking["budget_tokens"];
  if (typeof budget === "number" && budget < leastBudget) {
    throw wrong(`thinking.budget_tokens is ${budget}, and the least is ${leastBudget}.`);
  }
  const max_tokens = maxTokens === undefined ? withRoom(limit, budget) : limit;
  const interleaved = betas.some((beta) => beta.startsWith("interleaved-thinking"));
  if (!interleaved && Number(budget) >= Number(max_tokens)) {
    throw wrong(
      `thinking.budget_tokens (${budget}) must be less than maxTokens (${max_tokens}), which counts the thinking too. Raise maxTokens, or lower the budget.`,
    );
  }
  if (!answersThoughtless(messages)) return { max_tokens };
  notice?.(
    "thinking_off",
    "The turn whose calls are being answered does not begin with thinking, so thinking is off until the turn is over: Anthropic would refuse it.",
  );
  return { max_tokens, thinking: { type: "disabled" } };
}

/** An unknown model gets little by default; a budget is a word on how much it takes. */
function withRoom(limit: unknown, budget: unknown): unknown {
  if (typeof limit !== "number" || typeof budget !== "number" || budget < limit) return limit;
  return budget + limit;
}

function isForced(choice: unknown): boolean {
  return isJsonObject(choice) && (choice["type"] === "any" || choice["type"] === "tool");
}

function answersThoughtless(messages: readonly Anthropic.MessageParam[]): boolean {
  const [asked, answered] = messages.slice(-2);
  if (asked?.role !== "assistant" || firstTypeOf(answered) !== "tool_result") return false;
  const first = firstTypeOf(asked);
  return first !== "thinking" && first !== "redacted_thinking";
}

function firstTypeOf(message: Anthropic.MessageParam | undefined): string | undefined {
  const content = message?.content;
  return Array.isArray(content) ? content[0]?.type : undefined;
}

function wrong(text: string): ConfigurationError {
  return new ConfigurationError("invalid_option", text);
}

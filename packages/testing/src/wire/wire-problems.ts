import { type PublishedSchema, schemaProblems } from "../published-schema.js";
import { anthropicProblems } from "./anthropic-rules.js";
import { geminiProblems } from "./gemini-rules.js";
import { openaiChatProblems } from "./openai-chat-rules.js";
import { openaiResponsesProblems } from "./openai-responses-rules.js";
import type { Problems } from "./wire-values.js";

/**
 * A request body of a vendor's API: OpenAI's chat completions and responses, Anthropic's messages,
 * Gemini's `generateContent`.
 */
export type WireFormat = PublishedSchema;

const rules: Readonly<Record<WireFormat, (body: unknown) => Problems>> = {
  "openai-chat": openaiChatProblems,
  "openai-responses": openaiResponsesProblems,
  anthropic: anthropicProblems,
  gemini: geminiProblems,
};

/**
 * What is wrong with the body of a request: by the schema that the vendor publishes, and by the
 * vendor's rules that no schema says, such as that every call has its result. Empty where the
 * service would take it. A text says where in the body something is wrong, and what. Never throws for
 * what is wrong with a body.
 *
 * @param body What goes over the wire, parsed.
 */
export function wireProblems(format: WireFormat, body: unknown): readonly string[] {
  return [...checked(() => schemaProblems(format, body)), ...checked(() => rules[format](body))];
}

/** No service takes a body that is nested so deep, or holds itself, that nobody can walk through it. */
function checked(check: () => Problems): Problems {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [`the body: nested too deep to be checked (${error.message})`];
  }
}

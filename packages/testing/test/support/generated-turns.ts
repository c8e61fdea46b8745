import { ChatClientError } from "@tunic/core";
import type { ScriptedAnswer, ScriptedCall } from "@tunic/testing";
import fc from "fast-check";

export type GeneratedTurn = ScriptedAnswer;

/** Calls that fit, that do not, that are broken, that nobody knows, and ids that repeat. */
const calls: fc.Arbitrary<ScriptedCall> = fc.record(
  {
    name: fc.constantFrom("add", "add", "fail", "slow", "ping", "ask_user", "nobody"),
    arguments: fc.constantFrom<NonNullable<ScriptedCall["arguments"]>>(
      { a: 1 },
      { a: 2 },
      { a: "3" },
      { a: "x" },
      {},
      { a: 1, b: 2 },
      '{"a":',
      '{"a": 4}',
      "",
      "  ",
      "[1]",
      '"{\\"a\\":5}"',
      "nonsense",
    ),
    id: fc.constantFrom("c1", "c2", "c3"),
  },
  { requiredKeys: ["name", "arguments"] },
);

const texts = fc.constantFrom("", " ", "hello", "naïve 🦊 text", "{}", "a\nb");

/** One answer of a model, with whatever a model can do wrong. */
const turn: fc.Arbitrary<GeneratedTurn> = fc
  .record(
    {
      text: texts,
      reasoning: texts,
      calls: fc.array(calls, { maxLength: 4 }),
      finishReason: fc.constantFrom("stop", "length", "tool_calls", "content_filter", "other"),
      usage: fc.constantFrom(
        { inputTokens: 7, outputTokens: 3, totalTokens: 10 },
        { outputTokens: 5 },
        { inputTokens: 9, outputTokens: 1, cachedInputTokens: 2 },
      ),
      chunkSize: fc.integer({ min: 1, max: 9 }),
      interleave: fc.boolean(),
      responseId: fc.constant("r1"),
      failure: fc.record({ retryable: fc.boolean(), after: fc.integer({ min: 0, max: 6 }) }),
    },
    { requiredKeys: ["calls"] },
  )
  .map(({ failure, ...answer }) => ({
    ...answer,
    // Failures are rare, so that most runs get somewhere.
    ...(failure?.retryable &&
      failure.after % 3 === 0 && {
        error: new ChatClientError("server_error", "the service failed", { retryable: true }),
        errorAfter: failure.after,
      }),
  }));

export const generatedTurns = fc.array(turn, { minLength: 1, maxLength: 6 });

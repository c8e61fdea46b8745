import type Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import { test } from "vitest";
import type { Cut } from "./as-events.js";
import { answer, stored } from "./build.js";
import { sameBothWays, toolUse } from "./read-answer.js";

test("any answer, cut anywhere, is the whole answer", async () => {
  const text = fc.string({ unit: "grapheme", maxLength: 12 });
  const anyBlock = (index: number) =>
    fc.oneof(
      fc.record({ type: fc.constant("text"), text }),
      fc.record({
        type: fc.constant("text"),
        text,
        citations: fc.array(fc.record({ type: fc.constant("char_location"), cited_text: text }), {
          minLength: 1,
          maxLength: 2,
        }),
      }),
      fc.record({
        type: fc.constant("thinking"),
        thinking: text,
        signature: fc.constantFrom("", "SIG"),
      }),
      fc.record({ type: fc.constant("redacted_thinking"), data: text }),
      fc
        .dictionary(text, fc.jsonValue({ maxDepth: 1 }))
        .map((input) => toolUse(`c${index}`, input)),
      fc
        .dictionary(text, fc.jsonValue({ maxDepth: 1 }))
        .map((input) => ({ type: "server_tool_use", id: `s${index}`, name: "web_search", input })),
      fc.record({
        type: fc.constant("web_search_tool_result"),
        tool_use_id: text,
        content: fc.jsonValue({ maxDepth: 1 }),
      }),
      fc.record({ type: fc.constant("hologram"), data: fc.jsonValue({ maxDepth: 1 }) }),
    );
  const anyAnswer = fc.tuple(
    fc.tuple(anyBlock(0), anyBlock(1), anyBlock(2), anyBlock(3)),
    fc.integer({ min: 0, max: 4 }),
    fc.constantFrom("end_turn", "tool_use", "max_tokens", "refusal", "pause_turn"),
    fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
  );
  await fc.assert(
    fc.asyncProperty(anyAnswer, async ([blocks, count, stop, sizes]) => {
      const cutAnywhere: Cut = (whole) => {
        const pieces: string[] = [];
        for (let rest = whole; rest !== ""; ) {
          const size = sizes.next().value ?? 1;
          pieces.push(rest.slice(0, size));
          rest = rest.slice(size);
        }
        return pieces;
      };
      // What came out of JSON has no `-0` and no undefined.
      const wire: Anthropic.Message = stored(answer(blocks.slice(0, count), stop));
      await sameBothWays(wire, cutAnywhere);
    }),
    { numRuns: 300 },
  );
});

import { type TranscriptKind, transcripts } from "@tunic/testing/arbitraries";
import { wireProblems } from "@tunic/testing/wire";
import fc from "fast-check";
import { expect, test } from "vitest";
import { toAnthropicMessages } from "../src/index.js";

/** What the converter does not do yet: the service would refuse the request, or it is not made. */
const notYet: readonly TranscriptKind[] = [
  // A turn of nothing but signed thinking is sent, and must not end with it.
  "reasoning_only",
  // A call of the service's own tool that never got its result is sent wherever it stands.
  "hosted_open",
  // Images stay in the result of a call that failed, where only text may be.
  "error_media",
  // A tool's file of a type that the service does not take ends the run.
  "odd_media_result",
];

// A conversation that ends with the assistant is a prefill, whose text is sent with its last blank.
test.each<TranscriptKind>(["trailing_space", "assistant_last"])(
  "any transcript, of whichever vendors, becomes messages that the service takes (without %s)",
  (kind) => {
    fc.assert(
      fc.property(transcripts({ without: [...notYet, kind] }), (view) => {
        const { messages, system } = toAnthropicMessages(view);
        const body = {
          model: "claude-sonnet-4-5",
          max_tokens: 1024,
          ...(system.length > 0 && { system: system.join("\n\n") }),
          messages,
        };
        expect(wireProblems("anthropic", body)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  },
);

test("what is sent depends on nothing that JSON does not keep", () => {
  fc.assert(
    fc.property(transcripts({ without: ["odd_media_result"] }), (view) => {
      const stored: typeof view = JSON.parse(JSON.stringify(view));
      expect(toAnthropicMessages(stored)).toEqual(toAnthropicMessages(view));
    }),
  );
});

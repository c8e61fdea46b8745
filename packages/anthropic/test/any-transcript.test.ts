import { transcripts } from "@tunic/testing/arbitraries";
import { wireProblems } from "@tunic/testing/wire";
import fc from "fast-check";
import { expect, test } from "vitest";
import { toAnthropicMessages } from "../src/index.js";

test("any transcript, of whichever vendors, becomes messages that the service takes", () => {
  fc.assert(
    fc.property(transcripts(), (view) => {
      const body = {
        model: "claude-sonnet-5",
        max_tokens: 1024,
        ...toAnthropicMessages(view),
      };
      expect(wireProblems("anthropic", body)).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test("what is sent depends on nothing that JSON does not keep", () => {
  fc.assert(
    fc.property(transcripts(), (view) => {
      const stored: typeof view = JSON.parse(JSON.stringify(view));
      expect(toAnthropicMessages(stored)).toEqual(toAnthropicMessages(view));
    }),
  );
});

import { transcripts } from "@tunic/testing/arbitraries";
import { wireProblems } from "@tunic/testing/wire";
import fc from "fast-check";
import { expect, it } from "vitest";
import { toOpenAIMessages } from "../src/index.js";

const log = transcripts({
  // Chat completions take no document by its address, and say so before anything is sent.
  without: ["pdf_url"],
});

it("any transcript, of whichever vendors, becomes messages that the service takes", () => {
  fc.assert(
    fc.property(log, (view) => {
      const messages = toOpenAIMessages(view, { instructions: "Be brief." });
      expect(wireProblems("openai-chat", { model: "gpt-5", messages })).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

it("what is sent depends on nothing that JSON does not keep", () => {
  fc.assert(
    fc.property(log, (view) => {
      const stored: typeof view = JSON.parse(JSON.stringify(view));
      expect(toOpenAIMessages(stored)).toEqual(toOpenAIMessages(view));
    }),
  );
});

import { modelView } from "@tunic/core";
import { messageLogs, transcripts } from "@tunic/testing/arbitraries";
import { wireProblems } from "@tunic/testing/wire";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type GeminiContentsOptions, toGeminiContents } from "../src/index.js";
import { stored } from "./build.js";

const models: readonly GeminiContentsOptions[] = [
  { model: "gemini-3.5-flash" },
  { model: "gemini-2.5-flash" },
];

test.each(models)(
  "any transcript, of whichever vendors, becomes contents that the service takes ($model)",
  (options) => {
    fc.assert(
      fc.property(transcripts(), (view) => {
        const { contents } = toGeminiContents(view, options);
        expect(wireProblems("gemini", { contents })).toEqual([]);
      }),
      { numRuns: 500 },
    );
  },
);

test("what is sent depends on nothing that JSON does not keep", () => {
  fc.assert(
    fc.property(transcripts(), (view) => {
      expect(toGeminiContents(stored(view))).toEqual(toGeminiContents(view));
    }),
  );
});

test("what was sent to an older model stands as it is in later requests, whatever follows", () => {
  fc.assert(
    fc.property(messageLogs(), (log) => {
      const [, old] = models;
      const sent = toGeminiContents(modelView(log), old).contents;
      for (let length = 0; length < log.length; length++) {
        const view = modelView(log.slice(0, length));
        const earlier = toGeminiContents(view, old).contents.slice(0, -1);
        expect(sent.slice(0, earlier.length)).toEqual(earlier);
      }
    }),
  );
});

test("a signature stands on a part only where it came on that part, or as the one stand-in of a step", () => {
  fc.assert(
    fc.property(transcripts(), (view) => {
      const plain = toGeminiContents(view, { generation: 2 }).contents;
      const { contents } = toGeminiContents(view, { generation: 3 });
      contents.forEach(({ parts = [] }, at) => {
        const marked = parts.filter(
          (part) => part.thoughtSignature === "skip_thought_signature_validator",
        );
        const calls = parts.filter((part) => part.functionCall);
        expect(marked.length).toBeLessThanOrEqual(1);
        for (const part of marked) expect(part).toBe(calls[0]);
        // Nothing but the stand-in tells the generations apart in what the model said.
        if (marked.length === 0 && contents[at]?.role === "model")
          expect(parts).toEqual(plain[at]?.parts);
      });
    }),
  );
});

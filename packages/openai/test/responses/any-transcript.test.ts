import { type Message, modelView } from "@tunic/core";
import { transcripts } from "@tunic/testing/arbitraries";
import { wireProblems } from "@tunic/testing/wire";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toOpenAIResponsesInput } from "../../src/index.js";

describe.each([true, false])("any transcript, of whichever vendors, with store: %s", (store) => {
  it("becomes input that the service takes", () => {
    fc.assert(
      fc.property(transcripts(), (view) => {
        const input = toOpenAIResponsesInput(view, { store });
        expect(wireProblems("openai-responses", { model: "gpt-5", store, input })).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("is sent by what JSON keeps of it alone", () => {
    fc.assert(
      fc.property(transcripts(), (view) => {
        const stored: readonly Message[] = JSON.parse(JSON.stringify(view));
        const sent = toOpenAIResponsesInput(view, { store });
        expect(toOpenAIResponsesInput(stored, { store })).toEqual(sent);
      }),
    );
  });

  it("grows only at its end", () => {
    fc.assert(
      fc.property(transcripts(), (view) => {
        const sent = toOpenAIResponsesInput(view, { store });
        for (let length = 0; length < view.length; length++) {
          const earlier = toOpenAIResponsesInput(modelView(view.slice(0, length)), { store });
          expect(sent.slice(0, earlier.length)).toEqual(earlier);
        }
      }),
      { numRuns: 50 },
    );
  });
});

import { type Content, type Message, modelView } from "@tunic/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { toAnthropicMessages } from "../src/index.js";
import { call, message, messageProblems, result, stored } from "./build.js";

const wire = (...messages: readonly Message[]) => toAnthropicMessages(messages).messages;

test("any log, seen through modelView, keeps the vendor's rules, and grows only at its end", () => {
  const id = fc.constantFrom("c1", "c2", "c3", "x:4", "x.5");
  const text = fc.constantFrom("", " ", "hi");
  const reasoning = fc.constantFrom<Content>(
    { type: "text_reasoning", text: "mine", providerData: { anthropic: { signature: "S" } } },
    { type: "text_reasoning", text: "theirs" },
  );
  const entry = fc.oneof(
    fc.tuple(
      fc.constant("user" as const),
      fc.array(
        text.map((t) => ({ type: "text" as const, text: t })),
        { maxLength: 2 },
      ),
    ),
    fc.tuple(
      fc.constant("assistant" as const),
      fc
        .tuple(
          fc.array(reasoning, { maxLength: 2 }),
          fc.array(
            fc.oneof(
              text.map((t) => ({ type: "text" as const, text: t })),
              id.map((each) => call(each)),
            ),
            { maxLength: 4 },
          ),
        )
        // The service takes no turn that ends with thinking, and such a turn is sent as it is.
        .map(([thoughts, rest]): Content[] =>
          thoughts.length === 0 ? rest : [...thoughts, { type: "text", text: "So:" }, ...rest],
        ),
    ),
    fc.tuple(
      fc.constant("tool" as const),
      fc.array(
        fc.tuple(id, text).map(([each, t]) => result(each, t)),
        { maxLength: 3 },
      ),
    ),
  );
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 14 }), (entries) => {
      const log = withUniqueCalls(entries.map(([role, contents]) => message(role, ...contents)));
      const sent = wire(...modelView(log));
      expect(messageProblems(sent)).toEqual([]);
      expect(wire(...modelView(stored(log)))).toEqual(sent);
      for (let length = 0; length < log.length; length++) {
        const earlier = wire(...modelView(log.slice(0, length))).slice(0, -1);
        expect(sent.slice(0, earlier.length)).toEqual(earlier);
      }
    }),
    { numRuns: 300 },
  );
});

/** Call ids are unique within a log: whoever writes one sees to that. */
function withUniqueCalls(log: readonly Message[]): Message[] {
  const seen = new Set<string>();
  return log.map((each) => ({
    ...each,
    contents: each.contents.filter((content) => {
      if (content.type !== "function_call") return true;
      if (seen.has(content.callId)) return false;
      seen.add(content.callId);
      return true;
    }),
  }));
}

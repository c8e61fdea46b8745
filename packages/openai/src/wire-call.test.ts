import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { call, message, result } from "../test/helpers.js";
import { toOpenAIMessages } from "./chat-completions/to-openai-messages.js";
import { toWireCallId } from "./wire-call.js";

const ids = fc.uniqueArray(
  fc.oneof(
    fc.string({ maxLength: 120 }),
    fc.nat(999).map((at) => `call_${"0".repeat(60)}${at}`),
    fc.nat(999).map((at) => `${at}${"x".repeat(60)}`),
  ),
  { maxLength: 60, minLength: 2 },
);

describe("ids of calls on the wire", () => {
  it("fit, differ, and stay what they are where they fit already", () => {
    fc.assert(
      fc.property(ids, (list) => {
        const sent = list.map(toWireCallId);
        expect(new Set(sent).size).toBe(list.length);
        for (const [at, id] of sent.entries()) {
          expect(id.length).toBeGreaterThan(0);
          expect(id.length).toBeLessThanOrEqual(40);
          const own = list[at] ?? "";
          if (own !== "" && own.length <= 40) expect(id).toBe(own);
        }
      }),
    );
  });

  it("differ for Mistral, too, and results follow their calls there", () => {
    fc.assert(
      fc.property(ids, (list) => {
        const messages = toOpenAIMessages(
          [
            message("assistant", ...list.map((id) => call(id, "lamp"))),
            message("tool", ...list.map((id) => result(id, "on"))),
          ],
          { shortCallIds: true },
        );
        const [asked, ...answers] = messages;
        const sent = asked?.role === "assistant" ? asked.tool_calls?.map(({ id }) => id) : [];
        expect(answers.map((each) => each.role === "tool" && each.tool_call_id)).toEqual(sent);
        expect(new Set(sent).size).toBe(list.length);
        for (const id of sent ?? []) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
      }),
    );
  });
});

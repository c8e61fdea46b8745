import fc from "fast-check";
import { expect, test } from "vitest";
import { toWireCallId, toWireToolName } from "./wire-names.js";

test("an id that Anthropic takes goes out as it is", () => {
  expect(toWireCallId("toolu_01D7FLrfh4GYq7yT1ULFeyMV")).toBe("toolu_01D7FLrfh4GYq7yT1ULFeyMV");
});

test("ids of other vendors are escaped, and no two share a name", () => {
  expect(toWireCallId("functions.lamp:0")).toBe("call-x-functions_2e_lamp_3a_0");
  const ids = fc.string({ unit: fc.constantFrom("a", "_", "-", ":", "3", "é", "🦊") });
  fc.assert(
    fc.property(ids, ids, (a, b) => {
      expect(toWireCallId(a)).toMatch(/^[a-zA-Z0-9_-]+$/);
      expect(toWireCallId(a) === toWireCallId(b)).toBe(a === b);
      expect(toWireCallId(toWireCallId(a)) === toWireCallId(a)).toBe(toWireCallId(a) === a);
    }),
  );
});

test("a tool's name out of another history holds only what Anthropic takes", () => {
  expect(toWireToolName("mail.send/now")).toBe("mail_send_now");
  expect(toWireToolName("")).toBe("_");
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { toWireCallId, wireToolName } from "./wire-names.js";

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

test("a tool's name holds only what Anthropic takes, and no two share one", () => {
  expect(wireToolName("mail_send")).toBe("mail_send");
  expect(wireToolName("mail.send/now")).toMatch(/^mail_send_now_[0-9a-f]{8}$/);
  expect(wireToolName("mail.send")).not.toBe(wireToolName("mail/send"));
  expect(wireToolName("")).toMatch(/^[a-zA-Z0-9_-]{1,128}$/);
  expect(wireToolName("x".repeat(129))).toHaveLength(128);
});

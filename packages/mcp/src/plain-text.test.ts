import { describe, expect, it } from "vitest";
import { isPlainText, plainText } from "./plain-text.js";

describe("plainText", () => {
  it.each([
    ["colours of a terminal", "\u001b[31mred\u001b[0m", "[31mred[0m"],
    ["what wipes a line", "safe\r\u0008\u0007\u009bK", "safeK"],
    ["text that runs backwards", "file\u202egnp.exe\u2066\u2069", "filegnp.exe"],
    ["invisible orders", "hi\u{E0070}\u{E0061}\u200b\u2063", "hi"],
    ["halves of characters", "a\ud800b", "ab"],
  ])("leaves out %s", (_what, text, plain) => {
    expect(plainText(text)).toBe(plain);
    expect(isPlainText(text)).toBe(false);
  });

  it("leaves what people write", () => {
    for (const text of ["Ünïcödé 漢字 مرحبا", "👩‍👩‍👧 ❤️", "می‌خواهم"]) {
      expect(plainText(text)).toBe(text);
      expect(isPlainText(text)).toBe(true);
    }
    expect(plainText("a\n\tb")).toBe("a\n\tb");
    expect(isPlainText("a\nb")).toBe(false);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CapturedOutput, captureHead, captureTail } from "./captured-output.js";

/** A text, cut into chunks anywhere, inside of characters too. */
const cutText = fc.tuple(
  fc.string({ unit: fc.constantFrom("a", "é", "漢", "🧅"), maxLength: 40 }),
  fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 20 }),
);

function fill(output: CapturedOutput, text: string, cuts: readonly number[]): CapturedOutput {
  let rest: Uint8Array = new TextEncoder().encode(text);
  for (let at = 0; rest.length > 0; at++) {
    const length = (cuts[at % cuts.length] ?? 0) || 1;
    output.push(rest.subarray(0, length));
    rest = rest.subarray(length);
  }
  return output;
}

const bytesIn = (text: string) => new TextEncoder().encode(text).length;

describe.each([
  { name: "captureHead", capture: captureHead, part: "startsWith" as const },
  { name: "captureTail", capture: captureTail, part: "endsWith" as const },
])("$name", ({ capture, part }) => {
  it("keeps all there is room for, in whole characters, and says whether there was more", () => {
    fc.assert(
      fc.property(cutText, fc.integer({ min: 1, max: 60 }), ([text, cuts], max) => {
        const output = fill(capture(max), text, cuts);
        const kept = output.text();
        expect(text[part](kept)).toBe(true);
        expect(output.isTruncated()).toBe(bytesIn(text) > max);
        if (!output.isTruncated()) expect(kept).toBe(text);
        // Of what is missing, no whole character would have fitted.
        else expect(max - bytesIn(kept)).toBeLessThan(4);
      }),
    );
  });

  it("shows bytes that are no text as such", () => {
    const output = capture(10);
    output.push(Uint8Array.of(0x61, 0xff, 0x62));
    expect(output.text()).toBe("a\uFFFDb");
  });
});

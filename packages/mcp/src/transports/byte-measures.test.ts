import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { longestEvent, total } from "./byte-measures.js";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The same bytes in pieces. */
const cutting = fc.array(fc.nat(9), { maxLength: 60 }).map((sizes) => (whole: Uint8Array) => {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const size of sizes) {
    pieces.push(whole.subarray(at, at + size));
    at += size;
  }
  return [...pieces, whole.subarray(at)];
});

describe("how long a stream is", () => {
  it("is the sum of its pieces", () => {
    const measure = total();
    expect([bytes("ab"), bytes(""), bytes("cde")].map(measure)).toEqual([2, 2, 5]);
  });
});

describe("how long the longest event of a stream is", () => {
  it.each([
    ["\n", 10],
    // The second half of what ends the line may come late, and counts with what follows.
    ["\r\n", 11],
    ["\r", 10],
  ])("counts to the empty line, with %j as the end of a line", (end, expected) => {
    const text = ["data: ab", "", "data: a", ""].map((line) => line + end).join("");
    expect(longestEvent()(bytes(text))).toBe(expected);
  });

  it("is the same however the stream is cut", () => {
    const line = fc.stringMatching(/^[a-z]{0,8}$/);
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 12 }),
        fc.constantFrom("\n", "\r\n", "\r"),
        cutting,
        (lines, end, cut) => {
          const whole = bytes(lines.map((each) => each + end).join(""));
          const inOne = longestEvent()(whole);
          const measure = longestEvent();
          expect(Math.max(...cut(whole).map(measure))).toBe(inOne);
        },
      ),
    );
  });

  it("grows while an event has no end, and begins anew after an empty line", () => {
    const measure = longestEvent();
    expect(["data: a", "aaa\n", "data: b\n", "\n", "x"].map(bytes).map(measure)).toEqual([
      7, 11, 19, 20, 1,
    ]);
  });
});

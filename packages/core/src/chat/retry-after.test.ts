import { describe, expect, it } from "vitest";
import { parseRetryAfter, readRetryAfter } from "./retry-after.js";

const now = Date.parse("1994-11-06T08:49:34Z");

describe("B18: the wait that a Retry-After asks for", () => {
  it.each([
    ["Sun, 06 Nov 1994 08:49:37 GMT", 3000],
    ["Sunday, 06-Nov-94 08:49:37 GMT", 3000],
    ["Sun Nov  6 08:49:37 1994", 3000],
    ["Sun, 06 Nov 1994 08:49:30 GMT", 0],
    ["0.5", 500],
    ["0", 0],
    [" 2 ", 2000],
    ["86400", 86_400_000],
    ["9".repeat(400), undefined],
    ["-5", undefined],
    ["2 bananas", undefined],
    ["1e3", undefined],
    ["1,5", undefined],
    ["NaN", undefined],
    ["soon", undefined],
    ["Sun, whenever", undefined],
    ["1994-11-06T08:49:37Z", undefined],
    ["", undefined],
    [" ", undefined],
    [null, undefined],
    [undefined, undefined],
  ])("%j is %s ms", (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected);
  });
});

describe("the wait that headers ask for", () => {
  const wait = (headers: Record<string, string>) => readRetryAfter(new Headers(headers), now);

  it("is the first that can be read, milliseconds before seconds", () => {
    expect(wait({ "retry-after-ms": "150", "retry-after": "2" })).toBe(150);
    expect(wait({ "retry-after-ms": "soon", "retry-after": "2" })).toBe(2000);
    expect(wait({ "retry-after": "Sun, 06 Nov 1994 08:49:37 GMT" })).toBe(3000);
  });

  it("is none where they ask for none", () => {
    expect(wait({})).toBeUndefined();
    expect(wait({ "retry-after-ms": "-1" })).toBeUndefined();
    expect(readRetryAfter(undefined, now)).toBeUndefined();
  });
});

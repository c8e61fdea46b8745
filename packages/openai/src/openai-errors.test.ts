import { ChatClientError } from "@tunic/core";
import { APIConnectionTimeoutError, APIUserAbortError } from "openai";
import { describe, expect, it } from "vitest";
import { toChatClientError } from "./openai-errors.js";
import { retryAfterMs } from "./retry-after.js";

describe("failures of the SDK", () => {
  it("that waited too long are timeouts, worth a retry", () => {
    const cause = new APIConnectionTimeoutError();
    expect(toChatClientError(cause, 0)).toMatchObject({ code: "timeout", retryable: true, cause });
  });

  it("of any other kind are kept as the cause", () => {
    for (const cause of [new APIUserAbortError(), new Error("odd"), "odd"]) {
      expect(toChatClientError(cause, 0)).toMatchObject({
        code: "unknown",
        retryable: false,
        cause,
      });
    }
  });

  it("that are translated already stay as they are", () => {
    const error = new ChatClientError("unsupported", "No.");
    expect(toChatClientError(error, 0)).toBe(error);
  });
});

describe("retry-after", () => {
  const now = Date.parse("1994-11-06T08:49:34Z");

  it.each([
    ["Sun, 06 Nov 1994 08:49:37 GMT", 3000],
    ["Sunday, 06-Nov-94 08:49:37 GMT", 3000],
    ["Sun Nov  6 08:49:37 1994", 3000],
    ["Sun, 06 Nov 1994 08:49:30 GMT", 0],
    ["0.5", 500],
    ["0", 0],
    [" 2 ", 2000],
    ["-5", undefined],
    ["2 bananas", undefined],
    ["1e3", undefined],
    ["Sun, whenever", undefined],
    ["", undefined],
  ])("%j means %s", (value, expected) => {
    expect(retryAfterMs(new Headers({ "retry-after": value }), now)).toBe(expected);
  });

  it("takes the first that can be read", () => {
    const headers = new Headers({ "retry-after-ms": "soon", "retry-after": "2" });
    expect(retryAfterMs(headers, now)).toBe(2000);
  });
});

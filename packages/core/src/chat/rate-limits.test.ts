import { describe, expect, it } from "vitest";
import { readRateLimits } from "./rate-limits.js";

const now = Date.parse("2026-01-01T00:00:00Z");
const read = (headers: Readonly<Record<string, string>>) =>
  readRateLimits(new Headers(headers), now);

describe("readRateLimits", () => {
  it("reads OpenAI's form, in which the reset is a duration", () => {
    expect(
      read({
        "x-ratelimit-limit-requests": "60",
        "x-ratelimit-remaining-requests": "59",
        "x-ratelimit-reset-requests": "1s",
        "x-ratelimit-limit-tokens": "150000",
        "x-ratelimit-remaining-tokens": "149984",
        "x-ratelimit-reset-tokens": "6m0s",
        "content-type": "application/json",
      }),
    ).toEqual({
      requests: { limit: 60, remaining: 59, resetAt: now + 1000 },
      tokens: { limit: 150_000, remaining: 149_984, resetAt: now + 360_000 },
    });
  });

  it("reads Anthropic's form, in which the reset is a date", () => {
    expect(
      read({
        "anthropic-ratelimit-input-tokens-limit": "80000",
        "anthropic-ratelimit-input-tokens-remaining": "79000",
        "anthropic-ratelimit-input-tokens-reset": "2026-01-01T00:00:07Z",
      }),
    ).toEqual({ "input-tokens": { limit: 80_000, remaining: 79_000, resetAt: now + 7000 } });
  });

  it.each([
    ["17ms", 17],
    ["7.66s", 7660],
    ["1h2m3s", 3_723_000],
    ["1d", 86_400_000],
    ["30", 30_000],
    ["Thu, 01 Jan 2026 00:00:05 GMT", 5000],
  ])("reads a reset of %s", (value, wait) => {
    expect(read({ "x-ratelimit-reset-requests": value })).toEqual({
      requests: { resetAt: now + wait },
    });
  });

  it.each([
    { "x-ratelimit-limit-requests": "many", "x-ratelimit-reset-requests": "soon" },
    { "x-ratelimit-reset-tokens": `${"9".repeat(400)}s` },
    { "x-ratelimit-remaining-tokens": "9".repeat(400) },
    { "anthropic-ratelimit-tokens-reset": "2026-99-99T00:00:00Z" },
    { "retry-after": "3" },
    {},
  ])("leaves out what cannot be read: %j", (headers) => {
    expect(read(headers as Record<string, string>)).toBeUndefined();
  });
});

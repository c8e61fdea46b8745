import { expect, test } from "vitest";
import { defaultMaxTokens } from "./max-tokens.js";

test.each([
  ["claude-3-haiku-20240307", 4096],
  ["claude-3-5-sonnet-20241022", 8192],
  ["claude-3-7-sonnet-latest", 64_000],
  ["claude-opus-4-20250514", 32_000],
  ["claude-opus-4-1-20250805", 32_000],
  ["claude-opus-4-5", 64_000],
  ["claude-opus-4-8", 128_000],
  ["claude-sonnet-4-5-20250929", 64_000],
  ["claude-sonnet-4-6", 128_000],
  ["claude-sonnet-5-5", 128_000],
  ["claude-haiku-5-5", 128_000],
  ["us.anthropic.claude-opus-4-5-20251101-v1:0", 64_000],
  ["a-model-of-tomorrow", 4096],
])("%s may answer with %d tokens", (model, tokens) => {
  expect(defaultMaxTokens(model)).toBe(tokens);
});

import { expect, test } from "vitest";
import { answer } from "./build.js";
import { readWhole } from "./read-answer.js";

test("what an answer says of itself and is no text is as good as absent", async () => {
  const odd = { id: { a: 1 }, model: ["m"] };
  const { responseId, model, finishReason } = await readWhole(answer([], 5 as never, odd));
  expect({ responseId, model, finishReason }).toEqual({});
});

test("counts below zero give nothing back", async () => {
  const usage = { input_tokens: 5, output_tokens: -1000, cache_read_input_tokens: -3 };
  const response = await readWhole(answer([], "end_turn", { usage }));
  expect(response.usage).toEqual({ inputTokens: 5, outputTokens: 0, totalTokens: 5 });
});

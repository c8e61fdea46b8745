import type { Content, Message } from "@tunic/core";
import { expect, it } from "vitest";
import { toOpenAIMessages, toOpenAITools } from "../src/index.js";
import { call, message, result, tool } from "./helpers.js";

/** A message that counts how often its contents are looked at. */
function watched(inner: Message, looks: Map<string, number>): Message {
  const { contents, ...rest } = inner;
  return {
    ...rest,
    get contents() {
      looks.set(inner.id, (looks.get(inner.id) ?? 0) + 1);
      return contents;
    },
  };
}

it("converts each message of a long conversation once in its life", () => {
  const looks = new Map<string, number>();
  const log: Message[] = [];
  for (let round = 0; round < 75; round++) {
    const id = `c${round}`;
    const batch = [
      message("user", `Question ${round}`),
      message("assistant", call(id, "lamp", { round })),
      message("tool", result(id, "on")),
      message("assistant", `Answer ${round}`),
    ];
    for (const each of batch) {
      log.push(watched(each, looks));
      toOpenAIMessages(log, { instructions: "Be brief." });
    }
  }
  expect(log).toHaveLength(300);
  const first = new Set(looks.values());
  // A conversion looks at the contents more than once, but always as often: there was only one.
  toOpenAIMessages(log);
  expect(new Set(looks.values())).toEqual(first);
  const sent = toOpenAIMessages(log);
  const again = toOpenAIMessages([...log]);
  expect(sent).toHaveLength(300);
  sent.forEach((each, at) => {
    expect(again[at]).toBe(each);
  });
});

it("converts two messages where 498 of 500 are old, with and without what goes back", () => {
  const looks = new Map<string, number>();
  const log: Message[] = [];
  const thought: Content = {
    type: "text_reasoning",
    text: "Hm.",
    providerData: { openai: { reasoning: { origin: "llm.example", member: "reasoning_content" } } },
  };
  for (let round = 0; round < 125; round++) {
    const id = `c${round}`;
    for (const each of [
      message("user", `Question ${round}`),
      message("assistant", thought, call(id, "my.lamp", { round })),
      message("tool", result(id, "on")),
      message("assistant", `Answer ${round}`),
    ]) {
      log.push(watched(each, looks));
    }
  }
  expect(log).toHaveLength(500);
  const replay = { origin: "llm.example" };
  const before = toOpenAIMessages(log.slice(0, 498), { replay, shortCallIds: true });
  looks.clear();
  const after = toOpenAIMessages(log, { replay, shortCallIds: true });
  expect([...looks.keys()]).toEqual(log.slice(498).map(({ id }) => id));
  before.forEach((each, at) => {
    expect(after[at]).toBe(each);
  });
  expect(after[1]).toMatchObject({ reasoning_content: "Hm." });
});

it("converts a tool once", () => {
  const lamp = tool("lamp");
  for (const options of [{}, { strict: true }]) {
    const [once] = toOpenAITools([lamp], options);
    expect(toOpenAITools([tool("gauge"), lamp], options)[1]).toBe(once);
  }
});

import type { Message } from "@tunic/core";
import { expect, it } from "vitest";
import { toGeminiContents, toGeminiTools } from "../src/index.js";
import { call, functionTool, message, result } from "./build.js";

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

const round = (at: number): Message[] => [
  message("user", `Question ${at}`),
  message("assistant", call(`c${at}`, "lamp", { at }, { id: `c${at}`, thoughtSignature: "VDE=" })),
  message("tool", result(`c${at}`, "on")),
  message("assistant", `Answer ${at}`),
];

it("converts 2 of 500 messages when 498 are old", () => {
  const looks = new Map<string, number>();
  const log = Array.from({ length: 125 }, (_, at) => round(at))
    .flat()
    .map((each) => watched(each, looks));
  toGeminiContents(log.slice(0, 498));
  expect(looks.size).toBe(498);
  looks.clear();
  const sent = toGeminiContents(log).contents;
  expect([...looks.keys()]).toEqual(log.slice(498).map(({ id }) => id));
  looks.clear();
  // What went out before is the same object: with responses, the same parts.
  const again = toGeminiContents(log).contents;
  expect(looks.size).toBe(0);
  sent.forEach(({ parts = [] }, at) => {
    parts.forEach((part, place) => {
      expect(again[at]?.parts?.[place]).toBe(part);
    });
  });
});

it("converts a tool once, and the SDK's own rewriting does not reach it", async () => {
  const lamp = functionTool("lamp");
  const declared = () => toGeminiTools([lamp])[0]?.functionDeclarations?.[0];
  const first = declared();
  const parameters = first?.parameters;
  const { bodyFor } = await import("./request-body.js");
  await bodyFor({ tools: [lamp] });
  expect(declared()).toBe(first);
  expect(declared()?.parameters).toBe(parameters);
});

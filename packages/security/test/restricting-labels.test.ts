import { AgentSession, textContent, toolResult } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { hiddenValues } from "../src/index.js";
import { World } from "./support/world.js";

const policy = { read: { effects: ["read" as const], result: "trusted" as const } };

function said(text: string, integrity: string) {
  return textContent(text, {
    additionalProperties: { label: { integrity, confidentiality: "public" } },
  });
}

function worldOf(gives: () => unknown) {
  return new World({
    turns: [{ calls: [{ name: "read" }] }, "Done."],
    tools: { read: { gives } },
    policy,
    session: new AgentSession(),
  });
}

describe("a label that a content of a result brings along", () => {
  it("restricts every part of a structured result", async () => {
    const data = JSON.stringify({ id: 7, body: "hello" });
    const world = worldOf(() => toolResult({ contents: [said(data, "untrusted")] }));
    await world.say("Read.");
    expect(hiddenValues(world.session).map(({ value }) => value)).toEqual([
      { id: 7, body: "hello" },
    ]);
  });

  it("raises nothing", async () => {
    const world = new World({
      turns: [{ calls: [{ name: "read" }] }, "Done."],
      tools: {
        read: {
          gives: () => toolResult({ contents: [said('{"body":"hello"}', "trusted")] }),
        },
      },
      policy: { read: { effects: ["read"], result: { $: "trusted", body: "untrusted" } } },
      session: new AgentSession(),
    });
    await world.say("Read.");
    expect(hiddenValues(world.session).map(({ value }) => value)).toEqual(["hello"]);
  });
});

import { AgentSession } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { explain, hiddenValues } from "../src/index.js";
import { call, ref, World } from "./support/world.js";

const summary = {
  type: "object",
  properties: { summary: { type: "string" } },
  required: ["summary"],
  additionalProperties: false,
} as const;
const ask = (refs: readonly string[], schema?: object) =>
  call("quarantined_llm", { prompt: "What is it?", refs, ...(schema && { schema }) } as never);

async function asked() {
  const world = new World({
    tools: {
      read_mail: { gives: [{ body: "a" }, { body: { text: "b" } }] },
      pay: { takes: ["to"] },
    },
    policy: {
      read_mail: { effects: ["read"], result: { $: "trusted", "[*].body": "untrusted" } },
      pay: { effects: ["consequential"] },
    },
    quarantine: new ScriptedChatClient(['{"value":{"summary":"eve"}}', "eve"]),
    turns: [
      call("read_mail"),
      ask(["v1", "v2.text"], summary),
      ask(["v3", "v1"]),
      call("pay", { to: ref("v4") }),
      "done",
    ],
  });
  await world.say("Read.");
  return world;
}

const of = [
  { tool: "read_mail", path: "[0].body", variable: "v1" },
  { tool: "read_mail", path: "[1].body.text", variable: "v2" },
];

describe("a value that the quarantine has made", () => {
  it("says which member of the answer it is, and what it was made of", async () => {
    const { session } = await asked();
    const [answer, further] = hiddenValues(session).slice(2);
    expect(answer?.origin).toMatchObject({ tool: "quarantined_llm", path: "summary", of });
    // Of what was made of an answer, the first values count, each once.
    expect(further?.origin).toMatchObject({ tool: "quarantined_llm", path: "$", of });
    expect(further?.origin.of).toHaveLength(2);
  });

  it("says it in what a person is told, and after the session was stored", async () => {
    const { session } = await asked();
    const stored = AgentSession.fromJSON(JSON.parse(JSON.stringify(session)));
    expect(hiddenValues(stored)).toEqual(hiddenValues(session));
    const paid = session.messages
      .flatMap(({ contents }) => contents)
      .find((content) => content.type === "function_call" && content.name === "pay");
    const decision = explain(session, paid && "callId" in paid ? paid.callId : "");
    expect(decision?.violations[0]?.origin).toMatchObject({ variable: "v4", of });
  });
});

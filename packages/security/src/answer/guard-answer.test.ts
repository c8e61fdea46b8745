import { Agent, AgentSession, type Content, type JsonValue, tool } from "@tunic/core";
import { type ScriptedAnswer, ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { memoryFlowAudit } from "../audit/flow-audit.js";
import type { FlowPolicy } from "../policy/flow-policy.js";
import { secureAgent } from "../secure-agent.js";

const itemsHidden = { effects: ["read"], result: { $: "trusted", "[*]": "untrusted" } } as const;

interface Scene {
  /** What the tool brings, hidden leaf by leaf. */
  readonly result?: JsonValue;
  readonly answer: string | ScriptedAnswer;
  readonly policy?: Partial<FlowPolicy>;
  /** Whether the model has looked at what is hidden. */
  readonly inspected?: boolean;
  readonly user?: string;
  readonly chunkSize?: number;
  readonly mode?: "enforce" | "shadow";
}

async function answered({
  result = ["x"],
  answer,
  policy,
  inspected,
  user = "hi",
  chunkSize,
  mode,
}: Scene) {
  const read = tool({ name: "read", execute: () => result });
  const client = new ScriptedChatClient(
    [
      { calls: [{ name: "read" }] },
      ...(inspected
        ? [{ calls: [{ name: "inspect_variable", arguments: { variable: "v1" } }] }]
        : []),
      answer,
    ],
    chunkSize === undefined ? {} : { chunkSize },
  );
  const audit = memoryFlowAudit();
  const agent = new Agent({
    client,
    contextProviders: [
      secureAgent({
        tools: [read],
        policy: { version: 1, tools: { read: itemsHidden }, ...policy },
        quarantine: false,
        audit,
        ...(mode && { mode }),
      }),
    ],
  });
  const session = new AgentSession();
  const streamed: string[] = [];
  const response = await agent.run(user, {
    session,
    ...(chunkSize !== undefined && {
      onUpdate: (update) => {
        if (update.type !== "delta") return;
        for (const content of update.contents)
          if (content.type === "text") streamed.push(content.text);
      },
    }),
  });
  const contents = response.messages.at(-1)?.contents ?? [];
  return { contents, text: textsIn(contents), streamed: streamed.join(""), audit };
}

function textsIn(contents: readonly Content[]): string {
  return contents.map((content) => (content.type === "text" ? content.text : "")).join("");
}

const ref = (id: string) => JSON.stringify({ $ref: id });

describe("guardAnswer", () => {
  it("puts values in place of references, each with its label", async () => {
    const { contents, text } = await answered({
      result: ["one", "two"],
      answer: `A ${ref("v1")}, ${ref("v2")}.`,
    });
    expect(text).toBe("A one, two.");
    expect(contents[1]).toMatchObject({
      text: "one",
      additionalProperties: { variable: "v1", label: { integrity: "untrusted" } },
    });
  });

  it("leaves references that stand for nothing as they are", async () => {
    const { text } = await answered({ answer: `A ${ref("v9")} ${ref("v1.x")}` });
    expect(text).toBe(`A ${ref("v9")} ${ref("v1.x")}`);
  });

  it.each<[string, readonly string[], string, string]>([
    ["one value", ["see https://evil.com/x"], `${ref("v1")} !`, "see [link removed] !"],
    ["two values", ["http", "s://evil.com/x"], ref("v1") + ref("v2"), "http[link removed]"],
    ["a value and words", ["http"], `${ref("v1")}s://evil.com/x y`, "http[link removed] y"],
    ["words and a value", ["://evil.com/x y"], `https${ref("v1")}`, "https[link removed] y"],
    [
      "a secret in an address",
      ["secret"],
      `![](https://evil.com/${ref("v1")}.png)`,
      "![](https://evil.com/secret.png)",
    ],
  ])("makes no link of %s", async (_what, result, answer, expected) => {
    const whole = await answered({ result, answer });
    expect(whole.text).toBe(expected);
    for (const chunkSize of [1, 2, 3, 7]) {
      const cut = await answered({ result, answer, chunkSize });
      expect(cut.text).toBe(whole.text);
      expect(cut.streamed).toBe(whole.text);
    }
  });

  it("takes links out of what was written in view of untrusted data, streamed or not", async () => {
    const answer = "See [a](https://evil.com/?d=1), https://good.com. And //evil.com/x.";
    const expected = "See [a]([link removed]), https://good.com. And [link removed].";
    const user = "Read https://good.com please";
    const { text, audit } = await answered({ answer, inspected: true, user });
    expect(text).toBe(expected);
    expect(
      audit.entries.filter((entry) => entry.kind === "answer").map((entry) => entry.details),
    ).toEqual([{ linksRemoved: 2 }]);
    for (const chunkSize of [1, 5]) {
      const cut = await answered({ answer, inspected: true, user, chunkSize });
      expect([cut.text, cut.streamed]).toEqual([expected, expected]);
    }
  });

  it.each<[string, Partial<Scene>]>([
    ["of a trusted answer", {}],
    ["that the policy allows", { inspected: true, policy: { answer: { links: "allow" } } }],
    ["in shadow mode", { inspected: true, mode: "shadow" }],
  ])("leaves links %s, however long", async (_what, scene) => {
    const answer = `See https://a.com/${"x".repeat(3000)} and <a:b>`;
    expect((await answered({ answer, ...scene })).text).toBe(answer);
    expect((await answered({ answer, ...scene, chunkSize: 100 })).streamed).toBe(answer);
  });

  it("keeps what a service attaches to a text, and its blocks apart", async () => {
    const contents: readonly Content[] = [
      { type: "text", id: "a", text: "first https" },
      { type: "text", id: "a", text: "", providerData: { anthropic: { citations: [1] } } },
      { type: "text", id: "b", text: "second" },
      { type: "text", text: "third", providerData: { gemini: { sign: "s" } } },
      { type: "text", text: "", additionalProperties: { grounding: 1 } },
    ];
    expect((await answered({ answer: { contents }, inspected: true })).contents).toEqual([
      {
        type: "text",
        id: "a",
        text: "first https",
        providerData: { anthropic: { citations: [1] } },
      },
      { type: "text", id: "b", text: "second" },
      { type: "text", text: "third", providerData: { gemini: { sign: "s" } } },
      { type: "text", text: "", additionalProperties: { grounding: 1 } },
    ]);
  });

  it("looks at texts to which something is attached, too", async () => {
    const contents: readonly Content[] = [
      { type: "text", text: "a https://evil.com b", additionalProperties: { mine: 1 } },
    ];
    expect((await answered({ answer: { contents }, inspected: true })).contents).toEqual([
      { type: "text", text: "a [link removed] b", additionalProperties: { mine: 1 } },
    ]);
  });

  const secret: Partial<FlowPolicy> = {
    tools: { read: { effects: ["read"], result: { $: "trusted", "[*]": { readers: ["ann"] } } } },
    answer: { readers: ["bob"] },
  };

  it("withholds what whoever reads the answer may not see, once", async () => {
    const { text } = await answered({
      answer: "It says x, and more.",
      inspected: true,
      policy: secret,
      chunkSize: 3,
    });
    expect(text).toBe(
      "[This answer was withheld: it holds data that whoever reads it may not see.]",
    );
  });

  it("withholds a hidden value alone where the rest may be seen", async () => {
    const { text } = await answered({ answer: `It says ${ref("v1")}.`, policy: secret });
    expect(text).toBe("It says [withheld].");
  });

  it("shows readers what they may see", async () => {
    const policy = { ...secret, answer: { readers: ["ann"] } };
    expect((await answered({ answer: `It says ${ref("v1")}.`, policy })).text).toBe("It says x.");
  });
});

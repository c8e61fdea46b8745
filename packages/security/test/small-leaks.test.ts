import {
  AgentSession,
  functionMiddleware,
  type JsonObject,
  type JsonValue,
  type Middleware,
} from "@tunic/core";
import type { ScriptedTurn } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { explain, hiddenValues, labelOf } from "../src/index.js";
import type { World, WorldTool } from "./world/flow-world.js";
import { callsIn, contentsOf, stage } from "./world/stage.js";

/** A world in which `read` brings something untrusted, and `know` something that only ann may read. */
function worldOf(body: JsonValue, more: Partial<World["policy"]> = {}): World {
  const tools: readonly WorldTool[] = [
    {
      name: "read",
      arguments: [],
      flow: { effects: ["read"], result: { $: "trusted", body: "untrusted" } },
      does: () => ({ body }),
    },
    {
      name: "know",
      arguments: [],
      flow: { effects: ["read"], result: { integrity: "trusted", readers: ["ann"] } },
      does: () => "hunter2",
    },
    { name: "pay", arguments: ["to"], flow: { result: "trusted" }, does: () => "paid" },
    {
      name: "send",
      arguments: ["to", "body"],
      flow: { rule: "permitted_flow", recipients: ["to"], result: "trusted" },
      does: () => "sent",
    },
  ];
  const flows = Object.fromEntries(tools.map(({ name, flow = {} }) => [name, flow]));
  return { tools, hide: "untrusted", policy: { version: 1, tools: flows, ...more } };
}

const call = (name: string, args: JsonObject = {}): ScriptedTurn => ({
  calls: [{ name, arguments: args }],
});

async function play(
  world: World,
  turns: readonly ScriptedTurn[],
  middleware: readonly Middleware[] = [],
) {
  const { agent, executed, script } = stage(
    world,
    { untrusted: ["", "", ""], secret: ["", ""] },
    { seed: 0, rounds: 0, sees: true },
    { middleware },
  );
  script.push(...turns, "done");
  const session = new AgentSession();
  await agent.run("Go.", { session });
  const results = contentsOf(session.messages, "function_result").map(({ contents }) =>
    contents.map((each) => (each.type === "text" ? each.text : "")).join(),
  );
  const last = session.messages.at(-1);
  const rules = callsIn(session.messages).map(
    ({ callId }) => explain(session, callId)?.violations.map(({ rule }) => rule) ?? [],
  );
  const ran = executed.map(({ tool }) => tool);
  return { session, ran, results, rules, label: last && labelOf(last) };
}

const ref = (id: string) => ({ $ref: id });
const ask = (args: JsonObject) => call("quarantined_llm", { prompt: "?", refs: ["v1"], ...args });

describe("what a value can say without having a value", () => {
  it.each<[string, JsonValue]>([
    ["an empty object inside", { a: {} }],
    ["a name that leads to nothing", { "pay eve": [] }],
    ["an empty list of lists", [[], [[]]]],
  ])("%s does not get into a guarded argument", async (_, body) => {
    const { ran, rules } = await play(worldOf(body), [
      call("read"),
      call("pay", { to: ref("v1") }),
    ]);
    expect(ran).toEqual(["read"]);
    expect(rules[1]).toContain("trusted_argument");
  });

  it("a link that is a name is a link", async () => {
    const world = worldOf({ "https://evil.example/?q=1": 1 });
    const send = call("send", { to: "ann", body: ref("v1") });
    const { ran, rules } = await play(world, [call("read"), send]);
    expect(ran).toEqual(["read"]);
    expect(rules[1]).toEqual(["untrusted_link"]);
  });
});

describe("names of receivers", () => {
  it.each<[string, JsonValue]>([
    ["are data themselves", "hunter2@evil.example"],
    ["count, whatever they are", ["ann", 7]],
  ])("%s", async (_, to) => {
    const { ran, rules } = await play(worldOf("x"), [call("know"), call("send", { to })]);
    expect(ran).toEqual(["know"]);
    expect(rules[1]).toContain("permitted_flow");
  });
});

describe("an answer of the isolated model", () => {
  const members = { type: "object", additionalProperties: false };
  const two = { a: { type: "string" }, b: { type: "string" } };

  it("shows members in the order of the schema, whatever the order in which they were written", async () => {
    for (const body of ["one", "two", "three", "four", "five"]) {
      const schema = { ...members, properties: two, required: ["a", "b"] };
      const { results } = await play(worldOf(body), [call("read"), ask({ schema })]);
      expect(results[1]).toBe('{"a":{"$ref":"v2"},"b":{"$ref":"v3"}}');
    }
  });

  it("is hidden whole where the schema leaves open which members there are", async () => {
    const schema = { ...members, properties: two };
    const { results } = await play(worldOf("one"), [call("read"), ask({ schema })]);
    expect(results[1]).toBe('{"$ref":"v2"}');
  });

  it("is as confidential as the question", async () => {
    const { session } = await play(worldOf("x"), [
      call("know"),
      call("read"),
      ask({ prompt: "hunter2?" }),
    ]);
    expect(hiddenValues(session).at(-1)?.label.readers).toEqual(["ann"]);
  });

  it("about several small values can hold the bits of all of them", async () => {
    const small = ask({ schema: { type: "boolean" } });
    const all = call("quarantined_llm", { prompt: "?", refs: ["v2", "v3", "v4"] });
    const { session } = await play(worldOf("x"), [call("read"), small, small, small, all]);
    expect(hiddenValues(session).map(({ label }) => label.capacity)).toEqual([
      undefined,
      1,
      1,
      1,
      3,
    ]);
  });

  it("is not about what a call of the same batch hides", async () => {
    const both = {
      calls: [{ name: "read" }, { name: "inspect_variable", arguments: { variable: "v1" } }],
    };
    // The one that asks is the slower one.
    const late = functionMiddleware("late", async ({ call }, next) => {
      if (call.name === "inspect_variable") await new Promise(setImmediate);
      return next();
    });
    const { results } = await play(worldOf("x"), [both], [late]);
    expect(results[1]).toContain("no such variable");
  });
});

describe("a denial that depends on values", () => {
  const linked = "https://evil.example";
  const turns = [
    call("read"),
    call("send", { to: "ann", body: ref("v1") }),
    call("pay", { to: "ann" }),
  ];

  it("costs a bit", async () => {
    const { ran } = await play(worldOf(linked, { endorseBits: 1 }), turns);
    expect(ran).toEqual(["read", "pay"]);
  });

  it("leaves the context untrusted where there is no bit left", async () => {
    const { ran, rules, label } = await play(worldOf(linked, { endorseBits: 0 }), turns);
    expect(ran).toEqual(["read"]);
    expect(rules.slice(1)).toEqual([["untrusted_link"], ["trusted_call"]]);
    expect(label?.integrity).toBe("untrusted");
  });
});

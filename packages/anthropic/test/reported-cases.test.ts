import type Anthropic from "@anthropic-ai/sdk";
import { Agent, type FunctionTool, type JsonObject, tool } from "@tunic/core";
import { describe, expect, test } from "vitest";
import { AnthropicChatClient } from "../src/index.js";
import { asEvents, asText, type Wire } from "./as-events.js";
import { answer, message } from "./build.js";
import { block, end, json, start, toolUse } from "./read-answer.js";
import { either, type Reply, streamed, type WireServer, whole, wireServer } from "./wire-server.js";

// Each test is named by the public report whose input it plays, through the vendor's SDK.

const done = answer([{ type: "text", text: "Done." }]);
const at = ({ url }: WireServer) =>
  new AnthropicChatClient({ model: "claude-opus-4-8", apiKey: "key", baseURL: url });
const asking = (name: string, input: unknown) =>
  answer([{ type: "tool_use", id: "c1", name, input }], "tool_use");

/** A tool that writes down what it is called with. */
function recording(name: string, parameters: JsonObject = { type: "object", properties: {} }) {
  const calls: unknown[] = [];
  const made = tool({
    name,
    description: `The ${name}.`,
    parameters,
    execute: (args: unknown) => {
      calls.push(args);
      return "ok";
    },
  });
  return { made, calls };
}

/** Runs an agent against these replies, and gives what the model saw as results. */
async function run(replies: readonly Reply[], tools: readonly FunctionTool[], streams: boolean) {
  await using server = await wireServer(...replies);
  const agent = new Agent({ client: at(server), tools });
  const response = await agent.run("go", streams ? { onUpdate: () => {} } : {});
  const last = (server.bodies.at(-1)?.["messages"] ?? []) as Anthropic.MessageParam[];
  return { response, bodies: server.bodies, results: resultsIn(last) };
}

function resultsIn(messages: readonly Anthropic.MessageParam[]) {
  const results: Anthropic.ToolResultBlockParam[] = [];
  for (const { content } of messages) {
    if (!Array.isArray(content)) continue;
    for (const each of content) if (each.type === "tool_result") results.push(each);
  }
  return results;
}

const manners = [
  { manner: "whole", streams: false },
  { manner: "streamed", streams: true },
];

describe("B04: a tool without arguments", () => {
  test.each<[string, readonly object[]]>([
    ["no delta at all", []],
    ["an empty delta", [json("")]],
    ["a blank delta", [json("  \n")]],
  ])("runs with {} after %s", async (_, deltas) => {
    const { made, calls } = recording("lamp");
    const events: Wire[] = [start, ...block(0, toolUse("c1"), ...deltas), ...end("tool_use")];
    await run([streamed(asText(events)), streamed(asText(asEvents(done)))], [made], true);
    expect(calls).toEqual([{}]);
  });

  test("with text that is broken, gives the model an error, and the run goes on", async () => {
    const { made, calls } = recording("lamp");
    const events: Wire[] = [start, ...block(0, toolUse("c1"), json('{"a')), ...end("tool_use")];
    const { response, results, bodies } = await run(
      [streamed(asText(events)), streamed(asText(asEvents(done)))],
      [made],
      true,
    );
    expect(calls).toEqual([]);
    expect(response.text).toBe("Done.");
    expect(results).toMatchObject([{ is_error: true }]);
    expect(JSON.stringify(results)).toContain(JSON.stringify('{"a').slice(1, -1));
    expect(bodies[1]?.["messages"]).toMatchObject([{}, { content: [{ input: {} }] }, {}]);
  });

  test.each(manners)("that has required ones is told what is missing, $manner", async (each) => {
    const { made, calls } = recording("lamp", {
      type: "object",
      properties: { room: { type: "string" } },
      required: ["room"],
    });
    const { results } = await run([either(asking("lamp", {})), either(done)], [made], each.streams);
    expect(calls).toEqual([]);
    expect(results).toMatchObject([{ is_error: true }]);
    expect(JSON.stringify(results)).toContain("room");
  });
});

test.each([1, 2, 3])("B06: arguments in pieces of %d bytes keep every character", async (size) => {
  const { made, calls } = recording("say", {
    type: "object",
    properties: { text: { type: "string" } },
  });
  const text = "Grüße 🦊 наш";
  const events = asEvents(asking("say", { text }), (whole) => Array.from(whole));
  await run([streamed(asText(events), size), streamed(asText(asEvents(done)), size)], [made], true);
  expect(calls).toEqual([{ text }]);
});

test.each(manners)(
  "B10: arguments as text, or encoded twice, run all the same, $manner",
  async ({ streams }) => {
    const { made, calls } = recording("lamp", {
      type: "object",
      properties: { room: { type: "string" } },
    });
    const inputs = ['{"room":"hall"}', JSON.stringify('{"room":"attic"}')];
    await run(
      [...inputs.map((input) => either(asking("lamp", input))), either(done)],
      [made],
      streams,
    );
    expect(calls).toEqual([{ room: "hall" }, { room: "attic" }]);
  },
);

test("B14: parallel results go out in one user message, first, in the order of the calls", async () => {
  const { made } = recording("lamp");
  const calls = answer(
    [
      { type: "text", text: "Both." },
      { type: "tool_use", id: "c1", name: "lamp", input: {} },
      { type: "tool_use", id: "c2", name: "lamp", input: {} },
    ],
    "tool_use",
  );
  const { bodies } = await run([whole(calls), whole(done)], [made], false);
  expect(bodies[1]?.["messages"]).toMatchObject([
    { role: "user" },
    { role: "assistant", content: calls.content },
    { role: "user", content: [{ tool_use_id: "c1" }, { tool_use_id: "c2" }] },
  ]);
});

test("B19: schemas of any dialect, with formats and words that nobody knows, are offered and checked", async () => {
  const schemas: JsonObject[] = [
    { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object", properties: {} },
    { $schema: "http://json-schema.org/draft-07/schema#", type: "object", properties: {} },
    { type: "object", properties: {} },
    { type: "object", properties: { n: { type: "integer", format: "uint64" } } },
    { type: "object", properties: { d: { type: "string", format: "google-duration" } } },
    { type: "object", properties: { x: { type: "string", "x-order": 1 } } },
  ];
  const tools = schemas.map((schema, n) => recording(`t${n}`, schema));
  const calls = answer(
    tools.map((_, n) => ({ type: "tool_use", id: `c${n}`, name: `t${n}`, input: {} })),
    "tool_use",
  );
  const wrong = answer(
    [
      { type: "tool_use", id: "w3", name: "t3", input: { n: "many" } },
      { type: "tool_use", id: "w4", name: "t4", input: { d: 1.5 } },
    ],
    "tool_use",
  );
  const { bodies, results } = await run(
    [whole(calls), whole(wrong), whole(done)],
    tools.map(({ made }) => made),
    false,
  );
  expect(tools.map((each) => each.calls.length)).toEqual([1, 1, 1, 1, 2, 1]);
  expect(results.filter((each) => each.is_error)).toMatchObject([{ tool_use_id: "w3" }]);
  expect(JSON.stringify(bodies[0]?.["tools"])).not.toContain("$schema");
});

describe("B23: the root of a schema is an object without a combinator", () => {
  test("and what was lost is still enforced, which tells the model", async () => {
    const { made, calls } = recording("find", {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    });
    const { bodies, results } = await run(
      [whole(asking("find", {})), whole(asking("find", { a: "x" })), whole(done)],
      [made],
      false,
    );
    const [offered] = (bodies[0]?.["tools"] ?? []) as Anthropic.Tool[];
    expect(offered?.input_schema).toEqual({
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
    });
    expect(calls).toEqual([{ a: "x" }]);
    expect(results[0]).toMatchObject({ is_error: true });
  });
});

test.each(manners)(
  "B24: null for an optional argument means absent, $manner",
  async ({ streams }) => {
    const { made, calls } = recording("weather", {
      type: "object",
      properties: {
        city: { type: "string" },
        unit: { type: "string", enum: ["c", "f"] },
        note: { type: ["string", "null"] },
        lim: { type: "integer", default: 20 },
      },
      required: ["city"],
    });
    const given = { city: "Bergen", unit: null, note: null, lim: null };
    const { results } = await run(
      [either(asking("weather", given)), either(asking("weather", { city: null })), either(done)],
      [made],
      streams,
    );
    expect(calls).toEqual([{ city: "Bergen", note: null, lim: 20 }]);
    expect(results.map((each) => each.is_error ?? false)).toEqual([false, true]);
  },
);

test("B26: what fits stays as it is, what does not is corrected only where it is clear", async () => {
  const { made, calls } = recording("set", {
    type: "object",
    properties: {
      f: { type: "boolean" },
      n: { type: "integer" },
      s: { type: "string" },
      u: { type: ["integer", "string"] },
      tags: { type: "array", items: { type: "string" } },
    },
  });
  const good = { f: "false", n: "5", s: "007", u: "42", tags: '["a"]' };
  const bad = [{ n: "5.5" }, { n: "0x10" }, { f: "no" }, { f: "" }];
  const replies = [good, ...bad].map((input) => either(asking("set", input)));
  const { results } = await run([...replies, either(done)], [made], true);
  expect(calls).toEqual([{ f: false, n: 5, s: "007", u: "42", tags: ["a"] }]);
  expect(results.slice(1).every((each) => each.is_error)).toBe(true);
});

test("B20: a tool with a dangling reference is refused by name before anything is sent", () => {
  const parameters = { type: "object", properties: { a: { $ref: "#/$defs/Nope" } } };
  expect(() => tool({ name: "t2", parameters, execute: () => "" })).toThrow(/t2.*Nope/s);
});

test("B40: a forced tool is forced once; T7: every choice has its word", async () => {
  const { made } = recording("lamp");
  const choices: unknown[] = [];
  for (const toolChoice of ["required", { name: "lamp" }, "auto", "none"] as const) {
    await using server = await wireServer(
      whole(toolChoice === "none" ? done : asking("lamp", {})),
      whole(done),
    );
    const agent = new Agent({ client: at(server), tools: made });
    await agent.run("go", { options: { toolChoice } });
    choices.push(server.bodies.map((body) => body["tool_choice"]));
  }
  expect(choices).toEqual([
    [{ type: "any" }, { type: "auto" }],
    [{ type: "tool", name: "lamp" }, { type: "auto" }],
    [{ type: "auto" }, { type: "auto" }],
    [{ type: "none" }],
  ]);
});

test.each(manners)(
  "B42, T6: calls run whatever the reason to stop says, $manner",
  async ({ streams }) => {
    const { made, calls } = recording("lamp");
    const odd = answer([{ type: "tool_use", id: "c1", name: "lamp", input: {} }], "end_turn");
    const { response } = await run([either(odd), either(done)], [made], streams);
    expect(calls).toEqual([{}]);
    expect(response.text).toBe("Done.");
    // And the other way round: a reason without a call ends the run.
    const empty = answer([{ type: "text", text: "So." }], "tool_use");
    expect((await run([either(empty)], [made], streams)).response.text).toBe("So.");
  },
);

test("B46: a tool that nobody has is answered with an error, and the name goes back as it came", async () => {
  const { made } = recording("lamp");
  const { results, bodies } = await run([whole(asking("lmap", {})), whole(done)], [made], false);
  expect(results).toMatchObject([{ is_error: true }]);
  expect(JSON.stringify(results)).toContain("lamp");
  expect(bodies[1]?.["messages"]).toMatchObject([{}, { content: [{ name: "lmap" }] }, {}]);
});

test("B77: names of the prototype are names like any other", async () => {
  const { made, calls } = recording("constructor", {
    type: "object",
    properties: { toString: { type: "string" } },
  });
  const input = JSON.parse('{"toString":"x","__proto__":{"admin":true}}');
  await run([whole(asking("constructor", input)), whole(done)], [made], false);
  expect(calls).toHaveLength(1);
  expect(Object(calls[0]).admin).toBeUndefined();
});

test("T6: results in one message, stop reasons that are no end", async () => {
  await using server = await wireServer(
    whole(answer([{ type: "text", text: "And so" }], "model_context_window_exceeded")),
  );
  const response = await at(server).getResponse({ messages: [message("user", "x")], options: {} });
  expect(response).toMatchObject({
    finishReason: "length",
    rawFinishReason: "model_context_window_exceeded",
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OpenAIChatClient, toOpenAITools } from "../src/index.js";
import { call, completion, failureOf, message, request, result, tool } from "./helpers.js";
import { WireServer } from "./wire-server.js";

let server: WireServer;
let client: OpenAIChatClient;

beforeAll(async () => {
  server = await WireServer.start();
  client = new OpenAIChatClient({ model: "test-model", baseURL: server.url });
});
afterAll(() => server.stop());

it("B12: thoughts and signatures of another service are not sent", async () => {
  const thought = {
    type: "text_reasoning" as const,
    text: "hm",
    providerData: { anthropic: { signature: "SIG1" } },
  };
  const signed = { ...call("c1", "lamp"), providerData: { gemini: { thoughtSignature: "SIG2" } } };
  server.reply({ body: completion({ content: "ok" }) });
  await client.getResponse(
    request([
      message("user", "Go"),
      message("assistant", thought, signed),
      message("tool", result("c1", "on")),
    ]),
  );
  expect(JSON.stringify(server.lastBody)).not.toMatch(/hm|SIG1|SIG2|providerData/);
});

it("B14: results follow their calls, text comes after them, nothing is empty", async () => {
  server.reply({ body: completion({ content: "ok" }) });
  const failed = { ...result("c2", ""), isError: true };
  await client.getResponse(
    request([
      message("user", "And today?"),
      message("assistant", "", call("c1", "weather"), call("c2", "weather")),
      message("tool", result("c1", "sun")),
      message("tool", failed),
      message("user", "A reminder."),
      message("user", "And tomorrow?"),
    ]),
  );
  expect(server.lastBody["messages"]).toMatchObject([
    { role: "user" },
    { role: "assistant", content: null, tool_calls: [{ id: "c1" }, { id: "c2" }] },
    { role: "tool", tool_call_id: "c1", content: "sun" },
    { role: "tool", tool_call_id: "c2", content: "Error: the call failed." },
    { role: "user", content: "A reminder.\n\nAnd tomorrow?" },
  ]);
});

describe("B18: how long to wait", () => {
  const soon = () => new Date(Date.now() + 60_000).toUTCString();

  it.each([
    ["a word", { "retry-after": "soon" }, undefined],
    ["seconds", { "retry-after": "2" }, 2000],
    ["a date that has passed", { "retry-after": new Date(0).toUTCString() }, 0],
    ["a day", { "retry-after": "86400" }, 86_400_000],
    ["milliseconds", { "retry-after-ms": "1500", "retry-after": "9" }, 1500],
    ["nothing", {}, undefined],
  ])("reads %s", async (_, headers, expected) => {
    server.reply({ status: 429, headers, body: { error: { message: "Slow down." } } });
    const failure = await failureOf(client.getResponse(request()));
    expect(failure).toMatchObject({ code: "rate_limit", status: 429, retryable: true });
    expect(failure).toHaveProperty("message", expect.stringContaining("Slow down."));
    expect(Object(failure).retryAfterMs).toBe(expected);
  });

  it("reads a date ahead", async () => {
    server.reply({ status: 429, headers: { "retry-after": soon() }, body: {} });
    const failure = await failureOf(client.getResponse(request()));
    const wait: unknown = Object(failure).retryAfterMs;
    expect(wait).toBeTypeOf("number");
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60_000);
  });
});

describe("B23: combinators at the root of a schema", () => {
  const wire = (schema: object) => {
    const [made] = toOpenAITools([tool("t", JSON.parse(JSON.stringify(schema)))]);
    return made?.type === "function" ? made.function.parameters : undefined;
  };

  it("leaves out what only says which members go together", () => {
    const schema = {
      type: "object",
      properties: { a: {}, b: {} },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    };
    expect(wire(schema)).toEqual({ type: "object", properties: { a: {}, b: {} } });
  });

  it("merges alternatives into one object with optional members", () => {
    const schema = {
      anyOf: [
        { type: "object", properties: { k: { const: "x" } } },
        { type: "object", properties: { k: { const: "y" }, z: { type: "number" } } },
      ],
    };
    expect(wire(schema)).toEqual({
      type: "object",
      properties: { k: { anyOf: [{ const: "x" }, { const: "y" }] }, z: { type: "number" } },
    });
  });

  it.each([{}, { type: "object" }])("completes %j", (schema) => {
    expect(wire(schema)).toEqual({ type: "object", properties: {} });
  });

  it("sends what the service takes, and leaves the tool's own schema as it is", async () => {
    const schema = { oneOf: [{ type: "object", properties: { a: { type: "string" } } }] };
    const union = tool("union", schema);
    server.reply({ body: completion({ content: "ok" }) });
    await client.getResponse(request([message("user", "Go")], { tools: [union] }));
    expect(server.lastBody["tools"]).toMatchObject([
      { function: { parameters: { type: "object", properties: { a: { type: "string" } } } } },
    ]);
    expect(JSON.stringify(server.lastBody["tools"])).not.toContain("oneOf");
    expect(union.parameters).toBe(schema);
  });
});

it("B79: every result is a text that says something", async () => {
  server.reply({ body: completion({ content: "ok" }) });
  const ids = ["c1", "c2", "c3", "c4"];
  await client.getResponse(
    request([
      message("user", "Go"),
      message("assistant", ...ids.map((id) => call(id, "lamp"))),
      message("tool", result("c1"), result("c2", ""), result("c3", "0"), {
        ...result("c4"),
        isError: true,
        error: { code: "x", retryable: false, message: "no power" },
      }),
    ]),
  );
  expect(server.lastBody["messages"]).toMatchObject([
    {},
    {},
    { tool_call_id: "c1", content: "Done; there is no output." },
    { tool_call_id: "c2", content: "Done; there is no output." },
    { tool_call_id: "c3", content: "0" },
    { tool_call_id: "c4", content: "Error: no power" },
  ]);
});

import {
  Agent,
  type AgentInput,
  type Content,
  deny,
  type JsonObject,
  type Message,
  tool as makeTool,
} from "@tunic/core";
import { wireProblems } from "@tunic/testing/wire";
import { describe, expect, it } from "vitest";
import {
  OpenAIResponsesClient,
  toOpenAIMessages,
  toOpenAIResponsesInput,
  toOpenAIResponsesTools,
} from "../../src/index.js";
import { call, message, noticingRun, request, result, tool } from "../helpers.js";
import { asEvents } from "./as-events.js";
import { called, response, said, thought } from "./build.js";
import { ResponsesServer } from "./responses-server.js";

const sentTypes = (input: readonly object[]) =>
  input.map((item) => Object(item).type ?? Object(item).role);

describe("B12 (d): reasoning of other services", () => {
  it("never reaches this one, nor does what they signed", () => {
    const log = [
      message("user", "Hi."),
      message(
        "assistant",
        { type: "text_reasoning", text: "hm", providerData: { anthropic: { signature: "SIG1" } } },
        { type: "text_reasoning", text: "", providerData: { anthropic: { data: "RD" } } },
        {
          type: "text_reasoning",
          text: "hm",
          providerData: { gemini: { thoughtSignature: "T1" } },
        },
        { type: "text", text: "Yes.", providerData: { gemini: { thoughtSignature: "T2" } } },
        call("c1", "lamp"),
      ),
      message("tool", result("c1", "on")),
    ];
    expect(JSON.stringify(toOpenAIResponsesInput(log))).not.toMatch(/hm|SIG1|RD|T1|T2|signature/i);
    expect(sentTypes(toOpenAIResponsesInput(log))).toEqual([
      "message",
      "message",
      "function_call",
      "function_call_output",
    ]);
  });

  it("of this one does not reach chat completions, nor do its ids", async () => {
    await using server = await ResponsesServer.start();
    const answer = response([thought("rs_1", "E1", "Hm."), said("Yes."), called("c1", "lamp")]);
    server.reply({ body: answer });
    const client = new OpenAIResponsesClient({ model: "m", baseURL: server.url, store: true });
    const { messages } = await client.getResponse(request());
    const log = [message("user", "Hi."), ...messages, message("tool", result("c1", "on"))];
    const sent = toOpenAIMessages(log);
    expect(wireProblems("openai-chat", { model: "m", messages: sent })).toEqual([]);
    expect(sent[1]).toMatchObject({ content: "Yes.", tool_calls: [{ id: "c1" }] });
    expect(JSON.stringify(sent)).not.toMatch(/rs_1|msg_1|fc_|resp_1|E1|Hm\./);
  });

  it("of chat completions is plain text here", () => {
    const log = [
      message("user", "Hi."),
      message(
        "assistant",
        { type: "text", text: "Yes." },
        {
          type: "function_call",
          callId: "call_2",
          name: "lamp",
          arguments: {},
          providerData: { openai: { callId: "call" } },
        },
      ),
      message("tool", result("call_2", "on")),
    ];
    expect(toOpenAIResponsesInput(log, { store: true })).toEqual([
      { type: "message", role: "user", content: "Hi." },
      { type: "message", role: "assistant", content: "Yes." },
      { type: "function_call", call_id: "call_2", name: "lamp", arguments: "{}" },
      { type: "function_call_output", call_id: "call_2", output: "on" },
    ]);
  });
});

it("B14: the results of a batch stand together, none is empty, and no text is", () => {
  const failed: Content = { ...result("c2", ""), isError: true };
  const input = toOpenAIResponsesInput([
    message("user", "Hi.", ""),
    message("assistant", "", call("c1", "lamp"), call("c2", "lamp")),
    message("tool", result("c1"), failed),
    message("user", "and tomorrow?"),
  ]);
  expect(input).toEqual([
    { type: "message", role: "user", content: "Hi." },
    { type: "function_call", call_id: "c1", name: "lamp", arguments: "{}" },
    { type: "function_call", call_id: "c2", name: "lamp", arguments: "{}" },
    { type: "function_call_output", call_id: "c1", output: "Done; there is no output." },
    { type: "function_call_output", call_id: "c2", output: "Error: the call failed." },
    { type: "message", role: "user", content: "and tomorrow?" },
  ]);
});

describe.each([
  { way: "whole", reply: (body: JsonObject) => ({ body }), onUpdate: undefined },
  {
    way: "streamed",
    reply: (body: JsonObject) => ({ chunks: asEvents(body) }),
    onUpdate: () => {},
  },
])("B17: reasoning that is not stored, $way", ({ reply, onUpdate }) => {
  async function afterTool(
    encrypted: string | undefined,
    pause: boolean,
  ): Promise<readonly JsonObject[]> {
    await using server = await ResponsesServer.start();
    const output = [thought("rs_1", encrypted), called("c1", "lamp", {}, { id: "fc_1" })];
    server.reply(reply(response(output)), reply(response([said("It is on.", { id: "msg_2" })])));
    const client = new OpenAIResponsesClient({ model: "gpt-5", baseURL: server.url });
    const lamp = makeTool({
      name: "lamp",
      ...(pause && { approvalMode: "always_require" as const }),
      execute: () => "on",
    });
    const agent = new Agent({ client, tools: lamp });
    const first = await agent.run("Light!", { onUpdate });
    if (pause) {
      const history: Message[] = JSON.parse(JSON.stringify(first.newMessages));
      const [question] = first.approvalRequests;
      if (question === undefined) throw new Error("nothing was asked");
      const input: AgentInput = [...history, deny(question)];
      await agent.run(input, { onUpdate });
    }
    expect(server.bodies[0]).toMatchObject({
      store: false,
      include: ["reasoning.encrypted_content"],
    });
    return server.bodies[1]?.["input"] as readonly JsonObject[];
  }

  it.each([
    ["(a)", false],
    ["(c) over a pause", true],
  ])("%s goes back encrypted, directly before its call", async (_, pause) => {
    expect(await afterTool("E1", pause)).toMatchObject([
      { role: "user" },
      { type: "reasoning", id: "rs_1", encrypted_content: "E1", summary: [] },
      { type: "function_call", id: "fc_1", call_id: "c1" },
      { type: "function_call_output", call_id: "c1" },
    ]);
  });

  it("(b) does not go back where it was not encrypted, nor does its id", async () => {
    const input = await afterTool(undefined, false);
    expect(sentTypes(input)).toEqual(["message", "function_call", "function_call_output"]);
    expect(JSON.stringify(input)).not.toMatch(/rs_1|fc_1/);
  });
});

describe("B17: reasoning and what follows from it", () => {
  const from = (contents: readonly Content[], store: boolean) =>
    toOpenAIResponsesInput([message("user", "Hi."), message("assistant", ...contents)], { store });
  const rs = (id: string, after?: string): Content => ({
    type: "text_reasoning",
    text: "",
    id,
    providerData: {
      openai: {
        itemId: id,
        part: "summary",
        encryptedContent: "E",
        responseId: "resp_1",
        ...(after && { after }),
      },
    },
  });
  const text: Content = {
    type: "text",
    text: "Yes.",
    providerData: { openai: { itemId: "msg_1", after: "rs_2", responseId: "resp_1" } },
  };

  it.each([true, false])("a row of it stands before what it led to (store: %s)", (store) => {
    expect(from([rs("rs_1"), rs("rs_2", "rs_1"), text], store)).toMatchObject([
      { role: "user" },
      { id: "rs_1" },
      { id: "rs_2" },
      { id: "msg_1" },
    ]);
  });

  it("is left out where what followed is gone, and what stands there now keeps no id", () => {
    expect(sentTypes(from([rs("rs_1"), rs("rs_2", "rs_1")], false))).toEqual(["message"]);
    const other: Content = { type: "text", text: "Censored.", id: "0" };
    expect(from([rs("rs_1"), rs("rs_2", "rs_1"), other], true)[1]).toEqual({
      type: "message",
      role: "assistant",
      content: "Censored.",
    });
    expect(from([rs("rs_1"), text], true).slice(1)).toEqual([
      { type: "message", role: "assistant", content: "Yes." },
    ]);
  });
});

describe("schemas of tools", () => {
  const wire = (
    parameters: JsonObject,
    strict = false,
    own: object = {},
  ): Record<string, unknown> => {
    const [made] = toOpenAIResponsesTools([{ ...tool("t", parameters), ...own }], { strict });
    const body = { model: "m", input: "x", tools: [made] };
    expect(wireProblems("openai-responses", body)).toEqual([]);
    return { ...made };
  };

  it.each<[string, JsonObject]>([
    ["(a)", { $schema: "https://json-schema.org/draft/2020-12/schema" }],
    ["(b)", { $schema: "http://json-schema.org/draft-07/schema#" }],
    ["(d)", { properties: { n: { type: "integer", format: "uint64" } } }],
    ["(e)", { properties: { n: { type: "string", format: "google-duration" } } }],
    ["(f)", { properties: {}, "x-order": 1 }],
  ])("B19 %s of any dialect are sent, plainly and strictly", (_, own) => {
    const schema = { type: "object", ...own };
    expect(wire(schema)).toMatchObject({ strict: false, parameters: { type: "object" } });
    expect(wire(schema, true)).not.toHaveProperty("parameters.$schema");
  });

  it("B20: one that points nowhere spoils no other", () => {
    const broken = tool("t2", {
      type: "object",
      properties: { a: { $ref: "#/$defs/Nope" } },
    });
    const told: string[] = [];
    const made = toOpenAIResponsesTools([tool("t1"), broken, tool("t3")], {
      strict: true,
      onNotStrict: ({ name }) => told.push(name),
    });
    expect(made.map((each) => Object(each).strict)).toEqual([true, false, true]);
    expect(told).toEqual(["t2"]);
  });

  const open: JsonObject = {
    type: "object",
    properties: {
      q: { type: "string" },
      opt: { type: "object", properties: { n: { type: "number" } } },
      extra: { type: "object", additionalProperties: { type: "string" } },
    },
    required: ["q"],
  };

  it("B21: one that has no strict form is said plainly, or refused where it must be strict", () => {
    const before = JSON.stringify(open);
    expect(wire(open, true)["strict"]).toBe(false);
    expect(() => wire(open, false, { strict: true })).toThrow(/"t" says strict: true/);
    const { extra: _, ...closed } = Object(open["properties"]);
    expect(wire({ ...open, properties: closed }, true)).toMatchObject({
      strict: true,
      parameters: { additionalProperties: false, required: ["q", "opt"] },
    });
    expect(wire({ ...open, properties: closed }, true, { strict: false })["strict"]).toBe(false);
    expect(JSON.stringify(open)).toBe(before);
  });

  it("B21: says once for each tool and client that it is not strict", async () => {
    await using server = await ResponsesServer.start();
    server.always(() => ({ body: response([said("ok")]) }));
    const client = new OpenAIResponsesClient({
      model: "m",
      baseURL: server.url,
      strictTools: true,
    });
    const notices: string[] = [];
    const tools = [tool("t", open), tool("lamp")];
    for (let round = 0; round < 3; round++) {
      await client.getResponse({ ...request(undefined, { tools }), run: noticingRun(notices) });
    }
    expect(notices).toEqual([
      expect.stringMatching(/^tool_not_strict: The tool "t" is not strict/),
    ]);
  });

  it.each<[string, JsonObject]>([
    [
      "(a)",
      {
        type: "object",
        properties: { a: {}, b: {} },
        anyOf: [{ required: ["a"] }, { required: ["b"] }],
      },
    ],
    [
      "(b)",
      {
        anyOf: [
          { type: "object", properties: { k: { const: "x" } } },
          { type: "object", properties: { k: { const: "y" }, z: { type: "number" } } },
        ],
      },
    ],
    ["(c)", {}],
    ["(d)", { type: "object" }],
  ])("B23 %s have an object at the root and no combinator", (_, schema) => {
    const { parameters } = wire(schema);
    expect(parameters).toMatchObject({ type: "object", properties: expect.any(Object) });
    expect(Object.keys(Object(parameters))).not.toEqual(expect.arrayContaining(["anyOf"]));
  });

  it("B24: null for what is not set runs, where the strict form made the model say it", async () => {
    await using server = await ResponsesServer.start();
    const given = { city: "Bergen", unit: null, note: null, lim: null };
    server.reply({ body: response([called("c1", "t", given)]) }, { body: response([said("ok")]) });
    const client = new OpenAIResponsesClient({
      model: "m",
      baseURL: server.url,
      strictTools: true,
    });
    const seen: unknown[] = [];
    const weather = makeTool({
      name: "t",
      parameters: {
        type: "object",
        properties: {
          city: { type: "string" },
          unit: { type: "string", enum: ["c", "f"] },
          note: { type: ["string", "null"] },
          lim: { type: "integer", default: 20 },
        },
        required: ["city"],
      },
      execute: (input) => {
        seen.push(input);
        return "ok";
      },
    });
    await new Agent({ client, tools: weather }).run("Weather?");
    expect(server.bodies[0]).toMatchObject({ tools: [{ strict: true }] });
    expect(seen).toEqual([{ city: "Bergen", note: null, lim: 20 }]);
  });
});

import { Agent, tool as makeTool } from "@tunic/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { OpenAIChatClient } from "../src/index.js";
import { clientAt, completion, failureOf, message, noticingRun, request, tool } from "./helpers.js";
import { WireServer } from "./wire-server.js";

let server: WireServer;

beforeEach(async () => {
  server = await WireServer.start();
  server.always(() => ({ body: completion({ content: '{"a":"x","b":null}' }) }));
});
afterEach(() => server.stop());

const fine = {
  type: "object",
  properties: { a: { type: "string" }, b: { type: "number" } },
  required: ["a"],
};
const open = { type: "object", properties: { a: {} } };
const strictFine = {
  type: "object",
  properties: { a: { type: "string" }, b: { type: ["number", "null"] } },
  required: ["a", "b"],
  additionalProperties: false,
};

/** The functions of the last request. */
function functionsSent(): unknown[] {
  const { tools } = server.lastBody;
  return Array.isArray(tools) ? tools.map((each) => Object(each)["function"]) : [];
}

describe("T5: tools at OpenAI", () => {
  it("are strict where they can be, and one notice says of each other one why it is not", async () => {
    const client = clientAt(server);
    const tools = [
      tool("fine", fine),
      tool("open", open),
      { ...tool("never", fine), strict: false },
    ];
    const notices: string[] = [];
    for (let round = 0; round < 3; round++) {
      await client.getResponse({ ...request(undefined, { tools }), run: noticingRun(notices) });
    }
    expect(functionsSent()).toEqual([
      { name: "fine", description: "Does fine.", parameters: strictFine, strict: true },
      { name: "open", description: "Does open.", parameters: open },
      { name: "never", description: "Does never.", parameters: fine },
    ]);
    expect(notices).toEqual([
      'tool_not_strict: The tool "open" is not strict: #/properties/a says no type, so that it allows anything.',
    ]);
    await clientAt(server).getResponse({
      ...request(undefined, { tools }),
      run: noticingRun(notices),
    });
    expect(notices).toHaveLength(2);
  });

  it("that have to be strict and cannot be are refused before anything is sent", async () => {
    const tools = [{ ...tool("open", open), strict: true }];
    const client = clientAt(server);
    expect(() => client.checkTools(tools)).toThrow(
      expect.objectContaining({ code: "tool_not_strict" }),
    );
    const failure = await failureOf(client.getResponse(request(undefined, { tools })));
    expect(failure).toMatchObject({ code: "tool_not_strict" });
    expect(failure).toHaveProperty("message", expect.stringContaining("#/properties/a"));
    expect(server.requests).toHaveLength(0);
  });

  it("leave the setting of parallel calls as it is", async () => {
    const tools = [tool("fine", fine)];
    await clientAt(server).getResponse(request(undefined, { tools }));
    expect(server.lastBody).not.toHaveProperty("parallel_tool_calls");
    await clientAt(server).getResponse(request(undefined, { tools, parallelToolCalls: true }));
    expect(server.lastBody["parallel_tool_calls"]).toBe(true);
  });
});

describe("tools at other servers", () => {
  it("are strict where the client or the tool says so", async () => {
    const tools = [tool("fine", fine), { ...tool("must", fine), strict: true }];
    const ask = async (settings: { strictTools?: boolean }) => {
      const client = new OpenAIChatClient({ model: "m", baseURL: server.url, ...settings });
      await client.getResponse(request(undefined, { tools }));
      return functionsSent().map((each) => Object(each)["strict"]);
    };
    expect(await ask({})).toEqual([undefined, true]);
    expect(await ask({ strictTools: true })).toEqual([true, true]);
    expect(await ask({ strictTools: false })).toEqual([undefined, true]);
  });

  it.each([
    ["https://me.openai.azure.com/openai/v1", true],
    ["https://eu.api.openai.com/v1", true],
    ["https://openai.com.example.org/v1", false],
    ["https://notopenai.com/v1", false],
  ])("at %s, strict mode is on: %s", async (address, isOn) => {
    await clientAt(server, {}, address).getResponse(
      request(undefined, { tools: [tool("fine", fine)] }),
    );
    expect(Object(functionsSent()[0])["strict"]).toBe(isOn || undefined);
  });
});

describe("a response format", () => {
  const format = { type: "json_schema", name: "answer", schema: fine } as const;
  const sent = () => Object(server.lastBody["response_format"])["json_schema"];

  it("is strict at OpenAI where it can be, and the answer is read by the schema as written", async () => {
    const agent = new Agent({ client: clientAt(server) });
    const response = await agent.run("Go", { options: { responseFormat: format } });
    expect(sent()).toEqual({ name: "answer", schema: strictFine, strict: true });
    expect(response.value).toEqual({ a: "x" });
  });

  it("is sent as it is, with a notice, where it cannot be", async () => {
    const client = clientAt(server);
    const notices: string[] = [];
    const asked = request(undefined, { responseFormat: { ...format, schema: open } });
    for (let round = 0; round < 2; round++) {
      await client.getResponse({ ...asked, run: noticingRun(notices) });
    }
    expect(sent()).toEqual({ name: "answer", schema: open, strict: false });
    expect(notices).toEqual([
      expect.stringMatching(/^response_format_not_strict: .*"answer".*type/),
    ]);
  });

  it("that has to be strict and cannot be is refused", async () => {
    const responseFormat = { ...format, schema: open, strict: true };
    expect(
      await failureOf(clientAt(server).getResponse(request(undefined, { responseFormat }))),
    ).toMatchObject({ code: "response_format_not_strict" });
  });

  it("is not strict where it says so, or where the server is another and nobody says it", async () => {
    await clientAt(server).getResponse(
      request(undefined, { responseFormat: { ...format, strict: false } }),
    );
    expect(sent()).toEqual({ name: "answer", schema: fine, strict: false });
    const other = new OpenAIChatClient({ model: "m", baseURL: server.url });
    await other.getResponse(request(undefined, { responseFormat: format }));
    expect(sent()).toEqual({ name: "answer", schema: fine });
    await other.getResponse(request(undefined, { responseFormat: { ...format, strict: true } }));
    expect(sent()).toEqual({ name: "answer", schema: strictFine, strict: true });
  });

  it("is asked for by a tool where the server knows no other way", async () => {
    const called = {
      id: "c1",
      type: "function",
      function: { name: "answer", arguments: '{"a":"x"}' },
    };
    server.always(() => ({
      body: completion({ content: null, tool_calls: [called] }, "tool_calls"),
    }));
    const client = new OpenAIChatClient({
      model: "m",
      baseURL: server.url,
      structuredOutputs: "tool",
    });
    const lamp = makeTool({ name: "lamp", execute: () => "on" });
    const response = await new Agent({ client, tools: [lamp] }).run("Go", {
      options: { responseFormat: format },
    });
    expect(server.lastBody).not.toHaveProperty("response_format");
    expect(server.lastBody["tool_choice"]).toBe("required");
    expect(functionsSent()).toMatchObject([{ name: "lamp" }, { name: "answer" }]);
    expect(response.value).toEqual({ a: "x" });
  });
});

describe("B24: null for an optional argument", () => {
  const schema = {
    type: "object",
    properties: {
      city: { type: "string" },
      unit: { enum: ["c", "f"] },
      note: { type: ["string", "null"] },
      lim: { type: "integer", default: 20 },
    },
    required: ["city"],
  };

  it.each([
    [
      { city: "Bergen", unit: null, note: null, lim: null },
      { city: "Bergen", note: null, lim: 20 },
    ],
    [{ city: null, unit: null, note: null, lim: null }, undefined],
  ])("%j comes to the tool as %j", async (args, expected) => {
    const seen: unknown[] = [];
    const weather = makeTool({
      name: "weather",
      parameters: schema,
      execute: (input) => {
        seen.push(input);
        return "sun";
      },
    });
    const called = {
      id: "c1",
      type: "function",
      function: { name: "weather", arguments: JSON.stringify(args) },
    };
    server.reply({ body: completion({ content: null, tool_calls: [called] }, "tool_calls") });
    await new Agent({ client: clientAt(server), tools: [weather] }).run("Go");
    expect(seen).toEqual(expected === undefined ? [] : [expected]);
    expect(functionsSent()).toMatchObject([
      {
        strict: true,
        parameters: { required: ["city", "unit", "note", "lim"] },
      },
    ]);
    expect(weather.parameters).toMatchObject({ required: ["city"] });
  });
});

describe("schemas of others", () => {
  const called = (name: string, args: object) => ({
    body: completion(
      {
        content: null,
        tool_calls: [
          {
            id: `c_${name}`,
            type: "function",
            function: { name, arguments: JSON.stringify(args) },
          },
        ],
      },
      "tool_calls",
    ),
  });

  it.each([
    [{ $schema: "https://json-schema.org/draft/2020-12/schema" }],
    [{ $schema: "http://json-schema.org/draft-07/schema#" }],
    [{ "x-order": 1 }],
  ])("B19: with %j go out, and still check types", async (extra) => {
    const parameters = {
      ...extra,
      type: "object",
      properties: {
        n: { type: "integer", format: "uint64" },
        d: { type: "string", format: "google-duration" },
      },
      required: ["n", "d"],
    };
    const seen: unknown[] = [];
    const count = makeTool({ name: "count", parameters, execute: (input) => seen.push(input) });
    server.reply(called("count", { n: "many", d: "3s" }), called("count", { n: 3, d: "3s" }));
    await new Agent({ client: clientAt(server), tools: [count] }).run("Go");
    expect(seen).toEqual([{ n: 3, d: "3s" }]);
    expect(JSON.stringify(server.lastBody["messages"])).toContain("/n: expected integer");
    expect(functionsSent()).toMatchObject([
      { strict: true, parameters: { properties: { n: { description: '(format: "uint64")' } } } },
    ]);
  });

  it("B20: one that cannot be compiled hurts no other tool", async () => {
    const broken = makeTool({
      name: "broken",
      parameters: { type: "object", properties: { a: { type: "string", pattern: "(" } } },
      execute: () => "never",
    });
    const seen: unknown[] = [];
    const fineOne = makeTool({
      name: "fine",
      parameters: fine,
      execute: (input) => seen.push(input),
    });
    server.reply(called("broken", { a: "x" }), called("fine", { a: "x", b: null }));
    await new Agent({ client: clientAt(server), tools: [broken, fineOne] }).run("Go");
    expect(seen).toEqual([{ a: "x" }]);
    expect(JSON.stringify(server.lastBody["messages"])).toContain("its schema is broken");
  });

  it("B21: an open map keeps its tool from being strict, and no other", async () => {
    const mcp = tool("mcp", {
      type: "object",
      properties: {
        q: { type: "string" },
        opt: { type: "object", properties: { n: { type: "number" } } },
        extra: { type: "object", additionalProperties: { type: "string" } },
      },
      required: ["q"],
    });
    await clientAt(server).getResponse(
      request([message("user", "Go")], { tools: [mcp, tool("fine", fine)] }),
    );
    expect(functionsSent()).toEqual([
      { name: "mcp", description: "Does mcp.", parameters: mcp.parameters },
      { name: "fine", description: "Does fine.", parameters: strictFine, strict: true },
    ]);
  });

  it("B26: what a model sends of the wrong type is coerced only where it says the same", async () => {
    const seen: unknown[] = [];
    const parameters = {
      type: "object",
      properties: {
        f: { type: "boolean" },
        n: { type: "integer" },
        s: { type: "string" },
        u: { type: ["integer", "string"] },
        tags: { type: "array", items: { type: "string" } },
      },
      required: ["f", "n", "s", "u", "tags"],
    };
    const odd = makeTool({ name: "odd", parameters, execute: (input) => seen.push(input) });
    const args = { f: "false", n: "5", s: "007", u: "42", tags: '["a"]' };
    server.reply(called("odd", args), called("odd", { ...args, n: "5.5" }));
    await new Agent({ client: clientAt(server), tools: [odd] }).run("Go");
    expect(seen).toEqual([{ f: false, n: 5, s: "007", u: "42", tags: ["a"] }]);
  });
});

import { Agent, type JsonObject, tool as makeTool } from "@tunic/core";
import { wireProblems } from "@tunic/testing/wire";
import { describe, expect, it } from "vitest";
import { OpenAIResponsesClient, toOpenAIResponsesTools } from "../../src/index.js";
import { noticingRun, request, tool } from "../helpers.js";
import { called, response, said } from "./build.js";
import { ResponsesServer } from "./responses-server.js";

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

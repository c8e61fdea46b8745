import { Agent, type JsonObject, tool } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { toGeminiTools } from "../src/index.js";
import { answer, functionTool, stop, stored } from "./build.js";
import { either, wireServer } from "./wire-server.js";

/** The one declaration of a tool with this schema. */
function declare(parameters: JsonObject) {
  const before = stored(parameters);
  const [wire] = toGeminiTools([functionTool("lamp", parameters)]);
  // The schema that was given is never changed.
  expect(parameters).toEqual(before);
  return wire?.functionDeclarations?.[0];
}

/** Runs a tool with the arguments that a model sends; what it was called with, or the error. */
async function runWith(parameters: JsonObject, args: JsonObject) {
  await using server = await wireServer(
    either(answer([{ functionCall: { name: "lamp", args } }]), stop()),
    either(stop([{ text: "Done." }])),
  );
  const ran: unknown[] = [];
  const lamp = tool({ name: "lamp", parameters, execute: (input) => void ran.push(input) });
  await new Agent({ client: server.client(), tools: [lamp] }).run("hi");
  const [part] = server.bodies[1]?.contents[2]?.parts ?? [];
  const response = part?.["functionResponse"] as { response: { error?: string } } | undefined;
  return { ran, error: response?.response.error };
}

describe("B25: what Gemini's form of a schema does not have", () => {
  it("type lists, names that are not there, lists without items, unknown keys", () => {
    const declaration = declare({
      type: "object",
      properties: {
        n: { type: ["number", "null"], description: "d" },
        o: { type: ["object", "null"], properties: { x: { type: "string" } } },
        a: { type: "array" },
        f: { type: "array", items: { type: "object", required: ["ghost"] } },
      },
      additionalProperties: false,
      $schema: "https://json-schema.org/draft/2020-12/schema",
    });
    expect(declaration?.parameters).toEqual({
      type: "OBJECT",
      properties: {
        n: { type: "NUMBER", nullable: true, description: "d" },
        o: { type: "OBJECT", nullable: true, properties: { x: { type: "STRING" } } },
        a: {
          type: "ARRAY",
          items: { anyOf: [{ type: "STRING" }, { type: "NUMBER" }, { type: "BOOLEAN" }] },
        },
        f: {
          type: "ARRAY",
          items: { type: "STRING", description: "An object, written as its JSON text." },
        },
      },
    });
  });

  it("an object of any form, asked for as text, arrives as the object", async () => {
    const parameters = {
      type: "object",
      properties: {
        labels: { type: "object", additionalProperties: { type: "string" } },
        rows: { type: "array", items: { type: "object" } },
      },
    };
    const { ran } = await runWith(parameters, { labels: '{"a":"b"}', rows: ['{"n":1}', "{}"] });
    expect(ran).toEqual([{ labels: { a: "b" }, rows: [{ n: 1 }, {}] }]);
  });

  it("is converted or told in the description", () => {
    const { properties } =
      declare({
        type: "object",
        properties: {
          constant: { const: "x" },
          numbers: { enum: [1, 2, 3] },
          mixed: { enum: ["a", 1, null] },
          withEmpty: { type: "string", enum: ["", "a"] },
          either: { oneOf: [{ type: "string" }, { type: "integer" }, { type: "null" }] },
          merged: {
            allOf: [
              { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
              { properties: { b: { type: "boolean" } }, required: ["b", "ghost"] },
            ],
          },
          link: { $ref: "#/$defs/link", description: "Where." },
          when: { type: "string", format: "date-time" },
          mail: { type: "string", format: "email", minLength: 3 },
          ahead: { type: "string", pattern: "^(?=a)b" },
          plain: { type: "string", pattern: "^[a-z]+$" },
          range: { type: "integer", exclusiveMinimum: 0, maximum: 9, multipleOf: 3 },
          pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] },
          big: { type: "integer", format: "uint64" },
        },
        $defs: { link: { type: "string", format: "uri", title: "Link" } },
      })?.parameters ?? {};
    expect(properties).toEqual({
      constant: { type: "STRING", enum: ["x"] },
      numbers: { type: "INTEGER", description: "One of: 1, 2, 3." },
      mixed: {
        anyOf: [
          { type: "STRING", enum: ["a"], nullable: true },
          { type: "INTEGER", description: "One of: 1.", nullable: true },
        ],
      },
      withEmpty: { type: "STRING", enum: ["a"], description: "It may be empty." },
      either: {
        anyOf: [
          { type: "STRING", nullable: true },
          { type: "INTEGER", nullable: true },
        ],
      },
      merged: {
        type: "OBJECT",
        properties: { a: { type: "STRING" }, b: { type: "BOOLEAN" } },
        required: ["a", "b"],
      },
      link: { type: "STRING", title: "Link", description: "Where. Format: uri." },
      when: { type: "STRING", format: "date-time" },
      mail: { type: "STRING", minLength: "3", description: "Format: email." },
      ahead: { type: "STRING", description: "Pattern: ^(?=a)b" },
      plain: { type: "STRING", pattern: "^[a-z]+$" },
      range: { type: "INTEGER", maximum: 9, description: "Greater than 0. A multiple of 3." },
      pair: { type: "ARRAY", items: { anyOf: [{ type: "STRING" }, { type: "NUMBER" }] } },
      big: { type: "INTEGER" },
    });
  });

  it("a name of an argument that is refused there: the whole schema goes as JSON Schema", () => {
    const declaration = declare({
      type: "object",
      properties: { "room-name": { type: ["string", "null"] }, n: { $ref: "#/$defs/n" } },
      $defs: { n: { const: 1 } },
    });
    expect(declaration).toEqual({
      name: "lamp",
      description: "The lamp.",
      parametersJsonSchema: {
        type: "object",
        properties: { "room-name": { type: ["string", "null"] }, n: { enum: [1] } },
      },
    });
  });

  it("a schema that holds itself is cut there, and one notice says so", () => {
    const notices: string[] = [];
    const node = {
      type: "object",
      properties: { name: { type: "string" }, inner: { $ref: "#" } },
    };
    const lamp = functionTool("lamp", node);
    // As when an agent checks its tools.
    toGeminiTools([lamp]);
    for (let round = 0; round < 2; round++) {
      const [wire] = toGeminiTools([lamp], (code, text) => void notices.push(`${code}: ${text}`));
      expect(wire?.functionDeclarations?.[0]?.parameters).toMatchObject({
        properties: { inner: { type: "STRING" } },
      });
    }
    expect(notices).toEqual([expect.stringMatching(/^schema_cut: .*"lamp".*\/properties\/inner/)]);
  });
});

describe("B23: combinators at the root", () => {
  it.each<[string, JsonObject, object | undefined]>([
    [
      "(a) required in alternatives",
      {
        type: "object",
        properties: { a: { type: "string" }, b: { type: "string" } },
        anyOf: [{ required: ["a"] }, { required: ["b"] }],
      },
      { type: "OBJECT", properties: { a: { type: "STRING" }, b: { type: "STRING" } } },
    ],
    [
      "(b) alternatives",
      {
        anyOf: [
          { type: "object", properties: { k: { const: "x" } } },
          { type: "object", properties: { k: { const: "y" }, z: { type: "number" } } },
        ],
      },
      {
        type: "OBJECT",
        properties: {
          k: {
            anyOf: [
              { type: "STRING", enum: ["x"] },
              { type: "STRING", enum: ["y"] },
            ],
          },
          z: { type: "NUMBER" },
        },
      },
    ],
    ["(c) nothing", {}, undefined],
    ["(d) no properties", { type: "object" }, undefined],
  ])("%s", (_, schema, parameters) => {
    expect(declare(schema)?.parameters).toEqual(parameters);
  });
});

describe("B19, B20: dialects, unknown formats and keywords, references to nowhere", () => {
  it.each<[string, JsonObject]>([
    ["2020-12", { $schema: "https://json-schema.org/draft/2020-12/schema" }],
    ["draft-07", { $schema: "http://json-schema.org/draft-07/schema#" }],
    ["none", {}],
  ])("dialect %s", (_, schema) => {
    const properties = {
      a: { type: "integer", format: "uint64" },
      b: { type: "string", format: "google-duration" },
      c: { type: "string", "x-order": 1 },
    };
    expect(declare({ ...schema, type: "object", properties })?.parameters).toEqual({
      type: "OBJECT",
      properties: {
        a: { type: "INTEGER" },
        b: { type: "STRING", description: "Format: google-duration." },
        c: { type: "STRING" },
      },
    });
  });

  it("a reference that leads nowhere is told with tool and place; other tools are not affected", () => {
    const broken = functionTool("broken", {
      type: "object",
      properties: { a: { $ref: "#/$defs/Nope" } },
    });
    expect(() => toGeminiTools([broken])).toThrow(/Tool "broken".*\/properties\/a.*Nope/);
    expect(toGeminiTools([functionTool("fine")])).toHaveLength(1);
  });
});

describe("B21: what a strict tool is to Gemini", () => {
  it("the mode VALIDATED; its schema stays what it is", async () => {
    await using server = await wireServer(either(stop()));
    const schema = { type: "object", properties: { q: { type: "string" } }, required: ["q"] };
    await server.client().getResponse({
      messages: [{ id: "m", role: "user", createdAt: 0, contents: [{ type: "text", text: "hi" }] }],
      options: { tools: [functionTool("lamp", schema, { strict: true })] },
    });
    expect(server.bodies[0]).toMatchObject({
      toolConfig: { functionCallingConfig: { mode: "VALIDATED" } },
    });
  });
});

describe("B24: null for what is optional", () => {
  const parameters = {
    type: "object",
    properties: {
      city: { type: "string" },
      unit: { type: "string", enum: ["c", "f"] },
      note: { type: ["string", "null"] },
      lim: { type: "integer", default: 20 },
    },
    required: ["city"],
  };

  it("is dropped where the schema takes no null", async () => {
    const args = { city: "Bergen", unit: null, note: null, lim: null };
    const { ran } = await runWith(parameters, args);
    expect(ran).toEqual([{ city: "Bergen", note: null, lim: 20 }]);
  });

  it("is an error where something is required", async () => {
    const { ran, error } = await runWith(parameters, { city: null });
    expect(ran).toEqual([]);
    expect(error).toContain("city");
  });
});

it("B26: values of another type are read where they say exactly the same, and never else", async () => {
  const parameters = {
    type: "object",
    properties: {
      f: { type: "boolean" },
      n: { type: "integer" },
      s: { type: "string" },
      u: { type: ["integer", "string"] },
      tags: { type: "array", items: { type: "string" } },
      o: { type: "object" },
    },
  };
  const args = { f: "false", n: "5", s: "007", u: "42", tags: '["a"]', o: '{"k":1}' };
  expect((await runWith(parameters, args)).ran).toEqual([
    { f: false, n: 5, s: "007", u: "42", tags: ["a"], o: { k: 1 } },
  ]);
  for (const wrong of [{ n: "5.5" }, { n: "0x10" }, { f: "no" }, { f: 1 }]) {
    expect(await runWith(parameters, wrong)).toMatchObject({ ran: [], error: expect.any(String) });
  }
});

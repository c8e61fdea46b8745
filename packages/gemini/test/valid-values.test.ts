import { type JsonObject, tool } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { toGeminiTools } from "../src/index.js";
import { toPlainSchema } from "../src/plain-schema.js";
import { askStreamed, functionTool, stop, stored } from "./build.js";
import { either, wireServer } from "./wire-server.js";

/** What the service is told of a value with this schema. */
function told(value: JsonObject): unknown {
  const parameters = { type: "object", properties: { value } };
  const [wire] = toGeminiTools([functionTool("lamp", parameters)]);
  return wire?.functionDeclarations?.[0]?.parameters?.properties?.["value"];
}

const text = { type: "string" };

/** What holds under a condition. A member written down as `then` looks like a promise. */
const under = (word: "then" | "else", schema: JsonObject): JsonObject => ({
  if: { properties: { kind: { const: "m" } } },
  [word]: schema,
});

describe("what a schema allows can be said to Gemini", () => {
  it("where alternatives stand beside what holds for all of them", () => {
    const kinds = [{ minLength: 1 }, { maximum: 5 }];
    expect(told({ type: "boolean", anyOf: kinds })).toEqual({ type: "BOOLEAN" });
    expect(
      told({ type: "array", items: text, description: "d", anyOf: [{ minItems: 2 }, {}] }),
    ).toEqual({
      anyOf: [
        { type: "ARRAY", items: { type: "STRING" }, minItems: "2", description: "d" },
        { type: "ARRAY", items: { type: "STRING" }, description: "d" },
      ],
    });
    expect(told({ type: "integer", anyOf: [{ minimum: 10 }, { maximum: 0 }] })).toEqual({
      anyOf: [
        { type: "INTEGER", minimum: 10 },
        { type: "INTEGER", maximum: 0 },
      ],
    });
    // What cannot be with what stands around it is no alternative.
    expect(told({ type: "string", anyOf: [{ type: "number" }, { pattern: "^a" }] })).toEqual({
      type: "STRING",
      pattern: "^a",
    });
  });

  it("where there are two lists of alternatives", () => {
    const member = (name: string) => ({ properties: { [name]: text } });
    const choice = { oneOf: [member("a"), member("b")] };
    const other = { anyOf: [member("c"), member("d")] };
    for (const schema of [
      { type: "object", ...choice, ...other },
      { type: "object", allOf: [choice, other] },
      { type: "object", properties: { kind: text }, ...choice, ...other },
    ]) {
      const names = JSON.stringify(told(schema));
      for (const name of ["a", "b", "c", "d"])
        expect(names).toContain(`"${name}":{"type":"STRING"`);
    }
  });

  it("where properties are allowed or demanded under a condition", () => {
    const properties = { kind: text };
    const whole = { properties: { x: { type: "number" } }, required: ["x"] };
    const expected = {
      type: "OBJECT",
      properties: { kind: { type: "STRING" }, x: { type: "NUMBER" } },
    };
    for (const more of [
      under("then", whole),
      under("else", whole),
      { allOf: [under("then", { allOf: [whole] })] },
      { dependentSchemas: { kind: whole } },
      { dependencies: { kind: whole } },
    ]) {
      expect(told({ type: "object", properties, ...more })).toEqual(expected);
    }
    expect(told({ type: "object", properties, dependencies: { kind: ["kind"] } })).toEqual({
      type: "OBJECT",
      properties: { kind: { type: "STRING" } },
    });
    // Two conditions that say different things of one property allow both.
    const elsewhere = { properties: { x: text } };
    expect(
      told({ type: "object", properties, ...under("then", whole), else: elsewhere }),
    ).toMatchObject({
      properties: { x: { anyOf: [{ type: "NUMBER" }, { type: "STRING" }] } },
    });
    // A closed object takes them in no case, and the property's own word stands.
    const closed = { type: "object", properties, additionalProperties: false };
    expect(told({ ...closed, ...under("then", whole) })).not.toHaveProperty("properties.x");
    const own = { type: "object", properties: { x: text }, ...under("then", whole) };
    expect(told(own)).toEqual({ type: "OBJECT", properties: { x: { type: "STRING" } } });
  });

  it("where the values are whole objects", () => {
    const first = { a: 1, same: true };
    const second = { a: 2.5, b: "x", same: true };
    expect(told({ enum: [first, second] })).toEqual({
      type: "OBJECT",
      properties: {
        a: { type: "NUMBER", description: "One of: 1, 2.5." },
        same: { type: "BOOLEAN", description: "One of: true." },
        b: { type: "STRING", enum: ["x"] },
      },
      required: ["a", "same"],
    });
    const nothing = ["STRING", "NUMBER", "BOOLEAN"].map((type) => ({ type, nullable: true }));
    expect(told({ const: { deep: { a: null } } })).toMatchObject({
      properties: { deep: { type: "OBJECT", properties: { a: { anyOf: nothing } } } },
    });
  });
});

it.each([
  '{"__proto__":{"type":"string"}}',
  '{"a":{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}}',
])("an argument that is called __proto__ reaches the service: %s", async (json) => {
  await using server = await wireServer(either(stop([{ text: "Hello." }])));
  const parameters: JsonObject = { type: "object", properties: JSON.parse(json) };
  await askStreamed(server.client(), { options: { tools: [functionTool("lamp", parameters)] } });
  const [sent] = server.bodies;
  expect(JSON.stringify(sent?.["tools"])).toContain('"__proto__":{"type":"string"}');
});

describe("schemas that multiply", () => {
  it("are told in part, however deep their alternatives are nested", () => {
    let schema: JsonObject = text;
    for (let depth = 0; depth < 40; depth++) {
      schema = { type: "array", items: schema, anyOf: [{ minItems: 1 }, { maxItems: 5 }] };
    }
    expect(JSON.stringify(told(schema)).length).toBeLessThan(100_000);
  });

  it("are told in part, however their conditions lead to each other", () => {
    const names = Array.from({ length: 12 }, (_, at) => `d${at}`);
    const then = names.map((name) => under("then", { $ref: `#/$defs/${name}` }));
    const $defs = Object.fromEntries(
      names.map((name) => [name, { properties: { [name]: text }, allOf: then }]),
    );
    const { schema } = toPlainSchema(stored({ $ref: "#/$defs/d0", $defs }), "The schema");
    expect(schema["properties"]).toMatchObject({ d0: text, d1: text, d2: text });
  });

  it("with keywords that are called like members of every object stay schemas", () => {
    const odd = { constructor: 1, toString: 2, valueOf: 3 };
    const parameters = tool({
      name: "lamp",
      parameters: {
        type: "object",
        properties: { value: { type: "string", ...odd, allOf: [{ ...odd, minLength: 1 }] } },
      },
      execute: () => "on",
    }).parameters;
    const { schema } = toPlainSchema(parameters, "The schema");
    expect(schema["properties"]).toEqual({ value: { type: "string", ...odd, minLength: 1 } });
  });
});

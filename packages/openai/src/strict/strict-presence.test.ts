import { type JsonObject, type JsonValue, tool } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { toStrictSchema } from "./to-strict-schema.js";

const text = { type: "string" };
const nullable = { type: ["string", "null"] };

function object(properties: JsonObject, own: JsonObject = {}): JsonObject {
  return { type: "object", properties, ...own };
}

/** What a tool gets where a strict service has the model write this. */
function got(parameters: JsonObject, args: JsonObject): Promise<JsonValue> {
  const echo = tool({ name: "t", parameters, execute: (input) => input as JsonValue });
  return echo.invoke(args, { skipParsing: true });
}

const one = [{ required: ["a"] }, { required: ["b"] }];

describe("what an object says of the presence of its members", () => {
  it.each<[string, JsonObject]>([
    ["one of several", { oneOf: one }],
    ["one that comes with another", { dependentRequired: { a: ["b"] } }],
    ["at most so many", { maxProperties: 1 }],
  ])("(%s) has no strict form where absent and null are two things", (_what, own) => {
    const [word] = Object.keys(own);
    const reason = `the root has ${word} and "a", which may be absent or null`;
    for (const a of [nullable, { $ref: "#/$defs/A" }, { anyOf: [text, { type: "null" }] }]) {
      const schema = object({ a, b: text }, { ...own, $defs: { A: { enum: ["x", null] } } });
      expect(toStrictSchema(schema)).toEqual({ reason });
    }
  });

  it("has one where null means absent, and is checked at home", async () => {
    const schema = object({ a: text, b: text }, { oneOf: one });
    expect(toStrictSchema(schema).schema).toMatchObject({ required: ["a", "b"] });
    expect(await got(schema, { a: null, b: "x" })).toEqual({ b: "x" });
    const recursive = object({ a: text, b: { $ref: "#" } }, { maxProperties: 1 });
    expect(await got(recursive, { a: null, b: { a: "x", b: null } })).toEqual({ b: { a: "x" } });
    expect(toStrictSchema(recursive).schema).toBeDefined();
  });

  it("has none where it may require a member that it does not describe", () => {
    const schema = object({ a: text }, { anyOf: [{ required: ["a"] }, { required: ["z"] }] });
    expect(toStrictSchema(schema)).toEqual({
      reason: 'the root may require "z" and does not say what it is',
    });
  });
});

describe("null in strict form", () => {
  it("stays possible where all parts of an allOf take it", () => {
    const parts = ["a", "b"].map((name) => object({ [name]: text }, { type: ["object", "null"] }));
    const schema = object({ m: { allOf: parts } }, { required: ["m"] });
    expect(toStrictSchema(schema).schema).toMatchObject({
      properties: { m: { anyOf: [{ type: "object" }, { type: "null" }] } },
    });
    const strictly = object({ m: { allOf: [...parts, object({})] } }, { required: ["m"] });
    expect(toStrictSchema(strictly).schema).toMatchObject({
      properties: { m: { type: "object" } },
    });
  });

  it("for an absent member of one form takes no null away that this form means", async () => {
    const forms = [
      object({ kind: { const: "a" }, x: text, y: nullable }, { required: ["kind"] }),
      object({ kind: { const: "b" }, y: text }, { required: ["kind", "y"] }),
    ];
    const schema = object({ u: { anyOf: forms } });
    expect(toStrictSchema(schema).schema).toBeDefined();
    expect(await got(schema, { u: { kind: "a", x: null, y: null } })).toEqual({
      u: { kind: "a", y: null },
    });
  });

  it("is told apart behind a reference with something beside it, or has no strict form", () => {
    const form = (k: JsonObject) => object({ k }, { required: ["k"] });
    const open = form({ $ref: "#/$defs/A", type: "object" });
    const other = form(object({ a: nullable }, { required: ["a"] }));
    const schema = object({ m: { anyOf: [open, other] } }, { $defs: { A: object({ a: text }) } });
    expect(toStrictSchema(schema).reason).toMatch(/nothing tells apart/);
  });
});

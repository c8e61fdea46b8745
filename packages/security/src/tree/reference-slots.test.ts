import {
  checkArguments,
  type FunctionTool,
  type JsonObject,
  type JsonValue,
  tool,
} from "@tunic/core";
import { describe, expect, it } from "vitest";
import { withReferenceSlots } from "./reference-slots.js";

const slot = { $ref: "#/$defs/reference" };
const text = { type: "string" };

function of(parameters: JsonObject): FunctionTool {
  return tool({ name: "t", parameters });
}

/** What the function of a tool would be given; undefined where the arguments do not fit. */
async function input(parameters: JsonObject, args: JsonObject): Promise<unknown> {
  const checked = await checkArguments(of(parameters), args);
  return checked.ok ? checked.input : undefined;
}

async function fits(parameters: JsonObject, args: JsonObject): Promise<boolean> {
  return (await checkArguments(of(parameters), args)).ok;
}

describe("withReferenceSlots", () => {
  it("gives every argument a slot, and describes it where it was described", () => {
    const schema = {
      type: "object",
      description: "d",
      properties: {
        to: { ...text, description: "Whom", title: "To", default: "me", minLength: 2 },
        kind: { enum: ["a", "b"] },
        one: { const: 1 },
        many: { description: "m", anyOf: [text, { type: "null" }] },
      },
      required: ["to"],
    };
    expect(withReferenceSlots(schema)).toEqual({
      type: "object",
      description: "d",
      properties: {
        to: {
          description: "Whom",
          title: "To",
          default: "me",
          anyOf: [{ type: "string", minLength: 2 }, slot],
        },
        kind: { anyOf: [{ enum: ["a", "b"] }, slot] },
        one: { anyOf: [{ const: 1 }, slot] },
        many: { description: "m", anyOf: [text, { type: "null" }, slot] },
      },
      required: ["to"],
      $defs: {
        reference: {
          type: "object",
          properties: { $ref: { type: "string", pattern: "^v[1-9][0-9]*" } },
          required: ["$ref"],
          additionalProperties: false,
          description: "Stands for a hidden value.",
        },
      },
    });
  });

  it.each<[string, JsonObject, JsonObject]>([
    ["members", { properties: { a: text } }, { properties: { a: { anyOf: [text, slot] } } }],
    ["items", { items: text }, { items: { anyOf: [text, slot] } }],
    ["items of a tuple", { prefixItems: [text] }, { prefixItems: [{ anyOf: [text, slot] }] }],
    ["items of an old tuple", { items: [text] }, { items: [{ anyOf: [text, slot] }] }],
    [
      "further members",
      { additionalProperties: text },
      { additionalProperties: { anyOf: [text, slot] } },
    ],
    [
      "members by pattern",
      { patternProperties: { "^x": text } },
      { patternProperties: { "^x": { anyOf: [text, slot] } } },
    ],
    ["what must occur", { contains: text }, { contains: { anyOf: [text, slot] } }],
    [
      "members in one of several forms, not the form",
      { oneOf: [text, { properties: { a: text } }] },
      { oneOf: [text, { properties: { a: { anyOf: [text, slot] } } }] },
    ],
    [
      "members in all of several forms, not the forms",
      { allOf: [{ type: "object" }, { properties: { a: text } }] },
      { allOf: [{ type: "object" }, { properties: { a: { anyOf: [text, slot] } } }] },
    ],
    [
      "what holds in other cases, not the case",
      { if: { properties: { a: text } }, else: { properties: { a: text } } },
      { if: { properties: { a: text } }, else: { properties: { a: { anyOf: [text, slot] } } } },
    ],
    [
      "nothing in what must not be, and in names",
      { not: { items: text }, propertyNames: { anyOf: [text] } },
      { not: { items: text }, propertyNames: { anyOf: [text] } },
    ],
    [
      "no data",
      { const: { properties: { a: text } }, enum: [{ items: text }] },
      { const: { properties: { a: text } }, enum: [{ items: text }] },
    ],
    [
      "a schema with an address of its own from outside only",
      { $id: "https://example.com/x", properties: { a: text, b: { $ref: "#/properties/a" } } },
      { $id: "https://example.com/x", properties: { a: text, b: { $ref: "#/properties/a" } } },
    ],
  ])("gives slots to %s", (_what, before, after) => {
    const schema = { type: "object", properties: { p: before } };
    expect(withReferenceSlots(schema)["properties"]).toEqual({ p: { anyOf: [after, slot] } });
  });

  it("leaves alone what takes anything already, or nothing", () => {
    const properties = { any: true, none: false, free: {}, told: { description: "d" }, a: text };
    expect(withReferenceSlots({ type: "object", properties })["properties"]).toEqual({
      ...properties,
      a: { anyOf: [text, slot] },
    });
  });

  it.each<JsonObject>([
    { type: "object" },
    { type: "object", properties: {} },
    { type: "object", additionalProperties: true },
    { type: "object", properties: { a: {} } },
    { type: "object", properties: {}, $defs: { unused: text } },
  ])("gives back %j, which has no place for one, as it is", async (schema) => {
    expect(withReferenceSlots(schema)).toBe(schema);
    expect(await fits(schema, { a: { $ref: "v1" } })).toBe(true);
  });

  it("gives the same object for the same schema, and does nothing twice", () => {
    const schema = { type: "object", properties: { a: text } };
    const slotted = withReferenceSlots(schema);
    expect(withReferenceSlots(schema)).toBe(slotted);
    expect(withReferenceSlots(slotted)).toBe(slotted);
  });

  it("takes another name where the definitions have a reference", () => {
    const schema = {
      type: "object",
      properties: { a: { $ref: "#/$defs/reference" } },
      $defs: { reference: text, reference_2: text },
    };
    const slotted = withReferenceSlots(schema);
    expect(slotted["properties"]).toEqual({
      a: { anyOf: [slot, { $ref: "#/$defs/reference_3" }] },
    });
    expect(slotted["$defs"]).toMatchObject(schema.$defs);
  });

  it("knows members called __proto__ and $ref as members like others", async () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"$ref":{"type":"string"}}}',
    );
    const slotted = withReferenceSlots(schema);
    expect(await fits(slotted, JSON.parse('{"__proto__":{"$ref":"v1"},"$ref":"a"}'))).toBe(true);
    expect(await fits(slotted, JSON.parse('{"__proto__":1,"$ref":[]}'))).toBe(false);
  });

  it("leads pointers to where things stand now", async () => {
    const schema = {
      $id: "https://example.com/root",
      type: "object",
      properties: {
        a: { type: "array", items: { type: "object", properties: { n: { type: "integer" } } } },
        "b/c d": { anyOf: [text, { type: "array", items: { type: "boolean" } }] },
        sameAsA: { $ref: "#/properties/a" },
        item: { $ref: "https://example.com/root#/properties/a/items" },
        number: { $ref: "#/properties/a/items/properties/n" },
        flags: { $ref: "#/properties/b~1c%20d/anyOf/1" },
        flag: { $ref: "#/properties/b~1c%20d/anyOf/1/items" },
        notNumber: { not: { $ref: "#/properties/a/items/properties/n" } },
      },
    };
    const slotted = withReferenceSlots(schema);
    expect(slotted["properties"]).toMatchObject({
      sameAsA: { anyOf: [{ $ref: "#/properties/a/anyOf/0" }, slot] },
      number: {
        anyOf: [{ $ref: "#/properties/a/anyOf/0/items/anyOf/0/properties/n/anyOf/0" }, slot],
      },
      flags: { anyOf: [{ $ref: "#/properties/b~1c%20d/anyOf/1" }, slot] },
    });
    const right = { sameAsA: [{ n: 1 }], item: { n: 2 }, number: 3, flags: [true], flag: false };
    expect(await input(slotted, { ...right, notNumber: "x" })).toEqual({
      ...right,
      notNumber: "x",
    });
    for (const wrong of [
      { sameAsA: [{ n: "x" }] },
      { item: { n: "x" } },
      { number: "x" },
      { flags: ["x"] },
      { flag: "x" },
      { notNumber: 1 },
    ]) {
      expect(await fits(slotted, wrong)).toBe(false);
      expect(await fits(schema, wrong)).toBe(false);
    }
    const references = {
      item: { n: { $ref: "v1" } },
      number: { $ref: "v2" },
      flag: { $ref: "v3" },
    };
    expect(await fits(slotted, references)).toBe(true);
  });

  it("ends with schemas that hold themselves, and gives slots inside them", async () => {
    const node = {
      type: "object",
      properties: { name: text, children: { type: "array", items: { $ref: "#/$defs/node" } } },
      required: ["name"],
      additionalProperties: false,
    };
    const schema = {
      type: "object",
      properties: { tree: { $ref: "#/$defs/node" }, again: { $ref: "#" } },
      $defs: { node },
    };
    const slotted = withReferenceSlots(schema);
    const tree = { name: "a", children: [{ name: { $ref: "v1.name" }, children: { $ref: "v2" } }] };
    expect(await fits(slotted, { tree, again: { tree: { $ref: "v3" }, again: { tree } } })).toBe(
      true,
    );
    expect(await fits(slotted, { tree: { name: "a", children: [{ children: [] }] } })).toBe(false);
  });

  it("lets a model know what else fits", async () => {
    const slotted = withReferenceSlots({ type: "object", properties: { n: { type: "integer" } } });
    expect(await checkArguments(of(slotted), { n: "many" })).toMatchObject({
      ok: false,
      message: '/n: expected integer or reference; got "many"',
    });
  });

  it.each<[string, JsonValue]>([
    ["no id of ours", { $ref: "#/$defs/x" }],
    ["another member", { $ref: "v1", x: 1 }],
    ["no text", { $ref: 1 }],
    ["a number without v", { $ref: "1" }],
    ["a zero", { $ref: "v0" }],
  ])("takes no reference with %s", async (_what, value) => {
    const slotted = withReferenceSlots({ type: "object", properties: { n: { type: "integer" } } });
    expect(await fits(slotted, { n: value })).toBe(false);
  });
});

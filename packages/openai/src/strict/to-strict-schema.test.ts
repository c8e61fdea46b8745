import { type JsonObject, tool } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { strictProblems } from "../../test/strict-rules.js";
import { toStrictSchema } from "./to-strict-schema.js";

const object = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: "object",
  properties,
  required,
});

/** The strict form of one required member. */
function memberOf(schema: JsonObject | boolean, $defs?: JsonObject): unknown {
  const strict = toStrictSchema({ ...object({ a: schema }, ["a"]), ...($defs && { $defs }) });
  if (strict.reason !== undefined) return strict.reason;
  expect(strictProblems(strict.schema)).toEqual([]);
  return Object(strict.schema["properties"])["a"];
}

/** The strict form of one optional member. */
function optionalOf(schema: JsonObject): unknown {
  const strict = toStrictSchema(object({ a: schema }));
  return strict.reason ?? Object(strict.schema?.["properties"])["a"];
}

describe("B21: objects in strict form", () => {
  const schema = object(
    { q: { type: "string" }, opt: object({ n: { type: "number" } }), none: object({}) },
    ["q"],
  );

  it("are closed and require every member, and optional ones take null, on a copy", () => {
    const { none: _, ...properties } = Object(schema["properties"]);
    const source = { ...schema, properties };
    const before = JSON.stringify(source);
    expect(toStrictSchema(source)).toEqual({
      schema: {
        type: "object",
        properties: {
          q: { type: "string" },
          opt: {
            anyOf: [
              {
                type: "object",
                properties: { n: { type: ["number", "null"] } },
                required: ["n"],
                additionalProperties: false,
              },
              { type: "null" },
            ],
          },
        },
        required: ["q", "opt"],
        additionalProperties: false,
      },
    });
    expect(JSON.stringify(source)).toBe(before);
    expect(toStrictSchema(source)).toBe(toStrictSchema(source));
  });

  it("are refused where they are open, with the place", () => {
    const extra = { type: "object", additionalProperties: { type: "string" } };
    const source = object({ q: { type: "string" }, extra }, ["q"]);
    expect(toStrictSchema(source)).toEqual({
      reason: "#/properties/extra is open: it takes members of any name",
    });
    expect(toStrictSchema(schema).reason).toContain("#/properties/none is an object that says no");
    expect(toStrictSchema({ ...object({}), additionalProperties: true }).reason).toMatch(/open/);
  });

  it("may have no members at the root, where that is what a tool without arguments has", () => {
    expect(toStrictSchema(object({})).schema).toEqual({
      ...object({}),
      additionalProperties: false,
    });
  });
});

describe("an optional member takes null", () => {
  it.each<[JsonObject, unknown]>([
    [{ type: "string" }, { type: ["string", "null"] }],
    [{ type: ["string", "null"] }, { type: ["string", "null"] }],
    [{ enum: ["c", "f"] }, { type: ["string", "null"], enum: ["c", "f", null] }],
    [
      { type: "string", enum: ["c", null] },
      { type: ["string", "null"], enum: ["c", null] },
    ],
    [{ const: 1 }, { type: ["integer", "null"], enum: [1, null] }],
    [{ type: "integer", nullable: true }, { type: ["integer", "null"] }],
    [
      { type: "array", items: { type: "string" }, description: "Names." },
      {
        description: "Names.",
        anyOf: [{ type: "array", items: { type: "string" } }, { type: "null" }],
      },
    ],
    [
      { anyOf: [{ type: "string" }, { type: "number" }] },
      { anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }] },
    ],
    [
      { type: ["string", "number"] },
      { anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }] },
    ],
  ])("%j", (schema, expected) => {
    const made = optionalOf(schema);
    const values = Object(made)["enum"];
    // The order of values does not matter, the set of them does.
    if (Array.isArray(values)) expect(new Set(values)).toEqual(new Set(Object(expected).enum));
    expect(made).toEqual(values ? { ...Object(expected), enum: values } : expected);
  });
});

describe("what strict mode does not know", () => {
  it.each<[JsonObject, unknown]>([
    [
      { type: "string", minLength: 2, description: "A name." },
      { type: "string", description: "A name. (minLength: 2)" },
    ],
    [
      { type: "string", format: "uri" },
      { type: "string", description: '(format: "uri")' },
    ],
    [
      { type: "string", format: "email" },
      { type: "string", format: "email" },
    ],
    [
      { type: "string", pattern: "^a+$" },
      { type: "string", pattern: "^a+$" },
    ],
    [
      { type: "string", pattern: "^(?=a)" },
      { type: "string", description: '(pattern: "^(?=a)")' },
    ],
    [
      { type: "integer", minimum: 1, default: 20 },
      { type: "integer", minimum: 1, description: "(default: 20)" },
    ],
    [
      { type: "array", items: { type: "string" }, uniqueItems: true, minItems: 1 },
      {
        type: "array",
        items: { type: "string" },
        minItems: 1,
        description: "(uniqueItems: true)",
      },
    ],
  ])("is told in the description: %j", (schema, expected) => {
    expect(memberOf(schema)).toEqual(expected);
  });

  it.each<[JsonObject | boolean, string]>([
    [{}, "says no type"],
    [true, "allows anything"],
    [{ description: "x" }, "says no type"],
    [{ type: "array" }, "does not say what all of its items are"],
    [{ type: "array", items: {} }, "/items says no type"],
    [{ type: "array", prefixItems: [{ type: "string" }] }, "prefixItems"],
    [{ type: "string", not: { const: "a" } }, "has not"],
    [{ type: "object", properties: { b: { type: "string" } }, if: {}, else: {} }, "has if"],
    [{ type: "object", properties: { b: {} }, patternProperties: { x: {} } }, "patternProperties"],
    [{ enum: [{ a: 1 }] }, "lists objects"],
    [{ type: "string", enum: [1] }, "allows no value"],
    [{ $ref: "https://example.com/x" }, "no pointer from the root"],
    [{ $ref: "#/$defs/none" }, "not there"],
    [{ type: "object", properties: {}, required: ["ghost"] }, "says no members"],
    [object({ b: { type: "string" } }, ["ghost"]), 'requires "ghost"'],
  ])("is a reason not to be strict: %j", (schema, reason) => {
    expect(memberOf(schema)).toContain(reason);
    expect(memberOf(schema)).toContain("/properties/a");
  });

  it("is refused at the root", () => {
    expect(toStrictSchema({ type: "array" }).reason).toBe("the root is no object");
    const one = object({ k: { const: "x" } }, ["k"]);
    expect(toStrictSchema({ ...object({}), anyOf: [one] }).reason).toContain("the root has anyOf");
    expect(
      toStrictSchema({ ...one, anyOf: [{ required: ["k"] }, { required: [] }] }).schema,
    ).toBeDefined();
  });
});

describe("alternatives", () => {
  const cat = object({ kind: { const: "cat" }, lives: { type: "integer" } }, ["kind"]);
  const dog = object({ kind: { const: "dog" }, tricks: { type: "integer" } }, ["kind"]);

  it("of a oneOf become anyOf where none overlap", () => {
    expect(memberOf({ oneOf: [cat, dog] })).toMatchObject({
      anyOf: [{ required: ["kind", "lives"] }, { required: ["kind", "tricks"] }],
    });
    expect(memberOf({ oneOf: [{ type: "string" }, { type: "null" }] })).toEqual({
      anyOf: [{ type: "string" }, { type: "null" }],
    });
    expect(memberOf({ oneOf: [{ type: "number" }, { type: "integer" }] })).toContain("overlap");
    expect(memberOf({ oneOf: [object({ b: { type: "string" } }, ["b"]), cat] })).toContain(
      "overlap",
    );
  });

  it("with optional members have to be told apart by something", () => {
    const a = object({ id: { type: "string" }, more: { type: "string" } }, ["id"]);
    const b = object({ id: { type: "string" } }, ["id"]);
    expect(memberOf({ anyOf: [a, b] })).toContain("nothing tells apart");
    expect(memberOf({ anyOf: [{ ...b, additionalProperties: false }, cat] })).toMatchObject({
      anyOf: [{}, {}],
    });
  });

  it("take over the type that stands beside them, and nothing else", () => {
    const plain = object({ b: { type: "string" } }, ["b"]);
    const { type: _, ...bare } = plain;
    expect(memberOf({ type: "object", anyOf: [bare] })).toMatchObject({
      anyOf: [{ type: "object" }],
    });
    expect(memberOf({ ...plain, anyOf: [plain] })).toContain("beside anyOf");
  });
});

describe("allOf", () => {
  it("is merged where its parts are objects that say different things", () => {
    const schema = {
      allOf: [{ $ref: "#/$defs/P" }, object({ b: { type: "number" } })],
      description: "Both.",
    };
    expect(
      memberOf(schema, { P: object({ b: { type: "number" }, c: { type: "string" } }, ["c"]) }),
    ).toMatchObject({
      description: "Both.",
      properties: { b: { type: ["number", "null"] }, c: { type: "string" } },
      required: ["b", "c"],
    });
  });

  it("with one part is that part", () => {
    expect(memberOf({ allOf: [{ type: "string" }], description: "x" })).toEqual({
      type: "string",
      description: "x",
    });
  });

  it.each<[JsonObject, string]>([
    [{ allOf: [object({ b: { type: "string" } }), object({ b: { type: "number" } })] }, '"b"'],
    [{ allOf: [{ type: "string" }, { minLength: 2 }] }, "something else than objects"],
    [
      {
        allOf: [
          { ...object({ b: { type: "string" } }), additionalProperties: false },
          object({ c: { type: "string" } }),
        ],
      },
      "does not let",
    ],
    [{ allOf: [{ $ref: "#/properties/a" }, {}] }, "itself"],
  ])("is refused otherwise: %j", (schema, reason) => {
    expect(memberOf(schema)).toContain(reason);
  });
});

describe("references", () => {
  it("may be recursive, and lead to what is used of the definitions", () => {
    const node = object({ value: { type: "string" }, next: { $ref: "#/$defs/Node" } }, ["value"]);
    const schema = { ...object({ head: { $ref: "#/$defs/Node" } }), definitions: { Unused: {} } };
    const strict = toStrictSchema({ ...schema, $defs: { Node: node } });
    expect(strict.schema).toMatchObject({
      properties: { head: { anyOf: [{ $ref: "#/$defs/Node" }, { type: "null" }] } },
      $defs: {
        Node: {
          properties: { next: { anyOf: [{ $ref: "#/$defs/Node" }, { type: "null" }] } },
          required: ["value", "next"],
        },
      },
    });
    expect(JSON.stringify(strict.schema)).not.toContain("Unused");
  });

  it("to the root and to other places are kept", () => {
    const tree = object({ left: { $ref: "#" }, right: { $ref: "#/properties/size" } });
    const strict = toStrictSchema({
      ...tree,
      properties: { ...Object(tree["properties"]), size: { type: "integer" } },
    });
    expect(strict.schema).toMatchObject({
      properties: {
        left: { anyOf: [{ $ref: "#" }, { type: "null" }] },
        right: { anyOf: [{ $ref: "#/$defs/size" }, { type: "null" }] },
      },
      $defs: { size: { type: "integer" } },
    });
  });

  it("have nothing beside them", () => {
    const $defs = { P: object({ b: { type: "string" } }, ["b"]) };
    expect(memberOf({ $ref: "#/$defs/P", description: "A point." }, $defs)).toEqual({
      description: "A point.",
      anyOf: [{ $ref: "#/$defs/P" }],
    });
    expect(memberOf({ $ref: "#/$defs/P", required: ["b"] }, $defs)).toMatchObject({
      type: "object",
      required: ["b"],
    });
  });

  it("at the root are followed", () => {
    const made = tool({
      name: "t",
      parameters: { $ref: "#/$defs/P", $defs: { P: object({ b: { type: "string" } }, ["b"]) } },
    });
    expect(toStrictSchema(made.parameters).schema).toMatchObject({ required: ["b"] });
  });

  it("in a circle are refused", () => {
    const $defs = { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } };
    expect(memberOf({ $ref: "#/$defs/A" }, $defs)).toContain("leads to itself");
  });
});

describe("limits", () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, { type: "string" }]));
  const values = (count: number, length: number) => ({
    enum: Array.from({ length: count }, (_, at) => String(at).padStart(length, "x")),
  });

  it.each<[string, JsonObject, string | undefined]>([
    ["5,000 properties", many(5000), undefined],
    ["5,001 properties", many(5001), "5001 properties"],
    ["1,000 values", { a: values(1000, 3) }, undefined],
    ["1,001 values", { a: values(600, 3), b: values(401, 3) }, "1001 values"],
    ["a long enum", { a: values(251, 60) }, "too long"],
    ["long names", { ["n".repeat(120_001)]: { type: "string" } }, "characters"],
  ])("%s", (_, properties, reason) => {
    const required = Object.keys(properties);
    const strict = toStrictSchema(object(properties, required));
    if (reason === undefined) expect(strict.reason).toBeUndefined();
    else expect(strict.reason).toContain(reason);
  });

  it("of levels", () => {
    const nested = (levels: number): JsonObject =>
      levels === 1 ? object({ a: { type: "string" } }) : object({ a: nested(levels - 1) });
    expect(toStrictSchema(nested(10)).schema).toBeDefined();
    expect(toStrictSchema(nested(11)).reason).toContain("10 levels");
  });
});

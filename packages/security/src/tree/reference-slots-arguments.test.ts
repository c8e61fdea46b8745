import {
  checkArguments,
  type JsonObject,
  type JsonValue,
  setSchemaValidator,
  tool,
} from "@tunic/core";
import { interpretedValidator } from "@tunic/core/interpreted";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withReferenceSlots } from "./reference-slots.js";

const text = { type: "string" };

/** What the function of a tool would be given; undefined where the arguments do not fit. */
async function input(parameters: JsonObject, args: JsonObject): Promise<unknown> {
  const checked = await checkArguments(tool({ name: "t", parameters }), args);
  return checked.ok ? checked.input : undefined;
}

/** Arguments without references, and what has to be the same with slots as without. */
const cases: readonly (readonly [string, JsonObject, JsonObject])[] = [
  ["text", text, { p: "v1" }],
  ["text that looks like a reference", text, { p: '{"$ref":"v1"}' }],
  ["a number in a text", { type: "integer" }, { p: "12" }],
  ["a number where text goes", text, { p: 12 }],
  ["a truth value in a text", { type: "boolean" }, { p: "true" }],
  ["a list in a text", { type: "array", items: { type: "integer" } }, { p: "[1,2]" }],
  ["one item for a list", { type: "array", items: text }, { p: "a" }],
  ["a number for a list of texts", { type: "array", items: text }, { p: [1, true] }],
  ["an object in a text", { type: "object", properties: { a: text } }, { p: '{"a":"b"}' }],
  [
    "numbers in an object",
    { type: "object", properties: { a: { type: "number" } } },
    { p: { a: "1" } },
  ],
  ["a null for what may be left out", text, { p: null }],
  [
    "a null inside",
    { type: "object", properties: { a: text, b: text } },
    { p: { a: null, b: "b" } },
  ],
  ["a null that is taken", { type: ["string", "null"] }, { p: null }],
  ["a null in words", { type: ["integer", "null"] }, { p: "null" }],
  ["a null of OpenAPI", { type: "string", nullable: true }, { p: null }],
  ["a default", { type: "integer", default: 7 }, {}],
  ["a default where something is given", { type: "integer", default: 7 }, { p: "8" }],
  ["a default of several forms", { anyOf: [text, { type: "null" }], default: null }, {}],
  ["a default inside", { type: "object", properties: { a: { default: 1 } } }, { p: {} }],
  [
    "a default in an item",
    {
      type: "array",
      items: { type: "object", properties: { a: { type: "integer", default: 1 } } },
    },
    { p: [{}, { a: 2 }] },
  ],
  [
    "a default in a form",
    { allOf: [{ type: "object", properties: { a: { type: "integer", default: 1 } } }] },
    { p: {} },
  ],
  [
    "a default of what is required inside",
    { type: "object", properties: { a: { type: "integer", default: 1 } }, required: ["a"] },
    { p: {} },
  ],
  [
    "one form of several",
    { oneOf: [{ type: "integer" }, { type: "object", properties: { a: text }, required: ["a"] }] },
    { p: { a: "b" } },
  ],
  ["a value of a list", { enum: ["a", 1, null] }, { p: null }],
  ["an object of any form", { type: "object" }, { p: { $ref: "v1" } }],
];

/** A schema with arguments that fit it, and the same with references in some places. */
interface Shape {
  readonly schema: JsonObject;
  readonly values: fc.Arbitrary<JsonValue>;
}

const references = fc.constantFrom<JsonValue>({ $ref: "v1" }, { $ref: "v12.a[0]" });

const leaves = fc.constantFrom<Shape>(
  { schema: text, values: fc.string() },
  {
    schema: { type: "string", minLength: 2, description: "d" },
    values: fc.string({ minLength: 2 }),
  },
  { schema: { type: ["string", "null"], default: null }, values: fc.option(fc.string()) },
  { schema: { type: "integer", minimum: 0, default: 3 }, values: fc.nat() },
  { schema: { type: "number", nullable: true }, values: fc.option(fc.integer()) },
  { schema: { type: "boolean", title: "t" }, values: fc.boolean() },
  { schema: { enum: ["c", 7, null] }, values: fc.constantFrom<JsonValue>("c", 7, null) },
  { schema: { const: "k" }, values: fc.constant("k") },
  { schema: { $ref: "#/$defs/node" }, values: fc.constantFrom<JsonValue>({}, { next: { n: 2 } }) },
  { schema: { type: "object" }, values: fc.dictionary(fc.string(), fc.string()) },
  { schema: {}, values: fc.jsonValue() as fc.Arbitrary<JsonValue> },
);

const definitions: JsonObject = {
  node: {
    type: "object",
    properties: { next: { $ref: "#/$defs/node" }, n: { type: "integer", default: 5 } },
    additionalProperties: false,
  },
};

const { shape: shapes, object: objects } = fc.letrec<{ shape: Shape; object: Shape }>((tie) => ({
  shape: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaves,
    tie("object"),
    tie("shape").map(
      ({ schema, values }): Shape => ({
        schema: { type: "array", items: schema },
        values: fc.array(values, { maxLength: 3 }),
      }),
    ),
    fc.tuple(tie("shape"), leaves).map(
      ([one, other]): Shape => ({
        schema: { anyOf: [one.schema, other.schema], description: "either" },
        values: fc.oneof(one.values, other.values),
      }),
    ),
  ),
  object: fc
    .tuple(
      fc.uniqueArray(
        fc.record({
          name: fc.constantFrom("a", "b", "odd name", "constructor", "x/y~z"),
          shape: tie("shape"),
          required: fc.boolean(),
        }),
        { selector: ({ name }) => name, maxLength: 4 },
      ),
      fc.boolean(),
    )
    .map(([members, closed]): Shape => {
      const required = members.filter((member) => member.required).map(({ name }) => name);
      return {
        schema: {
          type: "object",
          properties: Object.fromEntries(members.map(({ name, shape }) => [name, shape.schema])),
          required,
          ...(closed && { additionalProperties: false }),
        },
        values: fc.record(
          Object.fromEntries(members.map(({ name, shape }) => [name, shape.values])),
          { requiredKeys: required },
        ) as fc.Arbitrary<JsonValue>,
      };
    }),
}));

const calls = objects.chain(({ schema, values }) =>
  fc.record({
    schema: fc.constant<JsonObject>({ ...schema, $defs: definitions }),
    args: values as fc.Arbitrary<JsonObject>,
  }),
);

/** With references instead of some of the values that stand where the schema says something. */
const callsWithReferences = shapes.chain(({ schema, values }) =>
  fc.record({
    schema: fc.constant<JsonObject>({
      type: "object",
      properties: { p: schema, list: { type: "array", items: schema } },
      additionalProperties: false,
      $defs: definitions,
    }),
    args: fc.record({
      p: fc.oneof(values, references),
      list: fc.oneof(fc.array(fc.oneof(values, references), { maxLength: 3 }), references),
    }),
  }),
);

function describeArguments(): void {
  it.each(cases)("gives the tool the same for %s", async (_what, p, args) => {
    const schema = { type: "object", properties: { p } };
    const before = await input(schema, args);
    expect(before).toBeDefined();
    expect(await input(withReferenceSlots(schema), args)).toEqual(before);
  });

  it("gives the tool the same for any arguments that fit", async () => {
    await fc.assert(
      fc.asyncProperty(calls, async ({ schema, args }) => {
        const before = await input(schema, args);
        expect(before).toBeDefined();
        expect(await input(withReferenceSlots(schema), args)).toEqual(before);
      }),
      { numRuns: 200 },
    );
  });

  it("takes references in any place of any schema", async () => {
    await fc.assert(
      fc.asyncProperty(callsWithReferences, async ({ schema, args }) => {
        expect(await input(withReferenceSlots(schema), args)).toBeDefined();
      }),
      { numRuns: 100 },
    );
  });
}

describe("arguments for a schema with slots, checked with ajv", describeArguments);

describe("arguments for a schema with slots, checked with the interpreted validator", () => {
  beforeAll(() => setSchemaValidator(interpretedValidator));
  afterAll(() => setSchemaValidator(undefined));
  describeArguments();
});

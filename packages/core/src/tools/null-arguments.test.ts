import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../messages/json.js";
import { tool } from "./function-tool.js";
import { checkArguments } from "./validate-arguments.js";

const check = (parameters: JsonObject, args: unknown) =>
  checkArguments(tool({ name: "t", parameters, execute: () => "" }), args);

const weather: JsonObject = {
  type: "object",
  properties: {
    city: { type: "string" },
    unit: { type: "string", enum: ["c", "f"] },
    note: { type: ["string", "null"] },
    lim: { type: "integer", default: 20 },
  },
  required: ["city"],
};

describe("B24: null for an optional argument", () => {
  it("is left out where the schema takes no null, and stays where it does", async () => {
    const args = { city: "Bergen", unit: null, note: null, lim: null };
    expect(await check(weather, args)).toMatchObject({
      ok: true,
      arguments: { city: "Bergen", note: null },
      input: { city: "Bergen", note: null, lim: 20 },
    });
    expect(args).toEqual({ city: "Bergen", unit: null, note: null, lim: null });
  });

  it.each(["anyOf", "oneOf"])(
    "stays where the form of an %s that was meant takes it",
    async (word) => {
      const setting = (kind: string, x: JsonObject) => ({
        type: "object",
        properties: {
          kind: { const: kind },
          x,
          n: { type: "integer" },
        },
        required: ["kind"],
      });
      const forms = [setting("set", { type: "string" }), setting("clear", { type: "null" })];
      const schema = { type: "object", properties: { it: { [word]: forms } } };
      const fits = async (given: JsonObject) => {
        const checked = await check(schema, { it: given });
        return checked.ok ? checked.arguments["it"] : checked.message;
      };
      const cleared = { kind: "clear", x: null };
      expect(await fits({ ...cleared, n: "12" })).toEqual({ ...cleared, n: 12 });
      expect(await fits({ ...cleared, n: null })).toEqual(cleared);
      expect(await fits({ kind: "set", x: null, n: null })).toEqual({ kind: "set" });
      // A required property with a default is missing as well.
      const withDefault = {
        type: "object",
        properties: { it: { [word]: forms }, d: { type: "integer", default: 3 } },
        required: ["d"],
      };
      expect(await check(withDefault, { it: { ...cleared, n: null } })).toMatchObject({
        ok: true,
        arguments: { it: cleared },
        input: { it: cleared, d: 3 },
      });
    },
  );

  it("of a required one is an error that says so", async () => {
    expect(await check(weather, { city: null, unit: null })).toMatchObject({
      ok: false,
      message: expect.stringMatching(/city.*string.*null/s),
    });
  });

  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      "inside an object",
      { properties: { o: { type: "object", properties: { n: { type: "number" } } } } },
      { o: { n: null } },
      { o: {} },
    ],
    [
      "inside the items of a list",
      {
        properties: {
          l: { type: "array", items: { type: "object", properties: { n: { type: "number" } } } },
        },
      },
      { l: [{ n: null }, { n: 1 }] },
      { l: [{}, { n: 1 }] },
    ],
    ["with a format", { properties: { d: { type: "string", format: "date" } } }, { d: null }, {}],
    ["of a fixed value", { properties: { k: { const: "x" } } }, { k: null }, {}],
    ["of an enum without a type", { properties: { k: { enum: ["x"] } } }, { k: null }, {}],
    [
      "of alternatives",
      { properties: { k: { anyOf: [{ type: "string" }, { type: "number" }] } } },
      { k: null },
      {},
    ],
    [
      "inside arguments that came as text",
      { properties: { o: { type: "object", properties: { n: { type: "number" } } } } },
      { o: '{"n":null}' },
      { o: {} },
    ],
    [
      "beside one that is coerced",
      { properties: { a: { type: "integer" }, b: { type: "string" } } },
      { a: "5", b: null },
      { a: 5 },
    ],
    [
      "whose name needs escaping",
      { properties: { "a/b~c": { type: "string" } } },
      { "a/b~c": null },
      {},
    ],
  ])("%s", async (_where, schema, args, expected) => {
    expect(await check({ type: "object", ...schema }, args)).toMatchObject({
      ok: true,
      arguments: expected,
    });
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      "an item of a list",
      { properties: { l: { type: "array", items: { type: "string" } } } },
      { l: ["a", null] },
    ],
    ["an unknown one", { additionalProperties: false }, { ghost: null }],
    [
      "one that another one requires",
      { properties: { a: { type: "string" } }, dependentRequired: { b: ["a"] } },
      { a: null, b: 1 },
    ],
  ])("of %s is not guessed away", async (_what, schema, args) => {
    expect(await check({ type: "object", ...schema }, args)).toMatchObject({ ok: false });
  });

  it("stays where the form that fits takes it, though another form does not", async () => {
    const forms = [
      {
        properties: {
          kind: { const: "a" },
          w: { type: "string" },
          x: { type: "string" },
          y: { type: ["string", "null"] },
        },
      },
      { properties: { kind: { const: "b" }, y: { type: "string" } } },
    ];
    for (const keyword of ["anyOf", "oneOf"]) {
      const schema = { type: "object", [keyword]: forms };
      expect(await check(schema, { kind: "a", w: null, x: null, y: null })).toMatchObject({
        ok: true,
        arguments: { kind: "a", y: null },
      });
      expect(await check(schema, { kind: "b", y: null })).toMatchObject({
        ok: true,
        arguments: { kind: "b" },
      });
    }
  });

  it("never becomes another value, and never hides a missing one", async () => {
    const types = fc.constantFrom("string", "integer", "boolean", "array", "object");
    const property = fc.record({ type: types, required: fc.boolean(), isNull: fc.boolean() });
    const values: Readonly<Record<string, unknown>> = {
      string: "",
      integer: 0,
      boolean: false,
      array: [],
      object: {},
    };
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string({ minLength: 1, maxLength: 4 }), property, {
          noNullPrototype: true,
        }),
        async (shape) => {
          const entries = Object.entries(shape);
          const parameters = JSON.parse(
            JSON.stringify({
              type: "object",
              properties: Object.fromEntries(entries.map(([name, { type }]) => [name, { type }])),
              required: entries.filter(([, { required }]) => required).map(([name]) => name),
            }),
          ) as JsonObject;
          const args = Object.fromEntries(
            entries.map(([name, { type, isNull }]) => [name, isNull ? null : values[type]]),
          );
          const checked = await check(parameters, args);
          const broken = entries.some(([, { required, isNull }]) => required && isNull);
          expect(checked.ok).toBe(!broken);
          if (checked.ok) {
            expect(checked.arguments).toEqual(
              Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null)),
            );
          }
        },
      ),
    );
  });
});

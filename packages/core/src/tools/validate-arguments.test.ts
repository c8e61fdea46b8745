import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { interpretedValidator } from "../interpreted.js";
import type { JsonObject } from "../messages/json.js";
import { setSchemaValidator } from "./compiled-schema.js";
import { tool } from "./function-tool.js";
import type { JsonSchemaLiteral, SchemaInput } from "./schema.js";
import { type CheckedArguments, checkArguments } from "./validate-arguments.js";

const check = async (parameters: SchemaInput, args: unknown): Promise<CheckedArguments> =>
  checkArguments(tool({ name: "t", parameters }), args);

async function messageOf(parameters: SchemaInput, args: unknown): Promise<string> {
  const checked = await check(parameters, args);
  return checked.ok ? "ok" : checked.message;
}

async function inputOf(parameters: SchemaInput, args: unknown): Promise<unknown> {
  const checked = await check(parameters, args);
  return checked.ok ? checked.input : checked.message;
}

const object = (properties: JsonSchemaLiteral, rest: JsonSchemaLiteral = {}) => ({
  type: "object",
  properties,
  ...rest,
});

afterEach(() => setSchemaValidator(undefined));

describe("dialects (B19)", () => {
  const good = { a: 1 };
  const bad = { a: "x" };

  it.each([
    ["2020-12", "https://json-schema.org/draft/2020-12/schema"],
    ["2019-09", "https://json-schema.org/draft/2019-09/schema"],
    ["draft-07", "http://json-schema.org/draft-07/schema#"],
    ["draft-04", "http://json-schema.org/draft-04/schema#"],
    ["an unknown dialect", "https://example.com/my-dialect"],
  ])("B19: %s in $schema", async (_name, $schema) => {
    const schema = { $schema, ...object({ a: { type: "integer" } }) };
    expect(await messageOf(schema, good)).toBe("ok");
    expect(await messageOf(schema, bad)).toBe('/a: expected integer; got "x"');
  });

  it("B19: no $schema, with the shapes of draft-07", async () => {
    const schema = {
      type: "object",
      definitions: { name: { type: "string" } },
      properties: {
        pair: {
          type: "array",
          items: [{ type: "string" }, { type: "number" }],
          additionalItems: false,
        },
        name: { $ref: "#/definitions/name" },
        a: {},
      },
      dependencies: { a: ["name"] },
    };
    expect(await messageOf(schema, { pair: ["x", 1], name: "n", a: 1 })).toBe("ok");
    expect(await messageOf(schema, { pair: [{}, 1] })).toContain("/pair/0");
    expect(await messageOf(schema, { a: 1 })).toContain('missing property "name"');
  });

  it("B19: unknown formats and keywords are ignored, and nothing is printed", async () => {
    const printed = ["log", "warn", "error"].map((name) =>
      vi.spyOn(console, name as "log").mockImplementation(() => {}),
    );
    const schema = object({
      a: { type: "integer", format: "uint64", "x-order": 1 },
      b: { type: "string", format: "google-duration" },
    });
    expect(await messageOf(schema, { a: 1, b: "3s" })).toBe("ok");
    expect(await messageOf(schema, { a: {}, b: "3s" })).toContain("/a");
    for (const spy of printed) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
  });

  it("a $schema further inside, an id, $async and an OpenAPI nullable do no harm", async () => {
    const schema = {
      id: "old",
      $async: true,
      ...object({
        a: { $schema: "http://json-schema.org/draft-07/schema#", type: "string", nullable: true },
        b: { nullable: true, description: "anything" },
        c: { type: "number", minimum: 1, exclusiveMinimum: true },
        d: { type: "string", required: true, pattern: "^\\_a\\-b$" },
      }),
    };
    expect(await messageOf(schema, { a: null, b: null, c: 2, d: "_a-b" })).toBe("ok");
    expect(await messageOf(schema, { c: 1 })).toBe("/c: must be more than 1; got 1");
  });

  it("two tools may use the same $id, inside too", async () => {
    const schema = (type: string) => ({
      $id: "https://example.com/args",
      ...object({ a: { $ref: "inner" } }),
      $defs: { inner: { $id: "inner", type } },
    });
    expect(await messageOf(schema("string"), { a: "x" })).toBe("ok");
    expect(await messageOf(schema("object"), { a: "x" })).toBe('/a: expected object; got "x"');
  });
});

describe("B23: combinators at the root still hold", () => {
  it("B23 (a): one of two properties", async () => {
    const schema = {
      ...object({ a: {}, b: {} }),
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    };
    expect(await messageOf(schema, { b: 1 })).toBe("ok");
    expect(await messageOf(schema, {})).toBe(
      'fits none of 2 allowed forms; nearest to form 1: missing required property "a"',
    );
  });

  it("B23 (b): forms of objects", async () => {
    const schema = {
      anyOf: [
        object({ k: { const: "x" } }, { required: ["k"] }),
        object({ k: { const: "y" }, z: { type: "number" } }, { required: ["k"] }),
      ],
    };
    expect(await messageOf(schema, { k: "y", z: 1 })).toBe("ok");
    expect(await messageOf(schema, { k: "y", z: {} })).toContain("/z: expected number; got {}");
  });

  it("B23 (c, d): no schema takes any object", async () => {
    expect(await messageOf({}, { x: 1 })).toBe("ok");
    expect(await messageOf({ type: "object" }, {})).toBe("ok");
  });
});

describe("what a function receives", () => {
  it("B10 (c): text that holds JSON stays text where text is expected", async () => {
    const args = { payload: '{"x":1}' };
    expect(await inputOf(object({ payload: { type: "string" } }), args)).toEqual(args);
  });

  it("B10 (d): arguments that are no object are refused", async () => {
    expect(await messageOf({}, [1, 2])).toBe("The arguments must be a JSON object; got [1,2].");
    expect(await messageOf({}, 7)).toBe("The arguments must be a JSON object; got 7.");
  });

  it("a copy: what the function does to it leaves the JSON input as it came", async () => {
    const args = { list: [1] };
    const schema = object({ list: { type: "array", items: { type: "number" } } });
    const checked = await check(schema, args);
    expect(checked).toEqual({ ok: true, arguments: args, input: args });
    const input = await inputOf(schema, args);
    expect(input).toEqual(args);
    expect(input).not.toBe(args);
    (input as { list: number[] }).list.push(2);
    expect(args).toEqual({ list: [1] });
  });

  it("defaults in a copy, while the JSON input stays as it came", async () => {
    const schema = {
      ...object({
        n: { type: "number", default: 3 },
        deep: object({ list: { type: "array", default: [] } }),
        rows: { type: "array", items: { $ref: "#/$defs/row" } },
      }),
      $defs: { row: object({ on: { type: "boolean", default: false } }) },
    };
    const args = { deep: {}, rows: [{}, { on: true }] };
    const checked = await check(schema, args);
    expect(checked).toEqual({
      ok: true,
      arguments: { deep: {}, rows: [{}, { on: true }] },
      input: { n: 3, deep: { list: [] }, rows: [{ on: false }, { on: true }] },
    });
    expect(args).toEqual({ deep: {}, rows: [{}, { on: true }] });
  });

  it("an explicit null is kept, an omitted optional stays absent", async () => {
    const schema = object({ a: { type: ["string", "null"], default: "x" }, b: { type: "string" } });
    expect(await inputOf(schema, { a: null })).toEqual({ a: null });
  });

  it("a required property with a default may be left out", async () => {
    const schema = object({ n: { type: "number", default: 3 } }, { required: ["n"] });
    expect(await check(schema, {})).toEqual({ ok: true, arguments: {}, input: { n: 3 } });
  });

  it.each<[string, JsonObject, JsonObject]>([
    ["an object where null is the other form", { n: 1 }, { n: 1, unit: "m" }],
    ["an object of the form whose members are there", { kind: "k" }, { kind: "k" }],
    ["an object of the form that takes such members", { x: 1 }, { x: 1, y: 0 }],
    ["an empty object of the form with a default for what is required", {}, { y: 0, x: 9 }],
  ])("defaults inside alternatives: %s", async (_what, given, filled) => {
    const length = object({ n: {}, unit: { default: "m" } }, { required: ["n"] });
    const point = object(
      { x: { default: 9 }, y: { default: 0 } },
      { required: ["x"], additionalProperties: false },
    );
    const kind = object({ kind: {} }, { required: ["kind"] });
    const forms = [length, { $ref: "#/$defs/point" }, kind, { type: "null" }];
    for (const keyword of ["anyOf", "oneOf"]) {
      const schema = { ...object({ at: { [keyword]: forms } }), $defs: { point } };
      expect(await inputOf(schema, { at: given })).toEqual({ at: filled });
    }
  });

  it("no default inside alternatives where more than one may have been meant", async () => {
    const forms = [object({ a: { default: 1 } }), object({ b: { default: 2 } })];
    expect(await inputOf(object({ at: { anyOf: forms } }), { at: {} })).toEqual({ at: {} });
  });

  it("defaults in the items of the only form that is a list", async () => {
    const list = { type: "array", items: object({ a: { default: 1 } }) };
    const schema = object({ at: { anyOf: [{ type: "string" }, list] } });
    expect(await inputOf(schema, { at: [{}] })).toEqual({ at: [{ a: 1 }] });
    expect(await inputOf(schema, { at: "text" })).toEqual({ at: "text" });
  });

  it("recursive schemas with defaults end", async () => {
    const schema = object({ child: { $ref: "#" }, n: { type: "number", default: 1 } });
    expect(await inputOf(schema, { child: { child: {} } })).toEqual({
      n: 1,
      child: { n: 1, child: { n: 1 } },
    });
  });

  it("the output of a Standard Schema, and its own issues with their paths", async () => {
    const schema = z.object({
      at: z.string().transform(Number),
      tags: z.array(z.string()).default([]),
    });
    expect(await check(schema, { at: "12" })).toEqual({
      ok: true,
      arguments: { at: "12" },
      input: { at: 12, tags: [] },
    });
    const differ = z.object({
      a: z.string(),
      b: z.object({ c: z.string().refine((text) => text !== "x", "not x") }),
    });
    expect(await messageOf(differ, { a: "x", b: { c: "x" } })).toBe("/b/c: not x");
  });

  it("an asynchronous Standard Schema gives a promise, a throwing one an error", async () => {
    const slow = z.object({ a: z.string().refine(async (text) => text !== "x", "taken") });
    expect(await messageOf(slow, { a: "x" })).toBe("/a: taken");
    const broken = z.object({
      a: z.string().refine(() => {
        throw new Error("secret");
      }),
    });
    const checked = await check(broken, { a: "x" });
    expect(checked).toMatchObject({ ok: false, cause: new Error("secret") });
    expect(checked).not.toHaveProperty("message", expect.stringContaining("secret"));
  });
});

describe("hostile names", () => {
  const hostile = JSON.parse('{"__proto__":{"admin":true},"constructor":1,"a":"12"}') as JsonObject;

  it("do no harm, coerced and filled in too", async () => {
    const schema = object({ a: { type: "number" }, b: { default: 1 } });
    const checked = await check(schema, hostile);
    expect(checked).toMatchObject({ ok: true });
    const { arguments: args, input } = checked as { arguments: JsonObject; input: JsonObject };
    for (const value of [args, input]) {
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect("admin" in value).toBe(false);
      expect(Object.hasOwn(value, "__proto__")).toBe(true);
    }
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });

  it("are not taken for members that are there", async () => {
    const schema = object({ constructor: { type: "string" } }, { required: ["toString"] });
    expect(await messageOf(schema, {})).toBe('missing required property "toString"');
  });
});

describe("properties", () => {
  const leaf = fc.constantFrom(
    { type: "string" },
    { type: "integer" },
    { type: "number" },
    { type: "boolean" },
    { type: ["string", "null"] },
    { enum: ["a", 1, null] },
    { type: "array", items: { type: "integer" } },
    { anyOf: [{ type: "integer" }, { type: "null" }] },
  );
  const schemas = fc
    .tuple(leaf, leaf, leaf, fc.subarray(["a", "b", "c"]), fc.boolean())
    .map(([a, b, c, required, additionalProperties]) =>
      object({ a, b, inner: object({ c }) }, { required, additionalProperties }),
    );
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.integer().map(String),
    fc.constantFrom("true", "null", "[1]", "{}", "1e400", "12abc"),
  );
  const args = fc.dictionary(fc.constantFrom("a", "b", "inner", "c", "d"), value);

  it("both validators agree, and what is accepted fits without a further repair", async () => {
    await fc.assert(
      fc.asyncProperty(schemas, args, async (parameters, input) => {
        const before = JSON.stringify(input);
        setSchemaValidator(undefined);
        const first = await check(parameters, input);
        setSchemaValidator(interpretedValidator);
        const second = await check(parameters, input);
        expect(second.ok).toBe(first.ok);
        if (first.ok) {
          expect(second).toEqual(first);
          expect(await check(parameters, first.arguments)).toEqual(first);
        } else expect(first.message).not.toBe("");
        expect(JSON.stringify(input)).toBe(before);
      }),
      { numRuns: 150 },
    );
  });
});

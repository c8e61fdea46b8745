import { afterEach, describe, expect, it } from "vitest";
import { interpretedValidator } from "../interpreted.js";
import { setSchemaValidator } from "./compiled-schema.js";
import { tool } from "./function-tool.js";
import type { JsonSchemaLiteral, SchemaInput } from "./schema.js";
import { checkArguments } from "./validate-arguments.js";

async function messageOf(parameters: SchemaInput, args: unknown): Promise<string> {
  const checked = await checkArguments(tool({ name: "t", parameters }), args);
  return checked.ok ? "ok" : checked.message;
}

const object = (properties: JsonSchemaLiteral, rest: JsonSchemaLiteral = {}) => ({
  type: "object",
  properties,
  ...rest,
});

afterEach(() => setSchemaValidator(undefined));

const validators = [
  ["ajv", undefined],
  ["the interpreted validator", interpretedValidator],
] as const;

describe.each(validators)("what a model is told, with %s", (_name, validator) => {
  const told = async (parameters: SchemaInput, args: unknown): Promise<string> => {
    setSchemaValidator(validator);
    return messageOf(parameters, args);
  };

  it("names the missing property and what it should be", async () => {
    expect(await told(object({ city: { type: "string" } }, { required: ["city"] }), {})).toBe(
      'missing required property "city" (string)',
    );
  });

  it("is told once what forms say many times, however they share what they refer to", async () => {
    const levels = Array.from({ length: 9 }, (_, level) => {
      const $ref = `#/$defs/a${level}`;
      return [`a${level + 1}`, { anyOf: [{ $ref }, { $ref }] }];
    });
    const $defs = { a0: { type: "number" }, ...Object.fromEntries(levels) };
    const message = await told(object({ x: { $ref: "#/$defs/a9" } }, { $defs }), { x: "v" });
    expect(message).toMatch(/^\/x: /);
    expect(message.length).toBeLessThan(2000);
  });

  it("names the path, the expected type and what came", async () => {
    const items = { type: "array", items: object({ price: { type: "number" } }) };
    expect(await told(object({ items }), { items: [{ price: "cheap" }] })).toBe(
      '/items/0/price: expected number; got "cheap"',
    );
  });

  it("names an unknown property and the nearest known one that is free", async () => {
    const schema = object({ city: {}, country: {} }, { additionalProperties: false });
    expect(await told(schema, { citty: 1, country: 2 })).toBe(
      'unknown property "citty"; did you mean "city"?',
    );
    expect(await told(schema, { zzzzzzzzzz: 1 })).toBe(
      'unknown property "zzzzzzzzzz"; the known ones are "city", "country"',
    );
  });

  it("lists what is allowed, cut after ten", async () => {
    const letters = [..."abcdefghijklm"];
    expect(await told(object({ unit: { enum: ["C", "F"] } }), { unit: "K" })).toBe(
      '/unit: expected one of "C", "F"; got "K"',
    );
    expect(await told(object({ unit: { enum: letters } }), { unit: "z" })).toContain("and 3 more");
    expect(await told(object({ kind: { const: "a" } }), { kind: "b" })).toBe(
      '/kind: expected "a"; got "b"',
    );
  });

  it("says limits and patterns", async () => {
    expect(await told(object({ n: { type: "number", minimum: 1 } }), { n: 0 })).toBe(
      "/n: must be at least 1; got 0",
    );
    expect(await told(object({ s: { type: "string", pattern: "^a$" } }), { s: "b" })).toBe(
      '/s: must match the pattern "^a$"; got "b"',
    );
    expect(await told(object({ l: { type: "array", minItems: 2 } }), { l: [1] })).toBe(
      "/l: must have at least 2 item(s); got 1",
    );
  });

  it("sums up simple alternatives", async () => {
    const schema = object({ when: { anyOf: [{ type: "integer" }, { type: "null" }] } });
    expect(await told(schema, { when: "soon" })).toBe(
      '/when: expected integer or null; got "soon"',
    );
  });

  it("tells what is wrong with the form that was meant", async () => {
    const circle = object(
      { kind: { const: "circle" }, radius: { type: "number" } },
      { required: ["kind", "radius"] },
    );
    const square = object(
      { kind: { const: "square" }, side: { type: "number" } },
      { required: ["kind", "side"] },
    );
    const expected =
      '/shape: fits none of 2 allowed forms; nearest to form 2: /shape: missing required property "side" (number)';
    const args = { shape: { kind: "square" } };
    expect(await told(object({ shape: { anyOf: [circle, square] } }), args)).toBe(expected);
    const byReference = {
      ...object({ shape: { oneOf: [{ $ref: "#/$defs/circle" }, { $ref: "#/$defs/square" }] } }),
      $defs: { circle, square },
    };
    expect(await told(byReference, args)).toBe(expected);
  });

  it("knows the forms of schemas that hold themselves, too", async () => {
    const list = object({ rest: { $ref: "#/$defs/list" } }, { required: ["rest"] });
    const schema = {
      ...object({ list: { anyOf: [{ type: "integer" }, { $ref: "#/$defs/list" }] } }),
      $defs: { list },
    };
    expect(await told(schema, { list: "long" })).toBe(
      '/list: expected integer or list; got "long"',
    );
  });

  it("says when too many forms fit", async () => {
    const schema = object({ n: { oneOf: [{ type: "number" }, { minimum: 0 }] } });
    expect(await told(schema, { n: 1 })).toBe(
      "/n: fits 2 of 2 allowed forms, and must fit exactly one; got 1",
    );
  });

  it("tells all of them up to five, then how many more", async () => {
    const required = [..."abcdefg"];
    const lines = (await told(object({}, { required }), {})).split("\n");
    expect(lines).toHaveLength(6);
    expect(lines[5]).toBe("and 2 more");
  });

  it("stays quick when everything in a long list is wrong", async () => {
    const item = { anyOf: [{ type: "integer" }, object({ a: {} }, { required: ["a"] })] };
    const args = { list: Array.from({ length: 5_000 }, () => ({ b: 1 })) };
    const started = performance.now();
    const message = await told(object({ list: { type: "array", items: item } }), args);
    expect(message).toContain("/list/0: fits none of 2 allowed forms");
    expect(message).toMatch(/and \d+ more$/);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it("cuts long values visibly", async () => {
    const message = await told(object({ n: { type: "number" } }), { n: "x".repeat(500) });
    expect(message.length).toBeLessThan(200);
    expect(message).toContain("more characters)");
  });
});

import { describe, expect, it } from "vitest";
import { fits } from "./fits-field.js";
import { formDefaults, readFormSchema } from "./form-schema.js";
import { fillIn } from "./question.js";

const read = (properties: unknown, required?: unknown) =>
  readFormSchema({ type: "object", properties, required }, 65_536);

describe("the fields that a server asks for", () => {
  it("keep what the specification has", () => {
    const fields = {
      text: { type: "string", minLength: 1, maxLength: 5, format: "email", default: "a@b.c" },
      size: { type: "integer", minimum: 1, maximum: 9 },
      sure: { type: "boolean", default: false },
      one: { type: "string", oneOf: [{ const: "a", title: "A" }] },
      old: { type: "string", enum: ["x", "y"], enumNames: ["X", "Y"] },
      some: { type: "array", minItems: 1, items: { type: "string", enum: ["x"] } },
      titled: { type: "array", items: { anyOf: [{ const: "a", title: "A" }] } },
    };
    expect(read(fields, ["text"])).toEqual({
      type: "object",
      properties: fields,
      required: ["text"],
      additionalProperties: false,
    });
    expect(formDefaults(read(fields))).toEqual({ text: "a@b.c", sure: false });
  });

  it("lose formats that nobody checks, and names that stand for no field", () => {
    const schema = read({ a: { type: "string", format: "regex" } }, ["a", "b", 3]);
    expect(schema).toMatchObject({ properties: { a: { type: "string" } }, required: ["a"] });
    expect(JSON.stringify(schema)).not.toContain("regex");
  });

  it.each([
    ["a limit that is no number", { type: "string", minLength: "3" }, { type: "string" }],
    ["a limit that is nothing", { type: "number", maximum: null }, { type: "number" }],
    ["a limit below nothing", { type: "string", maxLength: -1 }, { type: "string" }],
    ["a half limit", { type: "string", minLength: 0.5 }, { type: "string" }],
    [
      "what is about another type",
      { type: "boolean", enum: ["x"], minimum: 1 },
      { type: "boolean" },
    ],
    ["a default of another type", { type: "string", default: null }, { type: "string" }],
    [
      "a default that is too long",
      { type: "string", maxLength: 1, default: "ab" },
      { type: "string", maxLength: 1 },
    ],
    [
      "a default that is too high",
      { type: "integer", maximum: 1, default: 2 },
      { type: "integer", maximum: 1 },
    ],
    [
      "a default that is no number",
      { type: "number", default: Number("1e400") },
      { type: "number" },
    ],
    ["a default that is a half", { type: "integer", default: 0.5 }, { type: "integer" }],
    [
      "a default that is no choice",
      { type: "string", enum: ["x"], default: "y" },
      { type: "string", enum: ["x"] },
    ],
    [
      "a choice that comes twice",
      { type: "string", oneOf: [{ const: "x" }, { const: "x" }], default: "x" },
      { type: "string", oneOf: [{ const: "x" }], default: "x" },
    ],
    [
      "titles that would stand beside other choices",
      { type: "string", enum: ["x", "x", "y"], enumNames: ["X", "X", "Y"] },
      { type: "string", enum: ["x", "y"] },
    ],
  ])("lose %s, and can be filled in", async (_what, field, kept) => {
    const schema = read({ a: field });
    expect(schema["properties"]).toEqual({ a: kept });
    expect(await fillIn(schema, {})).toEqual("default" in kept ? { a: kept.default } : {});
  });

  it.each([
    ["an object", { a: { type: "object" } }],
    ["a list of objects", { a: { type: "array", items: { type: "object" } } }],
    ["a choice of nothing", { a: { type: "string", enum: [] } }],
    ["a choice of numbers", { a: { type: "string", oneOf: [{ const: 1 }] } }],
    ["no type", { a: {} }],
    ["a name that nothing checks", JSON.parse('{"__proto__":{"type":"string"}}')],
  ])("are refused: %s", (_what, fields) => {
    expect(() => read(fields)).toThrow(expect.objectContaining({ rpcCode: -32602 }));
  });

  it("are filled in with defaults beside what a person wrote, and nothing else", async () => {
    const schema = read({ a: { type: "string" }, b: { type: "integer", default: 3 } });
    expect(await fillIn(schema, { a: "x" })).toEqual({ a: "x", b: 3 });
    expect(await fillIn(schema, { a: "x", c: 1 })).toContain("c");
  });

  it("propose what fits: lists of what may be chosen too", () => {
    const list = { type: "array", maxItems: 1, items: { anyOf: [{ const: "a" }] } };
    expect(fits(["a"], list)).toBe(true);
    expect(fits(["b"], list)).toBe(false);
    expect(fits(["a", "a"], list)).toBe(false);
    expect(fits("a", list)).toBe(false);
  });
});

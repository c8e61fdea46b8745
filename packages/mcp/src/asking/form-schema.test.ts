import { describe, expect, it } from "vitest";
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
    ["an object", { a: { type: "object" } }],
    ["a list of objects", { a: { type: "array", items: { type: "object" } } }],
    ["a choice of nothing", { a: { type: "string", enum: [] } }],
    ["a choice of numbers", { a: { type: "string", oneOf: [{ const: 1 }] } }],
    ["no type", { a: {} }],
  ])("are refused: %s", (_what, fields) => {
    expect(() => read(fields)).toThrow(expect.objectContaining({ rpcCode: -32602 }));
  });

  it("are filled in with defaults beside what a person wrote, and nothing else", async () => {
    const schema = read({ a: { type: "string" }, b: { type: "integer", default: 3 } });
    expect(await fillIn(schema, { a: "x" })).toEqual({ a: "x", b: 3 });
    expect(await fillIn(schema, { a: "x", c: 1 })).toContain("c");
  });
});

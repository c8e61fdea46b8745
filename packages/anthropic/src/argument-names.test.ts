import type { JsonObject } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toWireArguments, withOwnNames, withWireNames } from "./argument-names.js";

const taken = /^[a-zA-Z0-9_.-]{1,64}$/;

describe("names of arguments that the service refuses", () => {
  const schema: JsonObject = {
    type: "object",
    properties: {
      $meta: { type: "object", properties: { $deep: {} } },
      "filter[id]": { type: "string" },
      same: { $ref: "#/properties/%24meta/properties/$deep" },
      plain: { $ref: "#/properties/plain2" },
      plain2: {},
    },
    required: ["$meta", "plain"],
    dependentRequired: { $meta: ["plain"] },
  };
  const { schema: wire, names } = withWireNames(schema, "x");
  const properties = Object.keys(Object(wire["properties"]));

  test("get others at the root, in the list of required ones and in pointers, too", () => {
    for (const name of properties) expect(name).toMatch(taken);
    const [meta, filter] = properties;
    expect(wire["required"]).toEqual([meta, "plain"]);
    expect(wire).not.toHaveProperty("dependentRequired");
    expect(wire["properties"]).toMatchObject({
      [meta ?? ""]: { properties: { $deep: {} } },
      same: { $ref: `#/properties/${meta}/properties/$deep` },
      plain: { $ref: "#/properties/plain2" },
    });
    expect([...(names ?? [])]).toEqual([
      [meta, "$meta"],
      [filter, "filter[id]"],
    ]);
  });

  test("a schema that needs none stays the object it is", () => {
    const plain = { type: "object", properties: { a: {} } };
    expect(withWireNames(plain, "x")).toEqual({ schema: plain });
    expect(withWireNames(plain, "x").schema).toBe(plain);
  });

  test("text that holds no object, and names that the schema does not know, stay", () => {
    const [meta] = properties;
    if (names === undefined || meta === undefined) throw new Error("nothing was renamed");
    expect(withOwnNames('{"broken', names)).toBe('{"broken');
    expect(withOwnNames("[1]", names)).toBe("[1]");
    expect(JSON.parse(withOwnNames(JSON.stringify({ [meta]: 1, other: 2 }), names))).toEqual({
      $meta: 1,
      other: 2,
    });
  });

  test("two that would be one are an error", () => {
    const [meta = ""] = properties;
    const clash = { type: "object", properties: { $meta: {}, [meta]: {} } };
    expect(() => withWireNames(clash, 'The schema of tool "t"')).toThrow(
      expect.objectContaining({ code: "invalid_tool", message: expect.stringContaining('"t"') }),
    );
  });
});

test("arguments that were written with names of their own go out as they are", () => {
  const args = { é: 1, $x: 2 };
  expect(toWireArguments(args, undefined)).toBe(args);
  expect(toWireArguments(args, { _x_1: "$x" })).toEqual({ é: 1, _x_1: 2 });
});

test("any arguments, of any names, come back as they went", () => {
  const name = fc.oneof(
    fc.string({ unit: fc.constantFrom("a", "$", "[", ".", "é", "_"), minLength: 1, maxLength: 5 }),
    fc.constantFrom("__proto__", "constructor", "x".repeat(65)),
  );
  fc.assert(
    fc.property(fc.dictionary(name, fc.jsonValue({ maxDepth: 1 })), (given) => {
      const args: JsonObject = JSON.parse(JSON.stringify(given));
      const properties = Object.fromEntries(Object.keys(args).map((key) => [key, {}]));
      const { names } = withWireNames({ type: "object", properties }, "x");
      const kept = names && Object.fromEntries(names);
      const wire = toWireArguments(args, kept);
      for (const key of Object.keys(wire)) expect(key).toMatch(taken);
      const text = withOwnNames(JSON.stringify(wire), names ?? new Map());
      expect(JSON.parse(text)).toEqual(args);
    }),
  );
});

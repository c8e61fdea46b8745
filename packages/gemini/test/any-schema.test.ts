import { existsSync, readFileSync } from "node:fs";
import { isJsonObject, type JsonObject, type JsonValue, tool } from "@tunic/core";
import { wireProblems } from "@tunic/testing/wire";
import fc, { type Arbitrary } from "fast-check";
import { describe, expect, it, test } from "vitest";
import { toGeminiTools } from "../src/index.js";
import { toPlainSchema } from "../src/plain-schema.js";
import { functionTool, stored } from "./build.js";

/** What the service would say of a request with a tool of this schema. */
function problemsOf(name: string, parameters: JsonObject): readonly string[] {
  const before = stored(parameters);
  const tools = toGeminiTools([functionTool(name, parameters)]);
  expect(parameters).toEqual(before);
  return wireProblems("gemini", { contents: [{ role: "user", parts: [{ text: "hi" }] }], tools });
}

const scalar: Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>("", "a", "b c", null, true, false, 0, 1, 2.5, -3),
);
const word = fc.constantFrom("a", "b", "room", "c-d", "$x", "type", "__proto__", "1st");

/** Schemas as people and generators write them, good and odd ones. */
const { schema } = fc.letrec<{ schema: JsonValue }>((tie) => {
  const below = tie("schema");
  const members = fc.dictionary(word, below, { maxKeys: 3 });
  const list = fc.array(below, { minLength: 1, maxLength: 3 });
  const type = fc.constantFrom("string", "number", "integer", "boolean", "array", "object", "null");
  const keywords = fc.record(
    {
      type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
      title: fc.constant("T"),
      description: fc.constantFrom("D", ""),
      properties: members,
      required: fc.array(word, { maxLength: 3 }),
      additionalProperties: fc.oneof(fc.boolean(), below),
      patternProperties: members,
      items: fc.oneof(below, list),
      prefixItems: list,
      anyOf: list,
      oneOf: list,
      allOf: list,
      not: below,
      enum: fc.array(scalar, { maxLength: 3 }),
      const: scalar,
      default: scalar,
      nullable: fc.boolean(),
      format: fc.constantFrom("date-time", "email", "uint64", "int32"),
      pattern: fc.constantFrom("^a", "(?=a)", "\\p{L}"),
      minLength: fc.constantFrom(1, -1, 1.5),
      minItems: fc.constantFrom(0, 2),
      minimum: fc.constantFrom(0, 2),
      exclusiveMaximum: fc.constantFrom(0, true),
      $ref: fc.constantFrom("#", "#/$defs/one", "#/$defs/two"),
      $comment: fc.constant("x"),
      "x-order": fc.constant(1),
    },
    { requiredKeys: [] },
  );
  // Few at a time: with all of them nothing is like what anybody writes.
  const some = fc
    .tuple(keywords, fc.uniqueArray(fc.nat(25), { maxLength: 4 }))
    .map(
      ([all, picked]) =>
        Object.fromEntries(
          Object.entries(all).filter((_, at) => picked.includes(at)),
        ) as JsonObject,
    );
  return { schema: fc.oneof({ maxDepth: 4, withCrossShrink: true }, fc.boolean(), some) };
});

const roots = fc
  .tuple(fc.dictionary(word, schema, { maxKeys: 4 }), schema, schema, fc.array(word))
  .map(([properties, one, two, required]): JsonObject => {
    const $defs = { one, two };
    return { type: "object", properties, required, $defs };
  });

test("any schema becomes a declaration that Gemini's rules take, and stays as it was", () => {
  fc.assert(
    fc.property(roots, (root) => {
      expect(problemsOf("lamp", root)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test("any schema without references becomes a plain one that does not change any more", () => {
  fc.assert(
    fc.property(roots, (root) => {
      const { schema: plain } = toPlainSchema(root, "The schema");
      expect(toPlainSchema(plain, "The schema")).toEqual({ schema: plain, cuts: [] });
      expect(JSON.stringify(plain)).not.toMatch(/"(\$ref|\$defs|allOf|oneOf|\$comment)":/);
    }),
  );
});

/** A JSON file with the `tools/list` answers of real servers; without it these tests are skipped. */
const file = process.env["TUNIC_TOOL_DEFINITIONS"];

function definitions(value: unknown): readonly JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(definitions);
  if (!isJsonObject(value)) return [];
  if (isJsonObject(value["inputSchema"]) && "name" in value) return [value];
  return Object.values(value).flatMap(definitions);
}

describe.skipIf(file === undefined || !existsSync(file))(
  "tools of real servers (skipped when TUNIC_TOOL_DEFINITIONS does not name the file)",
  () => {
    it("all become declarations that Gemini's rules take", () => {
      const all = file === undefined ? [] : definitions(JSON.parse(readFileSync(file, "utf8")));
      expect(all.length).toBeGreaterThan(500);
      for (const { name, inputSchema } of all) {
        const made = tool({ name: String(name), parameters: inputSchema as JsonObject });
        expect(problemsOf(made.name, made.parameters), made.name).toEqual([]);
      }
    });
  },
);

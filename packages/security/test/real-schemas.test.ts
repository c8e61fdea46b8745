import { existsSync, readFileSync } from "node:fs";
import { checkArguments, isJsonObject, type JsonObject, type JsonValue, tool } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { valueAt } from "../src/tree/json-path.js";
import { withReferenceSlots } from "../src/tree/reference-slots.js";

/** A JSON file with the `tools/list` answers of real servers; without it these tests are skipped. */
const file = process.env["TUNIC_TOOL_DEFINITIONS"];

interface Definition {
  readonly name: string;
  readonly inputSchema: JsonObject;
}

function collect(value: unknown, found: Definition[] = []): Definition[] {
  if (typeof value !== "object" || value === null) return found;
  if ("inputSchema" in value && "name" in value) found.push(value as Definition);
  else for (const member of Object.values(value)) collect(member, found);
  return found;
}

const scalars: Readonly<Record<string, JsonValue>> = {
  string: "https://example.com/2026-01-01",
  integer: 1,
  number: 1.5,
  boolean: true,
};

/** Something that may fit a schema; optional members come with it on the upper levels. */
function sampleOf(schema: JsonValue | undefined, root: JsonObject, depth = 0): JsonValue {
  if (!isJsonObject(schema) || depth > 8) return "any";
  const { $ref, type } = schema;
  const value = schema["const"] ?? firstUnder(schema, ["enum"]);
  if (value !== undefined) return value;
  if (typeof $ref === "string") return sampleOf(targetOf($ref, root), root, depth + 1);
  const form = firstUnder(schema, ["anyOf", "oneOf", "allOf"]);
  if (form !== undefined && type === undefined) return sampleOf(form, root, depth + 1);
  return ofType([type].flat()[0], schema, root, depth);
}

function ofType(
  type: JsonValue | undefined,
  schema: JsonObject,
  root: JsonObject,
  depth: number,
): JsonValue {
  if (type === "object" || "properties" in schema) return membersOf(schema, root, depth);
  if (type !== "array") return scalars[String(type)] ?? "any";
  const { items, minItems } = schema;
  const length = Math.max(Number(minItems ?? 0), depth < 3 ? 1 : 0);
  return Array.from({ length }, () => sampleOf(items, root, depth + 1));
}

function firstUnder(schema: JsonObject, keywords: readonly string[]): JsonValue | undefined {
  const lists = keywords.map((keyword) => schema[keyword]).filter((list) => Array.isArray(list));
  return lists[0]?.[0];
}

function membersOf(schema: JsonObject, root: JsonObject, depth: number): JsonObject {
  const { properties, required } = schema;
  if (!isJsonObject(properties)) return {};
  const names = Array.isArray(required) ? required : [];
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, member]) =>
      depth < 3 || names.includes(name) ? [[name, sampleOf(member, root, depth + 1)]] : [],
    ),
  );
}

function targetOf(pointer: string, root: JsonObject): JsonValue | undefined {
  const steps = pointer.split("/").slice(1);
  const path = steps.map((step) =>
    /^\d+$/.test(step) ? `[${step}]` : `[${JSON.stringify(step)}]`,
  );
  return steps.length === 0 ? root : valueAt(root, path.join(""));
}

/** The same with a reference instead of every argument. */
function withReferences(args: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(args).map((name, at) => [name, { $ref: `v${at + 1}` }]));
}

describe.skipIf(file === undefined || !existsSync(file))(
  "slots in the schemas of real servers (skipped when TUNIC_TOOL_DEFINITIONS does not name the file)",
  () => {
    const definitions = file === undefined ? [] : collect(JSON.parse(readFileSync(file, "utf8")));

    it("change nothing for arguments without references, and take one for each argument", async () => {
      let compared = 0;
      for (const { name, inputSchema } of definitions) {
        const before = tool({ name, parameters: inputSchema });
        const after = tool({ name, parameters: withReferenceSlots(before.parameters) });
        for (const args of [
          {},
          membersOf(inputSchema, inputSchema, 0),
          membersOf(inputSchema, inputSchema, 3),
        ]) {
          const expected = await checkArguments(before, args);
          if (!expected.ok) continue;
          compared++;
          expect(await checkArguments(after, args), `${name} ${JSON.stringify(args)}`).toEqual(
            expected,
          );
          const referring = await checkArguments(after, withReferences(args));
          expect(referring, name).toMatchObject({ ok: true });
        }
      }
      expect(compared).toBeGreaterThan(1500);
    }, 300_000);
  },
);

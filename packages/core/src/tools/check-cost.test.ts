import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { interpretedValidator } from "../interpreted.js";
import type { JsonObject, JsonValue } from "../messages/json.js";
import { affordable, UncheckableValue } from "./check-cost.js";
import { setSchemaValidator } from "./compiled-schema.js";
import { tool } from "./function-tool.js";
import { noViolations } from "./schema-violation.js";
import { checkArguments } from "./validate-arguments.js";

afterEach(() => setSchemaValidator(undefined));

const node = { $ref: "#/$defs/node" };

/** A value whose member `a` is such a value again. */
function nested(levels: number, leaf: JsonObject = { kind: 3 }): JsonObject {
  let value: JsonObject = leaf;
  for (let level = 0; level < levels; level++) value = { kind: 3, a: value };
  return value;
}

const withNode = (definition: JsonObject): JsonObject => ({
  type: "object",
  properties: { x: node },
  $defs: { node: definition },
});

const form = (kind: number): JsonObject => ({
  type: "object",
  properties: { kind: { const: kind }, a: node },
});

function isRefused(schema: JsonObject, value: JsonValue): boolean {
  try {
    affordable(schema, () => noViolations)(value);
    return false;
  } catch (error) {
    if (error instanceof UncheckableValue) return true;
    throw error;
  }
}

describe("a schema that is gone through twice for each level of a value", () => {
  const schema = withNode({ anyOf: [form(1), form(2)] });

  it.each(["ajv", "interpreted"])("is not, where that is too often (%s)", async (validator) => {
    if (validator === "interpreted") setSchemaValidator(interpretedValidator);
    const made = tool({ name: "t", parameters: schema });
    expect(await checkArguments(made, { x: nested(40) })).toMatchObject({
      ok: false,
      message: expect.stringContaining("It would take too long to check this"),
    });
    const few = await checkArguments(made, { x: nested(3) });
    expect(few.ok || few.message).toContain("fits none of 2 allowed forms");
  });

  it("nor once a text was read as what it says", async () => {
    const parameters = withNode({ type: "object", anyOf: [form(1), form(2)] });
    const text = JSON.stringify(nested(40));
    const checked = await checkArguments(tool({ name: "t", parameters }), { x: text });
    expect(checked.ok || checked.message).toContain("It would take too long");
  });

  it.each<[string, JsonObject]>([
    ["allOf", { allOf: [form(1), form(2)] }],
    ["oneOf", { oneOf: [form(1), form(2)] }],
    ["if and else", { if: form(1), else: form(2) }],
    ["not, and beside it", { not: form(1), properties: { a: node } }],
    ["dependentSchemas", { dependentSchemas: { kind: form(1), a: form(2) } }],
    ["a name, and its pattern", { properties: { a: node }, patternProperties: { "^a$": node } }],
    ["what is left over", { properties: { a: node }, unevaluatedProperties: node }],
    [
      "addresses of its own",
      { anyOf: [{ $id: "https://example.com/a", $ref: "#/b", b: form(1) }, form(2)] },
    ],
    ["no step into the value", { allOf: [node] }],
  ])("by way of %s", (_how, definition) => {
    expect(isRefused(withNode(definition), { x: nested(40) })).toBe(true);
  });

  it("in lists", () => {
    const list = withNode({ items: node, contains: node });
    let value: JsonValue = [];
    for (let level = 0; level < 40; level++) value = [value];
    expect(isRefused(list, { x: value })).toBe(true);
    expect(isRefused(withNode({ prefixItems: [node], items: node }), { x: value })).toBe(false);
  });
});

describe("a schema that refers to itself as real ones do", () => {
  it("is checked, however many parts and levels there are", () => {
    const filter = withNode({
      anyOf: [
        { type: "object", properties: { and: { type: "array", items: node } } },
        { type: "object", properties: { or: { type: "array", items: node } } },
        { type: "object", properties: { not: node }, additionalProperties: false },
        { type: "string" },
      ],
    });
    let value: JsonValue = "leaf";
    for (let level = 0; level < 200; level++) value = { and: [value, { or: ["a", { not: "b" }] }] };
    expect(isRefused(filter, { x: value })).toBe(false);
    const tree = withNode({ properties: { left: node, right: node } });
    const full = (levels: number): JsonObject =>
      levels === 0 ? {} : { left: full(levels - 1), right: full(levels - 1) };
    expect(isRefused(tree, { x: full(12) })).toBe(false);
  });
});

describe("a schema without circles", () => {
  it("costs nothing: its check is used as it is", () => {
    const check = () => noViolations;
    const schema = { type: "object", properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: {} } };
    expect(affordable(schema, check)).toBe(check);
  });
});

describe("whatever the schema and the value", () => {
  it("is counted at least as often as an interpreter goes through it", () => {
    const reference = fc
      .constantFrom("#/$defs/a", "#/$defs/b")
      .map(($ref): JsonObject => ({ $ref }));
    const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        reference,
        fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
        fc.record({ allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
        fc.record({ properties: fc.record({ a: tie("schema") }) }),
        fc.record({ additionalProperties: tie("schema") }),
      ),
    }));
    fc.assert(
      fc.property(schema, schema, fc.integer({ min: 0, max: 30 }), (a, b, levels) => {
        const root = { type: "object", properties: { x: { $ref: "#/$defs/a" } }, $defs: { a, b } };
        const value = { x: nested(levels) };
        const walked = walk(root, root, value, { left: 100_001 });
        if (walked <= 0) expect(isRefused(root, value)).toBe(true);
      }),
    );
  });
});

/** Goes through all of it, as a validator that stops nowhere; what is left of so many steps, or none. */
function walk(
  root: JsonObject,
  schema: JsonValue,
  value: JsonValue,
  steps: { left: number },
  depth = 0,
): number {
  // In a circle without a step into the value.
  if (depth > 1000) steps.left = 0;
  if (steps.left <= 0) return 0;
  steps.left -= 1;
  const part = schema as { readonly [key: string]: never };
  const into = (member: JsonValue, at: JsonValue) => walk(root, member, at, steps, depth + 1);
  const { $ref, anyOf = [], allOf = [], properties = {}, additionalProperties } = part;
  const { $defs } = root as unknown as { $defs: Record<string, JsonObject> };
  if ($ref !== undefined) into($defs[`${$ref}`.slice(-1)] ?? {}, value);
  for (const member of [...(anyOf as []), ...(allOf as [])]) into(member, value);
  for (const [name, member] of Object.entries<JsonValue>(value as JsonObject)) {
    const named = (properties as Record<string, JsonValue>)[name];
    if (named !== undefined) into(named, member);
    else if (additionalProperties !== undefined) into(additionalProperties, member);
  }
  return steps.left;
}

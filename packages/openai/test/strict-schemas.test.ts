import { existsSync, readFileSync } from "node:fs";
import { isJsonObject, type JsonObject, type JsonValue, tool } from "@tunic/core";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toStrictSchema } from "../src/strict/to-strict-schema.js";
import { strictProblems } from "./strict-rules.js";

/** A value that fits a schema, in the forms that it takes on its way. */
interface Sample {
  readonly value: JsonValue;
  /** As a strict service has the model write it: null for what is absent. */
  readonly strict: JsonValue;
  /** As the tool gets it: an optional member that takes null is null where it was absent. */
  readonly back: JsonValue;
}

interface Shape {
  readonly schema: JsonObject;
  readonly samples: fc.Arbitrary<Sample>;
  readonly takesNull: boolean;
}

const same = (value: JsonValue): Sample => ({ value, strict: value, back: value });

function leaf(schema: JsonObject, values: fc.Arbitrary<JsonValue>, takesNull = false): Shape {
  return { schema, samples: values.map(same), takesNull };
}

const leaves = fc.constantFrom<Shape>(
  leaf({ type: "string" }, fc.string()),
  leaf({ type: "string", minLength: 2, description: "d" }, fc.string({ minLength: 2 })),
  leaf({ type: "string", format: "uri" }, fc.webUrl()),
  leaf({ type: ["string", "null"] }, fc.option(fc.string()), true),
  leaf({ type: "integer", minimum: 0 }, fc.nat()),
  leaf({ type: ["number", "string"] }, fc.oneof(fc.integer(), fc.string())),
  leaf({ type: "number", nullable: true }, fc.option(fc.integer()), true),
  leaf({ type: "boolean" }, fc.boolean()),
  leaf({ enum: ["c", "f", 7] }, fc.constantFrom<JsonValue>("c", "f", 7)),
  leaf({ enum: ["c", null] }, fc.constantFrom("c", null), true),
  leaf({ const: true }, fc.constant(true)),
);

function listOf(item: Shape): Shape {
  const samples = fc.array(item.samples, { maxLength: 3 }).map((each) => ({
    value: each.map(({ value }) => value),
    strict: each.map(({ strict }) => strict),
    back: each.map(({ back }) => back),
  }));
  return {
    schema: { type: "array", items: item.schema, uniqueItems: false },
    samples,
    takesNull: false,
  };
}

interface Member {
  readonly name: string;
  readonly shape: Shape;
  readonly required: boolean;
}

function objectOf(members: readonly Member[], closed: boolean): Shape {
  const samples = fc
    .tuple(
      ...members.map(({ name, shape, required }) =>
        shape.samples.chain((sample) =>
          fc.boolean().map((present) => ({ name, shape, sample, present: present || required })),
        ),
      ),
    )
    .map((each) => ({
      value: from(
        each.flatMap(({ name, sample, present }) => (present ? [[name, sample.value]] : [])),
      ),
      strict: from(each.map(({ name, sample, present }) => [name, present ? sample.strict : null])),
      back: from(
        each.flatMap(({ name, shape, sample, present }) => {
          if (present) return [[name, sample.back]];
          return shape.takesNull ? [[name, null]] : [];
        }),
      ),
    }));
  const schema = {
    type: "object",
    properties: from(members.map(({ name, shape }) => [name, shape.schema])),
    required: members.flatMap(({ name, required }) => (required ? name : [])),
    ...(closed && { additionalProperties: false }),
  };
  return { schema, samples, takesNull: false };
}

const from = (
  entries: readonly (readonly [string, JsonValue] | readonly JsonValue[])[],
): JsonObject => Object.fromEntries(entries as [string, JsonValue][]);

/** Objects that a member tells apart. Their other members have names of their own. */
function unionOf(kinds: readonly (readonly Member[])[], exclusive: boolean): Shape {
  const shapes = kinds.map((members, at) =>
    objectOf(
      [
        { name: "kind", required: true, shape: leaf({ const: `k${at}` }, fc.constant(`k${at}`)) },
        ...members.map((member) => ({ ...member, name: `${member.name}${at}` })),
      ],
      false,
    ),
  );
  return {
    schema: { [exclusive ? "oneOf" : "anyOf"]: shapes.map(({ schema }) => schema) },
    samples: fc.oneof(...shapes.map(({ samples }) => samples)),
    takesNull: false,
  };
}

/** Two objects with members of their own, put together. */
function bothOf(a: readonly Member[], b: readonly Member[]): Shape {
  const renamed = b.map((member) => ({ ...member, name: `${member.name}_b` }));
  const parts = [objectOf(a, false), objectOf(renamed, false)];
  return {
    ...objectOf([...a, ...renamed], false),
    schema: { allOf: parts.map(({ schema }) => schema) },
  };
}

const { members } = fc.letrec<{ shape: Shape; members: Member[] }>((tie) => ({
  members: fc.uniqueArray(
    fc.record({
      name: fc.constantFrom("a", "b", "c d", "é", "constructor", "x/y~z"),
      shape: tie("shape"),
      required: fc.boolean(),
    }),
    { selector: ({ name }) => name, minLength: 1, maxLength: 4 },
  ),
  shape: fc.oneof(
    { depthSize: "small", maxDepth: 3, withCrossShrink: true },
    leaves,
    tie("shape").map(listOf),
    fc.tuple(tie("members"), fc.boolean()).map(([inside, closed]) => objectOf(inside, closed)),
    fc
      .tuple(fc.array(tie("members"), { minLength: 1, maxLength: 3 }), fc.boolean())
      .map(([kinds, exclusive]) => unionOf(kinds, exclusive)),
    fc.tuple(tie("members"), tie("members")).map(([a, b]) => bothOf(a, b)),
  ),
}));

describe("any schema in strict form", () => {
  it("takes what the schema takes with null for what is absent, and the tool gets what was meant", async () => {
    const cases = members
      .map((inside) => objectOf(inside, false))
      .chain((shape) => shape.samples.map((sample) => ({ schema: shape.schema, sample })));
    let strictOnes = 0;
    await fc.assert(
      fc.asyncProperty(cases, async ({ schema, sample }) => {
        const echo = tool({ name: "t", parameters: schema, execute: (input) => input });
        const { schema: strict, reason } = toStrictSchema(echo.parameters);
        if (strict === undefined) return expect(reason).toMatch(/levels/);
        strictOnes++;
        expect(strictProblems(strict)).toEqual([]);
        const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(strict);
        validate(sample.strict);
        expect(validate.errors).toBeNull();
        expect(await echo.invoke(sample.strict, { skipParsing: true })).toEqual(sample.back);
      }),
      { numRuns: 120 },
    );
    expect(strictOnes).toBeGreaterThan(80);
  }, 60_000);

  it("may stand behind a reference", async () => {
    await fc.assert(
      fc.asyncProperty(members, async (inside) => {
        const part = objectOf(inside, false).schema;
        const schema: JsonObject = {
          type: "object",
          properties: { first: { $ref: "#/$defs/Part" }, again: { $ref: "#/$defs/Part" } },
          $defs: { Part: part },
        };
        const { schema: strict } = toStrictSchema(schema);
        if (strict === undefined) return;
        expect(strictProblems(strict)).toEqual([]);
        const direct = toStrictSchema({ type: "object", properties: { first: part } }).schema;
        expect(Object(strict["$defs"])["Part"]).toEqual(
          Object(direct)["properties"]["first"]["anyOf"][0],
        );
      }),
      { numRuns: 50 },
    );
  });
});

/** A JSON file with the `tools/list` answers of real servers; without it the test is skipped. */
const file = process.env["TUNIC_TOOL_DEFINITIONS"];

describe.skipIf(file === undefined || !existsSync(file))(
  "schemas of real servers (skipped when TUNIC_TOOL_DEFINITIONS does not name the file)",
  () => {
    it("obey the rules of strict mode, or have a reason", () => {
      const found = schemasIn(JSON.parse(readFileSync(file ?? "", "utf8")));
      expect(found.length).toBeGreaterThan(500);
      let strictOnes = 0;
      for (const [at, inputSchema] of found.entries()) {
        const { parameters } = tool({ name: `t${at}`, parameters: inputSchema });
        const { schema, reason } = toStrictSchema(parameters);
        if (schema === undefined) expect(reason).toMatch(/^(#|the root)/);
        else {
          strictOnes++;
          expect(strictProblems(schema)).toEqual([]);
        }
      }
      expect(strictOnes / found.length).toBeGreaterThan(0.8);
    });
  },
);

function schemasIn(value: unknown): JsonObject[] {
  if (typeof value !== "object" || value === null) return [];
  if ("inputSchema" in value && isJsonObject(value.inputSchema)) return [value.inputSchema];
  return Object.values(value).flatMap(schemasIn);
}

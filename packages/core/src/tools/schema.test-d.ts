import { Type } from "@sinclair/typebox";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expectTypeOf, it } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../messages/json.js";
import { tool } from "./function-tool.js";
import type { ArgumentsOf } from "./schema.js";
import type { FunctionInvocationContext, FunctionTool, Tool } from "./tool.js";

describe("the arguments of execute follow from parameters", () => {
  it("zod: its output", () => {
    tool({
      name: "x",
      parameters: z.object({
        n: z.number().default(1),
        at: z.string().transform((text) => new Date(text)),
      }),
      execute(input, context) {
        expectTypeOf(input).toEqualTypeOf<{ n: number; at: Date }>();
        expectTypeOf(context).toEqualTypeOf<FunctionInvocationContext>();
      },
    });
  });

  it("arktype", () => {
    tool({
      name: "x",
      parameters: type({ name: "string", "age?": "number" }),
      execute(input) {
        expectTypeOf(input).toEqualTypeOf<{ name: string; age?: number }>();
      },
    });
  });

  it("valibot through toStandardJsonSchema", () => {
    tool({
      name: "x",
      parameters: toStandardJsonSchema(
        v.object({ name: v.string(), age: v.optional(v.number(), 1) }),
      ),
      execute(input) {
        expectTypeOf(input).toEqualTypeOf<{ name: string; age: number }>();
      },
    });
  });

  it("TypeBox", () => {
    tool({
      name: "x",
      parameters: Type.Object({ name: Type.String(), age: Type.Optional(Type.Number()) }),
      execute(input) {
        expectTypeOf(input).toEqualTypeOf<{ name: string; age?: number }>();
      },
    });
  });

  it("a JSON Schema literal, without as const", () => {
    tool({
      name: "x",
      parameters: {
        type: "object",
        properties: {
          city: { type: "string" },
          days: { type: "integer", default: 1 },
          unit: { enum: ["C", "F"] },
          kind: { const: "forecast" },
          note: { type: ["string", "null"] },
          tags: { type: "array", items: { type: "string" } },
          place: {
            type: "object",
            properties: { lat: { type: "number" }, exact: { type: "boolean" } },
            required: ["lat"],
          },
          when: { anyOf: [{ type: "number" }, { type: "null" }] },
          other: { $ref: "#/$defs/other" },
          anything: {},
          counts: { type: "object", additionalProperties: { type: "number" } },
        },
        required: ["city", "unit", "place"],
        $defs: { other: {} },
      },
      execute(input) {
        expectTypeOf(input.city).toEqualTypeOf<string>();
        expectTypeOf(input.days).toEqualTypeOf<number>();
        expectTypeOf(input.unit).toEqualTypeOf<"C" | "F">();
        expectTypeOf(input.kind).toEqualTypeOf<"forecast" | undefined>();
        expectTypeOf(input.note).toEqualTypeOf<string | null | undefined>();
        expectTypeOf(input.tags).toEqualTypeOf<readonly string[] | undefined>();
        expectTypeOf(input.place).toEqualTypeOf<{ lat: number; exact?: boolean }>();
        expectTypeOf(input.when).toEqualTypeOf<number | null | undefined>();
        expectTypeOf(input.other).toEqualTypeOf<unknown>();
        expectTypeOf(input.anything).toEqualTypeOf<unknown>();
        expectTypeOf(input.counts).toEqualTypeOf<{ readonly [name: string]: number } | undefined>();
        // @ts-expect-error a name that is not in the schema
        input.nope;
      },
    });
  });

  it("nothing, or a schema that is not a literal: any JSON object", () => {
    tool({
      name: "x",
      execute(input) {
        expectTypeOf(input).toEqualTypeOf<JsonObject>();
      },
    });
    const parameters: JsonObject = {};
    tool({
      name: "x",
      parameters,
      execute(input) {
        expectTypeOf(input).toEqualTypeOf<JsonObject>();
      },
    });
    expectTypeOf<ArgumentsOf<undefined>>().toEqualTypeOf<JsonObject>();
    expectTypeOf<ArgumentsOf<{ readonly $ref: "#" }>>().toEqualTypeOf<JsonObject>();
  });
});

describe("the value", () => {
  const dated = tool({
    name: "x",
    parameters: z.object({ at: z.string().transform((text) => new Date(text)) }),
    execute: async ({ at }) => ({ year: at.getFullYear() }),
    parseResult: (value) => {
      expectTypeOf(value).toEqualTypeOf<{ year: number }>();
      return `${value.year}`;
    },
    resources: ({ at }) => [at.toISOString()],
  });

  it("comes out of invoke with skipParsing, awaited", () => {
    expectTypeOf(dated).toEqualTypeOf<FunctionTool<{ at: Date }, { year: number }>>();
    expectTypeOf(dated.invoke({}, { skipParsing: true })).resolves.toEqualTypeOf<{
      year: number;
    }>();
  });

  it("and arguments of any type make a Tool", () => {
    expectTypeOf(dated).toExtend<Tool>();
  });
});

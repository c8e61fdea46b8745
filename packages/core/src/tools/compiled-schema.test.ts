import { afterEach, describe, expect, it, vi } from "vitest";
import { interpretedValidator } from "../interpreted.js";
import type { JsonObject } from "../messages/json.js";
import { setSchemaValidator } from "./compiled-schema.js";
import { tool } from "./function-tool.js";
import type { JsonSchemaLiteral } from "./schema.js";
import { checkArguments, prepareSchema } from "./validate-arguments.js";

const object = (properties: JsonSchemaLiteral, rest: JsonSchemaLiteral = {}) => ({
  type: "object",
  properties,
  ...rest,
});

afterEach(() => setSchemaValidator(undefined));

describe("compilation", () => {
  const parameters = object({ a: { type: "number" } });

  it("answers at once from the second call on", async () => {
    const made = tool({ name: "t", parameters });
    const first = checkArguments(made, { a: 1 });
    expect(first).toBeInstanceOf(Promise);
    await first;
    expect(checkArguments(made, { a: 1 })).toEqual({
      ok: true,
      arguments: { a: 1 },
      input: { a: 1 },
    });
  });

  it("happens once, however many first calls there are at a time", async () => {
    const compile = vi.fn(interpretedValidator);
    setSchemaValidator(compile);
    const made = tool({ name: "t", parameters });
    await Promise.all([1, 2, 3].map((a) => checkArguments(made, { a })));
    await prepareSchema(made);
    expect(compile).toHaveBeenCalledTimes(1);
  });

  it("failing, makes every call fail and is found by prepareSchema", async () => {
    const made = tool({ name: "t", parameters: object({ a: { type: "string", pattern: "(" } }) });
    const checked = await checkArguments(made, { a: "x" });
    expect(checked).toMatchObject({
      ok: false,
      message: expect.stringContaining("its schema is broken"),
    });
    await expect(prepareSchema(made)).rejects.toMatchObject({
      code: "schema_does_not_compile",
      message: expect.stringContaining('tool "t"'),
    });
  });

  it("forbidden by a content security policy, names the way out", async () => {
    setSchemaValidator(() => {
      throw new EvalError("Code generation from strings disallowed for this context");
    });
    await expect(prepareSchema(tool({ name: "t", parameters }))).rejects.toThrow(
      "@tunic/core/interpreted",
    );
  });

  it("of a schema nested as deep as allowed works", async () => {
    let deep: JsonSchemaLiteral = { type: "string" };
    for (let level = 0; level < 120; level++) deep = object({ a: deep });
    expect(await checkArguments(tool({ name: "t", parameters: deep }), {})).toMatchObject({
      ok: true,
    });
  });

  it("does not fail a call for arguments that are too deep to be checked", async () => {
    const schema = object({ child: { $ref: "#" } }, { additionalProperties: false });
    let args: JsonObject = {};
    for (let level = 0; level < 50_000; level++) args = { child: args };
    expect(await checkArguments(tool({ name: "t", parameters: schema }), args)).toMatchObject({
      ok: false,
    });
  });
});

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

  it("of a further schema needs no waiting, with another validator neither", async () => {
    await checkArguments(tool({ name: "t", parameters }), { a: 1 });
    for (const validator of [undefined, interpretedValidator]) {
      if (validator !== undefined) setSchemaValidator(validator);
      const checked = checkArguments(tool({ name: "u", parameters }), { a: "1" });
      expect(checked).toMatchObject({ ok: true, input: { a: 1 } });
    }
  });

  it("is left to a validator that was set while another was being loaded", async () => {
    const compile = vi.fn(interpretedValidator);
    const first = checkArguments(tool({ name: "t", parameters }), { a: 1 });
    setSchemaValidator(compile);
    expect(await first).toMatchObject({ ok: true });
    expect(compile).toHaveBeenCalledTimes(1);
    const later = vi.fn(interpretedValidator);
    setSchemaValidator(undefined);
    const second = prepareSchema(tool({ name: "u", parameters }));
    setSchemaValidator(later);
    setSchemaValidator(undefined);
    await second;
    expect(later).not.toHaveBeenCalled();
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

describe("a program that has checked nothing yet", () => {
  const made = tool({ name: "t", parameters: object({ a: { type: "number" } }) });

  /** The modules as they are when a program starts. */
  async function started() {
    vi.resetModules();
    const { setSchemaValidator } = await import("./compiled-schema.js");
    const { checkArguments } = await import("./validate-arguments.js");
    return { setSchemaValidator, checkArguments };
  }

  afterEach(() => {
    vi.doUnmock("./load-ajv.js");
    vi.resetModules();
  });

  it("waits for its first check, with a validator of its own too, and loads no ajv then", async () => {
    const loadAjvCompiler = vi.fn();
    vi.doMock("./load-ajv.js", () => ({ loadAjvCompiler }));
    const program = await started();
    const compile = vi.fn(interpretedValidator);
    program.setSchemaValidator(compile);
    const firsts = [1, 2].map((a) => program.checkArguments(made, { a }));
    for (const first of firsts) expect(first).toBeInstanceOf(Promise);
    expect(await Promise.all(firsts)).toMatchObject([{ input: { a: 1 } }, { input: { a: 2 } }]);
    expect(program.checkArguments(made, { a: 3 })).toMatchObject({ ok: true });
    expect(compile).toHaveBeenCalledTimes(1);
    expect(loadAjvCompiler).not.toHaveBeenCalled();
  });

  it("takes the validator that was set last before all was loaded", async () => {
    const program = await started();
    const [early, late] = [vi.fn(interpretedValidator), vi.fn(interpretedValidator)];
    program.setSchemaValidator(early);
    const first = program.checkArguments(made, { a: 1 });
    program.setSchemaValidator(late);
    expect(await first).toMatchObject({ ok: true });
    expect(early).not.toHaveBeenCalled();
    expect(late).toHaveBeenCalledTimes(1);
  });

  it("loads again what could not be loaded", async () => {
    const loadAjvCompiler = vi
      .fn()
      .mockRejectedValueOnce(new Error("offline"))
      .mockResolvedValue(interpretedValidator);
    vi.doMock("./load-ajv.js", () => ({ loadAjvCompiler }));
    const program = await started();
    await expect(program.checkArguments(made, { a: 1 })).rejects.toThrow("offline");
    expect(await program.checkArguments(made, { a: 1 })).toMatchObject({ ok: true });
    expect(loadAjvCompiler).toHaveBeenCalledTimes(2);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exactNumber } from "./coerce-arguments.js";
import { tool } from "./function-tool.js";
import { checkArguments } from "./validate-arguments.js";

/** What a value becomes under a schema, or "refused". */
async function coerced(schema: unknown, value: unknown): Promise<unknown> {
  const parameters = { type: "object", properties: { value: schema } };
  const checked = await checkArguments(tool({ name: "t", parameters }), { value });
  return checked.ok ? checked.arguments["value"] : "refused";
}

const integers = { type: "array", items: { type: "integer" } };

describe("coerceArguments", () => {
  it.each([
    [{ type: "integer" }, "12", 12],
    [{ type: "integer" }, "12.0", 12],
    [{ type: "number" }, "-1.5e3", -1500],
    [{ type: "boolean" }, "true", true],
    [{ type: "boolean" }, "false", false],
    [{ type: "string" }, 12, "12"],
    [{ type: "string" }, true, "true"],
    [{ type: "object" }, '{"a":1}', { a: 1 }],
    [integers, "[1,2]", [1, 2]],
    [integers, 7, [7]],
    [integers, ["1", 2], [1, 2]],
    [integers, '["1"]', [1]],
    [{ type: "array" }, { a: 1 }, [{ a: 1 }]],
    [{ type: ["integer", "null"] }, "null", null],
    [{ anyOf: [{ type: "integer" }, { type: "null" }] }, "5", 5],
    [{ anyOf: [{ type: "integer" }, { type: "null" }] }, "null", null],
  ])("%j: %j becomes %j", async (schema, value, expected) => {
    expect(await coerced(schema, value)).toEqual(expected);
  });

  it.each([
    [{ type: "integer" }, "12abc"],
    [{ type: "integer" }, "12.5"],
    [{ type: "number" }, "1e400"],
    [{ type: "number" }, ""],
    [{ type: "number" }, " 1"],
    [{ type: "number" }, "0x10"],
    [{ type: "integer" }, "9007199254740993"],
    [{ type: "number" }, "0.10000000000000000001"],
    [{ type: "boolean" }, "yes"],
    [{ type: "boolean" }, 1],
    [integers, "[1"],
    [integers, "[9007199254740993]"],
    [{ type: "object" }, "[1]"],
    [{ type: "integer" }, [1]],
    [{ anyOf: [{ type: "string", minLength: 9 }, { type: "null" }] }, "null"],
  ])("%j: %j is refused, for something would be lost or guessed", async (schema, value) => {
    expect(await coerced(schema, value)).toBe("refused");
  });

  it.each([
    [{ type: ["string", "integer"] }, "12"],
    [{ type: ["string", "null"] }, "null"],
    [{ anyOf: [{ type: "integer" }, { type: "string" }] }, "12"],
    [{ type: "string" }, '{"x":1}'],
    [{}, "12"],
  ])("%j: %j stays, for the schema takes it as it is", async (schema, value) => {
    expect(await coerced(schema, value)).toBe(value);
  });

  it("leaves text beside the wrong value alone", async () => {
    const parameters = {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "integer" } },
    };
    const args = { a: "5", b: "5" };
    const checked = await checkArguments(tool({ name: "t", parameters }), args);
    expect(checked).toMatchObject({ ok: true, arguments: { a: "5", b: 5 } });
    expect(args).toEqual({ a: "5", b: "5" });
  });

  it("tells what is still wrong afterwards", async () => {
    const parameters = { type: "object", properties: { n: { type: "integer", minimum: 20 } } };
    expect(await checkArguments(tool({ name: "t", parameters }), { n: "12" })).toMatchObject({
      message: "/n: must be at least 20; got 12",
    });
  });
});

describe("exactNumber", () => {
  it("reads every number that JSON.stringify writes, save for whole ones that are not safe", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const unsafe = Number.isInteger(number) && !Number.isSafeInteger(number);
        expect(exactNumber(JSON.stringify(number))).toBe(unsafe ? undefined : number + 0);
      }),
    );
  });

  it("reads no text that says anything else", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const number = exactNumber(text);
        if (number !== undefined) expect(JSON.parse(text)).toBe(number);
      }),
    );
  });
});

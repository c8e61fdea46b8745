import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseArguments } from "./parse-arguments.js";

describe("parseArguments", () => {
  it.each([
    ["an empty text", "", {}],
    ["blanks", "  \n", {}],
    ["an empty object", "{}", {}],
    ["an object", '{"room":"hall","on":true}', { room: "hall", on: true }],
    ["an object with blanks around it", ' \n{"a":1}\t', { a: 1 }],
    ["an object that was encoded twice", '"{\\"room\\":\\"hall\\"}"', { room: "hall" }],
    ["an empty object that was encoded twice", '"{}"', {}],
    [
      "JSON in a string member, which stays a string",
      '{"payload":"{\\"x\\":1}"}',
      { payload: '{"x":1}' },
    ],
    [
      "JSON in a string member of an object encoded twice",
      JSON.stringify('{"p":"{}"}'),
      { p: "{}" },
    ],
    ["nested objects", '{"a":{"b":[{"c":null}]}}', { a: { b: [{ c: null }] } }],
  ])("reads %s", (_what, text, expected) => {
    expect(parseArguments(text)).toEqual({ arguments: expected });
  });

  it.each([
    ["an array", '[{"a":1}]', "an array"],
    ["a number", "12", "a number"],
    ["a boolean", "true", "a boolean"],
    ["null", "null", "null"],
    ["a string", '"hall"', "a string"],
    ["an empty string in quotes", '""', "a string"],
    ["an array that was encoded twice", '"[1]"', "a string"],
    ["an object that was encoded three times", JSON.stringify(JSON.stringify("{}")), "a string"],
  ])("refuses %s and keeps the text", (_what, text, kind) => {
    expect(parseArguments(text)).toEqual({
      argumentsText: text,
      parseError: `The arguments must be a JSON object; got ${kind}.`,
    });
  });

  it.each([
    ["cut off", '{"room":"ha'],
    ["followed by something", "{} {}"],
    ["with single quotes", "{'a':1}"],
    ["in a code fence", "```json\n{}\n```"],
    ["no JSON at all", "hall"],
    ["a lone brace", "{"],
  ])("never mends what is broken: %s", (_what, text) => {
    expect(parseArguments(text)).toEqual({
      argumentsText: text,
      parseError: expect.stringContaining("not valid JSON"),
    });
  });

  it("reads whatever object JSON can say, encoded once or twice", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value);
        const expected = { arguments: JSON.parse(text) };
        expect(parseArguments(text)).toStrictEqual(expected);
        expect(parseArguments(JSON.stringify(text))).toStrictEqual(expected);
      }),
    );
  });

  it("gives an object or a reason for any text, never both, and throws at none", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map((text) => text.slice(1)),
        ),
        (text) => {
          const parsed = parseArguments(text);
          expect("arguments" in parsed).toBe(!("parseError" in parsed));
          if ("parseError" in parsed) expect(parsed.argumentsText).toBe(text);
          else expect(Array.isArray(parsed.arguments)).toBe(false);
        },
      ),
    );
  });

  it("takes a member called __proto__ as data", () => {
    const parsed = parseArguments('{"__proto__":{"admin":true}}');
    expect(JSON.stringify(parsed)).toBe('{"arguments":{"__proto__":{"admin":true}}}');
    expect(({} as Record<string, unknown>)["admin"]).toBeUndefined();
  });

  it("refuses objects that are nested too deeply to be written down again", () => {
    const parsed = parseArguments(`${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`);
    expect(parsed).toMatchObject({ parseError: expect.stringContaining("deep") });
    expect(() => JSON.stringify(parsed)).not.toThrow();
  });

  it("reads a text of many megabytes, brackets and escapes inside its strings included", () => {
    const long = 'x"[{'.repeat(4_000_000);
    expect(parseArguments(JSON.stringify({ long }))).toEqual({ arguments: { long } });
    expect(parseArguments(`{"long":"${"x".repeat(10_000_000)}`)).toHaveProperty("parseError");
  });
});

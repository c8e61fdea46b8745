import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { patternCheck, quickSchema } from "./pattern-check.js";

async function isQuick(pattern: string): Promise<boolean> {
  const check = patternCheck();
  await check.learn([{ pattern }]);
  return check.isQuick(pattern);
}

describe("patterns that may be run", () => {
  it.each([
    "^\\d{4}-\\d{2}-\\d{2}$",
    "^[a-z0-9][a-z0-9_-]*$",
    "^[a-z]+(\\.[a-z]+)*$",
    "^#[a-fA-F0-9]{6}$",
    "^([/_.\\-A-Za-z0-9=, ()!])+$",
    "^[^@]+@[^@]+$",
    "^\\p{Lu}\\p{Ll}+$",
    "^needless\\_escape$",
    "abc",
  ])("are those that cannot be made to backtrack: %s", async (pattern) => {
    expect(await isQuick(pattern)).toBe(true);
  });

  it.each([
    ["nested", "^(a+)+$"],
    ["nested, without a beginning", "(a*)*b"],
    ["the same twice", "^(a|a)*$"],
    ["the same twice, written in another way", "^(?:a|\\u0061)*$"],
    ["a row", "^a*a*a*a*b$"],
    ["without a beginning", "a+$"],
    ["a few words", "^(\\w+\\s?)*$"],
    ["counted", "^(a{1,50}){1,50}$"],
    ["optional", "^(a?){30}a{30}$"],
    ["in what stands ahead", "^(?=(a+)+$)a"],
    ["in what stands behind", "(?<=(a+)+)b"],
    ["what refers back", "^(a\\1?)+$"],
    ["with modifiers", "^(?i:(a+)+)$"],
    ["classes of Unicode", "^(\\p{L}+)+$"],
    ["long", `^${"a".repeat(300)}$`],
    ["no pattern", "("],
  ])("are no others: %s", async (_what, pattern) => {
    expect(await isQuick(pattern)).toBe(false);
  });

  it("are a hundred of one server, of which no further one is looked at", async () => {
    const check = patternCheck();
    await check.learn(
      Array.from({ length: 150 }, (_, at) => ({ properties: { a: { pattern: `^${at}$` } } })),
    );
    expect(check.isQuick("^99$")).toBe(true);
    expect(check.isQuick("^100$")).toBe(false);
  });

  it("are quick: those of random parts, on what they nearly fit", async () => {
    const atom = fc.constantFrom("a", "b", "[ab]", ".", "\\w", "(?:a|b)", "(?:ab)");
    const quantified = fc
      .tuple(atom, fc.constantFrom("", "*", "+", "?", "{2,9}"))
      .map((parts) => parts.join(""));
    const group = fc.tuple(
      fc.array(quantified, { minLength: 1, maxLength: 3 }),
      fc.constantFrom("", "*", "+"),
    );
    const pattern = fc
      .array(
        group.map(([parts, often]) => `(?:${parts.join("")})${often}`),
        { minLength: 1, maxLength: 3 },
      )
      .map((groups) => `^${groups.join("")}$`);
    const check = patternCheck();
    const text = `${"ab".repeat(2000)}!`;
    let tried = 0;
    for (const each of fc.sample(pattern, { numRuns: 90, seed: 7 })) {
      await check.learn([{ pattern: each }]);
      if (!check.isQuick(each)) continue;
      tried += 1;
      // One that is not would be at it for longer than anybody waits.
      expect(new RegExp(each, "u").test(text)).toBeTypeOf("boolean");
      expect(new RegExp(each, "u").test(`${"a".repeat(4000)}!`)).toBeTypeOf("boolean");
    }
    expect(tried).toBeGreaterThan(5);
  });
});

describe("a schema", () => {
  const slow = "^(a+)+$";
  const quick = (pattern: string) => pattern !== slow;

  it("without slow patterns is the same object", () => {
    const schema = { type: "object", properties: { a: { type: "string", pattern: "^a$" } } };
    expect(quickSchema(schema, quick)).toEqual({ schema, dropped: [] });
    expect(quickSchema(schema, quick).schema).toBe(schema);
  });

  it("tells slow patterns in words, wherever a reference could find them", () => {
    const said = { type: "string", description: `Pattern: ${slow}` };
    const { schema, dropped } = quickSchema(
      {
        type: "object",
        properties: {
          a: { type: "string", pattern: slow, description: "Letters." },
          pattern: { type: "string", pattern: "^b$" },
          c: { $ref: "#/x-more/0" },
        },
        "x-more": [{ type: "string", pattern: slow }],
        $defs: { d: { propertyNames: { type: "string", pattern: slow } } },
      },
      quick,
    );
    expect(dropped).toEqual([slow]);
    expect(schema).toEqual({
      type: "object",
      properties: {
        a: { type: "string", description: `Letters.\nPattern: ${slow}` },
        pattern: { type: "string", pattern: "^b$" },
        c: { $ref: "#/x-more/0" },
      },
      "x-more": [said],
      $defs: { d: { propertyNames: said } },
    });
  });

  it("does not refuse the names that a slow pattern lets through", () => {
    const { schema } = quickSchema(
      {
        type: "object",
        properties: { b: {} },
        patternProperties: { [slow]: {}, "^c$": {} },
        additionalProperties: false,
      },
      quick,
    );
    expect(schema).toEqual({
      type: "object",
      properties: { b: {} },
      description: `Pattern: ${slow}`,
    });
  });
});

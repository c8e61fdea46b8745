import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../messages/json.js";
import { fillInForm } from "./fill-in-form.js";
import { requestedInput } from "./requested-input.js";

/** What a form of one field is filled in with when these lines are typed, and how many of them were asked for. */
async function fillIn(field: JsonObject, lines: readonly string[], required: boolean) {
  const requestedSchema = { properties: { f: field }, required: required ? ["f"] : [] };
  const input = requestedInput({
    type: "function_approval_request",
    requestId: "r1",
    call: { type: "function_call", callId: "c1", name: "ask" },
    editable: true,
    additionalProperties: { elicitation: { mode: "form", requestedSchema } },
  });
  if (input?.mode !== "form") throw new Error("This should be a form.");
  let asked = 0;
  const question = async () => {
    const line = lines[asked++];
    if (line === undefined) throw new Error("Asked once too often.");
    return line;
  };
  return { filled: await fillInForm(input, { question }), asked };
}

describe("a field", () => {
  it.each<[what: string, field: JsonObject, lines: string[], value: JsonValue]>([
    ["a text", { type: "string" }, ["  Ada L. "], "Ada L."],
    [
      "a text of a length",
      { type: "string", minLength: 2, maxLength: 3 },
      ["a", "abcd", "🦊🦊🦊"],
      "🦊🦊🦊",
    ],
    ["a number", { type: "number" }, ["0x1f", "1 2", "NaN", "1e999", "-1.5e1"], -15],
    ["a whole number", { type: "integer" }, ["1.5", "9007199254740993", "7"], 7],
    ["a yes", { type: "boolean" }, ["1", "true", "YES"], true],
    ["a no", { type: "boolean" }, ["nope", "n"], false],
    ["a choice by number", { type: "string", enum: ["s", "m"] }, ["0", "3", "-1", "2"], "m"],
    ["a choice by text", { type: "string", enum: ["s", "m"] }, ["x", "M"], "m"],
    ["a choice by title", { enum: ["s", "m"], enumNames: ["Small", "Medium"] }, ["medium"], "m"],
    ["a choice among numbers, by text", { enum: ["2", "1"] }, ["1"], "1"],
    ["a choice that is a number", { type: "integer", enum: [20, 10] }, ["1", "10"], 10],
    [
      "a choice whose text could mean two, by number",
      {
        oneOf: [
          { const: "yes", title: "No" },
          { const: "no", title: "Yes" },
        ],
      },
      ["yes", "no", "2"],
      "no",
    ],
    [
      "several choices",
      { type: "array", items: { enum: ["a", "b", "c"] }, minItems: 2 },
      ["a", "a, x", "c, 1, C"],
      ["c", "a"],
    ],
    [
      "a choice with a comma, among several",
      { type: "array", items: { anyOf: [{ const: "a,b", title: "A" }, { const: "b" }] } },
      ["a,b"],
      ["a,b"],
    ],
    ["anything else, as JSON", { type: "object" }, ["{", '{"a":[1]}'], { a: [1] }],
    ["a default", { type: "integer", default: 3 }, [""], 3],
    ["a list that may be empty", { type: "array", items: { enum: ["a"] } }, [""], []],
  ])("takes %s", async (_what, field, lines, value) => {
    const { filled, asked } = await fillIn(field, lines, true);
    expect(filled).toStrictEqual({ f: value });
    expect(asked).toBe(lines.length);
  });

  it("that is optional is left out where nothing is typed, and so is a default that does not fit", async () => {
    for (const field of [{ type: "string" }, { type: "integer", default: "many" }]) {
      expect((await fillIn(field, [""], false)).filled).toStrictEqual({});
    }
  });

  it("takes only the choice whose text or number was typed, and none where that could be two", async () => {
    const text = fc.constantFrom("1", "2", "a", "A", "b", "1,2", " a");
    const choices = fc.array(fc.record({ const: text, title: text }), {
      minLength: 1,
      maxLength: 3,
    });
    const seen = new Set<boolean>();
    await fc.assert(
      fc.asyncProperty(choices, text, async (oneOf, line) => {
        const { asked, filled } = await fillIn({ oneOf }, [line, ""], false);
        const typed = line.trim().toLowerCase();
        const meant = oneOf.filter((each) =>
          [each.const, each.title].some((one) => one.trim().toLowerCase() === typed),
        );
        const hasNumbers = oneOf.some((each) =>
          ["1", "2"].some((one) => one === each.const || one === each.title),
        );
        const numbered = hasNumbers ? undefined : oneOf[Number(line) - 1];
        const [one, two] = meant.length > 0 ? meant : [numbered];
        const taken = one !== undefined && two === undefined;
        seen.add(taken);
        expect(asked).toBe(taken ? 1 : 2);
        expect(filled).toStrictEqual(taken ? { f: one.const } : {});
      }),
      { numRuns: 500 },
    );
    expect(seen.size).toBe(2);
  });
});

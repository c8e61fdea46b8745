import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ReferenceText } from "./reference-text.js";

function partsOf(text: string, cuts: readonly number[] = []): readonly string[] {
  const reader = new ReferenceText();
  const parts: string[] = [];
  let at = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    const to = Math.max(at, Math.min(cut, text.length));
    parts.push(...reader.add(text.slice(at, to)));
    at = to;
  }
  return [...parts, ...reader.add(text.slice(at)), ...reader.flush()];
}

const references = (parts: readonly string[]) =>
  parts.filter((part) => /^\{\s*"\$ref"\s*:\s*"v(?:[^"\\]|\\["\\])*"\s*\}$/.test(part));

describe("ReferenceText", () => {
  it.each([
    '{"$ref":"v3"}',
    '{ "$ref": "v12.body" }',
    '{\n  "$ref" : "v3[0].name"\n}',
    '{"$ref":"v3[\\"odd name\\"].x"}',
  ])("finds %s in a text", (reference) => {
    expect(partsOf(`a ${reference} b`)).toEqual(["a ", reference, " b"]);
    expect(partsOf(`${reference}${reference}`)).toEqual([reference, reference]);
  });

  it.each([
    '{"$ref":"#/x"}',
    '{"$ref":"v0"}',
    '{"$ref":"v1","x":1}',
    '{"ref":"v1"}',
    '{"$ref":"v1',
    "{'$ref':'v1'}",
    '{"$ref":"v1\\n"}',
    `{"$ref":"v1${"x".repeat(300)}"}`,
    "{".repeat(500),
    "plain",
  ])("leaves %s as text", (text) => {
    expect(references(partsOf(`a ${text} b`)).filter((part) => part === text)).toEqual([]);
    expect(partsOf(text).join("")).toBe(text);
  });

  it("finds the same wherever the text is cut, and loses nothing", () => {
    const piece = fc.constantFrom(
      ...'{"$ref":"v1"}|{ "$ref" : "v2.a" }|{"$ref":"v3[\\"a b\\"]"}|{"$ref":"|{"|"v1|"}|{|}|"|\\|$ref| |\n|a|v1'.split(
        "|",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat({ max: 80 })), (all, cuts) => {
        const text = all.join("");
        const whole = partsOf(text);
        const cut = partsOf(text, cuts);
        expect(whole.join("")).toBe(text);
        expect(cut.join("")).toBe(text);
        expect(references(cut)).toEqual(references(whole));
      }),
      { numRuns: 1000 },
    );
  });

  it("holds nothing back that cannot become a reference", () => {
    const reader = new ReferenceText();
    expect(reader.add("an object {a: 1}")).toEqual(["an object {a: 1}"]);
    expect(reader.add('then {"$re')).toEqual(["then "]);
    expect(reader.add("turn")).toEqual(['{"$return']);
    expect(reader.flush()).toEqual([]);
  });
});

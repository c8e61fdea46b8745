import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ToolNameRules, toolNamesOnWire, toWireToolName } from "./wire-tool-names.js";

const rules: ToolNameRules = { service: "Example", refused: /[^a-zA-Z0-9_-]/g, longest: 64 };
const withStart: ToolNameRules = { ...rules, start: /^[a-zA-Z_]/, longest: 32 };

const anyName = fc.oneof(
  fc.string({ minLength: 1, maxLength: 128, unit: "binary" }),
  fc.stringMatching(/^[a-z._ -]{1,90}$/),
  fc.stringMatching(/^[0-9][a-z]{0,5}$/),
);

describe("toWireToolName", () => {
  it("leaves a name that the service takes as it is", () => {
    expect(toWireToolName("get_weather-2", rules)).toBe("get_weather-2");
    expect(toWireToolName("x".repeat(64), rules)).toBe("x".repeat(64));
  });

  it("replaces what is refused and marks the name with a digest of the whole", () => {
    expect(toWireToolName("files.read", rules)).toMatch(/^files_read_[0-9a-f]{8}$/);
    expect(toWireToolName("files read", rules)).not.toBe(toWireToolName("files.read", rules));
    expect(toWireToolName("9lives", withStart)).toMatch(/^_9lives_[0-9a-f]{8}$/);
  });

  it("tells long names apart by what was cut off", () => {
    const long = "x".repeat(100);
    expect(toWireToolName(`${long}a`, rules)).not.toBe(toWireToolName(`${long}b`, rules));
  });

  it("gives a name that the service takes, the same one every time", () => {
    fc.assert(
      fc.property(anyName, fc.constantFrom(rules, withStart), (name, each) => {
        const wireName = toWireToolName(name, each);
        expect(wireName).toMatch(each.start ?? /^/);
        expect(wireName).toMatch(/^[a-zA-Z0-9_-]+$/);
        expect(wireName.length).toBeLessThanOrEqual(each.longest);
        expect(toWireToolName(name, each)).toBe(wireName);
        expect(toWireToolName(wireName, each)).toBe(wireName);
      }),
    );
  });
});

describe("toolNamesOnWire", () => {
  it("leads back to each name", () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyName, { maxLength: 30 }), (names) => {
        const known = toolNamesOnWire(names, rules);
        expect(names.map((name) => known.get(toWireToolName(name, rules)))).toEqual(names);
      }),
    );
  });

  it("refuses two tools that would have one name, and names both", () => {
    const wireName = toWireToolName("files.read", rules);
    expect(() => toolNamesOnWire(["files.read", wireName], rules)).toThrow(
      expect.objectContaining({
        code: "tool_name_collision",
        message: expect.stringContaining(`"files.read" and "${wireName}"`),
      }),
    );
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigurationError, checkOptionNames, nearestName } from "./configuration-error.js";

describe("nearestName", () => {
  const known = ["temperature", "topP", "maxTokens", "getWeather"];

  it.each([
    ["temprature", "temperature"],
    ["temperature ", "temperature"],
    ["TEMPERATURE", "temperature"],
    ["top_p", "topP"],
    ["maxToken", "maxTokens"],
    ["max_tokens", "maxTokens"],
    ["get_weather", "getWeather"],
    ["getWhether", "getWeather"],
    ["topP", "topP"],
  ])("of %j is %j", (name, expected) => {
    expect(nearestName(name, known)).toBe(expected);
  });

  it.each(["frequencyPenalty", "instructions", "weather_report_of_today", "xyz"])(
    "of %j is none: nothing is close",
    (name) => {
      expect(nearestName(name, known)).toBeUndefined();
    },
  );

  it("takes the closest, and of two that are as close the first", () => {
    expect(nearestName("lamp_on", ["lamp_off", "lamp_in", "lamp_one"])).toBe("lamp_in");
    expect(nearestName("aaaa", ["aaab", "aaac"])).toBe("aaab");
  });

  it("of no names is none", () => {
    expect(nearestName("a", [])).toBeUndefined();
  });

  const name = fc.string({ maxLength: 12 });

  it("never gives a name that is not known", () => {
    fc.assert(
      fc.property(name, fc.array(name, { maxLength: 8 }), (wanted, names) => {
        const nearest = nearestName(wanted, new Set(names));
        expect(nearest === undefined || names.includes(nearest)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it("finds a known name however its case is changed and one letter is added or lost", () => {
    const known = fc.uniqueArray(fc.stringMatching(/^[a-z]{6,12}$/), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(known, fc.nat(), fc.nat(), fc.boolean(), (names, which, where, add) => {
        const right = names[which % names.length] ?? "";
        const at = where % right.length;
        const mistyped = right.slice(0, at) + (add ? "_" : "") + right.slice(add ? at : at + 1);
        const nearest = nearestName(mistyped.toUpperCase(), names);
        expect(nearest).toBeDefined();
        expect(Math.abs((nearest ?? "").length - mistyped.length)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("of a very long name costs next to nothing, however many names there are", () => {
    const many = Array.from({ length: 200 }, (_, at) => `tool_number_${at}`);
    // Letter by letter these would be some thousand million comparisons.
    expect(nearestName("x".repeat(300_000), many)).toBeUndefined();
  });

  it.each(["", "x", "zz"])("of the short name %j is none when no letter of it is right", (name) => {
    expect(nearestName(name, ["id", "by", "a"])).toBeUndefined();
  });
});

describe("checkOptionNames", () => {
  const known = new Set(["temperature", "stop"]);

  it("accepts what is known, and leaves values alone", () => {
    expect(() => checkOptionNames("ChatOptions", { temperature: Number.NaN }, known)).not.toThrow();
    expect(() => checkOptionNames("ChatOptions", {}, known)).not.toThrow();
  });

  it("refuses an unknown name and says which was meant", () => {
    const check = () => checkOptionNames("ChatOptions", { stop: [], temprature: 1 }, known);
    expect(check).toThrow(ConfigurationError);
    expect(check).toThrow('ChatOptions has no option "temprature"; did you mean "temperature"?');
  });

  it("lists what there is where nothing is close", () => {
    expect(() => checkOptionNames("ChatOptions", { reasoningEffort: 1 }, known)).toThrow(
      'ChatOptions has no option "reasoningEffort". It takes: temperature, stop.',
    );
  });

  it("refuses members that are named like those of every object", () => {
    const hostile: object = JSON.parse('{"__proto__":{}}');
    expect(() => checkOptionNames("ChatOptions", hostile, known)).toThrow(/"__proto__"/);
    expect(() => checkOptionNames("ChatOptions", { constructor: 1 }, known)).toThrow(
      /"constructor"/,
    );
  });
});

describe("ConfigurationError", () => {
  it("is a TypeError with a code, and a cause where there is one", () => {
    const cause = new Error("underneath");
    const error = new ConfigurationError("duplicate_tool", "Two tools.", { cause });
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({ name: "ConfigurationError", code: "duplicate_tool", cause });
    expect(new ConfigurationError("a", "b")).not.toHaveProperty("cause");
  });
});

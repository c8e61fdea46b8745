import { describe, expect, it } from "vitest";
import { mergeProviderOptions } from "./merge-provider-options.js";

const terms = { provider: "mine", reserved: ["messages"] };

describe("mergeProviderOptions", () => {
  it("adds the service's own words", () => {
    expect(mergeProviderOptions({ a: 1 }, { b: 2 }, terms)).toEqual({ a: 1, b: 2 });
  });

  it("merges objects one level deep", () => {
    const merged = mergeProviderOptions({ o: { a: { x: 1 } } }, { o: { b: 2 } }, terms);
    expect(merged).toEqual({ o: { a: { x: 1 }, b: 2 } });
  });

  it("takes what is set to undefined as not set", () => {
    expect(
      mergeProviderOptions({ a: undefined, o: { a: undefined } }, { a: 1, o: { a: 2 } }, terms),
    ).toEqual({
      a: 1,
      o: { a: 2 },
    });
  });

  it.each([
    [{ a: 1 }, { a: 1 }, "providerOptions.mine.a"],
    [{ a: { x: 1 } }, { a: { x: 2 } }, "providerOptions.mine.a.x"],
    [{ a: { x: 1 } }, { a: 2 }, "providerOptions.mine.a"],
    [{ a: [1] }, { a: [2] }, "providerOptions.mine.a"],
  ])("%j with %j says one thing twice", (asked, own, name) => {
    expect(() => mergeProviderOptions(asked, own, terms)).toThrow(
      expect.objectContaining({
        code: "two_sources",
        message: expect.stringContaining(`${name} `),
      }),
    );
  });

  it("refuses what the client writes itself, even where nothing is written", () => {
    expect(() => mergeProviderOptions({}, { messages: [] }, terms)).toThrow(
      expect.objectContaining({ code: "invalid_option" }),
    );
  });

  it("takes names of Object's own for names", () => {
    const own = JSON.parse('{"constructor":1,"__proto__":{"x":1}}');
    const merged = mergeProviderOptions({}, own, terms);
    expect(Object.keys(merged).sort()).toEqual(["__proto__", "constructor"]);
    expect(merged["x"]).toBeUndefined();
  });
});

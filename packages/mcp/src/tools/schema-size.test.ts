import { describe, expect, it } from "vitest";
import { whyUncheckable } from "./schema-size.js";

/** Each level leads twice to the one below. */
function doubling(levels: number, keyword: string): object {
  const all = Array.from({ length: levels }, (_, level) => {
    const $ref = `#/$defs/a${level}`;
    return [`a${level + 1}`, { [keyword]: [{ $ref }, { $ref }] }];
  });
  const $defs = { a0: { type: "number" }, ...Object.fromEntries(all) };
  return { type: "object", properties: { x: { $ref: `#/$defs/a${levels}` } }, $defs };
}

describe("whyUncheckable", () => {
  it.each(["anyOf", "allOf", "oneOf", "prefixItems"])(
    "refuses what doubles at each level (%s)",
    (keyword) => {
      expect(whyUncheckable(doubling(6, keyword) as never)).toBeUndefined();
      expect(whyUncheckable(doubling(40, keyword) as never)).toContain("more than 20000 parts");
    },
  );

  it("lets circles through", () => {
    const $ref = "#/$defs/node";
    const node = { type: "object", properties: { left: { $ref }, right: { $ref } } };
    expect(whyUncheckable({ type: "object", properties: { $ref: node }, $defs: { node } })).toBe(
      undefined,
    );
    expect(whyUncheckable({ type: "object", properties: { all: { $ref: "#" } } })).toBeUndefined();
  });

  it.each(["http://127.0.0.1/schema.json", "file:///etc/passwd", "other", "#name"])(
    "refuses what leads elsewhere, which nobody fetches: %s",
    ($ref) => {
      expect(whyUncheckable({ type: "object", properties: { x: { $ref } } })).toContain(
        "has a reference",
      );
    },
  );

  it.each(["$dynamicRef", "$recursiveRef"])(
    "refuses what leads elsewhere each time: %s",
    (keyword) => {
      const schema = { type: "object", properties: { x: { [keyword]: "#" } } };
      expect(whyUncheckable(schema)).toContain("has a reference");
    },
  );

  it("refuses addresses inside, against which references would be read", () => {
    let level: object = { type: "number" };
    for (let at = 0; at < 40; at++) {
      const $ref = "#/$defs/n";
      level = {
        $id: `https://example.com/${at}`,
        allOf: [{ $ref }, { $ref }],
        $defs: { n: level },
      };
    }
    expect(whyUncheckable({ type: "object", properties: { x: level } } as never)).toContain(
      "has a reference",
    );
    const own = { $id: "https://example.com", type: "object", properties: { $id: { $ref: "#" } } };
    expect(whyUncheckable(own)).toBeUndefined();
  });

  it("is not led astray by names that have to be escaped, and by what is not there", () => {
    const $defs = { "a/b c": { $ref: "#/$defs/missing" } };
    expect(
      whyUncheckable({ type: "object", properties: { x: { $ref: "#/$defs/a~1b%20c" } }, $defs }),
    ).toBeUndefined();
  });
});

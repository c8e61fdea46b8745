import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJsonc } from "./jsonc.js";

const parse = (text: string) => parseJsonc(text, "It");

describe("parseJsonc", () => {
  it("reads all that JSON can say, however it is laid out", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 2, "\t"), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it("reads comments, commas at the end, and a byte order mark", () => {
    const text = `\uFEFF// servers
    { /* of ours */ "a": [1, 2, /* three */ ], // "b": 2
      "url": "https://example.com/*no comment*/", }
    // the end`;
    expect(parse(text)).toEqual({ a: [1, 2], url: "https://example.com/*no comment*/" });
  });

  it("keeps a member that is called __proto__ a member", () => {
    const value = parse('{"__proto__": {"polluted": true}}');
    expect(Object.keys(value as object)).toEqual(["__proto__"]);
    expect(value).not.toHaveProperty("polluted");
  });

  it.each([
    ["", "line 1, column 1: a value is expected"],
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: "," or "}" is expected'],
    ['{"a": sk-123}', "column 7: a value is expected"],
    ['{"a": 1, "a": 2}', 'column 10: the name "a" is there already'],
    ["{a: 1}", "a name in quotes is expected"],
    ['{"a" 1}', '":" is expected'],
    ['{"path": "C:\\Users"}', 'write "\\\\"'],
    ['{"a": "open', "not closed"],
    ['["a\nb"]', "not closed"],
    ["{} {}", "more after the end"],
    ["{ /* open", "the comment is not closed"],
    ["[1,,2]", "a value is expected"],
    ["01", "more after the end"],
    ["[".repeat(100), "more than 64 levels"],
  ])("says where %j is wrong", (text, message) => {
    expect(() => parse(text)).toThrow(message);
    expect(() => parse(text)).toThrow(
      expect.objectContaining({ code: "invalid_mcp_config" }) as Error,
    );
  });

  it("shows nothing of what is wrong", () => {
    for (const text of ['{"token": "sk-secret" oops}', '{"token": sk-secret}', '"sk-secret']) {
      expect(() => parse(text)).toThrow(/^(?!.*sk-secret)/s);
    }
  });
});

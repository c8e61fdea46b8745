import type { JsonValue } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonLinkGuard } from "./json-link-guard.js";
import { linkGuard } from "./link-guard.js";

const no = (): boolean => false;

function guarded(text: string, size = text.length || 1, keeps: (link: string) => boolean = no) {
  const guard = jsonLinkGuard(keeps);
  let shown = "";
  for (let at = 0; at < text.length; at += size) shown += guard.add(text.slice(at, at + size));
  return shown + guard.flush();
}

const evil = "https://evil.example/?d=secret";

/** One text in the ways in which JSON can write it. */
const spellings: Readonly<Record<string, string>> = {
  plain: `"see ${evil} now"`,
  "with its slashes escaped": '"see https:\\/\\/evil.example\\/?d=secret now"',
  "with a letter by its number": '"see \\u0068ttps://evil.example/?d=secret now"',
  "with its colon by its number": '"see https\\u003A//evil.example/?d=secret now"',
  "with a slash by its number": '"see https:\\u002f/evil.example/?d=secret now"',
};

describe("jsonLinkGuard", () => {
  for (const [how, text] of Object.entries(spellings)) {
    for (const size of [1, 3, 1000]) {
      it(`takes out a link that is written ${how}, in pieces of ${size}`, () => {
        const shown = guarded(`{"a":[${text},1]}`, size);
        expect(JSON.parse(shown)).toEqual({ a: ["see [link removed] now", 1] });
      });
    }
  }

  it.each([
    ['"\\nwww.evil.example/x"', "\n[link removed]"],
    ['"[a](\\n//evil.example)"', "[a](\n[link removed])"],
    ['"<img src=\\"https:\\/\\/evil.example\\">"', '<img src="[link removed]">'],
    ['"say \\"https://evil.example\\" twice"', 'say "[link removed]" twice'],
  ])("looks at %s as it will be read", (text, expected) => {
    expect(JSON.parse(guarded(text))).toBe(expected);
  });

  it("takes links out of names, too", () => {
    expect(guarded(`{"${evil}":1}`)).toBe('{"[link removed]":1}');
  });

  it("leaves every letter of a text in which nothing is removed", () => {
    const text = ' { "a" : "\\u00e4\\/b \\n", "b":\t"\\"" , "n": 1e3 }\n';
    expect(guarded(text, 2)).toBe(text);
  });

  it("leaves a link that may stay as it was written", () => {
    const text = '{"a":"https:\\/\\/good.example\\/x"}';
    expect(guarded(text, 4, (link) => link === "https://good.example/x")).toBe(text);
  });

  it("guards what is no JSON like any text", () => {
    expect(guarded(`Look: ${evil} and "${evil}`)).toBe('Look: [link removed] and "[link removed]');
    expect(guarded(`"a\n${evil}" b`)).toBe('"a\n[link removed]" b');
  });

  it("shows a value in between by its own rule, and goes on behind it", () => {
    const guard = jsonLinkGuard(() => true);
    const shown = [
      guard.add('{"a":'),
      guard.flush(),
      guard.aside('"\\nwww.evil.example"', no),
      guard.add(`,"b":"${evil}"}`),
      guard.flush(),
    ].join("");
    expect(JSON.parse(shown)).toEqual({ a: "\n[link removed]", b: evil });
  });

  it("knows where it is when it begins to look in the middle of a text", () => {
    const guard = jsonLinkGuard(no);
    const shown = [
      guard.pass(`{"a":"${evil} \\"and `),
      guard.add('https:\\/\\/evil.example\\" ","b":"\\u0068ttps://evil.example"}'),
      guard.flush(),
    ].join("");
    expect(JSON.parse(shown)).toEqual({ a: `${evil} "and [link removed]" `, b: "[link removed]" });
  });

  it("says of every text what the guard of plain texts says, wherever the JSON is cut", () => {
    const parts = fc.constantFrom(
      evil,
      "\n",
      "www.",
      "evil.example",
      "//",
      '"',
      "\\",
      "](",
      " ",
      "é",
    );
    const texts = fc.array(parts, { maxLength: 6 }).map((all) => all.join(""));
    const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        texts,
        fc.integer(),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom("a", "b", "c"), tie("tree")),
      ),
    }));
    fc.assert(
      fc.property(tree, fc.integer({ min: 1, max: 7 }), (value, size) => {
        const shown = guarded(JSON.stringify(value).replaceAll("/", "\\/"), size);
        expect(JSON.parse(shown)).toEqual(inTexts(value));
      }),
    );
  });
});

function inTexts(value: JsonValue): JsonValue {
  if (typeof value === "string") {
    const guard = linkGuard(no);
    return guard.add(value) + guard.flush();
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(inTexts);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inTexts(each)]));
}

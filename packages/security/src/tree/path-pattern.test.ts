import { ConfigurationError } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PathPart, type PathStep, pathText, readPath, valueAt } from "./json-path.js";
import { type PathState, type PathTable, parsePathPattern, pathTable } from "./path-pattern.js";

const names = fc.oneof(
  fc.constantFrom("a", "b", "c", "odd.name", "", "*", "$", "0", "__proto__", "constructor", "ä-b"),
  fc.string(),
);
const steps: fc.Arbitrary<PathStep[]> = fc.array(fc.oneof(names, fc.nat(3)), { maxLength: 5 });

function stateAt<Value>(table: PathTable<Value>, path: readonly PathStep[]): PathState<Value> {
  let state = table.root;
  for (const step of path) {
    state = typeof step === "number" ? state.item(step) : state.member(step);
  }
  return state;
}

describe("pathText and readPath", () => {
  it.each<[PathStep[], string]>([
    [[], "$"],
    [["body"], "body"],
    [[0, "body"], "[0].body"],
    [["a", 1, 2, "b"], "a[1][2].b"],
    [["a", "odd.name"], 'a["odd.name"]'],
    [["$ref"], "$ref"],
    [["$"], '["$"]'],
    [["0"], '["0"]'],
    [["__proto__"], "__proto__"],
    [['"]'], '["\\"]"]'],
  ])("write and read %j as %s", (path, text) => {
    expect(pathText(path)).toBe(text);
    expect(readPath(text)).toEqual(path);
  });

  it("read back whatever they write", () => {
    fc.assert(
      fc.property(steps, (path) => {
        expect(readPath(pathText(path))).toEqual(path);
      }),
    );
  });

  it("read no path of many places", () => {
    expect(readPath("*")).toBeUndefined();
    expect(readPath("a[*].b")).toBeUndefined();
  });
});

describe("valueAt", () => {
  const value = JSON.parse('{"a":[{"b":1}],"length":2,"__proto__":{"c":3}}');

  it.each([
    ["$", value],
    ["a[0].b", 1],
    ["length", 2],
    ["__proto__.c", 3],
    ["a.length", undefined],
    ["a[1]", undefined],
    ['a["0"]', undefined],
    ["constructor", undefined],
    ["toString.name", undefined],
    ["a[0].b.c", undefined],
    ["a..b", undefined],
    ["*", undefined],
  ])("finds at %s only what is there itself", (path, found) => {
    expect(valueAt(value, path)).toEqual(found);
  });
});

describe("parsePathPattern", () => {
  it("reads names, items and wildcards", () => {
    expect(parsePathPattern('a.*[*][3]["odd name"]').segments).toEqual([
      { kind: "member", name: "a" },
      { kind: "anyMember" },
      { kind: "anyItem" },
      { kind: "item", index: 3 },
      { kind: "member", name: "odd name" },
    ]);
    expect(parsePathPattern("$").segments).toEqual([]);
  });

  it.each([
    ["", 'is empty; "$" is the whole value'],
    ["$.a", 'leave "$" out'],
    ["$[0]", 'leave "$" out'],
    ["a.0.b", 'write [0] for an item, or ["0"] for a member'],
    ["7", "write [7] for an item"],
    ["a.", 'has "." after "a"'],
    [".a", 'begins with ".a"'],
    ["a..b", 'has "..b" after "a"'],
    ["a b", 'has " b" after "a"'],
    ["a.[0]", 'has ".[0]" after "a"'],
    ["[0]a", 'has "a" after "[0]"'],
    ["a[01]", 'has "[01]" after "a"'],
    ["a[-1]", 'has "[-1]" after "a"'],
    ["a[9007199254740993]", "has "],
    ["a[b]", 'has "[b]" after "a"'],
    ["a.**", 'has "*" after "a.*"'],
    ['["a', 'begins with "[\\"a"'],
    ['["\\x"]', "begins with "],
  ])("says what is wrong with %j", (text, problem) => {
    const parse = () => parsePathPattern(text);
    expect(parse).toThrow(ConfigurationError);
    expect(parse).toThrow(expect.objectContaining({ code: "path_pattern" }));
    expect(parse).toThrow(problem);
  });
});

describe("pathTable", () => {
  it.each<[string, PathStep[], string | undefined]>([
    ["covers what a pattern matches", ["mails", 0, "body"], "body"],
    ["covers what is below it, too", ["mails", 0, "body", "html", 3], "body"],
    ["prefers a name to a wildcard of the same length", ["mails", 0, "id"], "id"],
    ["prefers a number to a wildcard", ["mails", 7], "seventh"],
    ["prefers a longer pattern to one with more names", ["mails", 7, "body"], "body"],
    ["gives the shorter one where no longer matches", ["mails", 0], "mails"],
    ["takes a name for no item", ["mails", "7"], "mails"],
    ["knows names that every object inherits as names like others", ["constructor"], "root"],
    ["and as names that patterns may mention", ["__proto__"], "proto"],
  ])("%s", (_title, path, value) => {
    const table = pathTable({
      $: "root",
      mails: "mails",
      "mails[*].*": "any",
      "mails[*].id": "id",
      "*[*].body": "body",
      "mails[7]": "seventh",
      ["__proto__"]: "proto",
    });
    expect(stateAt(table, path).value).toBe(value);
  });

  it("lets the later one of two equally specific patterns count", () => {
    expect(stateAt(pathTable({ "a.*": 1, "*.b": 2 }), ["a", "b"]).value).toBe(2);
    expect(stateAt(pathTable({ "*.b": 2, "a.*": 1 }), ["a", "b"]).value).toBe(1);
    expect(stateAt(pathTable({ a: 1, '["a"]': 2 }), ["a"]).value).toBe(2);
  });

  it("says of what no pattern covers what it was told to, or nothing", () => {
    expect(stateAt(pathTable({ a: 1 }), ["b"]).value).toBeUndefined();
    expect(stateAt(pathTable({ a: 1 }, 0), ["b", 2]).value).toBe(0);
  });

  it("lists all that may hold for some node", () => {
    expect(pathTable({ a: 1, b: 2, c: 1 }, 0).values).toEqual([1, 2, 0]);
    expect(pathTable({ $: 1, b: 2 }, 0).values).toEqual([1, 2]);
    expect(pathTable({ a: 1 }).values).toEqual([1, undefined]);
  });

  it("is settled where nothing changes further down", () => {
    const { root } = pathTable({ "a.b": 1 }, 0);
    expect([root, root.member("a"), root.member("x")].map(({ settled }) => settled)).toEqual([
      false,
      false,
      true,
    ]);
    expect(root.member("a").member("b").settled).toBe(true);
    expect(root.item(0).settled).toBe(true);
  });

  it("makes no state for each name that comes along", () => {
    const { root } = pathTable({ "a.b": 1, "*.c": 2 }, 0);
    expect(root.member("x")).toBe(root.member("y"));
    expect(root.member("a")).toBe(root.member("a"));
  });

  it("says the same as looking for the most specific pattern among all", () => {
    const part = fc.oneof(
      fc.constantFrom<PathPart>({ kind: "anyMember" }, { kind: "anyItem" }),
      fc.constantFrom("a", "b", "__proto__").map((name): PathPart => ({ kind: "member", name })),
      fc.nat(1).map((index): PathPart => ({ kind: "item", index })),
    );
    const patterns = fc.array(fc.array(part, { maxLength: 4 }), { maxLength: 12 });
    const path = fc.array(
      fc.oneof(fc.constantFrom<PathStep>("a", "b", "c", "__proto__"), fc.nat(2)),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(patterns, path, (each, place) => {
        const entries = each.map((parts, order) => [patternText(parts), order] as const);
        const table = pathTable(Object.fromEntries(entries));
        // A text that comes twice keeps its first place, with the last value.
        const texts = Object.entries(Object.fromEntries(entries));
        expect(stateAt(table, place).value).toBe(mostSpecific(texts, place));
      }),
      { numRuns: 2000 },
    );
  });
});

function patternText(parts: readonly PathPart[]): string {
  if (parts.length === 0) return "$";
  const text = parts.map((each) => {
    if (each.kind === "anyMember") return ".*";
    if (each.kind === "anyItem") return "[*]";
    return each.kind === "item" ? `[${each.index}]` : `.${each.name}`;
  });
  return text.join("").replace(/^\./, "");
}

/** As the rule is worded, without any tree. */

describe("pathTable for values of another form", () => {
  const worst = (values: readonly (number | undefined)[]): number =>
    Math.max(...values.map((value) => value ?? 0));
  const table = pathTable<number | undefined>(
    { $: 1, "list[*].a": 5, "list[2]": 3, "both.a": 4, "both[0]": 2 },
    undefined,
    worst,
  );

  it("takes the worst of what it says of parts for a value that has none", () => {
    expect(stateAt(table, ["list"]).whole).toBe(5);
    expect(stateAt(table, ["list", 2]).whole).toBe(5);
    expect(stateAt(table, ["list", 2, "a"]).whole).toBe(5);
    expect(stateAt(table, ["other"]).whole).toBe(1);
    expect(table.root.whole).toBe(5);
  });

  it("takes it for everything in an object where it has items, and in a list where it has members", () => {
    expect(stateAt(table, ["list", "a"]).value).toBe(5);
    expect(stateAt(table, ["list", "x", "y", 1]).value).toBe(5);
    expect(stateAt(table, ["list", 1, 0]).value).toBe(5);
    expect(stateAt(table, [0]).value).toBe(5);
  });

  it("says the same as without where the form is right", () => {
    expect(stateAt(table, ["list"]).value).toBe(1);
    expect(stateAt(table, ["list", 2]).value).toBe(3);
    expect(stateAt(table, ["both", "x"]).value).toBe(1);
    expect(stateAt(table, ["both", 0]).value).toBe(2);
  });

  it("has nothing special where nobody has said what is worse", () => {
    const plain = pathTable({ $: 1, "list[*]": 5 });
    expect(stateAt(plain, ["list"]).whole).toBe(1);
    expect(stateAt(plain, ["list", "a"]).value).toBe(1);
  });
});

function mostSpecific(
  entries: readonly (readonly [string, number])[],
  place: readonly PathStep[],
): number | undefined {
  const covering = entries
    .map(([text, value], order) => ({ parts: parsePathPattern(text).segments, value, order }))
    .filter(
      ({ parts }) => parts.length <= place.length && parts.every((p, at) => fits(p, place[at])),
    );
  const exact = (parts: readonly PathPart[]) =>
    parts.filter(({ kind }) => kind === "member" || kind === "item").length;
  covering.sort(
    (a, b) =>
      b.parts.length - a.parts.length || exact(b.parts) - exact(a.parts) || b.order - a.order,
  );
  return covering[0]?.value;
}

function fits(part: PathPart, step: PathStep | undefined): boolean {
  switch (part.kind) {
    case "member":
      return step === part.name;
    case "item":
      return step === part.index;
    case "anyMember":
      return typeof step === "string";
    case "anyItem":
      return typeof step === "number";
  }
}

import { tool, toolResult } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hideNodes } from "./hide.js";
import { isLabeled, labeled, labeledParts, unwrapped } from "./labeled.js";
import { labeledState, labeledTree } from "./labeled-tree.js";
import { pathTable, uniformState } from "./path-pattern.js";

/** Hides what is not labelled `public`; labels are texts, and a node without one is `otherwise`. */
function hide(value: unknown, entries: Record<string, string> = {}, otherwise = "public") {
  const tree = labeledTree(value);
  if (tree === undefined) return undefined;
  const { root } = pathTable(entries, otherwise);
  const state = labeledState(root, tree.marks, (given) => String(given));
  const kept: unknown[] = [];
  const { visible } = hideNodes(
    tree.value,
    state,
    (label) => label === "public",
    (hidden) => {
      kept.push([hidden.path(), hidden.value, ...hidden.labels]);
      return "‹hidden›";
    },
  );
  return { visible, kept };
}

describe("labeled", () => {
  it("makes a value that JSON says without its label", () => {
    const value = { id: 1, body: labeled(["text", labeled(2, "b")], "a") };
    expect(JSON.stringify(value)).toBe('{"id":1,"body":["text",2]}');
  });

  it("makes a value that the model sees as if it were not labelled", async () => {
    const mail = tool({ name: "mail", execute: () => ({ body: labeled({ a: "b" }, "x") }) });
    expect(await mail.invoke({})).toMatchObject({
      contents: [{ type: "text", text: '{"body":{"a":"b"}}' }],
    });
  });

  it("is known by what made it, and by nothing that it looks like", () => {
    const real = labeled("text", "secret");
    expect(isLabeled(real)).toBe(true);
    expect(labeledParts(real)).toEqual({ value: "text", label: "secret" });
    const prototype: object = Object.getPrototypeOf(real);
    for (const fake of [
      { value: "text", label: "public", toJSON: () => "text" },
      JSON.parse(JSON.stringify({ real }) ?? "null"),
      Object.create(prototype),
      Object.create(real),
      new Proxy(real, {}),
      "text",
      null,
      undefined,
    ]) {
      expect(isLabeled(fake)).toBe(false);
    }
  });

  it("shows nothing of the label to who looks at it", () => {
    expect(Reflect.ownKeys(labeled("text", "secret"))).toEqual([]);
  });

  it("is taken off by unwrapped, however often it was put around", () => {
    const inner = [labeled(1, "a")];
    expect(unwrapped(labeled(labeled(inner, "a"), "b"))).toBe(inner);
    expect(unwrapped("text")).toBe("text");
  });
});

describe("labeledTree", () => {
  it("finds nothing where nothing is labelled", () => {
    labeled("elsewhere", "x");
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(labeledTree(value)).toBeUndefined();
      }),
    );
  });

  it("finds labels at any depth, and what they stand at", () => {
    const value = { list: [0, labeled({ a: labeled("x", "inner") }, "outer")], free: "f" };
    expect(labeledTree(value)).toEqual({
      value: { list: [0, { a: "x" }], free: "f" },
      labels: ["outer", "inner"],
      marks: {
        labels: [],
        below: new Map([
          [
            "list",
            {
              labels: [],
              below: new Map([
                [
                  1,
                  {
                    labels: ["outer"],
                    below: new Map([["a", { labels: ["inner"], below: new Map() }]]),
                  },
                ],
              ]),
            },
          ],
        ]),
      },
    });
  });

  it.each<[string, unknown, unknown]>([
    ["a map with names", new Map([["a", labeled(1, "x")]]), { a: 1 }],
    ["a map with other keys", new Map([[1, labeled(2, "x")]]), [[1, 2]]],
    ["a set", new Set([labeled(1, "x")]), [1]],
    ["what has a toJSON", { toJSON: () => ({ a: labeled(1, "x") }) }, { a: 1 }],
    [
      "an instance of a class",
      new (class {
        a = labeled(1, "x");
      })(),
      { a: 1 },
    ],
  ])("looks into %s", (_what, value, plain) => {
    const tree = labeledTree(value);
    expect(tree?.value).toEqual(plain);
    expect(tree?.labels).toEqual(["x"]);
  });

  it("gives the JSON that the model would have got", async () => {
    const odd = () => ({
      date: new Date(0),
      big: 12n,
      none: Number.NaN,
      gone: undefined,
      list: [undefined, new Set([1])],
      map: new Map([["a", 1]]),
      nested: { __proto__: null, x: labeled("l", "x") },
    });
    const made = tool({ name: "odd", execute: odd });
    const text = JSON.stringify(labeledTree(odd())?.value);
    expect(await made.invoke({})).toMatchObject({ contents: [{ text }] });
  });

  it("ends with cycles, and with what is nested too deep", () => {
    const cycle: Record<string, unknown> = { x: labeled(1, "x") };
    cycle["self"] = cycle;
    expect(labeledTree(cycle)?.value).toEqual({ x: 1, self: "[circular]" });
    let deep: unknown = "end";
    for (let level = 0; level < 5000; level++) deep = labeled([deep], level);
    expect(labeledTree(deep)?.labels.length).toBeGreaterThan(200);
  });

  it("takes over nothing of what cannot be read", () => {
    const closed = {
      a: labeled(1, "x"),
      get b(): never {
        throw new Error("no");
      },
    };
    const tree = labeledTree([closed, labeled(2, "y")]);
    expect(tree?.value).toEqual(["[unreadable]", 2]);
    expect([...(tree?.marks.below.keys() ?? [])]).toEqual([1]);
  });

  it("keeps a member called __proto__ a member", () => {
    const value = JSON.parse('{"__proto__":{"a":1}}');
    const tree = labeledTree([value, labeled(1, "x")]);
    expect(JSON.stringify(tree?.value)).toBe('[{"__proto__":{"a":1}},1]');
  });

  it("knows nothing of results that data only looks like", () => {
    expect(labeledTree(toolResult({ contents: "text" }))).toBeUndefined();
  });
});

describe("labeledState", () => {
  it("lets a label hold for the value and what is inside it, instead of the table's", () => {
    const value = { a: labeled({ b: 1, c: 2 }, "public"), b: 3 };
    expect(hide(value, { "*": "table", "a.b": "table" })).toEqual({
      visible: { a: { b: 1, c: 2 }, b: "‹hidden›" },
      kept: [["b", 3, "table"]],
    });
  });

  it("except where something inside is labelled again", () => {
    const value = labeled({ a: labeled("x", "secret"), b: 1 }, "public");
    expect(hide(value)?.visible).toEqual({ a: "‹hidden›", b: 1 });
  });

  it("tells the labels inside of what is hidden whole", () => {
    const value = labeled({ a: [labeled("x", "secret")] }, "untrusted");
    expect(hide(value)?.kept).toEqual([["$", { a: ["x"] }, "untrusted", "secret"]]);
  });

  it("keeps the table's labels everywhere else", () => {
    const value = [
      { id: 1, body: "b" },
      { id: labeled(2, "secret"), body: "c" },
    ];
    expect(hide(value, { "[*].body": "table" })?.visible).toEqual([
      { id: 1, body: "‹hidden›" },
      { id: "‹hidden›", body: "‹hidden›" },
    ]);
  });

  it("makes labels of what was given and of what would hold otherwise, from the outside in", () => {
    const tree = labeledTree({ a: labeled(labeled({ b: labeled(1, "3") }, "2"), "1") });
    const { marks } = tree ?? expect.unreachable();
    const state = labeledState(uniformState("0"), marks, (given, around) => `${around}${given}`);
    expect(state.value).toBe("0");
    expect(state.member("a").value).toBe("012");
    expect(state.member("a").member("b").value).toBe("0123");
    expect(state.member("a").member("c").value).toBe("012");
    expect([state, state.member("a"), state.member("c")].map(({ settled }) => settled)).toEqual([
      false,
      false,
      true,
    ]);
  });
});

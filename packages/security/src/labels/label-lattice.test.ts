import { Agent, ConfigurationError, textContent } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContentLabel, LabelInput } from "./content-label.js";
import { combineLabels, createLabelLattice, defaultLattice } from "./label-lattice.js";

const { bottom, top, label, read, authentic, join, joinAll, flowsTo, levels } = defaultLattice;

/** Written labels, each with the members in which it differs from bottom; few names, so that sets overlap. */
const written = fc.record(
  {
    taint: fc.oneof(fc.constant("trusted"), fc.constant("any"), fc.constantFrom(0, 1, 2.5, 40)),
    confidentiality: fc.constantFrom(...levels),
    readers: fc.array(fc.constantFrom("ann", "bob", "cid", "__proto__"), { maxLength: 5 }),
  },
  { requiredKeys: ["taint", "confidentiality"] },
);
const labels = written.map(({ taint, ...rest }) =>
  label({
    ...rest,
    integrity: taint === "trusted" ? "trusted" : "untrusted",
    ...(typeof taint === "number" && { capacity: taint }),
  }),
);

/** What a join says, put together member by member. */
function merged(a: ContentLabel, b: ContentLabel): ContentLabel {
  const untrusted = [a, b].filter(({ integrity }) => integrity === "untrusted");
  const bounds = untrusted.map(({ capacity }) => capacity ?? Number.POSITIVE_INFINITY);
  const capacity = Math.max(...bounds);
  const { readers } = b;
  const common = a.readers?.filter((name) => readers === undefined || readers.includes(name));
  const left = common ?? readers;
  return {
    integrity: untrusted.length > 0 ? "untrusted" : "trusted",
    confidentiality:
      levels[Math.max(levels.indexOf(a.confidentiality), levels.indexOf(b.confidentiality))] ?? "",
    ...(left && { readers: left }),
    ...(Number.isFinite(capacity) && { capacity }),
  };
}

describe("a label", () => {
  it("has what is missing from bottom, and a word alone is an integrity", () => {
    expect(label({})).toBe(bottom);
    expect(label("trusted")).toBe(bottom);
    expect(label("untrusted")).toEqual({ integrity: "untrusted", confidentiality: "public" });
    expect(label({ confidentiality: "private" })).toEqual({
      integrity: "trusted",
      confidentiality: "private",
    });
    expect(bottom).toEqual({ integrity: "trusted", confidentiality: "public" });
    expect(top).toEqual({ integrity: "untrusted", confidentiality: "user_identity", readers: [] });
  });

  it("is one object, however it is written", () => {
    const first = label({ readers: ["bob", "ann", "bob"], integrity: "untrusted", capacity: 0 });
    expect(first.readers).toEqual(["ann", "bob"]);
    expect(label({ capacity: -0, integrity: "untrusted", readers: ["ann", "bob"] })).toBe(first);
    fc.assert(fc.property(labels, (one) => label({ ...one }) === one));
  });

  it("has no zero below zero, which JSON would not keep", () => {
    const one = createLabelLattice().label({ integrity: "untrusted", capacity: -0 });
    expect(Object.is(one.capacity, 0)).toBe(true);
  });

  it("is frozen, with its readers", () => {
    fc.assert(
      fc.property(labels, labels, (a, b) => {
        const joined = join(a, b);
        return Object.isFrozen(joined) && Object.isFrozen(joined.readers ?? Object.freeze([]));
      }),
    );
  });

  it("does not change with the list it was written with", () => {
    const readers = ["ann"];
    const one = label({ readers });
    readers.push("eve");
    expect(one.readers).toEqual(["ann"]);
    expect(label({ readers: ["ann"] })).toBe(one);
  });

  const cycle: Record<string, unknown> = {};
  cycle["readers"] = cycle;
  it.each([
    ["another word", "evil", 'A label is "trusted", "untrusted" or an object, not "evil".'],
    ["a level as a word", "private", 'write { confidentiality: "private" }'],
    ["nothing", undefined, "not undefined"],
    ["null", null, "not null"],
    ["a list", ["trusted"], 'not ["trusted"]'],
    ["a bigint", 1n, "not a bigint"],
    [
      "an unknown member",
      { integrty: "untrusted" },
      'the member "integrty": a label has integrity',
    ],
    ["an unknown integrity", { integrity: "TRUSTED" }, 'the integrity "TRUSTED"'],
    ["null for a member", { integrity: null }, "the integrity null"],
    ["an unknown level", { confidentiality: "secret" }, "the levels are public, private"],
    ["a level of Object.prototype", { confidentiality: "toString" }, "the levels are public"],
    ["readers that are a text", { readers: "ann" }, 'the readers "ann": they are a list of names'],
    ["a reader without a name", { readers: [""] }, 'the readers [""]'],
    ["readers that are a cycle", cycle, "the readers a object"],
    ["a negative capacity", { integrity: "untrusted", capacity: -1 }, "the capacity -1"],
    ["NaN bits", { integrity: "untrusted", capacity: Number.NaN }, "the capacity null"],
    [
      "endless bits",
      { integrity: "untrusted", capacity: Number.POSITIVE_INFINITY },
      "leave it out for any number",
    ],
    ["a capacity on trusted data", { capacity: 1 }, "a capacity on trusted data"],
  ])("cannot be written with %s", (_, input, message) => {
    const make = () => label(input as LabelInput);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(message);
    expect(make).toThrow(expect.objectContaining({ code: "label" }));
  });
});

describe("join", () => {
  it("says what a merge of the members says, first made and looked up", () => {
    fc.assert(
      fc.property(labels, labels, (a, b) => {
        expect(join(a, b)).toEqual(merged(a, b));
        expect(join(a, b)).toBe(label(merged(a, b)));
      }),
    );
  });

  it("is commutative, associative and idempotent, with bottom neutral and top absorbing", () => {
    fc.assert(
      fc.property(labels, labels, labels, (a, b, c) => {
        expect(join(a, b)).toBe(join(b, a));
        expect(join(join(a, b), c)).toBe(join(a, join(b, c)));
        expect(join(a, a)).toBe(a);
        expect(join(a, bottom)).toBe(a);
        expect(join(a, top)).toBe(top);
      }),
    );
  });

  it("of many is the same in any order, and of none it is bottom", () => {
    expect(joinAll([])).toBe(bottom);
    expect(combineLabels()).toBe(bottom);
    fc.assert(
      fc.property(fc.array(labels), (many) => {
        const joined = many.reduce(join, bottom);
        expect(joinAll(many)).toBe(joined);
        expect(joinAll(many.toReversed())).toBe(joined);
        expect(combineLabels(...many)).toBe(joined);
      }),
    );
  });

  it("keeps the larger capacity, and none where one of them has none", () => {
    const bits = (capacity: number) => label({ integrity: "untrusted", capacity });
    expect(join(bits(1), bits(8))).toBe(bits(8));
    expect(join(bits(1), bottom)).toBe(bits(1));
    expect(join(bits(1), label("untrusted"))).toBe(label("untrusted"));
  });

  it("reads what is no label of this lattice, and takes what cannot be read for top", () => {
    const secret = createLabelLattice({ levels: ["public", "secret"] });
    const stored: ContentLabel = { integrity: "untrusted", confidentiality: "private" };
    const foreign = secret.label({ confidentiality: "secret" });
    expect(join(stored, bottom)).toBe(label(stored));
    expect(join(stored, stored)).toBe(label(stored));
    expect(join(foreign, foreign)).toBe(top);
    expect(join(bottom, secret.label("untrusted"))).toBe(label("untrusted"));
    expect(join({} as ContentLabel, bottom)).toBe(top);
    expect(joinAll([undefined as unknown as ContentLabel])).toBe(top);
    expect(flowsTo({} as ContentLabel, bottom)).toBe(false);
  });
});

describe("flowsTo", () => {
  it("is a partial order, and the one of join", () => {
    fc.assert(
      fc.property(labels, labels, labels, (a, b, c) => {
        expect(flowsTo(a, b)).toBe(join(a, b) === b);
        expect(flowsTo(a, a)).toBe(true);
        expect(flowsTo(a, b) && flowsTo(b, a)).toBe(a === b);
        expect(flowsTo(a, join(a, b))).toBe(true);
        // Whatever is above both is above their join.
        expect(flowsTo(join(a, b), c)).toBe(flowsTo(a, c) && flowsTo(b, c));
        if (flowsTo(a, b) && flowsTo(b, c)) expect(flowsTo(a, c)).toBe(true);
        expect(flowsTo(bottom, a) && flowsTo(a, top)).toBe(true);
      }),
    );
  });

  it.each([
    ["trusted data where untrusted may go", "trusted", "untrusted", true],
    ["untrusted data where only trusted may go", "untrusted", "trusted", false],
    ["public data to a private place", {}, { confidentiality: "private" }, true],
    ["private data to a public place", { confidentiality: "private" }, {}, false],
    ["everybody's data to Ann", {}, { readers: ["ann"] }, true],
    ["Ann's data to everybody", { readers: ["ann"] }, {}, false],
    ["Ann's and Bob's data to Ann", { readers: ["ann", "bob"] }, { readers: ["ann"] }, true],
    ["Ann's data to Ann and Bob", { readers: ["ann"] }, { readers: ["ann", "bob"] }, false],
    ["nobody's data to Ann", { readers: [] }, { readers: ["ann"] }, false],
    [
      "one chosen bit where two may be",
      { integrity: "untrusted", capacity: 1 },
      { integrity: "untrusted", capacity: 2 },
      true,
    ],
    [
      "any number of bits where two may be",
      "untrusted",
      { integrity: "untrusted", capacity: 2 },
      false,
    ],
    ["no chosen bit where only trusted may go", { integrity: "untrusted", capacity: 0 }, {}, false],
  ] as const)("of %s", (_, from, to, expected) => {
    expect(flowsTo(label(from), label(to))).toBe(expected);
  });
});

describe("read", () => {
  it("gives a label back after JSON, as the same object", () => {
    fc.assert(fc.property(labels, (one) => read(JSON.parse(JSON.stringify(one))) === one));
  });

  it.each([
    "trusted",
    null,
    undefined,
    7,
    [],
    {},
    { integrity: "trusted" },
    { confidentiality: "public" },
    { integrity: "trusted", confidentiality: "secret" },
    { integrity: "trusted", confidentiality: "public", readers: null },
    { integrity: "trusted", confidentiality: "public", capacity: 3 },
    { integrity: "trusted", confidentiality: "public", more: 1 },
    JSON.parse('{"integrity":"trusted","confidentiality":"public","__proto__":{"a":1}}'),
    Object.create({ integrity: "trusted", confidentiality: "public" }),
    JSON.parse('{"__proto__":{"integrity":"trusted","confidentiality":"public"}}'),
  ])("takes %j for no label", (value) => {
    expect(read(value)).toBeUndefined();
  });

  it("never throws, and gives only labels", () => {
    const odd = new Proxy(
      {},
      {
        ownKeys() {
          throw new Error("no");
        },
      },
    );
    expect(read(odd)).toBeUndefined();
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (value) => {
        const found = read(value);
        expect(found === undefined || authentic(found) === found).toBe(true);
      }),
    );
  });
});

describe("authentic", () => {
  it("knows every label, and forgets it in JSON, in a spread and in a structured clone", () => {
    fc.assert(
      fc.property(labels, (one) => {
        expect(authentic(one)).toBe(one);
        expect(authentic(JSON.parse(JSON.stringify(one)))).toBeUndefined();
        expect(authentic({ ...one })).toBeUndefined();
        expect(authentic(structuredClone(one))).toBeUndefined();
      }),
    );
  });

  it("knows the copy that an agent makes of a message", async () => {
    const one = label({ integrity: "untrusted", readers: ["ann"] });
    const client = new ScriptedChatClient(["Fine."]);
    const contents = [textContent("Hi", { additionalProperties: { label: { ...one } } })];
    const marked = [textContent("Hi", { additionalProperties: { label: one as object as never } })];
    await new Agent({ client }).run([
      { role: "user", contents },
      { role: "user", contents: marked },
    ]);
    const sent = client.requests[0]?.messages.map(
      (message) => message.contents[0]?.additionalProperties?.["label"],
    );
    expect(sent?.map(authentic)).toEqual([undefined, one]);
    expect(sent?.[1]).not.toBe(one);
  });

  it("goes by the mark of a copy, not by its members", () => {
    const one = label({ integrity: "untrusted", readers: ["ann"] });
    const [mark] = Object.getOwnPropertySymbols(one);
    const copy = { integrity: "trusted", confidentiality: "public", [mark ?? ""]: undefined };
    Object.defineProperty(copy, mark ?? "", { value: Reflect.get(one, mark ?? "") });
    expect(authentic(copy)).toBe(one);
    expect(join(copy as unknown as ContentLabel, bottom)).toBe(one);
  });

  it.each([
    ["members called like the mark", { "tunic.label": bottom, "Symbol(tunic.label)": bottom }],
    ["a registered symbol of its name", { [Symbol.for("tunic.label")]: bottom }],
    ["a new symbol of its name", { [Symbol("tunic.label")]: bottom }],
    ["a label as prototype", Object.create(bottom)],
    ["the members of a label", { integrity: "trusted", confidentiality: "public" }],
    ["a word", "trusted"],
    ["null", null],
  ])("is not taken in by %s", (_, value) => {
    expect(authentic(value)).toBeUndefined();
  });

  it("does not know the labels of another lattice", () => {
    const other = createLabelLattice();
    expect(authentic(other.bottom)).toBeUndefined();
    expect(other.authentic(bottom)).toBeUndefined();
    expect(other.read(bottom)).toBe(other.bottom);
  });
});

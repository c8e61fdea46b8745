import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLabelLattice, type LabelLattice } from "./label-lattice.js";

/** A lattice that has met more labels than it keeps. */
function full(): LabelLattice {
  const lattice = createLabelLattice();
  for (let capacity = 0; capacity < 65_536; capacity++) {
    lattice.label({ integrity: "untrusted", capacity });
  }
  return lattice;
}

describe("a lattice that keeps no more labels", () => {
  const lattice = full();
  const { label, join, flowsTo, read, authentic, top, bottom } = lattice;
  const small = fc
    .record({
      integrity: fc.constantFrom("trusted" as const, "untrusted" as const),
      confidentiality: fc.constantFrom(...lattice.levels),
      readers: fc.array(fc.constantFrom("ann", "bob", "cid"), { maxLength: 4 }),
    })
    .map((input) => label(input));

  it("makes the same label twice as two objects, and each is a label", () => {
    const one = label({ readers: ["ann"] });
    expect(label({ readers: ["ann"] })).not.toBe(one);
    expect(authentic(one)).toBe(one);
    expect(one).toEqual({ integrity: "trusted", confidentiality: "public", readers: ["ann"] });
    expect(Object.isFrozen(one)).toBe(true);
    expect(read(JSON.parse(JSON.stringify(one)))).toEqual(one);
  });

  it("still has what it has kept once each", () => {
    expect(label("trusted")).toBe(bottom);
    expect(label({ integrity: "untrusted", capacity: 7 })).toBe(
      label({ integrity: "untrusted", capacity: 7 }),
    );
  });

  it("still joins and compares as it should", () => {
    const other = createLabelLattice();
    fc.assert(
      fc.property(small, small, small, (a, b, c) => {
        expect(join(a, b)).toEqual(other.join(a, b));
        expect(join(a, b)).toEqual(join(b, a));
        expect(join(join(a, b), c)).toEqual(join(a, join(b, c)));
        expect(join(a, a)).toBe(a);
        expect(join(a, bottom)).toBe(a);
        expect(join(a, top)).toBe(top);
        expect(flowsTo(a, b)).toBe(join(a, b) === b);
        expect(flowsTo(a, b)).toBe(other.flowsTo(a, b));
      }),
    );
  });
});

describe("the characters that a lattice keeps", () => {
  it("are bounded: of long lists of readers only the first are kept", () => {
    const { label } = createLabelLattice();
    const make = (index: number) => label({ readers: [`${index} ${"x".repeat(1_000_000)}`] });
    const [first, , , , fifth] = [0, 1, 2, 3, 4].map(make);
    expect(make(0)).toBe(first);
    expect(make(4)).not.toBe(fifth);
    expect(make(4).readers).toEqual(fifth?.readers);
  });
});

describe("the joins that a lattice keeps", () => {
  it("are dropped when there are too many, and made again as the same labels", () => {
    const { label, join } = createLabelLattice();
    const many = Array.from({ length: 400 }, (_, index) => label({ readers: ["all", `${index}`] }));
    const joined = () =>
      new Set(many.flatMap((a, index) => many.slice(0, index).map((b) => join(a, b))));
    expect([...joined()]).toEqual([label({ readers: ["all"] })]);
    expect(joined()).toEqual(new Set([label({ readers: ["all"] })]));
    expect([...joined()][0]).toBe(label({ readers: ["all"] }));
  });
});

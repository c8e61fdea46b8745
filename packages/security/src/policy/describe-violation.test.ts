import { tool } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultLattice } from "../labels/label-lattice.js";
import type { CallLeaf } from "./call-leaves.js";
import { denialOf, describeCall, violationText } from "./describe-violation.js";
import type { ValueOrigin } from "./flow-policy.js";

const send = tool({ name: "send", title: "Send mail" });

function leaf(value: CallLeaf["value"], more: Partial<CallLeaf> = {}): CallLeaf {
  const label = defaultLattice.label("untrusted");
  return {
    path: "to",
    value,
    label,
    flow: undefined,
    recipient: false,
    origin: undefined,
    ...more,
  };
}

describe("describeCall", () => {
  it("shows trusted values as they are, and fences the others", () => {
    const trusted = leaf("bob", { label: defaultLattice.label("trusted"), path: "cc[0]" });
    expect(
      describeCall(send, [trusted, leaf("eve", { origin: { tool: "read" } }), leaf({ a: 1 })]),
    ).toBe(
      'Send mail\ncc[0]: bob\nto: \u27e6untrusted, from read: eve\u27e7\nto: \u27e6untrusted: {"a":1}\u27e7',
    );
  });

  it("cannot be broken out of, in a value, a name inside it, or where it comes from", () => {
    const parts = fc.constantFrom(
      ..."\u27e7|\u27e6|\u301b|\n|\r|\u2028|\u202e|\u200b|\u2066|\u3164|\u2800|\u{e0041}|\ue000|x|to: me|]".split(
        "|",
      ),
    );
    const text = fc.array(parts).map((all) => all.join(""));
    fc.assert(
      fc.property(text, text, text, (value, path, from) => {
        const shown = describeCall(send, [
          leaf(value, { path: `a${path}`, origin: { tool: from } }),
        ]);
        const lines = shown.split("\n");
        expect(lines[0]).toBe("Send mail");
        expect(lines.slice(2).every((line) => line.startsWith("  "))).toBe(true);
        expect(shown.match(/\u27e6|\u27e7/g)).toEqual(["\u27e6", "\u27e7"]);
        expect(shown.endsWith("\u27e7")).toBe(true);
        expect(shown.normalize("NFKC").match(/[\u27e6\u27e7\u301a\u301b]/g)).toHaveLength(2);
        expect(shown).not.toMatch(/[\p{Cf}\p{Zl}\p{Zp}\u3164\u2800\r]/u);
      }),
    );
  });

  it("knows every character that becomes a bracket of a fence", () => {
    for (let code = 0; code < 0x30000; code++) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const character = String.fromCodePoint(code);
      if (!/[\u27e6\u27e7]/.test(character.normalize("NFKC"))) continue;
      expect([0x27e6, 0x27e7]).toContain(code);
    }
  });

  it("calls a tool of somebody else by its name", () => {
    const foreign = tool({ name: "pay", title: "Read mail", owner: "srv", trust: "external" });
    expect(describeCall(foreign, [])).toBe("srv/pay");
  });
});

describe("violationText", () => {
  it("says what holds what, and where it comes from", () => {
    const origin = { tool: "read", path: "[0].body" };
    expect(violationText("send", { rule: "trusted_argument", argument: "to", origin })).toBe(
      '"to" of send holds untrusted data, but decides what happens. It comes from read, [0].body.',
    );
    expect(violationText("send", { rule: "unknown_tool" })).toBe("The policy does not name send.");
  });

  it("says what the isolated model was given", () => {
    const of = [
      { tool: "read_mail", path: "[1].body" },
      { tool: "search", path: "$" },
    ];
    const said = (origin: ValueOrigin) =>
      violationText("send", { rule: "trusted_call", origin }).replace(/^.* It comes from /, "");
    expect(said({ tool: "quarantined_llm", path: "$", of: of.slice(0, 1) })).toBe(
      "quarantined_llm, which was given read_mail [1].body.",
    );
    expect(said({ tool: "quarantined_llm", path: "summary", of })).toBe(
      "quarantined_llm, summary, which was given read_mail [1].body, search.",
    );
    const many = Array.from({ length: 7 }, () => of).flat();
    expect(said({ tool: "quarantined_llm", of: many })).toMatch(/ and 9 more\.$/);
  });

  it("takes names from data for data", () => {
    const text = violationText("send", {
      rule: "permitted_flow",
      argument: "a.$&\n$'\u202e\u27e7",
    });
    expect(text).toContain('"a.$& $\'\\u{202e}|" of send holds');
  });
});

describe("denialOf", () => {
  it("says the same whatever the data was", () => {
    expect(denialOf("send", "trusted_call")).toMatch(
      /^not run: send breaks the rule "trusted_call"\. /,
    );
    expect(denialOf("send", "unknown_reference")).toContain("Pass a reference");
  });
});

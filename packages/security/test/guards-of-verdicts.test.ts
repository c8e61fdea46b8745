/**
 * Each guard of the policy alone: a call that breaks one rule and no other. `scripts/mutate-flow-policy.mjs`
 * takes the guards out one by one.
 */
import type { JsonValue } from "@tunic/core";
import { describe, expect, it } from "vitest";
import type { LabelInput } from "../src/labels/content-label.js";
import type { CallLeaf } from "../src/policy/call-leaves.js";
import { compilePolicy, unknownTool } from "../src/policy/compile-policy.js";
import type { EndorseRule, FlowPolicy, ToolFlow } from "../src/policy/flow-policy.js";
import { judgeCall } from "../src/policy/judge-call.js";
import { namedValues } from "../src/policy/named-values.js";

/** An argument: its value and label, and what the policy has said of it. */
interface Given {
  readonly value: JsonValue;
  readonly label?: LabelInput;
  /** Whether a reference stood there. Default: it did, where it has a label. */
  readonly referred?: boolean;
}

interface Case {
  /** Undefined: the policy does not name the tool. */
  readonly flow?: ToolFlow;
  readonly given: Readonly<Record<string, Given>>;
  readonly context?: LabelInput;
  readonly strict?: boolean;
  readonly said?: string;
  readonly bits?: number;
  readonly rules?: Omit<FlowPolicy, "version" | "tools">;
}

function judge({ flow, given, context = "trusted", strict = false, said = "", bits, rules }: Case) {
  const policy = compilePolicy({ version: 1, tools: flow ? { act: flow } : {}, ...rules });
  const { lattice } = policy;
  const tool = policy.tools.get("act") ?? unknownTool("act", lattice);
  const callLabel = lattice.label(context);
  const leaves = Object.entries(given).map(
    ([path, { value, label, referred = label !== undefined }]): CallLeaf => ({
      path,
      value,
      label: label === undefined ? callLabel : lattice.label(label),
      flow: tool.arguments.root.member(path).value,
      recipient: tool.recipients.root.member(path).value,
      origin: referred ? { variable: "v1" } : undefined,
    }),
  );
  const named = namedValues([said]);
  const bitsLeft = bits ?? policy.endorseBits;
  return judgeCall(policy, { tool, callLabel, leaves, named, bitsLeft, strict });
}

function rulesOf(facts: Case): readonly string[] {
  return judge(facts).violations.map(({ rule, argument = "" }) => `${rule} ${argument}`.trim());
}

const secret = { integrity: "trusted", confidentiality: "private" } as const;
const readBy = (...readers: string[]) => ({ integrity: "trusted", readers }) as const;
const open: ToolFlow["arguments"] = {};
const link = "see https://evil.example/x";

describe("a rule that is broken alone", () => {
  const level: ToolFlow["arguments"] = { text: { confidentiality: "public" } };
  const cases: Readonly<Record<string, readonly [Case, readonly string[]]>> = {
    "the level of an argument, without any other rule": [
      {
        flow: { effects: ["consequential"], rule: "always", arguments: level },
        given: { text: { value: "x", label: secret } },
      },
      ["argument_level text"],
    ],
    "the level of an argument of a trusted action": [
      {
        flow: { rule: "trusted_action", arguments: level },
        given: { text: { value: "x", label: secret } },
      },
      ["argument_level text"],
    ],
    "the level of an argument of a permitted flow": [
      {
        flow: { rule: "permitted_flow", arguments: level, clearance: "private" },
        given: { text: { value: "x", label: secret } },
      },
      ["argument_level text"],
    ],
    "the clearance of a tool": [
      {
        flow: { rule: "permitted_flow", arguments: open },
        given: { text: { value: "x", label: secret } },
      },
      ["permitted_flow text"],
    ],
    "a receiver who is no reader": [
      {
        flow: { rule: "permitted_flow", arguments: open, recipients: ["to", "cc"] },
        given: {
          to: { value: "ann" },
          cc: { value: "eve" },
          text: { value: "x", label: readBy("ann") },
        },
      },
      ["permitted_flow text"],
    ],
    "no receiver at all": [
      {
        flow: { rule: "permitted_flow", arguments: open },
        given: { text: { value: "x", label: readBy("ann") } },
      },
      ["permitted_flow text"],
    ],
    "a link that nobody trusted has written": [
      {
        flow: { rule: "permitted_flow", arguments: open },
        given: { text: { value: link, label: "untrusted" } },
      },
      ["untrusted_link text"],
    ],
    "either: both at once": [
      {
        flow: { rule: "either", arguments: open },
        context: "untrusted",
        given: { text: { value: "x", label: secret } },
      },
      ["trusted_call", "permitted_flow text"],
    ],
    "both: who decides": [
      { flow: { rule: "both", arguments: open }, context: "untrusted", given: {} },
      ["trusted_call"],
    ],
    "both: the flow": [
      { flow: { rule: "both", arguments: open }, given: { text: { value: "x", label: secret } } },
      ["permitted_flow text"],
    ],
    "a guarded argument": [
      { flow: {}, given: { to: { value: "eve", label: "untrusted" } } },
      ["trusted_argument to"],
    ],
    "a guarded argument, beside who decides": [
      { flow: {}, context: "untrusted", given: { to: { value: "eve", label: "untrusted" } } },
      ["trusted_call", "trusted_argument to"],
    ],
    "an argument of a tool that the policy does not name": [
      { given: { to: { value: "eve", label: "untrusted" } } },
      ["unknown_tool", "trusted_argument to"],
    ],
    "the flow into a tool that the policy does not name": [
      { given: { text: { value: "x", label: secret } } },
      ["unknown_tool", "permitted_flow text"],
    ],
    "strict: a call that tells of its context": [
      { flow: { arguments: open }, context: secret, strict: true, given: {} },
      ["confidential_context"],
    ],
  };
  for (const [name, [facts, expected]] of Object.entries(cases)) {
    it(name, () => expect(rulesOf(facts)).toEqual(expected));
  }

  const harmless: Readonly<Record<string, Case>> = {
    "either: trusted, whatever flows": {
      flow: { rule: "either", arguments: open },
      given: { text: { value: "x", label: secret } },
    },
    "either: permitted, whoever decides": {
      flow: { rule: "either", arguments: open },
      context: "untrusted",
      given: { text: { value: "x" } },
    },
    "all receivers are readers": {
      flow: { rule: "permitted_flow", arguments: open, recipients: ["to"] },
      given: { to: { value: "ann" }, text: { value: "x", label: readBy("ann", "bob") } },
    },
    "a link that the user has written": {
      flow: { rule: "permitted_flow", arguments: open },
      said: link,
      given: { text: { value: link, label: "untrusted" } },
    },
    "strict: nothing leaves": {
      flow: { effects: ["consequential"], arguments: open },
      context: secret,
      strict: true,
      given: {},
    },
  };
  for (const [name, facts] of Object.entries(harmless)) {
    it(`is none: ${name}`, () => expect(rulesOf(facts)).toEqual([]));
  }
});

describe("an endorsement", () => {
  const selection = (from: string, more = {}): EndorseRule => ({
    type: "selection",
    from,
    ...more,
  });
  const small: EndorseRule = { type: "value", maxBits: 4 };
  const rooms = { lists: { rooms: ["A", "B", "C", "D"] } };
  const untrusted = (capacity?: number) =>
    ({ integrity: "untrusted", ...(capacity !== undefined && { capacity }) }) as const;
  const to = (value: JsonValue, label: LabelInput = "untrusted") => ({ to: { value, label } });

  const endorsed: Readonly<Record<string, readonly [Case, number]>> = {
    "one of a list": [
      { flow: {}, given: to("B"), rules: { ...rooms, endorse: [selection("rooms")] } },
      2,
    ],
    "what the quarantine can hardly say anything with": [
      { flow: {}, given: to("x", untrusted(4)), rules: { endorse: [small] } },
      4,
    ],
    "the last bits of the budget": [
      { flow: {}, given: to("B"), bits: 2, rules: { ...rooms, endorse: [selection("rooms")] } },
      2,
    ],
  };
  for (const [name, [facts, bits]] of Object.entries(endorsed)) {
    it(`lets through ${name}`, () => {
      const { violations, endorsements } = judge(facts);
      expect(violations).toEqual([]);
      expect(endorsements.map((each) => [each.at, each.bits])).toEqual([["to", bits]]);
    });
  }

  const refused: Readonly<Record<string, Case>> = {
    "more than the budget": {
      flow: {},
      given: to("B"),
      bits: 1,
      rules: { ...rooms, endorse: [selection("rooms")] },
    },
    "what is in no list": {
      flow: {},
      given: to("E"),
      rules: { ...rooms, endorse: [selection("rooms")] },
    },
    "what the user has not said": {
      flow: {},
      given: to("eve"),
      said: "Write to every one of them, and to eve@corp.example and eve.example.",
      rules: { endorse: [selection("user")] },
    },
    "a value of any size": { flow: {}, given: to("x", untrusted()), rules: { endorse: [small] } },
    "a value that is too large": {
      flow: {},
      given: to("x", untrusted(5)),
      rules: { endorse: [small] },
    },
    "another argument than the rule is about": {
      flow: {},
      given: to("B"),
      rules: { ...rooms, endorse: [selection("rooms", { into: ["act.room", "other.*"] })] },
    },
  };
  for (const [name, facts] of Object.entries(refused)) {
    it(`does not let through ${name}`, () => {
      expect(rulesOf(facts)).toEqual(["trusted_argument to"]);
    });
  }
});

describe("an endorsement of a call that an untrusted context has decided on", () => {
  const rule = (more = {}): EndorseRule => ({
    type: "selection",
    from: "user",
    untrustedContext: true,
    ...more,
  });
  const base = { context: "untrusted", said: "Book room Aurora on Monday." } as const;
  const guarded: ToolFlow = { arguments: { room: { integrity: "trusted" } } };

  it("lets through what the user has said, and what is too small to say anything", () => {
    const given = { room: { value: "Aurora" }, seats: { value: true } };
    expect(rulesOf({ ...base, flow: guarded, given, rules: { endorse: [rule()] } })).toEqual([]);
  });

  const refused: Readonly<Record<string, Pick<Case, "given"> & { readonly rule: EndorseRule }>> = {
    "where the policy does not say so": {
      given: { room: { value: "Aurora" } },
      rule: rule({ untrustedContext: false }),
    },
    "where the rule is about another argument, too": {
      given: { room: { value: "Aurora" }, seats: { value: true } },
      rule: rule({ into: ["act.room"] }),
    },
    "with a word of its own": {
      given: { room: { value: "Aurora" }, note: { value: "for eve" } },
      rule: rule(),
    },
    "that says nothing special": { given: { seats: { value: true } }, rule: rule() },
    "with a guarded argument that the user has not said, however small": {
      given: { room: { value: 7 }, note: { value: "Aurora" } },
      rule: rule(),
    },
  };
  for (const [name, { given, rule: only }] of Object.entries(refused)) {
    it(`does not let through one ${name}`, () => {
      const facts = { ...base, flow: guarded, given, rules: { endorse: [only] } };
      expect(rulesOf(facts)).toContain("trusted_call");
    });
  }
});

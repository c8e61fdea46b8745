import { type FunctionTool, tool } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { defaultLattice } from "../labels/label-lattice.js";
import { unknownTool } from "../policy/compile-policy.js";
import type { FlowViolation } from "../policy/flow-policy.js";
import { wrapTools } from "../tools/wrap-tool.js";
import { permitFor } from "./permit.js";
import type { ReadCall } from "./read-call.js";

const trusted = defaultLattice.label("trusted");
const untrusted = defaultLattice.label("untrusted");

function sender(description: string): FunctionTool {
  return tool({
    name: "send",
    description,
    parameters: { type: "object", properties: { to: { type: "string" } } },
    execute: () => "sent",
  }) as FunctionTool;
}

const send = sender("Sends.");
const leaf = {
  path: "to",
  value: "ann@example.com",
  label: untrusted,
  flow: undefined,
  recipient: false,
  origin: undefined,
};
const call: ReadCall = {
  tool: unknownTool("send", defaultLattice),
  callLabel: trusted,
  leaves: [leaf],
  argumentsLabel: untrusted,
  effective: { to: "ann@example.com" },
};
const broken: readonly FlowViolation[] = [{ rule: "trusted_argument", argument: "to" }];
const permit = permitFor(send, "call_1", call, broken);

describe("a permit", () => {
  it("is the same for the same, whoever has wrapped the tool", () => {
    const again = { ...call, effective: { to: "ann@example.com" }, leaves: [{ ...leaf }] };
    const [wrapped] = wrapTools([send]);
    expect(wrapped).not.toBe(send);
    expect(permitFor(wrapped as FunctionTool, "call_1", again, [...broken])).toBe(permit);
  });

  const others: readonly (readonly [string, string])[] = [
    ["another call", permitFor(send, "call_2", call, broken)],
    ["another definition of the tool", permitFor(sender("Sends at once."), "call_1", call, broken)],
    [
      "another value",
      permitFor(send, "call_1", { ...call, effective: { to: "eve@example.net" } }, broken),
    ],
    [
      "another label of a value",
      permitFor(send, "call_1", { ...call, leaves: [{ ...leaf, label: trusted }] }, broken),
    ],
    [
      "the same label in another place",
      permitFor(send, "call_1", { ...call, leaves: [{ ...leaf, path: "cc" }] }, broken),
    ],
    ["another context", permitFor(send, "call_1", { ...call, callLabel: untrusted }, broken)],
    ["another rule", permitFor(send, "call_1", call, [{ rule: "argument_level", argument: "to" }])],
    [
      "the same rule, broken by another argument",
      permitFor(send, "call_1", call, [{ rule: "trusted_argument", argument: "text" }]),
    ],
    [
      "a rule more",
      permitFor(send, "call_1", call, [...broken, { rule: "untrusted_link", argument: "to" }]),
    ],
  ];
  it.each(others)("is none for %s", (_, other) => {
    expect(other).not.toBe(permit);
  });
});

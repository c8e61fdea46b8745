import type { JsonObject, JsonValue } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { newFlowMemory } from "../flow/flow-memory.js";
import { readLeaves } from "../flow/read-call.js";
import type { LabelInput } from "../labels/content-label.js";
import { variableStore } from "../variables/variable-store.js";
import { compilePolicy, unknownTool } from "./compile-policy.js";
import type { EndorseRule, ToolFlow } from "./flow-policy.js";
import { judgeCall } from "./judge-call.js";
import { namedValues } from "./named-values.js";

interface Scene {
  readonly flow?: ToolFlow;
  readonly unknown?: boolean;
  readonly args: JsonObject;
  readonly variables?: readonly (readonly [JsonValue, LabelInput])[];
  readonly call?: LabelInput;
  readonly user?: string;
  readonly endorse?: readonly EndorseRule[];
  readonly bitsLeft?: number;
  readonly strict?: boolean;
}

/** `v1`, `v2` … stand for the variables, in their order. */
function judged(scene: Scene) {
  const { flow = {}, unknown, args, variables = [], call = "trusted", user = "" } = scene;
  const policy = compilePolicy({
    version: 1,
    tools: { send: flow },
    lists: { people: ["ann", "bob", 7, "eve"], one: ["ann"] },
    endorse: scene.endorse ?? [],
  });
  const { lattice } = policy;
  const store = variableStore(newFlowMemory());
  for (const [value, label] of variables) store.add(value, lattice.label(label), {});
  const compiled = policy.tools.get("send");
  if (compiled === undefined) throw new Error("no tool");
  const tool = unknown ? unknownTool("send", lattice) : compiled;
  const callLabel = lattice.label(call);
  const leaves = readLeaves({ settings: { lattice }, variables: store }, tool, args, callLabel);
  const { violations, endorsements } = judgeCall(policy, {
    tool,
    callLabel,
    leaves,
    named: namedValues([user]),
    bitsLeft: scene.bitsLeft ?? 64,
    strict: scene.strict ?? false,
  });
  return {
    rules: violations.map(({ rule, argument }) => (argument ? `${rule} ${argument}` : rule)),
    endorsed: endorsements.map(({ at, bits }) => [at, bits] as const),
  };
}

const v = (id: string) => ({ $ref: id });
const bad = "untrusted";

describe("judgeCall", () => {
  it.each<[string, Scene, readonly string[]]>([
    ["a trusted call", { args: { to: "a" } }, []],
    ["an untrusted call", { args: { to: "a" }, call: bad }, ["trusted_call"]],
    ["an untrusted call without arguments", { args: {}, call: bad }, ["trusted_call"]],
    [
      "an untrusted argument",
      { args: { to: v("v1") }, variables: [["x", bad]] },
      ["trusted_argument to"],
    ],
    [
      "several untrusted values",
      {
        args: { to: [v("v1"), "a", v("v2")] },
        variables: [
          ["x", bad],
          ["y", bad],
        ],
      },
      ["trusted_argument to[0]", "trusted_argument to[2]"],
    ],
    [
      "what is inside an untrusted value",
      { args: { to: v("v1") }, variables: [[{ a: [1, null] }, bad]] },
      ["trusted_argument to.a[0]", "trusted_argument to.a[1]"],
    ],
    [
      "an untrusted number",
      { args: { to: v("v1") }, variables: [[1, bad]] },
      ["trusted_argument to"],
    ],
    [
      "an untrusted switch",
      { args: { to: v("v1") }, variables: [[false, bad]] },
      ["trusted_argument to"],
    ],
    [
      "untrusted null",
      { args: { to: v("v1") }, variables: [[null, bad]] },
      ["trusted_argument to"],
    ],
    [
      "an empty untrusted list",
      { args: { to: v("v1") }, variables: [[[], bad]] },
      ["trusted_argument to"],
    ],
    [
      "an empty untrusted text",
      { args: { to: v("v1") }, variables: [["", bad]] },
      ["trusted_argument to"],
    ],
    ["an empty list of the model", { args: { to: [] } }, []],
    ["no guard", { flow: { arguments: {} }, args: { to: v("v1") }, variables: [["x", bad]] }, []],
    [
      "a guard inside a list",
      {
        flow: { arguments: { "to[*].mail": { integrity: "trusted" } } },
        args: { to: [{ mail: v("v1"), name: v("v1") }] },
        variables: [["x", bad]],
      },
      ["trusted_argument to[0].mail"],
    ],
    ["a reference to nothing", { args: { to: v("v9") } }, ["unknown_reference"]],
    [
      "a path to nothing",
      { args: { to: v("v1.__proto__") }, variables: [[{}, bad]] },
      ["unknown_reference"],
    ],
    [
      "a reference inside a value",
      { args: { to: v("v1") }, variables: [[{ $ref: "v9" }, bad]] },
      ["trusted_argument to.$ref"],
    ],
    ["an unknown tool in a trusted call", { unknown: true, args: { to: "a" } }, []],
    [
      "an unknown tool in an untrusted call",
      { unknown: true, args: { to: "a" }, call: bad },
      ["unknown_tool", "trusted_call"],
    ],
    [
      "a tool that may always run",
      { flow: { effects: ["read"] }, args: { q: v("v1") }, variables: [["x", bad]], call: bad },
      [],
    ],
    [
      "too confidential an argument, whatever the rule",
      {
        flow: { effects: ["read"], arguments: { q: { confidentiality: "public" } } },
        args: { q: v("v1") },
        variables: [["x", { confidentiality: "private" }]],
      },
      ["argument_level q"],
    ],
  ])("by trust, of %s", (_what, scene, expected) => {
    expect(judged(scene).rules).toEqual(expected);
  });

  const mail: ToolFlow = { effects: ["egress"], rule: "permitted_flow", recipients: ["to"] };
  const forAnn = { readers: ["ann", "7"] };

  it.each<[string, Scene, readonly string[]]>([
    ["a reader", { args: { to: "ann", text: v("v1") }, variables: [["x", forAnn]] }, []],
    [
      "a reader and somebody else",
      { args: { to: ["ann", "bob"], text: v("v1") }, variables: [["x", forAnn]] },
      ["permitted_flow text"],
    ],
    [
      "a reader and a number that is none",
      { args: { to: ["ann", 8], text: v("v1") }, variables: [["x", forAnn]] },
      ["permitted_flow text"],
    ],
    [
      "a reader that is a number",
      { args: { to: 7, text: v("v1") }, variables: [["x", forAnn]] },
      [],
    ],
    [
      "nobody",
      { args: { to: [], text: v("v1") }, variables: [["x", forAnn]] },
      ["permitted_flow text"],
    ],
    [
      "null",
      { args: { to: null, text: v("v1") }, variables: [["x", forAnn]] },
      ["permitted_flow text"],
    ],
    [
      "an empty name",
      { args: { to: "", text: v("v1") }, variables: [["x", forAnn]] },
      ["permitted_flow text"],
    ],
    [
      "a switch",
      { args: { to: true, text: v("v1") }, variables: [["x", forAnn]] },
      ["permitted_flow text"],
    ],
    [
      "anybody, of a higher level",
      { args: { to: "ann", text: v("v1") }, variables: [["x", { confidentiality: "private" }]] },
      ["permitted_flow text"],
    ],
    [
      "a link of the user's",
      {
        args: { to: "ann", text: v("v1") },
        variables: [["see https://a.com", bad]],
        user: "https://a.com",
      },
      [],
    ],
    [
      "a foreign link",
      { args: { to: "ann", text: v("v1") }, variables: [["see https://a.com", bad]] },
      ["untrusted_link text"],
    ],
    [
      "a link behind that of the user",
      {
        args: { to: "ann", text: v("v1") },
        variables: [["https://a.com'@b.com", bad]],
        user: "https://a.com",
      },
      ["untrusted_link text"],
    ],
    ["a trusted link", { args: { to: "ann", text: "https://a.com" } }, []],
  ])("by permitted flow, to %s", (_what, scene, expected) => {
    expect(judged({ flow: mail, ...scene }).rules).toEqual(expected);
  });

  it("takes one of two rules, or both", () => {
    const scene: Scene = {
      args: { to: "ann", text: v("v1") },
      variables: [["x", forAnn]],
      call: bad,
    };
    expect(judged({ ...scene, flow: { ...mail, rule: "either" } }).rules).toEqual([]);
    expect(judged({ ...scene, flow: { ...mail, rule: "both" } }).rules).toEqual(["trusted_call"]);
  });

  it("counts what the context holds only when it is strict", () => {
    const scene: Scene = {
      flow: { effects: ["egress"], rule: "always" },
      args: {},
      call: { confidentiality: "private" },
    };
    expect(judged(scene).rules).toEqual([]);
    expect(judged({ ...scene, strict: true }).rules).toEqual(["confidential_context"]);
  });
});

describe("endorseCall", () => {
  const fromUser: EndorseRule = { type: "selection", from: "user" };
  const fromList: EndorseRule = { type: "selection", from: "people", into: ["send.to"] };
  const small: EndorseRule = { type: "value", maxBits: 3 };
  const inContext: EndorseRule = { ...fromUser, untrustedContext: true };
  const to = (value: JsonValue, label: LabelInput = bad): Pick<Scene, "args" | "variables"> => ({
    args: { to: v("v1") },
    variables: [[value, label]],
  });

  it.each<[string, Scene, readonly (readonly [string, number])[] | undefined]>([
    [
      "a word of the user",
      { ...to("bob"), user: "pay bob now or", endorse: [fromUser] },
      [["to", 2]],
    ],
    ["a look-alike", { ...to("b\u043eb"), user: "pay bob", endorse: [fromUser] }, undefined],
    ["a value of a list", { ...to("bob"), endorse: [fromList] }, [["to", 2]]],
    ["a number of a list", { ...to(7), endorse: [fromList] }, [["to", 2]]],
    ["a number as a text", { ...to("7"), endorse: [fromList] }, undefined],
    [
      "the only value of a list",
      { ...to("ann"), endorse: [{ type: "selection", from: "one" }] },
      [["to", 0]],
    ],
    ["a value that is not in a list", { ...to("mallory"), endorse: [fromList] }, undefined],
    ["null", { ...to(null), endorse: [fromList, fromUser] }, undefined],
    ["an empty list", { ...to([]), endorse: [fromList, fromUser, small] }, undefined],
    ["a list with one stranger", { ...to(["ann", "mallory"]), endorse: [fromList] }, undefined],
    [
      "a list of people",
      { ...to(["ann", "bob"]), endorse: [fromList] },
      [
        ["to[0]", 2],
        ["to[1]", 2],
      ],
    ],
    [
      "a rule for another argument",
      { ...to("ann"), endorse: [{ ...fromList, into: ["send.cc", "*.text", "mail.*"] }] },
      undefined,
    ],
    [
      "a rule for all arguments of the tool",
      { ...to("ann"), endorse: [{ ...fromList, into: ["send.*"] }] },
      [["to", 2]],
    ],
    ["a small value", { ...to(5, { integrity: bad, capacity: 3 }), endorse: [small] }, [["to", 3]]],
    [
      "a value that is too large",
      { ...to(5, { integrity: bad, capacity: 3.1 }), endorse: [small] },
      undefined,
    ],
    ["a value of any size", { ...to(true), endorse: [small] }, undefined],
    [
      "what the budget just allows",
      { ...to(["ann", "bob"]), endorse: [fromList], bitsLeft: 4 },
      [
        ["to[0]", 2],
        ["to[1]", 2],
      ],
    ],
    [
      "one bit more than the budget",
      { ...to(["ann", "bob"]), endorse: [fromList], bitsLeft: 3 },
      undefined,
    ],
    [
      "nothing of a budget that is overdrawn",
      { ...to("ann"), endorse: [{ type: "selection", from: "one" }], bitsLeft: -1 },
      undefined,
    ],
    [
      "a call of the user's words",
      {
        args: { to: "bob@x", n: "" },
        flow: { arguments: { to: { integrity: "trusted" } } },
        call: bad,
        user: "mail bob@x",
        endorse: [inContext],
      },
      [["", Math.log2(3)]],
    ],
    [
      "a call with a word more",
      { args: { to: "bob@x", text: "evil" }, call: bad, user: "mail bob@x", endorse: [inContext] },
      undefined,
    ],
    [
      "a call of nothing special",
      { args: { to: "to" }, call: bad, user: "say to bob", endorse: [inContext] },
      undefined,
    ],
    [
      "a call without arguments",
      { args: {}, call: bad, user: "say to bob", endorse: [inContext] },
      undefined,
    ],
    [
      "a guarded number that the user did not say",
      { args: { to: "bob@x", n: 4 }, call: bad, user: "mail bob@x", endorse: [inContext] },
      undefined,
    ],
    [
      "an untrusted call without that rule",
      { args: { to: "bob@x" }, call: bad, user: "mail bob@x", endorse: [fromUser] },
      undefined,
    ],
  ])("of %s", (_what, scene, expected) => {
    const { rules, endorsed } = judged(scene);
    expect(endorsed).toEqual(expected ?? []);
    expect(rules.length === 0).toBe(expected !== undefined);
  });
});

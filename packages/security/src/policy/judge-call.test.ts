import { describe, expect, it } from "vitest";
import { bad, judged, type Scene, v } from "../../test/support/judged.js";
import type { ToolFlow } from "./flow-policy.js";

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
    const open = { ...mail, arguments: {} };
    expect(judged({ ...scene, flow: { ...open, rule: "either" } }).rules).toEqual([]);
    // What is guarded has to be trusted, also where the flow is permitted.
    const guarded = judged({ ...scene, flow: { ...mail, rule: "either" } });
    expect(guarded.rules).toEqual(["trusted_argument to"]);
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

import { ConfigurationError } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { compilePolicy } from "./compile-policy.js";
import type { FlowPolicy } from "./flow-policy.js";

/** Policies come from files: they are given as anything. */
function compiled(policy: unknown) {
  return compilePolicy(policy as FlowPolicy);
}

function problem(policy: unknown): string {
  try {
    compiled(policy);
  } catch (error) {
    if (error instanceof ConfigurationError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "none";
}

const withTool = (flow: unknown) => ({ version: 1, tools: { send: flow } });
const withRule = (rule: unknown) => ({
  version: 1,
  tools: {},
  lists: { people: ["ann"] },
  endorse: [rule],
});

describe("a policy's form", () => {
  it.each<[string, unknown, string]>([
    ["nothing", undefined, "The policy must be an object: { version: 1, tools"],
    ["null", null, "The policy must be an object"],
    ["a list", [], "The policy must be an object"],
    ["a text", "{}", "The policy must be an object"],
    ["no version", { tools: {} }, "version must be 1"],
    ["a version as text", { version: "1", tools: {} }, "version must be 1"],
    ["no tools", { version: 1 }, "tools must be an object"],
    ["tools as a list", { version: 1, tools: [] }, "tools must be an object"],
    ["null for tools", { version: 1, tools: null }, "tools must be an object"],
    [
      "a misspelt member",
      { version: 1, tools: {}, endorses: [] },
      'without "endorses"; it may have: version,',
    ],
    [
      "a member that prototypes have",
      JSON.parse('{"version":1,"tools":{},"__proto__":{}}'),
      'without "__proto__"',
    ],
    ["no levels", { version: 1, tools: {}, levels: [] }, "levels must be a list of names"],
    ["null for levels", { version: 1, tools: {}, levels: null }, "levels must be a list of names"],
    ["null for a tool", withTool(null), 'tools["send"] must be an object'],
    [
      "a misspelt member of a tool",
      withTool({ effect: ["read"] }),
      'without "effect"; it may have: effects,',
    ],
    [
      "a misspelt effect",
      withTool({ effects: ["reads"] }),
      'effects[0] must be one of "read", "consequential", "egress"',
    ],
    ["null among effects", withTool({ effects: [null] }), "effects[0] must be one of"],
    ["no effects", withTool({ effects: [] }), "effects must be a list, not empty"],
    ["an effect alone", withTool({ effects: "read" }), "effects must be a list"],
    [
      "a misspelt rule",
      withTool({ rule: "trusted-action" }),
      'rule must be one of "trusted_action"',
    ],
    ["null for a rule", withTool({ rule: null }), "rule must be one of"],
    ["always without effects", withTool({ rule: "always" }), "effects must be said"],
    ["a misspelt level", withTool({ clearance: "Public" }), 'clearance must be one of "public"'],
    ["recipients as a text", withTool({ recipients: "to" }), "recipients must be a list of texts"],
    [
      "null among recipients",
      withTool({ recipients: [null] }),
      "recipients must be a list of texts",
    ],
    ["reads as a text", withTool({ reads: "notes" }), "reads must be a list of texts"],
    ["a definition that is none", withTool({ definition: 1 }), "definition must be the hash"],
    ["a number for a result", withTool({ result: 1 }), "result must be a label"],
    ["null for a result", withTool({ result: null }), "result must be a label"],
    [
      "a label among paths",
      withTool({ result: { integrity: "trusted", body: "untrusted" } }),
      'tools["send"].result must be one label or labels by path, not both: "integrity" belongs to a label and "body" is a path',
    ],
    ["null for arguments", withTool({ arguments: null }), "arguments must be an object"],
    [
      "a label for an argument",
      withTool({ arguments: { to: "trusted" } }),
      'arguments["to"] must be { integrity: "trusted" }',
    ],
    [
      "a misspelt integrity",
      withTool({ arguments: { to: { integrity: "Trusted" } } }),
      'integrity must be one of "trusted"',
    ],
    [
      "an untrusted guard",
      withTool({ arguments: { to: { integrity: "untrusted" } } }),
      'integrity must be one of "trusted"',
    ],
    [
      "a misspelt member of an argument",
      withTool({ arguments: { to: { integrety: "trusted" } } }),
      'without "integrety"',
    ],
    [
      "a misspelt level of an argument",
      withTool({ arguments: { to: { confidentiality: "x" } } }),
      "confidentiality must be one of",
    ],
    ["null for lists", { version: 1, tools: {}, lists: null }, "lists must be an object"],
    [
      "an empty list",
      { version: 1, tools: {}, lists: { a: [] } },
      'lists["a"] must be a list of texts and numbers',
    ],
    [
      "a switch in a list",
      { version: 1, tools: {}, lists: { a: [true] } },
      'lists["a"] must be a list',
    ],
    [
      "a list called user",
      { version: 1, tools: {}, lists: { user: ["a"] } },
      'lists must be without "user"',
    ],
    [
      "null for endorse",
      { version: 1, tools: {}, endorse: null },
      "endorse must be a list of rules",
    ],
    ["null for a rule to endorse", withRule(null), "endorse[0] must be a rule"],
    [
      "a rule without type",
      withRule({ from: "user" }),
      'type must be one of "selection", "value", "lookup"',
    ],
    ["a misspelt type", withRule({ type: "select", from: "user" }), "type must be one of"],
    [
      "an unknown list",
      withRule({ type: "selection", from: "persons" }),
      '"user" or the name of a list: people',
    ],
    [
      "a list that prototypes have",
      withRule({ type: "selection", from: "constructor" }),
      "the name of a list: people",
    ],
    [
      "no patterns",
      withRule({ type: "selection", from: "user", into: [] }),
      "into must be a list of patterns",
    ],
    [
      "a pattern without a dot",
      withRule({ type: "selection", from: "user", into: ["to"] }),
      "into must be a list of patterns",
    ],
    [
      "a context for a list",
      withRule({ type: "selection", from: "people", untrustedContext: true }),
      "untrustedContext must be true only with",
    ],
    [
      "null for a context",
      withRule({ type: "selection", from: "user", untrustedContext: null }),
      "untrustedContext must be true",
    ],
    ["no bits", withRule({ type: "value" }), "maxBits must be a number above 0"],
    [
      "bits as a text",
      withRule({ type: "value", maxBits: "3" }),
      "maxBits must be a number above 0",
    ],
    [
      "bits that are no number",
      withRule({ type: "value", maxBits: Number.NaN }),
      "maxBits must be a number above 0",
    ],
    [
      "a misspelt member of a rule",
      withRule({ type: "value", maxBits: 3, in: ["*"] }),
      'without "in"',
    ],
    [
      "a lookup of nothing",
      withRule({ type: "lookup", results: [] }),
      "results must be a list of tools",
    ],
    ["a lookup without results", withRule({ type: "lookup", result: ["a"] }), 'without "result"'],
    [
      "negative bits",
      withRule({ type: "lookup", results: ["a"], bits: -1 }),
      "bits must be a number of bits",
    ],
    [
      "a budget as a text",
      { version: 1, tools: {}, endorseBits: "64" },
      "endorseBits must be a number",
    ],
    [
      "a negative budget",
      { version: 1, tools: {}, endorseBits: -1 },
      "endorseBits must be a number",
    ],
    ["null for an answer", { version: 1, tools: {}, answer: null }, "answer must be an object"],
    ["a misspelt answer", { version: 1, tools: {}, answer: { link: "remove" } }, 'without "link"'],
    [
      "a misspelt word for links",
      { version: 1, tools: {}, answer: { links: "keep" } },
      'links must be one of "remove", "allow"',
    ],
    [
      "readers as a text",
      { version: 1, tools: {}, answer: { readers: "ann" } },
      "readers must be a list of names",
    ],
  ])("cannot have %s", (_what, policy, expected) => {
    expect(problem(policy)).toMatch(/^flow_policy: Information flow policy: /);
    expect(problem(policy)).toContain(expected);
  });

  it.each<[string, unknown, string]>([
    ["a misspelt label", withTool({ result: "Trusted" }), "label"],
    ["a misspelt label of a part", withTool({ result: { "[*].body": "untrustd" } }), "label"],
    [
      "a misspelt member of a label",
      withTool({ result: { "[*]": { integrty: "trusted" } } }),
      "label",
    ],
    ["an unknown level in a label", withTool({ result: { confidentiality: "secret" } }), "label"],
    ["a misspelt path", withTool({ result: { "$.body": "trusted" } }), "path_pattern"],
    ["an empty path", withTool({ recipients: [""] }), "path_pattern"],
    ["a misspelt path of an argument", withTool({ arguments: { "to[]": {} } }), "path_pattern"],
    [
      "a lookup of no part",
      { ...withTool({}), endorse: [{ type: "lookup", results: ["send."] }] },
      "path_pattern",
    ],
    ["a level twice", { version: 1, tools: {}, levels: ["a", "a"] }, "invalid_option"],
  ])("cannot have %s", (_what, policy, code) => {
    expect(problem(policy)).toMatch(new RegExp(`^${code}: `));
  });

  it.each<[unknown, string]>([
    [withTool({ result: "Trusted" }), 'tools["send"].result: A label is'],
    [withTool({ result: { "[*].body": "no" } }), 'tools["send"].result["[*].body"]: A label is'],
    [withTool({ result: { "[*].body": null } }), 'tools["send"].result["[*].body"]: A label is'],
    [withTool({ result: { "$.body": "trusted" } }), 'tools["send"].result: The path "$.body"'],
    [withTool({ recipients: [""] }), 'tools["send"].recipients: The path ""'],
    [withTool({ arguments: { "to[]": {} } }), 'tools["send"].arguments: The path "to[]"'],
    [
      { ...withTool({}), endorse: [{ type: "lookup", results: ["send."] }] },
      'the results of endorse for "send": The path ""',
    ],
  ])("says where a label or a path is wrong: %j", (policy, expected) => {
    expect(problem(policy)).toContain(`: Information flow policy: ${expected}`);
  });

  it("may name a part of a result as a label's member is named", () => {
    expect(problem(withTool({ result: { $: "trusted", '["readers"]': "untrusted" } }))).toBe(
      "none",
    );
  });

  it("may have members that are undefined", () => {
    const flow = { effects: undefined, rule: undefined, result: undefined, arguments: undefined };
    expect(
      problem({ version: 1, tools: { send: flow }, lists: undefined, endorse: undefined }),
    ).toBe("none");
  });
});

describe("compilePolicy", () => {
  it("takes for the worst what is not said", () => {
    const tool = compiled(withTool({})).tools.get("send");
    expect([...(tool?.effects ?? [])]).toEqual(["consequential", "egress"]);
    expect(tool).toMatchObject({ known: true, rule: "trusted_action", clearance: 0 });
    expect(tool?.arguments.root.member("any").value).toEqual({ integrity: "trusted" });
    expect(tool?.result.root.value.integrity).toBe("untrusted");
    expect(compiled(withTool({ effects: ["read"] })).tools.get("send")?.rule).toBe("always");
  });

  it("takes a label without an integrity for untrusted", () => {
    const { result } =
      compiled(withTool({ result: { $: "trusted", a: { readers: ["ann"] } } })).tools.get("send") ??
      {};
    expect(result?.root.value.integrity).toBe("trusted");
    expect(result?.root.member("a").value).toMatchObject({
      integrity: "untrusted",
      readers: ["ann"],
    });
  });

  it("knows nothing that only prototypes have", () => {
    const { tools, lists } = compiled({ version: 1, tools: {} });
    for (const name of ["constructor", "__proto__", "toString"]) {
      expect(tools.get(name)).toBeUndefined();
      expect(lists.get(name)).toBeUndefined();
    }
  });

  it("takes such names for names where they are given", () => {
    const text = `{"version":1,"tools":{"__proto__":{"effects":["read"]},"constructor":{}},
      "lists":{"__proto__":["ann"]},
      "endorse":[{"type":"selection","from":"__proto__"},{"type":"lookup","results":["constructor.constructor","constructor.__proto__.a"],"bits":2}]}`;
    const { tools, lists } = compiled(JSON.parse(text));
    expect(tools.get("__proto__")?.rule).toBe("always");
    expect(lists.get("__proto__")?.has("ann")).toBe(true);
    const lookup = tools.get("constructor")?.lookup.root;
    expect(lookup?.member("constructor").value).toBe(2);
    expect(lookup?.member("__proto__").member("a").value).toBe(2);
    expect(lookup?.member("toString").value).toBeUndefined();
  });

  it("is the same for the same object, and for the same policy read from JSON", () => {
    const policy = withTool({ effects: ["read"], rule: undefined });
    expect(compiled(policy)).toBe(compiled(policy));
    expect(compiled(JSON.parse(JSON.stringify(policy))).hash).toBe(compiled(policy).hash);
    expect(compiled(withTool({ effects: ["egress"] })).hash).not.toBe(compiled(policy).hash);
  });

  it("does not follow a policy that is changed later", () => {
    const policy = { version: 1, tools: { send: { rule: "both" } } };
    const before = compiled(policy);
    policy.tools.send.rule = "always";
    expect(compiled(policy).tools.get("send")?.rule).toBe("both");
    expect(before.source.tools["send"]?.rule).toBe("both");
  });

  it("checks what it uses, where a policy says something else each time", () => {
    let asked = 0;
    const flow = {
      get rule() {
        asked += 1;
        return asked === 1 ? "both" : "nonsense";
      },
    };
    expect(compiled(withTool(flow)).tools.get("send")?.rule).toBe("both");
  });
});

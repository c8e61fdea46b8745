import { hostedTool, type Tool, tool } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { checkPolicy } from "./check-policy.js";
import type { FlowPolicy } from "./flow-policy.js";
import { toolHash } from "./tool-identity.js";

const text = { type: "string" } as const;
const send = tool({
  name: "send",
  parameters: {
    type: "object",
    properties: { to: text, items: { type: "array" } },
    additionalProperties: false,
  },
});

function found(policy: Partial<FlowPolicy>, tools: readonly Tool[] = [send]): readonly string[] {
  return checkPolicy({ version: 1, tools: { send: {} }, ...policy }, tools).map(
    ({ severity, code, tool: key }) => `${severity} ${code}${key === undefined ? "" : ` ${key}`}`,
  );
}

describe("checkPolicy", () => {
  it.each<[string, Partial<FlowPolicy>, readonly string[]]>([
    ["a policy that fits", {}, []],
    [
      "a misspelt argument",
      { tools: { send: { arguments: { too: {} } } } },
      ["error unknown_argument send"],
    ],
    [
      "an argument of a prototype",
      { tools: { send: { arguments: { toString: {} } } } },
      ["error unknown_argument send"],
    ],
    [
      "a misspelt receiver",
      { tools: { send: { recipients: ["items[*].to", "cc"] } } },
      ["error unknown_argument send"],
    ],
    [
      "a misspelt key",
      { tools: { send: { reads: ["file:{id}"], writes: ["to:{to}"] } } },
      ["error unknown_argument send"],
    ],
    [
      "a key with a part of an argument",
      { tools: { send: { writes: ["to:{to.mail}"] } } },
      ["error unknown_argument send"],
    ],
    [
      "another definition",
      { tools: { send: { definition: "x" } } },
      ["error other_definition send"],
    ],
    ["the definition", { tools: { send: { definition: toolHash(send) } } }, []],
    ["a tool that is not there", { tools: { send: {}, sent: {} } }, ["warning unused_tool sent"]],
    ["a tool that is not named", { tools: {} }, ["warning missing_tool send"]],
    [
      "no receivers",
      { tools: { send: { effects: ["egress"], rule: "either" } } },
      ["warning no_recipients send"],
    ],
    [
      "a trusted network",
      { tools: { send: { effects: ["read", "egress"], result: "trusted" } } },
      ["warning trusted_network send"],
    ],
    [
      "a trusted network by path",
      { tools: { send: { effects: ["read", "egress"], result: { $: { integrity: "trusted" } } } } },
      ["warning trusted_network send"],
    ],
    [
      "a network with an untrusted part",
      {
        tools: {
          send: { effects: ["read", "egress"], result: { $: "trusted", "[*].body": "untrusted" } },
        },
      },
      [],
    ],
    [
      "a trusted part of what is untrusted",
      { tools: { send: { result: { $: "untrusted", id: "trusted" } } } },
      ["warning hidden_part send"],
    ],
    [
      "a trusted part where nothing is said of the whole",
      { tools: { send: { result: { "[*].id": "trusted" } } } },
      ["warning hidden_part send"],
    ],
    [
      "a trusted part that can be seen",
      {
        tools: {
          send: {
            result: {
              $: "trusted",
              "*": "untrusted",
              id: "trusted",
              "mails[*].*": "untrusted",
              mails: "trusted",
              "mails[*].id": "trusted",
            },
          },
        },
      },
      [],
    ],
    ["no guards", { tools: { send: { arguments: {} } } }, ["warning unguarded send"]],
    [
      "no guards where nothing goes by trust",
      {
        tools: { send: { arguments: {}, rule: "permitted_flow", recipients: ["to"] } },
      },
      [],
    ],
    [
      "no guards of a tool that reads",
      { tools: { send: { effects: ["read"], arguments: {} } } },
      [],
    ],
    [
      "receivers that nothing asks for",
      {
        tools: { send: { recipients: ["to"], arguments: { items: { integrity: "trusted" } } } },
      },
      ["warning unguarded_recipient send"],
    ],
    [
      "receivers with a guard of their own, inside, or of all",
      {
        tools: {
          send: {
            recipients: ["to", "items"],
            arguments: {
              to: { integrity: "trusted" },
              "items[*].to": { integrity: "trusted" },
            },
          },
        },
      },
      [],
    ],
    ["receivers where all is guarded", { tools: { send: { recipients: ["to"] } } }, []],
    [
      "receivers that the rule asks for",
      { tools: { send: { rule: "both", recipients: ["to"], arguments: {} } } },
      ["warning unguarded send"],
    ],
    ["a list that is not used", { lists: { people: ["ann"] } }, ["warning unused_list"]],
    [
      "a list that is used",
      {
        lists: { people: ["ann"] },
        endorse: [{ type: "selection", from: "people", into: ["send.to"] }],
      },
      [],
    ],
    [
      "a rule for no tool",
      { endorse: [{ type: "value", maxBits: 1, into: ["sent.to"] }] },
      ["warning unreachable_rule sent"],
    ],
    [
      "a rule for any tool's anything",
      { endorse: [{ type: "value", maxBits: 1, into: ["*.*"] }] },
      ["warning unreachable_rule *"],
    ],
    [
      "a rule for an argument that is not guarded",
      {
        tools: { send: { arguments: { to: {} } } },
        endorse: [{ type: "value", maxBits: 1, into: ["send.to"] }],
      },
      ["warning unreachable_rule send"],
    ],
    [
      "a rule for what is guarded inside",
      {
        tools: { send: { arguments: { "items[*].to": { integrity: "trusted" } } } },
        endorse: [{ type: "value", maxBits: 1, into: ["send.items", "send.*", "*.to"] }],
      },
      [],
    ],
    [
      "a lookup of no tool",
      { endorse: [{ type: "lookup", results: ["*", "send", "send[0].id", "sent.id"] }] },
      ["warning unreachable_rule"],
    ],
  ])("says of %s what there is to say", (_what, policy, expected) => {
    expect(found(policy)).toEqual(expected);
  });

  it("says nothing of missing tools where it gets none", () => {
    expect(found({ tools: { a: {}, b: {} } }, [])).toEqual([]);
  });

  it("looks at hosted tools, and at tools that take anything", () => {
    const search = hostedTool({ provider: "openai", name: "search", definition: {} });
    const open = tool({ name: "open", parameters: { type: "object" } });
    const tools = { "openai/search": { arguments: { q: {} } }, open: { arguments: { any: {} } } };
    expect(found({ tools }, [search, open])).toEqual([]);
  });

  it("judges the policy as it was compiled", () => {
    const policy = { version: 1 as const, tools: { send: { recipients: ["to"] } } };
    checkPolicy(policy, [send]);
    policy.tools.send.recipients = ["nonsense"];
    expect(checkPolicy(policy, [send])).toEqual([]);
  });

  it("needs no guards where there are no arguments", () => {
    const ring = tool({
      name: "ring",
      parameters: { type: "object", properties: {}, additionalProperties: false },
    });
    expect(found({ tools: { ring: { arguments: {} } } }, [ring])).toEqual([]);
  });

  it.each([
    [{ $: "untrusted", id: "trusted" }, '{ $: "trusted", "*": "untrusted", id: "trusted" }'],
    [
      { "[*].id": "trusted" },
      '{ $: "trusted", "[*]": "trusted", "[*].*": "untrusted", "[*].id": "trusted" }',
    ],
    [
      { "a[0]": "trusted" },
      '{ $: "trusted", "*": "untrusted", a: "trusted", "a[*]": "untrusted", "a[0]": "trusted" }',
    ],
  ] as const)("says how to show a part: %j", (result, advice) => {
    const [problem] = checkPolicy({ version: 1, tools: { send: { result } } }, [send]);
    expect(problem?.message).toContain(`: ${advice}.`);
    const shown: FlowPolicy["tools"][string]["result"] = Object.fromEntries(
      [...advice.matchAll(/(?:"([^"]+)"|([\w$]+)): "(\w+)"/g)].map(
        ([, quoted, bare, label]) =>
          [quoted ?? bare ?? "", label === "trusted" ? "trusted" : "untrusted"] as const,
      ),
    );
    expect(found({ tools: { send: { result: shown } } })).toEqual([]);
  });

  it("says what the tool has", () => {
    const [problem] = checkPolicy({ version: 1, tools: { send: { recipients: ["cc"] } } }, [send]);
    expect(problem?.message).toBe(
      'The policy names the argument "cc" of "send", which has: to, items.',
    );
  });
});

import { ConfigurationError, tool } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { type SecureAgentOptions, secureAgent } from "./secure-agent.js";

const policy = { version: 1, tools: {} } as const;
const send = tool({ name: "send", parameters: { type: "object", properties: { to: {} } } });
const misspelt = { version: 1, tools: { send: { recipients: ["too"] } } } as const;

describe("secureAgent", () => {
  it.each<[string, unknown, string]>([
    ["nothing", undefined, "{ policy, quarantine, tools }"],
    ["no policy", { quarantine: false }, "needs a `policy`"],
    ["no quarantine", { policy }, "needs `quarantine`"],
    ["a quarantine that is no client", { policy, quarantine: {} }, "needs `quarantine`"],
    ["true for a quarantine", { policy, quarantine: true }, "needs `quarantine`"],
    ["a misspelt option", { policy, quarantine: false, tool: [] }, "tool"],
    ["a tool that is none", { policy, quarantine: false, tools: [{}] }, "tools of secureAgent"],
    [
      "two tools of one name",
      { policy, quarantine: false, tools: [send, tool({ name: "send" })] },
      "send",
    ],
    [
      "a policy that does not fit",
      { policy: misspelt, quarantine: false, tools: [send] },
      "which has: to",
    ],
  ])("cannot be made with %s, and says what to write", (_what, options, expected) => {
    const make = () => secureAgent(options as SecureAgentOptions);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(expected);
  });

  it("tells the model of the quarantine only where there is one", () => {
    const client = new ScriptedChatClient([]);
    const text = ({ instructions }: ReturnType<typeof secureAgent>) => String(instructions);
    expect(text(secureAgent({ policy, quarantine: client }))).toContain("quarantined_llm");
    expect(text(secureAgent({ policy, quarantine: false }))).not.toContain("quarantined_llm");
  });
});

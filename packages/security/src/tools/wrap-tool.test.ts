import { Agent, AgentSession, tool } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { secureAgent } from "../secure-agent.js";
import { originalOf, wrapTools } from "./wrap-tool.js";

const text = { type: "string" } as const;
const parameters = { type: "object", properties: { to: text }, required: ["to"] } as const;

describe("wrapTools", () => {
  it("makes places for references, once for a tool and a list, and keeps the rest", () => {
    const send = tool({
      name: "send",
      title: "Send",
      parameters,
      maxInvocations: 2,
      execute: () => 1,
    });
    const list = [send];
    const [wrapped] = wrapTools(list);
    expect(wrapTools(list)).toBe(wrapTools(list));
    expect(wrapTools(wrapTools(list))).toBe(wrapTools(list));
    expect(wrapTools([send])[0]).toBe(wrapped);
    expect(wrapped).toMatchObject({ name: "send", title: "Send", maxInvocations: 2 });
    expect(Object.isFrozen(wrapped)).toBe(true);
    if (wrapped?.type !== "function") throw new Error("no function");
    expect(JSON.stringify(wrapped.parameters)).toContain("$defs/reference");
    expect(originalOf(wrapped)).toBe(send);
    expect(originalOf(send)).toBe(send);
  });

  it("leaves a tool without a function one without a function", () => {
    const [wrapped] = wrapTools([tool({ name: "ask", parameters })]);
    expect(wrapped?.type === "function" && wrapped.execute).toBeFalsy();
  });

  it("makes a call whose object is hidden wait for those that are hidden, too", () => {
    const resources = ({ to }: { readonly to: string }) => [to];
    const [wrapped] = wrapTools([tool({ name: "send", parameters, resources, execute: () => 1 })]);
    const keys = wrapped?.type === "function" ? wrapped.resources : undefined;
    if (typeof keys !== "function") throw new Error("no keys");
    expect(keys({ to: "a" } as never)).toEqual(["a"]);
    expect(keys({ to: { $ref: "v1" } } as never)).toEqual(["send: hidden"]);
  });
});

describe("a wrapped tool", () => {
  it("gets values, checked against its own schema; so do its predicate and parseResult", async () => {
    const seen: unknown[] = [];
    const read = tool({ name: "read", execute: () => ["bob"] });
    const send = tool({
      name: "send",
      parameters,
      approvalMode: (input) => {
        seen.push(["asked", input]);
        return false;
      },
      execute: (input) => {
        seen.push(["run", input]);
        return "sent";
      },
      parseResult: (value) => `parsed ${String(value)}`,
    });
    const call = ($ref: string) => ({ calls: [{ name: "send", arguments: { to: { $ref } } }] });
    const client = new ScriptedChatClient([{ calls: [{ name: "read" }] }, call("v1"), "done"]);
    const labels = { $: "trusted", "[*]": "untrusted" } as const;
    const policy = {
      version: 1,
      tools: {
        read: { effects: ["read"], result: labels },
        send: { effects: ["consequential"], arguments: {}, result: "trusted" },
      },
    } as const;
    const flow = secureAgent({ tools: [read, send], policy, quarantine: false });
    const session = new AgentSession();
    await new Agent({ client, contextProviders: [flow] }).run("hi", { session });
    expect(seen.filter((each) => JSON.stringify(each).includes('"run"'))).toEqual([
      ["run", { to: "bob" }],
    ]);
    expect(seen[0]).toEqual(["asked", { to: "bob" }]);
    expect(session.state["tunic.flow"]).toMatchObject({
      variables: { v2: { value: "parsed sent", label: { integrity: "untrusted" } } },
    });
  });

  it("can be taken away by the object that was given", async () => {
    const send = tool({ name: "send", parameters, execute: () => "sent" });
    const stop = tool({
      name: "stop",
      execute: (_input, { removeTools }) => {
        removeTools(send);
        return "ok";
      },
    });
    const client = new ScriptedChatClient([{ calls: [{ name: "stop" }] }, "done"]);
    const policy = { version: 1, tools: { stop: { effects: ["read"] }, send: {} } } as const;
    const flow = secureAgent({ tools: [send, stop], policy, quarantine: false });
    const agent = new Agent({ client, contextProviders: [flow] });
    await agent.run("hi", { session: new AgentSession() });
    const names = (at: number) => client.requests[at]?.options.tools?.map(({ name }) => name);
    expect(names(0)).toContain("send");
    expect(names(1)).not.toContain("send");
  });
});

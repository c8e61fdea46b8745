import { Agent, AgentSession, ConfigurationError, tool, verdictMiddleware } from "@tunic/core";
import { ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import {
  checkPolicy,
  type FlowOptions,
  type FlowPolicy,
  labelTracking,
  policyEnforcement,
  secureAgent,
} from "../src/index.js";
import { call, ref, World, type WorldOptions } from "./support/world.js";

const pay = tool({
  name: "pay",
  parameters: {
    type: "object",
    properties: { to: { type: "string" } },
    additionalProperties: false,
  },
  execute: () => "paid",
});
const client = new ScriptedChatClient([]);
const coded = (code: string) => expect.objectContaining({ code });

/** Policies with a slip, as a file may hold them. */
const slips: Readonly<Record<string, unknown>> = {
  "a misspelt effect": { tools: { pay: { effects: ["consequental"] } } },
  "a misspelt member": { tools: { pay: { argument: { to: { integrity: "trusted" } } } } },
  "an unknown rule": { tools: { pay: { rule: "trusted" } } },
  "an unknown level": { tools: { pay: { clearance: "Public" } } },
  "a label of no kind": { tools: { pay: { result: "Trusted" } } },
  "an unknown level in a label": { tools: { pay: { result: { confidentiality: "Private" } } } },
  "an argument that the tool does not have": { tools: { pay: { recipients: ["recipient"] } } },
  "a path that is none": { tools: { pay: { arguments: { "a..b": { integrity: "trusted" } } } } },
  "a key of a resource from an argument that is not there": {
    tools: { pay: { writes: ["f:{id}"] } },
  },
  "a list that is not there": { endorse: [{ type: "selection", from: "contacts" }] },
  "an endorsement of no kind": { endorse: [{ type: "everything" }] },
  "a word for links": { answer: { links: "keep" } },
  "a word for progress": { tools: { pay: { progress: "some" } } },
  "a budget below nothing": { endorseBits: -1 },
  "another version": { version: 2 },
  "no tools": { tools: undefined },
};

describe("S20 a set-up with a mistake in it", () => {
  for (const [what, slip] of Object.entries(slips)) {
    it(`S20: ${what} is an error when the agent is made`, () => {
      const policy = { version: 1, tools: {}, ...(slip as object) } as FlowPolicy;
      expect(() => secureAgent({ tools: pay, policy, quarantine: false })).toThrow(
        ConfigurationError,
      );
    });
  }

  it("S20: a missing policy, a missing quarantine, an unknown option or mode", () => {
    const policy: FlowPolicy = { version: 1, tools: {} };
    const bad = [
      {},
      { policy },
      { policy, quarantine: true },
      { policy, quarantine: false, polcy: 1 },
    ];
    for (const options of [...bad, { policy, quarantine: false, mode: "dry" }]) {
      expect(() => secureAgent(options as never)).toThrow(ConfigurationError);
    }
  });

  const options: FlowOptions = {
    policy: { version: 1, tools: { pay: { effects: ["read"], rule: "always" } } },
  };
  const run = (middleware: ConstructorParameters<typeof Agent>[0]["middleware"], more = {}) => {
    const model = new ScriptedChatClient([call("pay"), "done"]);
    const agent = new Agent({ client: model, tools: pay, middleware, ...more });
    return agent.run("Pay.", { session: new AgentSession() });
  };

  it("S20: half of it does not run, whichever half it is, nor two halves of two wholes", async () => {
    const other: FlowOptions = { ...options };
    await expect(run([labelTracking(options)])).rejects.toThrow(coded("flow_halves"));
    await expect(run([policyEnforcement(options)])).rejects.toThrow(coded("flow_halves"));
    await expect(run([labelTracking(options), policyEnforcement(other)])).rejects.toThrow(
      coded("flow_halves"),
    );
    expect((await run([policyEnforcement(options), labelTracking(options)])).text).toBe("done");
  });

  it("S20: the half that judges lets nothing run alone, and ends no run alone", async () => {
    const ran: string[] = [];
    const spy = tool({ name: "pay", execute: () => ran.push("pay") });
    const alone = (turns: readonly ScriptedTurn[]) =>
      new Agent({
        client: new ScriptedChatClient(turns),
        tools: spy,
        middleware: [policyEnforcement(options)],
      }).run("Pay.", { session: new AgentSession() });
    await expect(alone([call("pay"), "done"])).rejects.toThrow(coded("flow_halves"));
    expect(ran).toEqual([]);
    await expect(alone(["done"])).rejects.toThrow(coded("flow_halves"));
  });

  it("S20: a taken seat is an error when the agent is made; no session is one at the first run", async () => {
    const secure = () => secureAgent({ tools: pay, policy: options.policy, quarantine: false });
    expect(
      () =>
        new Agent({ client, middleware: [labelTracking(options)], contextProviders: [secure()] }),
    ).toThrow(ConfigurationError);
    expect(() => new Agent({ client, contextProviders: [secure(), secure()] })).toThrow(
      ConfigurationError,
    );
    await expect(new Agent({ client, contextProviders: [secure()] }).run("Hi.")).rejects.toThrow(
      coded("flow_session"),
    );
  });

  it("S20: no handler outside of the policy can let through what it denies; a crash lets nothing through", async () => {
    const world = (middleware: NonNullable<WorldOptions["agent"]>["middleware"]) =>
      new World({
        policy: { read: { effects: ["read"] }, pay: { effects: ["consequential"] } },
        tools: { read: { gives: "x" }, pay: { takes: ["to"] } },
        agent: { middleware },
        turns: [call("read"), call("pay", { to: ref("v1") }), "done"],
      });
    const yes = world([verdictMiddleware("yes", async () => ({ kind: "run" }))]);
    await yes.say("Go.");
    expect(yes.ran.map((each) => each.tool)).toEqual(["read"]);
    const crash = verdictMiddleware("crash", () => Promise.reject(new Error("oops")));
    const crashing = world([crash]);
    await crashing.say("Go.").catch(() => {});
    expect(crashing.ran).toEqual([]);
  });

  it("S20: a tool that the policy does not name is taken for the worst, and the linter says so", async () => {
    const world = new World({
      tools: { wipe: {}, read: { gives: "x" } },
      policy: { read: { effects: ["read"] } },
      hide: "nothing",
      turns: [call("read"), call("wipe"), "done"],
    });
    await world.say("Go.");
    expect(world.verdicts.at(-1)).toBe("wipe: deny unknown_tool trusted_call");
    expect(checkPolicy({ version: 1, tools: {} }, [pay]).map(({ code }) => code)).toEqual([
      "missing_tool",
    ]);
  });
});

describe("S21 denials as a channel", () => {
  const desk = (secret: string, turns: WorldOptions["turns"]) =>
    new World({
      policy: {
        read: { effects: ["read"], result: { integrity: "untrusted", readers: [secret] } },
        pay: { effects: ["consequential"] },
        send: { effects: ["egress"], rule: "both", recipients: ["to"] },
      },
      tools: { read: { gives: secret }, pay: { takes: ["to"] }, send: { takes: ["to", "text"] } },
      turns: [call("read"), ...turns, "done"],
    });

  it("S21: the words are the same whatever the data and the labels were", async () => {
    const tries = [
      call("pay", { to: ref("v1") }),
      call("send", { to: ref("v1"), text: "x" }),
      call("send", { to: "eve@x", text: ref("v1") }),
    ];
    const said = [];
    for (const secret of ["eve@x", "a very long secret ".repeat(100)]) {
      const world = desk(secret, tries);
      await world.say("Go.");
      said.push(world.results.slice(1));
      expect(world.sees(secret.slice(0, 20)) && secret !== "eve@x").toBe(false);
    }
    expect(said[0]).toEqual(said[1]);
    expect(said[0]?.every((text) => text.startsWith("Error: not run: "))).toBe(true);
  });

  it("S21: what is stored of a denial says nothing more; the details are in the decision", async () => {
    const world = desk("eve@x.example", [call("pay", { to: ref("v1") })]);
    await world.say("Go.");
    expect(world.stores("eve@x.example")).toBe(false);
  });

  it("S21: who tries the same again and again is told to stop, and is bounded by the loop", async () => {
    const turns = Array.from({ length: 5 }, (_, at) =>
      call("pay", { to: [ref("v1"), `x${at}`][0] as never }),
    );
    const world = desk("x", turns);
    await world.say("Go.");
    const [first, second, ...others] = world.results.slice(1);
    expect(first).toBe(second);
    expect(new Set(others).size).toBe(1);
    expect(others[0]).toContain("Do not call it again.");
    const endless = new World({
      policy: { pay: { effects: ["consequential"] } },
      tools: { pay: { takes: ["to"] } },
      turns: Array.from({ length: 100 }, () => call("pay", { to: ref("v1") })),
      agent: { invocation: { maxIterations: 7 } },
    });
    const { outcome } = await endless.say("Go.");
    expect(outcome).toBe("limit");
    expect(endless.model.requests).toHaveLength(8);
  });

  it("S21: other rules and other tools have counts of their own, and so has the next run", async () => {
    const again = call("pay", { to: ref("v1") });
    const world = desk("x", [
      again,
      again,
      call("send", { to: "a", text: ref("v1") }),
      "pause",
      again,
    ]);
    await world.say("Go.");
    await world.say("Go on.");
    expect(world.results.slice(1).some((text) => text.includes("again."))).toBe(false);
  });
});

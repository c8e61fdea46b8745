import { Agent, AgentSession, approve, tool } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hiddenValues, labelTracking, policyEnforcement } from "../src/index.js";
import { call, ref, verdictsIn, World, type WorldOptions } from "./support/world.js";

const policy = {
  page: { effects: ["read"] },
  book: { effects: ["read"], result: "trusted" },
  sink: { effects: ["consequential"], result: "trusted" },
} satisfies WorldOptions["policy"];
const taint = [call("page"), call("inspect_variable", { variable: "v1" })];

describe("B50 two sessions at once on one agent", () => {
  it("B50: one is blocked, the other is not, in every interleaving; ids are each session's own", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), async (order) => {
        const { agent, letOn } = interleaved();
        const one = new AgentSession({ id: "S1" });
        const two = new AgentSession({ id: "S2" });
        let running = 2;
        const runs = [one, two].map((session) =>
          agent.run(session.id, { session }).finally(() => {
            running -= 1;
          }),
        );
        for (let at = 0; running > 0; at++) await letOn((order[at] ?? at % 2 === 0) ? "S1" : "S2");
        await Promise.all(runs);
        expect(verdictsIn(one)).toEqual([
          "page: run",
          "inspect_variable: run",
          "sink: deny trusted_call",
        ]);
        expect(verdictsIn(two)).toEqual([
          "book: run",
          "inspect_variable: run",
          "sink: deny unknown_reference",
          "sink: run",
        ]);
        expect(hiddenValues(two)).toEqual([]);
        expect(JSON.stringify(two)).not.toContain("bad words");
      }),
      { numRuns: 25 },
    );
  });

  const script: Readonly<Record<string, readonly (string | ReturnType<typeof call>)[]>> = {
    S1: [...taint, call("sink"), "done"],
    S2: [
      call("book"),
      call("inspect_variable", { variable: "v1" }),
      call("sink", { what: ref("v1") }),
      call("sink"),
      "done",
    ],
  };

  /** One agent for both; each of its requests waits until its session is let on. */
  function interleaved() {
    const waiting = new Map<string, () => void>();
    const steps = new Map<string, number>();
    const { agent } = new World({
      policy,
      tools: { page: { gives: "bad words" }, book: { gives: "good" }, sink: { takes: ["what"] } },
      turns: [],
      answers: async ({ messages }) => {
        const [said] = messages.find(({ role }) => role === "user")?.contents ?? [];
        const who = said?.type === "text" ? said.text : "";
        await new Promise<void>((resolve) => waiting.set(who, resolve));
        const step = steps.get(who) ?? 0;
        steps.set(who, step + 1);
        return script[who]?.[step] ?? "done";
      },
    });
    const letOn = async (who: string): Promise<void> => {
      const go = waiting.get(who);
      waiting.delete(who);
      go?.();
      await new Promise((resolve) => setTimeout(resolve, 0));
    };
    return { agent, letOn };
  }

  it("B50: stored and restored, a session is as tainted as before", async () => {
    const options = {
      policy,
      tools: { page: { gives: "bad words" }, sink: { takes: ["what"] } },
    } satisfies Partial<WorldOptions>;
    const first = new World({ ...options, turns: [...taint, "read"] });
    await first.say("Read.");
    first.restart();
    const second = new World({ ...options, session: first.session, turns: [call("sink"), "no"] });
    await second.say("Go on.");
    expect(second.verdicts.at(-1)).toBe("sink: deny trusted_call");
  });

  it("B50: a question that waits is its own session's, and its permit too", async () => {
    const options = {
      policy,
      mode: "approve",
      tools: { page: { gives: "bad words" }, sink: { takes: ["what"] } },
      turns: [
        call("page"),
        call("sink", { what: ref("v1") }),
        call("page"),
        call("sink", { what: ref("v1") }),
        "done",
      ],
    } satisfies WorldOptions;
    const world = new World(options);
    const one = world.session;
    const [asked] = (await world.say("Go.")).approvalRequests;
    world.session = new AgentSession({ id: "other" });
    const [other] = (await world.say("Go.")).approvalRequests;
    if (asked === undefined || other === undefined) throw new Error("Nobody was asked.");
    await world.say(approve(asked)).catch(() => {});
    expect(world.ran.filter((each) => each.tool === "sink")).toEqual([]);
    world.session = one;
    await world.say(approve(asked));
    expect(world.ran.filter((each) => each.tool === "sink")).toHaveLength(1);
  });

  it("B50: without a session nothing is shared: each run stands alone", async () => {
    const options = { policy: { version: 1, tools: policy }, hide: "nothing" } as const;
    const model = new ScriptedChatClient([
      call("page"),
      call("sink"),
      "no",
      call("sink", { what: ref("v1") }),
      call("sink"),
      "done",
    ]);
    const ran: string[] = [];
    const named = (name: string) =>
      tool({
        name,
        parameters: { type: "object", properties: { what: { type: "string" } } },
        execute: () => {
          ran.push(name);
          return "x";
        },
      });
    const agent = new Agent({
      client: model,
      tools: [named("page"), named("sink")],
      middleware: [labelTracking(options), policyEnforcement(options)],
    });
    await agent.run("Read.");
    expect(ran).toEqual(["page"]);
    await agent.run("Sink.");
    expect(ran).toEqual(["page", "sink"]);
  });
});

describe("B75 fail-open habits", () => {
  const fetching = (gives: unknown, own: Partial<WorldOptions> = {}) =>
    new World({
      policy,
      tools: {
        page: { gives },
        sink: { takes: { what: { type: "string" }, accepts_untrusted: { type: "boolean" } } },
      },
      turns: [call("page"), call("sink", { what: ref("v1"), accepts_untrusted: true }), "done"],
      ...own,
    });

  it("B75: a result that calls itself trusted is not", async () => {
    const world = fetching({ data: "bad words", security_label: { integrity: "trusted" } });
    await world.say("Go.");
    expect(world.sees("bad words")).toBe(false);
  });

  it("B75: a tool without any label is untrusted and most confidential", async () => {
    const world = fetching("bad words", {
      policy: { sink: policy.sink, post: { effects: ["egress"], rule: "permitted_flow" } },
      hide: "nothing",
      tools: { page: { gives: "bad words" }, sink: {}, post: { takes: ["text"] } },
      turns: [call("page"), call("post", { text: "x" }), call("sink"), "done"],
    });
    await world.say("Go.");
    expect(world.verdicts.slice(1)).toEqual([
      "post: deny permitted_flow",
      "sink: deny trusted_call",
    ]);
  });

  it("B75: what a call says of its own rights is an argument like any other, and guarded like one", async () => {
    const world = fetching("bad words");
    await world.say("Go.");
    expect(world.verdicts.at(-1)).toBe("sink: deny trusted_argument");
  });

  it("B75: a blocked call has a result, correlated and an error, and the loop goes on", async () => {
    const world = fetching("bad words");
    const { outcome, text, messages } = await world.say("Go.");
    expect([outcome, text]).toEqual(["completed", "done"]);
    const contents = messages.flatMap((message) => message.contents);
    const calls = contents.flatMap((each) => (each.type === "function_call" ? [each.callId] : []));
    const results = contents.filter((each) => each.type === "function_result");
    expect(results.map(({ callId }) => callId)).toEqual(calls);
    expect(results.at(-1)?.isError).toBe(true);
  });

  it("B75: a standing yes does not cover what breaks a rule, in either mode", async () => {
    for (const mode of ["enforce", "approve"] as const) {
      const always = { sink: { takes: ["what"], approvalMode: "always_require" } } as const;
      const tools = { page: { gives: "bad words" }, ...always };
      const first = fetching("", { mode, tools, turns: [call("sink", { what: "x" }), "done"] });
      const [asked] = (await first.say("Sink x.")).approvalRequests;
      if (asked === undefined) throw new Error("Nobody was asked.");
      await first.say(approve(asked, { remember: { scope: "tool" } }));
      expect(first.ran).toHaveLength(1);
      const turns = [call("page"), call("sink", { what: ref("v1") }), "done"];
      const second = fetching("bad words", { mode, tools, turns, session: first.session });
      const { outcome } = await second.say("Sink it.");
      expect(second.ran.map((each) => each.tool)).toEqual(["page"]);
      expect(outcome).toBe(mode === "approve" ? "paused" : "completed");
    }
  });
});

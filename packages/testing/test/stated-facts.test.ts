import {
  Agent,
  AgentSession,
  approve,
  type JsonValue,
  stateFact,
  type ToolApprovalOptions,
  tool,
  toolApproval,
  verdictMiddleware,
} from "@tunic/core";
import { describe, expect, it } from "vitest";
import { ScriptedChatClient, type ScriptedTurn } from "../src/index.js";

const call = { name: "run", arguments: { file: "a" } };

/** An agent whose calls depend on what `world.fact` is. */
function setUp(
  turns: readonly ScriptedTurn[],
  {
    approval,
    mode = "always_require",
    ...more
  }: {
    readonly approval?: ToolApprovalOptions;
    readonly mode?: "always_require" | "never_require";
    readonly invocation?: ConstructorParameters<typeof Agent>[0]["invocation"];
  } = {},
) {
  const world: { fact: JsonValue | undefined; looked: number; ran: number } = {
    fact: "one",
    looked: 0,
    ran: 0,
  };
  const states = verdictMiddleware("states", async (context, next) => {
    stateFact(context, "file", () => {
      world.looked++;
      return world.fact;
    });
    return await next();
  });
  const agent = new Agent({
    client: new ScriptedChatClient(turns),
    tools: tool({
      name: "run",
      parameters: { type: "object", properties: { file: { type: "string" } } },
      approvalMode: mode,
      editable: true,
      execute: () => ++world.ran,
    }),
    middleware: [...(approval ? [toolApproval(approval)] : []), states],
    ...more,
  });
  return { agent, world };
}

function restarted(session: AgentSession): AgentSession {
  return AgentSession.fromJSON(JSON.parse(JSON.stringify(session)));
}

describe("a fact that a verdict handler has stated", () => {
  it("stands in the request, and a yes holds while it is the same", async () => {
    const { agent, world } = setUp([{ calls: [call] }, "done"]);
    const session = new AgentSession();
    const { approvalRequests } = await agent.run("Go.", { session });
    expect(approvalRequests[0]?.additionalProperties).toEqual({ file: "one" });
    const later = restarted(session);
    await agent.run(later.pending.map(approveIt), { session: later });
    expect(world.ran).toBe(1);
  });

  it.each([["two"], [undefined]])(
    "asks again where it is another one by then: %s",
    async (fact) => {
      const { agent, world } = setUp([{ calls: [call] }, "done"]);
      const session = new AgentSession();
      await agent.run("Go.", { session });
      world.fact = fact;
      const again = await agent.run(session.pending.map(approveIt), { session });
      expect([again.outcome, world.ran]).toEqual(["paused", 0]);
      expect(session.pending).toMatchObject([
        { reason: "what the call was about has changed since somebody agreed to it" },
      ]);
      expect(session.pending[0]?.additionalProperties).toEqual(fact && { file: fact });
      await agent.run(session.pending.map(approveIt), { session });
      expect(world.ran).toBe(1);
    },
  );

  it("asks again without a session, too", async () => {
    const { agent, world } = setUp([{ calls: [call] }, "done"], {
      invocation: { approvals: { approvalSecret: "0123456789abcdef0123456789abcdef" } },
    });
    const first = await agent.run("Go.");
    world.fact = "two";
    const history = JSON.parse(JSON.stringify(first.messages));
    const again = await agent.run([...history, ...first.approvalRequests.map(approveIt)]);
    expect([again.outcome, world.ran]).toEqual(["paused", 0]);
  });

  it("refuses arguments that a person has changed for what it was before", async () => {
    const { agent, world } = setUp([{ calls: [call] }, "done"]);
    const session = new AgentSession();
    await agent.run("Go.", { session });
    world.fact = "two";
    const answers = session.pending.map((each) => approve(each, { arguments: { file: "b" } }));
    const { outcome } = await agent.run(answers, { session });
    expect([outcome, world.ran]).toEqual(["completed", 0]);
  });

  it.each(["arguments", "tool"] as const)(
    "limits what is remembered to calls with the same: of the %s",
    async (scope) => {
      const turns = [
        { calls: [call] },
        "done",
        { calls: [call] },
        "done",
        { calls: [call] },
        "done",
      ];
      const { agent, world } = setUp(turns);
      const session = new AgentSession();
      await agent.run("Go.", { session });
      const remember = { scope };
      await agent.run(
        session.pending.map((each) => approve(each, { remember })),
        { session },
      );
      const second = restarted(session);
      expect((await agent.run("Again.", { session: second })).outcome).toBe("completed");
      expect(world.ran).toBe(2);
      world.fact = "two";
      const third = restarted(second);
      expect((await agent.run("Once more.", { session: third })).outcome).toBe("paused");
      expect(world.ran).toBe(2);
      expect(third.pending[0]?.additionalProperties).toEqual({ file: "two" });
    },
  );

  it.each([
    ["a rule", { rules: [{ tool: "run", verdict: "ask" }] }],
    ["a preset", { preset: "all" }],
  ] as const)("is told whoever asks: %s", async (_, approval) => {
    const { agent, world } = setUp([{ calls: [call] }, "done"], {
      approval,
      mode: "never_require",
    });
    const session = new AgentSession();
    await agent.run("Go.", { session });
    expect(session.pending[0]?.additionalProperties).toEqual({ file: "one" });
    await agent.run(session.pending.map(approveIt), { session });
    expect(world.ran).toBe(1);
  });

  it("is told where a call is asked about because another one is", async () => {
    const { agent, world } = setUp([{ calls: [call, { ...call, arguments: {} }] }, "done"], {
      approval: { rules: [{ tool: "run", arguments: {}, verdict: "ask" }] },
      mode: "never_require",
      invocation: { approvals: { mode: "ask-all" } },
    });
    const session = new AgentSession();
    await agent.run("Go.", { session });
    expect(session.pending.map((each) => each.additionalProperties)).toEqual([
      { file: "one" },
      { file: "one" },
    ]);
    await agent.run(session.pending.map(approveIt), { session });
    expect(world.ran).toBe(2);
  });

  it("is not looked up where nobody is asked", async () => {
    const { agent, world } = setUp([{ calls: [call] }, "done"], { mode: "never_require" });
    await agent.run("Go.", { session: new AgentSession() });
    expect([world.looked, world.ran]).toEqual([0, 1]);
  });
});

function approveIt(request: Parameters<typeof approve>[0]) {
  return approve(request);
}

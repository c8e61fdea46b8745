import {
  Agent,
  AgentSession,
  approve,
  checkHistory,
  deny,
  type FunctionApprovalRequestContent,
  type RunEvent,
  tool,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { approvalSecret, Conversation, expectRefused } from "./support/desk.js";
import { expectNoUnhandledRejections } from "./support/onions.js";
import { resultTexts } from "./support/outline.js";

expectNoUnhandledRejections();

type Request = FunctionApprovalRequestContent;

/** A chain of agents, each a tool of the next; the innermost wipes two disks. */
function chain(depth: number, options: { secret?: boolean } = {}) {
  const ran: string[] = [];
  const asked: string[] = [];
  const wipe = tool({
    name: "wipe",
    parameters: { type: "object", properties: { id: { type: "number" } } },
    approvalMode: "always_require",
    editable: true,
    execute({ id }, context) {
      ran.push(`${context.approval?.decidedBy ?? ""} ${id}`);
      return `wiped ${id}`;
    },
  });
  const wiping = {
    calls: [
      { name: "wipe", arguments: { id: 1 } },
      { name: "wipe", arguments: { id: 2 } },
    ],
  };
  const clients: ScriptedChatClient[] = [];
  let agent: Agent | undefined;
  for (let level = depth; level >= 0; level--) {
    const name = `level ${level}`;
    const inner = agent;
    const first = inner
      ? { calls: [{ name: inner.name ?? "", arguments: { task: `task of ${name}` } }] }
      : wiping;
    const client = new ScriptedChatClient(({ messages }) => {
      asked.push(`${name}: ${messages.length}`);
      return messages.some((message) => message.role === "tool") ? `${name} is done` : first;
    });
    clients.unshift(client);
    agent = new Agent({
      name,
      client,
      tools: inner ? inner.asTool() : wipe,
      invocation: { approvals: options.secret ? { approvalSecret } : {} },
    });
  }
  return { agent: agent as Agent, ran, asked };
}

describe.each([1, 2, 4])("a sub-agent, %i deep", (depth) => {
  it.each([
    { how: "in a session", kept: "session", secret: false },
    { how: "in a history", kept: "history", secret: false },
    { how: "in a signed history", kept: "history", secret: true },
  ] as const)("asks at the top, and goes on with the answers, $how", async ({ kept, secret }) => {
    const { agent, ran, asked } = chain(depth, { secret });
    const conversation = new Conversation(agent, kept);
    expect((await conversation.say("go")).outcome).toBe("paused");
    conversation.restart();
    const requests = conversation.pending;
    expect(requests.map((each) => each.call.arguments)).toEqual([{ id: 1 }, { id: 2 }]);
    const names = Array.from({ length: depth }, (_, level) => `level ${level + 1}`);
    for (const { path } of requests) expect(path?.map((step) => step.name)).toEqual(names);
    const started = [...asked];

    const [one, two] = requests as [Request, Request];
    // One answer is recorded; the child is not woken for it.
    const partly = await conversation.say(deny(one));
    expect(partly.outcome).toBe("paused");
    expect(partly.approvalRequests.map((each) => each.requestId)).toEqual([two.requestId]);
    expect([ran, asked]).toEqual([[], started]);
    const yes = { ...approve(two, { arguments: { id: 3 } }), decidedBy: "mara" };
    const last = await conversation.say(yes);
    expect(last.text).toBe("level 0 is done");
    expect(ran).toEqual(["mara 3"]);
    expect(resultTexts(last.messages)).toEqual(["level 1 is done"]);
    // Each agent was asked twice: at its start, and with its result. None was started anew.
    expect(asked).toHaveLength(2 * (depth + 1));
    expect(asked.filter((each) => each.endsWith(": 1"))).toHaveLength(depth + 1);
    expect(checkHistory(conversation.log)).toEqual([]);
    expect(conversation.pending).toEqual([]);
    // The answer is used up.
    await expectRefused(conversation.say(yes), "request_closed", ran.slice(1));
  });
});

it("two sub-agents of one batch ask together, each gets its own answer, and siblings keep their results", async () => {
  const { agent: inner, ran } = chain(0);
  const agent = new Agent({
    client: new ScriptedChatClient(({ messages }) =>
      messages.some((message) => message.role === "tool")
        ? "done"
        : {
            calls: [
              { name: "level 0", arguments: { task: "one" }, id: "a" },
              { name: "read", id: "b" },
              { name: "level 0", arguments: { task: "two" }, id: "c" },
            ],
          },
    ),
    tools: [inner.asTool(), tool({ name: "read", execute: () => ran.push("read") })],
  });
  const session = new AgentSession();
  await agent.run("go", { session });
  expect(ran).toEqual(["read"]);
  const pending = session.pending;
  expect(pending.map((each) => each.path?.map((step) => step.callId))).toEqual([
    ["a"],
    ["a"],
    ["c"],
    ["c"],
  ]);
  const answers = pending.map((each, at) => (at % 2 ? deny(each) : approve(each)));
  const { messages, text } = await agent.run(answers.toReversed(), { session });
  expect(text).toBe("done");
  expect(ran).toEqual(["read", " 1", " 1"]);
  expect(resultTexts(messages)).toEqual(["level 0 is done", "level 0 is done"]);
  expect(checkHistory(session.messages)).toEqual([]);
});

it("a sub-agent whose questions expire is over: a late answer is refused, and new text closes its call", async () => {
  const { agent: inner, ran } = chain(1);
  let now = 0;
  const environment = {
    now: () => now,
    setTimer: () => () => {},
    randomId: () => crypto.randomUUID(),
  };
  const call = { calls: [{ name: "level 0", arguments: { task: "t" } }] };
  const outer = new Agent({
    environment,
    client: new ScriptedChatClient([call, "done"]),
    tools: inner.asTool(),
    invocation: { approvals: { expiresInMs: 1000 } },
  });
  const session = new AgentSession();
  await outer.run("go", { session });
  const answers = session.pending.map((each) => approve(each));
  now = 1000;
  await expectRefused(outer.run(answers, { session }), "request_expired", ran);
  const { text } = await outer.run("never mind", { session });
  expect(text).toBe("done");
  expect(resultTexts(session.messages)[0]).toMatch(/not finished: .* stays done/);
  expect(session.pending).toEqual([]);
});

it("the calls of a sub-agent count once, and a pause and its end are told as such", async () => {
  const { agent } = chain(1);
  const session = new AgentSession();
  const events: RunEvent[] = [];
  const options = { session, onEvent: (event: RunEvent) => events.push(event) };
  await agent.run("go", { ...options, invocation: { maxFunctionCalls: 3 } });
  await agent.run(
    session.pending.map((each) => approve(each)),
    { ...options, invocation: { maxFunctionCalls: 3 } },
  );
  const outcomes = events.flatMap((event) =>
    event.type === "call.end" && event.toolName === "level 1" ? [event.outcome] : [],
  );
  expect(outcomes).toEqual(["paused", "completed"]);
  expect(resultTexts(session.messages)).toEqual(["level 1 is done"]);
});

it("new text closes a sub-agent that has begun, and says that what it did stays done", async () => {
  const { agent } = chain(1);
  for (const kept of ["session", "history"] as const) {
    const conversation = new Conversation(agent, kept);
    await conversation.say("go");
    const late = conversation.pending.map((each) => approve(each));
    await conversation.say("what time is it?");
    expect(conversation.pending).toEqual([]);
    expect(resultTexts(conversation.log)[0]).toMatch(/not finished: .* stays done/);
    await expectRefused(conversation.say(...late), "request_closed", []);
  }
});

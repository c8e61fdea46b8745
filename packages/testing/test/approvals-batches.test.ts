import {
  Agent,
  AgentSession,
  approve,
  deny,
  type FunctionApprovalRequestContent,
  tool,
} from "@tunic/core";
import { manualEnvironment, ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import {
  agentOf,
  approvalSecret,
  Conversation,
  calls,
  desk,
  expectRefused,
  paused,
} from "./support/desk.js";
import { expectNoUnhandledRejections } from "./support/onions.js";
import { resultTexts } from "./support/outline.js";
import { rejection } from "./support/play.js";

expectNoUnhandledRejections();

describe("a batch is one unit", () => {
  it("partial answers are recorded, and the open rest comes back without asking the model", async () => {
    const { ran, tools } = desk();
    const turn = calls(["wipe", 1], ["read", 2], ["wipe", 3]);
    const { history, requests } = await paused(tools, turn);
    const [one, two] = requests as [FunctionApprovalRequestContent, FunctionApprovalRequestContent];
    const { agent, client } = agentOf(tools, ["done"], { approvalSecret });
    const first = await agent.run([...history, approve(two)]);
    expect(first.outcome).toBe("paused");
    expect(first.approvalRequests).toEqual([one]);
    expect(first.openCalls).toEqual([]);
    expect([ran, client.requests]).toEqual([[], []]);
    const second = await agent.run([...history, ...first.newMessages, approve(one)]);
    expect(second.outcome).toBe("completed");
    expect(ran).toEqual(["wipe 1", "read 2", "wipe 3"]);
  });

  it("one rejection drops neither the approved sibling nor the free one", async () => {
    const { ran, tools } = desk();
    const turn = calls(["wipe", 1], ["read", 2], ["wipe", 3]);
    const { history, requests } = await paused(tools, turn);
    const [one, two] = requests as [FunctionApprovalRequestContent, FunctionApprovalRequestContent];
    const { agent } = agentOf(tools, ["done"], { approvalSecret });
    const { messages } = await agent.run([
      ...history,
      deny(one, { reason: "keep it" }),
      approve(two),
    ]);
    expect(ran).toEqual(["read 2", "wipe 3"]);
    expect(resultTexts(messages)).toEqual([
      "Error: not run: a person has denied this call. Do not repeat it. Their reason: keep it",
      "1",
      "wiped 3",
    ]);
  });

  it("superseded by new text: nothing runs, the call is not lost, and can be approved later", async () => {
    const { ran, tools } = desk();
    const session = new AgentSession();
    const { agent, client } = agentOf(tools, [calls(["wipe", 1]), "noon", "wiped it"]);
    await agent.run("go", { session });
    const between = await agent.run("what time is it?", { session });
    expect(between.text).toBe("noon");
    expect(ran).toEqual([]);
    expect(client.requests[1]?.messages.map((message) => message.role)).toEqual(["user", "user"]);
    expect(session.pending).toHaveLength(1);
    const late = await agent.run(approve(session.pending[0] as FunctionApprovalRequestContent), {
      session,
    });
    expect(late.text).toBe("wiped it");
    expect(ran).toEqual(["wipe 1"]);
  });

  it("in mode 'run' new text closes what waits, and a late answer is an error", async () => {
    const { ran, tools } = desk();
    const session = new AgentSession();
    const turns = [calls(["read", 1], ["wipe", 1]), "noon"];
    const { agent } = agentOf(tools, turns, { mode: "run" });
    const first = await agent.run("go", { session });
    expect(ran.splice(0)).toEqual(["read 1"]);
    const [request] = first.approvalRequests;
    const { newMessages } = await agent.run("what time is it?", { session });
    expect(resultTexts(newMessages)).toEqual(["Error: not answered, not run."]);
    const answer = approve(request as FunctionApprovalRequestContent);
    await expectRefused(agent.run(answer, { session }), "request_closed", ran);
  });

  it("in mode 'ask-all' every call of the batch asks, and of a batch that need not ask none does", async () => {
    const { ran, tools } = desk();
    const approvals = { mode: "ask-all", approvalSecret } as const;
    const { requests } = await paused(tools, calls(["read", 1], ["wipe", 1]), approvals);
    expect(requests.map((request) => request.call.name)).toEqual(["read", "wipe"]);
    const { agent } = agentOf(tools, [calls(["read", 1]), "done"], approvals);
    expect((await agent.run("go")).outcome).toBe("completed");
    expect(ran).toEqual(["read 1"]);
  });
});

describe("between question and answer", () => {
  it("a predicate that is lost or says otherwise by then changes nothing: the decision counts", async () => {
    const asking = desk({ asks: () => true });
    const { history, request } = await paused(asking.tools, calls(["wipe", 1]));
    const { ran, tools } = desk({ asks: () => false });
    const { agent } = agentOf(tools, ["done"], { approvalSecret });
    await agent.run([...history, deny(request)]);
    expect(ran).toEqual([]);
    const again = await paused(asking.tools, calls(["wipe", 1]));
    await agentOf(tools, ["done"], { approvalSecret }).agent.run([
      ...again.history,
      approve(again.request),
    ]);
    expect(ran).toEqual(["wipe 1"]);
  });

  it("a predicate that asks about a sibling by then asks, and nothing of the batch runs", async () => {
    const before = desk({ asks: (id) => id > 1 });
    const { history, request } = await paused(before.tools, calls(["wipe", 1], ["wipe", 2]));
    const { ran, tools } = desk({ asks: () => true });
    const { agent } = agentOf(tools, ["done"], { approvalSecret });
    const response = await agent.run([...history, approve(request)]);
    expect(response.outcome).toBe("paused");
    expect(response.approvalRequests.map((each) => each.call.callId)).toEqual(["c1"]);
    expect(ran).toEqual([]);
    const [asked] = response.approvalRequests;
    await agent.run([
      ...history,
      ...response.newMessages,
      approve(asked as FunctionApprovalRequestContent),
    ]);
    expect(ran).toEqual(["wipe 1", "wipe 2"]);
  });

  it("a tool that has changed, or is gone, does not run on an old approval", async () => {
    const { history, request } = await paused(desk().tools, calls(["wipe", 1]));
    const changed = desk({ description: "Wipes all disks." });
    const { messages } = await agentOf(changed.tools, ["done"], { approvalSecret }).agent.run([
      ...history,
      approve(request),
    ]);
    expect(resultTexts(messages)[0]).toMatch(/has changed since the call was approved/);
    const again = await paused(desk().tools, calls(["wipe", 1]));
    const gone = await agentOf(changed.tools.slice(0, 1), ["done"], { approvalSecret }).agent.run([
      ...again.history,
      approve(again.request),
    ]);
    expect(resultTexts(gone.messages)[0]).toMatch(/"wipe" not found/);
    expect(changed.ran).toEqual([]);
  });

  it("a tool that was not there when it was called does not run because it is there by now", async () => {
    const { ran, tools } = desk();
    const [read, wipe] = tools;
    const { history, request } = await paused([wipe], calls(["read", 1], ["wipe", 1]));
    const { agent } = agentOf([read, wipe], ["done"], { approvalSecret });
    const { messages } = await agent.run([...history, approve(request)]);
    expect(ran).toEqual(["wipe 1"]);
    expect(resultTexts(messages)[0]).toMatch(/could not run when it was called/);
  });
});

describe("new text beside what waits", () => {
  it("in mode 'run' a call that was approved already runs, and the model sees the whole batch", async () => {
    const { ran, tools } = desk();
    const turns = [calls(["wipe", 1], ["read", 2], ["wipe", 3]), "all right"];
    const conversation = new Conversation(agentOf(tools, turns, { mode: "run" }).agent, "session");
    await conversation.say("go");
    await conversation.say(approve(conversation.pending[0] as FunctionApprovalRequestContent));
    const { outcome, text } = await conversation.say("and now?");
    expect([outcome, text, ran]).toEqual(["completed", "all right", ["read 2", "wipe 1"]]);
    expect(resultTexts(conversation.log)).toEqual([
      "1",
      "Error: not answered, not run.",
      "wiped 1",
    ]);
    expect(conversation.pending).toEqual([]);
  });

  it("closes what has expired, and tells the model", async () => {
    for (const kept of ["session", "history"] as const) {
      const { ran, tools } = desk();
      const environment = manualEnvironment();
      const client = new ScriptedChatClient([calls(["wipe", 1], ["read", 2]), "noted"]);
      const approvals = { expiresInMs: 1000 };
      const agent = new Agent({ client, tools, environment, invocation: { approvals } });
      const conversation = new Conversation(agent, kept);
      await conversation.say("go");
      const late = approve(conversation.pending[0] as FunctionApprovalRequestContent);
      await environment.advance(1000);
      await expectRefused(conversation.say(late), "request_expired", ran);
      await expectRefused(conversation.say(late, "hurry"), "request_expired", ran);
      expect((await conversation.say("anything new?")).text).toBe("noted");
      expect([ran, conversation.pending]).toEqual([[], []]);
      for (const text of resultTexts(conversation.log)) expect(text).toMatch(/in time/);
      await expectRefused(conversation.say(late), "request_closed", ran);
    }
  });

  it("nothing new is no question to the model: what waits comes back", async () => {
    for (const kept of ["session", "history"] as const) {
      const { tools } = desk();
      const { agent, client } = agentOf(tools, [calls(["wipe", 1])]);
      const conversation = new Conversation(agent, kept);
      const { approvalRequests } = await conversation.say("go");
      const again = await conversation.say();
      expect([again.outcome, again.approvalRequests]).toEqual(["paused", approvalRequests]);
      expect(client.requests).toHaveLength(1);
      const request = approvalRequests[0] as FunctionApprovalRequestContent;
      expect(await rejection(conversation.say(request))).toMatchObject({ code: "invalid_input" });
    }
  });
});

it("a request shows what the tool would get, and which calls run with it; both are signed", async () => {
  const fill = tool({
    name: "fill",
    parameters: {
      type: "object",
      properties: { n: { type: "number" }, cc: { type: "string", default: "boss@x.test" } },
      required: ["n"],
    },
    approvalMode: "always_require",
    execute: () => "filled",
  });
  const { tools } = desk();
  const turn = {
    calls: [
      { name: "fill", arguments: { n: "5" }, id: "c1" },
      { name: "read", arguments: { id: 1 }, id: "c2" },
    ],
  };
  const { history, request } = await paused([fill, ...tools], turn);
  expect(request.effective).toEqual({ n: 5, cc: "boss@x.test" });
  expect(request.beside?.map((call) => call.callId)).toEqual(["c2"]);
  const { agent } = agentOf([fill, ...tools], [], { approvalSecret });
  for (const hidden of ["effective", "beside"] as const) {
    const text = JSON.stringify(history, (key, value) => (key === hidden ? undefined : value));
    const run = agent.run([...(JSON.parse(text) as typeof history), approve(request)]);
    await expectRefused(run, "not_genuine", []);
  }
});

import {
  Agent,
  AgentSession,
  approve,
  checkHistory,
  deny,
  endRun,
  type FunctionApprovalRequestContent,
  foldUpdates,
  functionMiddleware,
  type Message,
  tool,
  type Update,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { agentOf, approvalSecret, Conversation, calls, desk, paused } from "./support/desk.js";
import { expectNoUnhandledRejections } from "./support/onions.js";
import { outline, resultTexts } from "./support/outline.js";
import { deepFreeze } from "./support/play.js";

expectNoUnhandledRejections();

type Request = FunctionApprovalRequestContent;

describe("checklist 11.4: requests and answers", () => {
  it("requests stand in the assistant's message beside the call, streamed and not", async () => {
    for (const onUpdate of [undefined, () => {}]) {
      const { tools } = desk();
      const { agent } = agentOf(tools, [{ text: "I will.", ...(calls(["wipe", 1]) as object) }]);
      const { messages } = await agent.run("go", { onUpdate });
      expect(outline(messages)).toEqual([
        'assistant: I will. | wipe({"id":1}) | <function_approval_request>',
      ]);
    }
  });

  it("approve and reject together: each call has its own result under its own id", async () => {
    const { ran, tools } = desk();
    const { history, requests } = await paused(tools, calls(["wipe", 1], ["wipe", 2]));
    const [one, two] = requests as [Request, Request];
    const { agent, client } = agentOf(tools, ["done"], { approvalSecret });
    await agent.run([...history, approve(two), deny(one)]);
    expect(ran).toEqual(["wipe 2"]);
    expect(client.requests[0]?.messages[2]?.contents).toMatchObject([
      { callId: "c1", error: { code: "approval_denied" } },
      { callId: "c2", contents: [{ text: "wiped 2" }] },
    ]);
  });

  it("an approved call that throws, or whose arguments do not fit, has the usual error result", async () => {
    const parameters = { type: "object", properties: { id: { type: "number" } } } as const;
    const failing = tool({
      name: "wipe",
      parameters,
      approvalMode: "always_require",
      execute() {
        throw new Error("secret path /x");
      },
    });
    for (const includeDetailedErrors of [false, true]) {
      const { history, request } = await paused([failing], calls(["wipe", 1]));
      const { agent } = agentOf([failing], ["done"], { approvalSecret });
      const { messages } = await agent.run([...history, approve(request)], {
        invocation: { includeDetailedErrors },
      });
      expect(resultTexts(messages)[0]?.includes("secret path")).toBe(includeDetailedErrors);
    }
  });

  it("reused call ids in a later round are other calls, with requests of their own", async () => {
    const { ran, tools } = desk();
    const turns = [calls(["wipe", 1]), calls(["wipe", 2]), "done"];
    const { agent } = agentOf(tools, turns);
    const conversation = new Conversation(agent, "history");
    await conversation.say("go");
    await conversation.say(approve(conversation.pending[0] as Request));
    const [second] = conversation.pending;
    expect(second?.call.arguments).toEqual({ id: 2 });
    await conversation.say(approve(second as Request));
    expect(ran).toEqual(["wipe 1", "wipe 2"]);
    expect(checkHistory(conversation.log)).toEqual([]);
  });

  it("reasoning stands with the group of its call when it is replayed", async () => {
    const { tools } = desk();
    const turn = { reasoning: "hm", ...(calls(["wipe", 1]) as object) };
    const { history, request } = await paused(tools, turn);
    const { agent, client } = agentOf(tools, ["done"], { approvalSecret });
    await agent.run([...history, approve(request)]);
    const types = client.requests[0]?.messages[1]?.contents.map((content) => content.type);
    expect(types).toEqual(["text_reasoning", "function_call"]);
  });

  it("nothing that the caller handed over is changed", async () => {
    const { tools } = desk();
    const { history, request } = await paused(tools, calls(["read", 1], ["wipe", 2]));
    const input = deepFreeze([...history, approve(request)]);
    const before = JSON.stringify(input);
    await agentOf(tools, ["done"], { approvalSecret }).agent.run(input);
    expect(JSON.stringify(input)).toBe(before);
  });

  it("a resume streams each result once, before the model's text", async () => {
    const { tools } = desk();
    const { history, request } = await paused(tools, calls(["read", 1], ["wipe", 2]));
    const updates: Update[] = [];
    const { agent } = agentOf(tools, ["done"], { approvalSecret });
    const response = await agent.run([...history, approve(request)], {
      onUpdate: (update) => updates.push(update),
    });
    const told = updates.flatMap((update) =>
      update.type === "delta" ? update.contents.map((content) => content.type) : [],
    );
    expect(told).toEqual(["function_result", "function_result", "text"]);
    expect(foldUpdates(updates).messages).toEqual(response.messages);
  });
});

describe("checklist 11.4: ends and budgets", () => {
  it("a resume honours a tool that ends the run, and a handler that does", async () => {
    const ending = tool({
      name: "wipe",
      parameters: { type: "object", properties: { id: { type: "number" } } },
      approvalMode: "always_require",
      execute: () => endRun("over"),
    });
    const { history, request } = await paused([ending], calls(["wipe", 1]));
    const { agent, client } = agentOf([ending], [], { approvalSecret });
    const response = await agent.run([...history, approve(request)]);
    expect([response.outcome, response.endedBy]).toEqual(["ended", "wipe"]);
    expect(client.requests).toEqual([]);
    const { tools } = desk();
    const again = await paused(tools, calls(["wipe", 1]));
    const stop = functionMiddleware("stop", async (_context, next) => endRun(await next()));
    const ended = await agentOf(tools, [], { approvalSecret }).agent.run(
      [...again.history, approve(again.request)],
      { middleware: [stop] },
    );
    expect([ended.outcome, ended.endedBy]).toEqual(["ended", "stop"]);
  });

  it.each(["session", "history"] as const)(
    "a resume goes on with the counters of the run that paused, in a %s",
    async (kept) => {
      const { ran, tools } = desk();
      const turns = [calls(["read", 1]), calls(["wipe", 2]), calls(["read", 3]), "closing"];
      const client = new ScriptedChatClient(turns);
      const agent = new Agent({ client, tools, invocation: { maxFunctionCalls: 2 } });
      const conversation = new Conversation(agent, kept);
      await conversation.say("go");
      conversation.restart();
      const { outcome, limit } = await conversation.say(
        approve(conversation.pending[0] as Request),
      );
      expect([outcome, limit]).toEqual(["limit", "maxFunctionCalls"]);
      expect(ran).toEqual(["read 1", "wipe 2"]);
    },
  );

  it("what was approved runs although the rounds are used up, and then the run closes", async () => {
    const { ran, tools } = desk();
    const { agent } = agentOf(tools, [calls(["wipe", 1]), "closing"]);
    const session = new AgentSession();
    await agent.run("go", { session, invocation: { maxIterations: 1 } });
    const answer = approve(session.pending[0] as Request);
    const response = await agent.run(answer, { session, invocation: { maxIterations: 1 } });
    expect([response.outcome, response.limit, response.text]).toEqual([
      "limit",
      "maxIterations",
      "closing",
    ]);
    expect(ran).toEqual(["wipe 1"]);
  });

  it("an approval that has failed often enough ends with a closing call", async () => {
    const failing = tool({
      name: "wipe",
      parameters: { type: "object", properties: { id: { type: "number" } } },
      approvalMode: "always_require",
      execute() {
        throw new Error("no disk");
      },
    });
    const { history, request } = await paused([failing], calls(["wipe", 1]));
    const { agent } = agentOf([failing], ["closing"], { approvalSecret });
    const { outcome, limit } = await agent.run([...history, approve(request)], {
      invocation: { maxConsecutiveErrors: 1 },
    });
    expect([outcome, limit]).toEqual(["limit", "maxConsecutiveErrors"]);
  });
});

describe("checklist 11.4: what waits", () => {
  it("survives an unrelated turn, and is not run by it nor by another batch", async () => {
    for (const kept of ["session", "history"] as const) {
      const { ran, tools } = desk();
      const turns = [calls(["read", 1], ["wipe", 1]), calls(["wipe", 2]), "done", "done"];
      const conversation = new Conversation(agentOf(tools, turns).agent, kept);
      await conversation.say("go");
      await conversation.say("and another one");
      expect(ran).toEqual([]);
      const [first, second] = conversation.pending as [Request, Request];
      conversation.restart();
      await conversation.say(approve(second));
      expect(ran).toEqual(["wipe 2"]);
      await conversation.say(approve(first));
      expect(ran).toEqual(["wipe 2", "read 1", "wipe 1"]);
      expect(checkHistory(conversation.log)).toEqual([]);
    }
  });

  it("several batches can be answered in one go", async () => {
    const { ran, tools } = desk();
    const turns = [calls(["wipe", 1]), calls(["wipe", 2]), "done"];
    const conversation = new Conversation(agentOf(tools, turns).agent, "session");
    await conversation.say("go");
    await conversation.say("and another one");
    const { text } = await conversation.say(...conversation.pending.map((each) => approve(each)));
    expect([text, ran]).toEqual(["done", ["wipe 1", "wipe 2"]]);
  });

  it("declaration-only siblings wait with their batch, and go to the caller after it", async () => {
    const { ran, tools } = desk();
    const ask = tool({ name: "ask_user" });
    const turn = {
      calls: [
        { name: "ask_user", id: "u" },
        { name: "wipe", arguments: { id: 1 }, id: "c" },
      ],
    };
    const conversation = new Conversation(
      agentOf([...tools, ask], [turn, "done"]).agent,
      "session",
    );
    const first = await conversation.say("go");
    expect(first.openCalls).toEqual([]);
    const second = await conversation.say(approve(conversation.pending[0] as Request));
    expect([second.outcome, second.openCalls.map((call) => call.callId), ran]).toEqual([
      "paused",
      ["u"],
      ["wipe 1"],
    ]);
    const result = {
      type: "function_result",
      callId: "u",
      contents: [{ type: "text", text: "yes" }],
    } as const;
    expect((await conversation.say(result)).text).toBe("done");
    const log: readonly Message[] = conversation.log;
    expect(checkHistory(log)).toEqual([]);
  });
});

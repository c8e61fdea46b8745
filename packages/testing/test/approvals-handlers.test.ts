import {
  Agent,
  AgentSession,
  agentMiddleware,
  approve,
  checkHistory,
  type FunctionApprovalRequestContent,
  FunctionInvocationLayer,
  functionMiddleware,
  type Message,
  modelView,
  pending,
  verdictMiddleware,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { expectValid } from "./support/approval-logs.js";
import { agentOf, approvalSecret, Conversation, calls, desk, paused } from "./support/desk.js";
import { expectNoUnhandledRejections } from "./support/onions.js";
import { resultTexts } from "./support/outline.js";
import { rejection } from "./support/play.js";

expectNoUnhandledRejections();

type Request = FunctionApprovalRequestContent;

describe("agent handlers around a resume", () => {
  it.each(["session", "history"] as const)(
    "one that runs the inside twice runs what was approved once, in a %s",
    async (kept) => {
      const { ran, tools } = desk();
      const turns = [calls(["read", 1], ["wipe", 2]), "first try", "second try"];
      const { agent, client } = agentOf(tools, turns);
      const conversation = new Conversation(agent, kept);
      await conversation.say("go");
      const twice = agentMiddleware("twice", async (_context, next) => {
        await next();
        return next();
      });
      const response = await conversation.say(
        { middleware: [twice] },
        approve(conversation.pending[0] as Request),
      );
      expect(response.text).toBe("second try");
      expect(ran).toEqual(["read 1", "wipe 2"]);
      expect(resultTexts(response.messages)).toEqual(["1", "wiped 2"]);
      expect(checkHistory(conversation.log)).toEqual([]);
      expect(conversation.pending).toEqual([]);
      for (const { messages } of client.requests) expectValid(messages);
    },
  );

  it("one that gives up the inside and tries again runs no call again that had begun", async () => {
    const { ran, tools } = desk();
    const { agent } = agentOf(tools, [calls(["wipe", 1]), "done"]);
    const session = new AgentSession();
    await agent.run("go", { session });
    let attempts = 0;
    const controller = new AbortController();
    const slow = functionMiddleware("slow", async (_context, next) => {
      const result = await next();
      if (attempts === 1) {
        controller.abort(new Error("too slow"));
        await new Promise(() => {});
      }
      return result;
    });
    const retry = agentMiddleware("retry", async (_context, next) => {
      attempts++;
      try {
        return await next({ signal: controller.signal });
      } catch {
        attempts++;
        return next();
      }
    });
    const answer = approve(session.pending[0] as Request);
    const { text } = await agent.run(answer, { session, middleware: [retry, slow] });
    expect(text).toBe("done");
    expect(ran).toEqual(["wipe 1"]);
    expect(resultTexts(session.messages)).toEqual(["Error: interrupted: may or may not have run."]);
    expect(checkHistory(session.messages)).toEqual([]);
  });

  it("one that returns something else: the session keeps that the call has run, and it cannot be approved again", async () => {
    const { ran, tools } = desk();
    const { agent } = agentOf(tools, [calls(["wipe", 1]), "secret", "done"]);
    const session = new AgentSession();
    await agent.run("go", { session });
    const guard = agentMiddleware("guard", async (context, next) => {
      await next();
      return context.respond("withheld by a guard");
    });
    const answer = approve(session.pending[0] as Request);
    await agent.run(answer, { session, middleware: [guard] });
    expect(ran).toEqual(["wipe 1"]);
    expect(session.pending).toEqual([]);
    expect(resultTexts(session.messages)).toEqual([
      "Error: The call has been seen to; what came of it was withheld.",
    ]);
    expect(checkHistory(session.messages)).toEqual([]);
    expectValid(modelView(session.messages));
    expect(JSON.stringify(session)).not.toMatch(/secret|wiped/);
    expect(await rejection(agent.run(answer, { session }))).toMatchObject({
      code: "request_closed",
    });
    expect((await agent.run("go on", { session })).text).toBe("done");
  });

  it("one that answers before the loop leaves what waits as it was", async () => {
    const { ran, tools } = desk();
    const { agent } = agentOf(tools, [calls(["wipe", 1]), "done"]);
    const session = new AgentSession();
    await agent.run("go", { session });
    const before = session.pending;
    const closed = agentMiddleware("closed", async (context) => context.respond("come back later"));
    const answer = approve(before[0] as Request);
    await agent.run(answer, { session, middleware: [closed] });
    expect(session.pending).toEqual(before);
    await agent.run(answer, { session });
    expect(ran).toEqual(["wipe 1"]);
  });

  it("one that withholds the requests: nobody is asked, and nothing can be approved", async () => {
    const { ran, tools } = desk();
    const { agent } = agentOf(tools, [calls(["wipe", 1]), "done"]);
    const session = new AgentSession();
    let asked: readonly Request[] = [];
    const guard = agentMiddleware("guard", async (context, next) => {
      asked = (await next()).approvalRequests;
      return context.respond("no");
    });
    await agent.run("go", { session, middleware: [guard] });
    expect(session.pending).toEqual([]);
    const error = await rejection(agent.run(approve(asked[0] as Request), { session }));
    expect(error).toMatchObject({ code: "unknown_request" });
    expect(ran).toEqual([]);
  });

  it("one that trims what goes in: answers count as long as their requests are there", async () => {
    const { ran, tools } = desk();
    const { history, request } = await paused(tools, calls(["wipe", 1]));
    const trim = agentMiddleware("trim", (context, next) => {
      context.messages = context.messages.slice(1);
      return next();
    });
    const { agent } = agentOf(tools, ["done"], { approvalSecret });
    await agent.run([...history, approve(request)], { middleware: [trim] });
    expect(ran).toEqual(["wipe 1"]);
  });
});

describe("other handlers around a resume", () => {
  it("arguments that a function handler changes after the approval are not what was approved", async () => {
    const { ran, tools } = desk();
    const { history, request } = await paused(tools, calls(["wipe", 1]));
    const change = functionMiddleware("change", (context, next) => {
      context.arguments = { id: 2 };
      return next();
    });
    const { agent } = agentOf(tools, ["done"], { approvalSecret });
    const { messages } = await agent.run([...history, approve(request)], { middleware: [change] });
    expect(ran).toEqual([]);
    expect(resultTexts(messages)[0]).toMatch(/a person would have to be asked/);
  });

  it("a violation is asked about although the tool was approved, and covered once it was shown", async () => {
    const { ran, tools } = desk();
    const { history, request } = await paused(tools, calls(["wipe", 1]));
    const policy = verdictMiddleware("policy", async (_context, next) => {
      const verdict = await next();
      return verdict.kind === "deny" ? verdict : { kind: "ask", violation: "no wiping on Mondays" };
    });
    const { agent } = agentOf(tools, ["done"], { approvalSecret });
    const options = { middleware: [policy] };
    const first = await agent.run([...history, approve(request)], options);
    expect(ran).toEqual([]);
    const [again] = first.approvalRequests as [Request];
    expect(again.violation).toBe("no wiping on Mondays");
    const log: readonly Message[] = [...history, ...first.newMessages];
    expect(pending(log)).toEqual([again]);
    await agent.run([...log, approve(again)], options);
    expect(ran).toEqual(["wipe 1"]);
  });

  it("a handler that asks by itself, and never looks inside, asks once", async () => {
    const { ran, tools } = desk();
    const careful = verdictMiddleware("careful", async () => ({ kind: "ask", reason: "always" }));
    const { agent } = agentOf(tools, [calls(["read", 1]), "done"]);
    const session = new AgentSession();
    const options = { session, middleware: [careful] };
    await agent.run("go", options);
    const { outcome } = await agent.run(approve(session.pending[0] as Request), options);
    expect([outcome, ran]).toEqual(["completed", ["read 1"]]);
  });

  it("one that says what a call stands for shows it, signed, and what runs is the call as it was", async () => {
    const { ran, tools } = desk();
    const effective = { id: 2, name: "the archive" };
    const additionalProperties = { rule: "large", origin: "mail" };
    const knows = verdictMiddleware("knows", async (context, next) =>
      context.call.name === "wipe" && !context.decision
        ? { kind: "ask", effective, additionalProperties }
        : next(),
    );
    const client = new ScriptedChatClient([calls(["wipe", 2]), "done"]);
    const invocation = { approvals: { approvalSecret } };
    const agent = new Agent({ client, tools, middleware: [knows], invocation });
    const { newMessages } = await agent.run("go");
    const [request] = pending(newMessages);
    expect(request).toMatchObject({ effective, additionalProperties });
    const answered = (change: (key: string, value: unknown) => unknown) =>
      agent.run([
        ...(JSON.parse(JSON.stringify(newMessages, change)) as Message[]),
        approve(request as Request),
      ]);
    for (const shown of ["effective", "additionalProperties"]) {
      const other = answered((key, value) => (key === shown ? { id: 9 } : value));
      expect(await rejection(other)).toMatchObject({ code: "not_genuine" });
    }
    expect(ran).toEqual([]);
    expect((await answered((_, value) => value)).text).toBe("done");
    expect(ran).toEqual(["wipe 2"]);
  });

  it("a loop without an agent settles answers just the same", async () => {
    const { ran, tools } = desk();
    const { history, request } = await paused(tools, calls(["read", 1], ["wipe", 2]));
    const client = new ScriptedChatClient(["done"]);
    const loop = new FunctionInvocationLayer(client, { approvals: { approvalSecret } });
    const answer = { id: "a", role: "user", contents: [approve(request)], createdAt: 1 } as const;
    const request2 = { messages: [...history, answer], options: { tools } };
    const response = await loop.getResponse(request2);
    expect(response.outcome).toBe("completed");
    expect(ran).toEqual(["read 1", "wipe 2"]);
    expect(await rejection(loop.getResponse(request2))).toMatchObject({ code: "already_used" });
  });
});

import {
  Agent,
  AgentSession,
  agentMiddleware,
  approve,
  checkHistory,
  deny,
  type FunctionApprovalRequestContent,
  functionMiddleware,
  tool,
  verdictMiddleware,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { agentOf, approvalSecret, Conversation, calls, desk, paused } from "./support/desk.js";
import { expectNoUnhandledRejections } from "./support/onions.js";
import { resultTexts } from "./support/outline.js";

expectNoUnhandledRejections();

type Request = FunctionApprovalRequestContent;

describe("handlers around what was approved", () => {
  it("a function handler that tries again starts no sub-agent twice, and resumes none twice", async () => {
    const { ran, tools } = desk();
    const childTurns = [calls(["wipe", 1]), { error: new Error("503") }, "unreached"];
    const childClient = new ScriptedChatClient(childTurns);
    const child = new Agent({ name: "child", client: childClient, tools });
    const delegate = { calls: [{ name: "child", arguments: { task: "t" }, id: "d" }] };
    const again = functionMiddleware("again", async (_context, next) => {
      const first = await next().catch(() => undefined);
      return first === undefined || first.isError ? next() : first;
    });
    const parent = new Agent({
      client: new ScriptedChatClient([delegate, "done"]),
      tools: child.asTool(),
      middleware: [again],
    });
    const session = new AgentSession();
    await parent.run("go", { session });
    expect(childClient.requests).toHaveLength(1);
    await parent.run(approve(session.pending[0] as Request), { session });
    expect(ran).toEqual(["wipe 1"]);
    expect(resultTexts(session.messages)[0]).toMatch(/not run again/);
  });

  it("a bound around the inside keeps partial answers and the budget", async () => {
    const { ran, tools } = desk();
    const bound = agentMiddleware("bound", (_context, next) =>
      next({ signal: AbortSignal.timeout(60_000) }),
    );
    const turns = [calls(["wipe", 1], ["wipe", 2]), calls(["read", 3]), "closing"];
    const client = new ScriptedChatClient(turns);
    const invocation = { maxFunctionCalls: 2 };
    const agent = new Agent({ client, tools, middleware: [bound], invocation });
    const conversation = new Conversation(agent, "session");
    await conversation.say("go");
    const [one, two] = conversation.pending as [Request, Request];
    await conversation.say(approve(one));
    expect(conversation.pending).toEqual([two]);
    const { outcome } = await conversation.say(approve(two));
    expect([outcome, ran]).toEqual(["limit", ["wipe 1", "wipe 2"]]);
  });

  it("arguments that come back as they were are neither an edit nor a change", async () => {
    const { ran, tools } = desk();
    const { history, request } = await paused(tools, calls(["wipe", 1]));
    const copy = functionMiddleware("copy", (context, next) => {
      context.arguments = { ...context.arguments };
      return next();
    });
    const { agent } = agentOf(tools, ["done"], { approvalSecret });
    const answer = approve(request, { arguments: { id: 1 } });
    const { messages } = await agent.run([...history, answer], { middleware: [copy] });
    expect(ran).toEqual(["wipe 1"]);
    expect(resultTexts(messages)).toEqual(["wiped 1"]);
  });

  it("two batches that are answered at once are judged one after the other", async () => {
    let sum = 0;
    const pay = tool({
      name: "wipe",
      parameters: { type: "object", properties: { id: { type: "number" } }, required: ["id"] },
      approvalMode: "always_require",
      execute: ({ id }) => {
        sum += id;
        return "paid";
      },
    });
    const cap = verdictMiddleware("cap", async (context, next) =>
      sum + Number(context.arguments["id"]) > 100 ? { kind: "deny", message: "too much" } : next(),
    );
    const turns = [calls(["wipe", 60]), calls(["wipe", 70]), "done"];
    const agent = new Agent({
      client: new ScriptedChatClient(turns),
      tools: pay,
      middleware: [cap],
    });
    const conversation = new Conversation(agent, "session");
    await conversation.say("go");
    await conversation.say("and the other one");
    await conversation.say(...conversation.pending.map((each) => approve(each)));
    expect(sum).toBe(60);
    expect(resultTexts(conversation.log)).toEqual(["paid", "Error: too much"]);
  });

  it("a denial beside a call that is asked about anew stays a denial", async () => {
    for (const how of ["session", "history"] as const) {
      const { ran, tools } = desk();
      let strict = false;
      const policy = verdictMiddleware("policy", async (context, next) => {
        const verdict = await next();
        return strict && context.arguments["id"] === 1
          ? { kind: "ask", violation: "late" }
          : verdict;
      });
      const client = new ScriptedChatClient([calls(["wipe", 1], ["wipe", 2]), "done"]);
      const agent = new Agent({ client, tools, middleware: [policy] });
      const conversation = new Conversation(agent, how);
      await conversation.say("go");
      const [one, two] = conversation.pending as [Request, Request];
      strict = true;
      await conversation.say(approve(one), deny(two));
      expect(conversation.pending.map((each) => each.violation)).toEqual(["late"]);
      await conversation.say(...conversation.pending.map((each) => approve(each)));
      expect(ran).toEqual(["wipe 1"]);
      expect(resultTexts(conversation.log)).toEqual([
        "wiped 1",
        "Error: not run: a person has denied this call. Do not repeat it.",
      ]);
      expect(checkHistory(conversation.log)).toEqual([]);
    }
  });
});

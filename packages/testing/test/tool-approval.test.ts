import {
  Agent,
  AgentSession,
  approve,
  deny,
  type FunctionApprovalRequestContent,
  functionMiddleware,
  type Middleware,
  type ToolApprovalOptions,
  type ToolApprovalRule,
  tool,
  toolApproval,
  type VerdictContext,
  verdictMiddleware,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it, vi } from "vitest";
import { expectNoUnhandledRejections } from "./support/onions.js";
import { resultTexts } from "./support/outline.js";
import { inBothManners, rejection } from "./support/play.js";

expectNoUnhandledRejections();

/** A tool that moves money and keeps the books. */
function bank(traits: { readonly readOnly?: boolean; readonly destructive?: boolean } = {}) {
  const paid: number[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays an amount.",
    parameters: {
      type: "object",
      properties: { amount: { type: "number" } },
      required: ["amount"],
    },
    ...traits,
    execute: ({ amount }) => {
      paid.push(amount);
      return `paid ${amount}`;
    },
  });
  return { pay, paid };
}
const paying = (...amounts: readonly unknown[]) => ({
  calls: amounts.map((amount, at) => ({
    name: "pay",
    arguments: { amount: amount as number },
    id: `c${at}`,
  })),
});

/** A rule about the tool "pay". */
function rule(kind: ToolApprovalRule["verdict"], more: Partial<ToolApprovalRule> = {}) {
  return { tool: "pay", verdict: kind, ...more };
}
const asked = (requests: readonly FunctionApprovalRequestContent[]) =>
  requests.map(({ call, reason }) => [call.callId, reason]);

inBothManners((play) => {
  const playWith = (
    options: ToolApprovalOptions,
    amounts: readonly unknown[],
    { pay }: ReturnType<typeof bank>,
    around: readonly Middleware[] = [],
  ) =>
    play({
      turns: [paying(...amounts), "done"],
      agent: { tools: pay, middleware: [...around, toolApproval(options)] },
    });

  it("asks under the usual preset, and lets a tool run that says it destroys nothing", async () => {
    const silent = bank();
    const { response } = await playWith({}, [5], silent);
    expect(response.outcome).toBe("paused");
    expect(asked(response.approvalRequests)).toEqual([
      ["c0", "the tool does not say what it may do"],
    ]);
    expect(silent.paid).toEqual([]);
    const careful = bank({ destructive: false });
    expect((await playWith({}, [5], careful)).response.outcome).toBe("completed");
    expect(careful.paid).toEqual([5]);
  });

  it("holds rules against the arguments as validated", async () => {
    const rules = [
      rule("run", { arguments: { amount: 5 } }),
      rule("deny", { matching: { amount: 7 } }),
    ];
    const money = bank();
    const { response } = await playWith({ rules }, ["5", "7"], money);
    expect(resultTexts(response.messages)).toEqual([
      "paid 5",
      "Error: not run: this is not allowed.",
    ]);
    expect(money.paid).toEqual([5]);
  });

  it("holds the whole batch where one of its calls is asked about", async () => {
    const money = bank({ destructive: false });
    const rules = [rule("ask", { arguments: { amount: 500 }, reason: "large" })];
    const { response } = await playWith({ rules }, [5, 500], money);
    expect(asked(response.approvalRequests)).toEqual([["c1", "large"]]);
    expect(money.paid).toEqual([]);
  });

  it("waits for a callback that takes its time, and does what it says", async () => {
    const money = bank();
    const decide = async ({ arguments: { amount } }: VerdictContext) => {
      await Promise.resolve();
      return amount === 5 ? "run" : { kind: "deny" as const, message: `not ${String(amount)}` };
    };
    const { response } = await playWith({ decide }, [5, 6], money);
    expect(resultTexts(response.messages)).toEqual(["paid 5", "Error: not 6"]);
  });

  it.each<[string, NonNullable<ToolApprovalOptions["decide"]>]>([
    [
      "throws",
      () => {
        throw new Error("no idea");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no idea"))],
  ])(
    "a callback that %s fails the run, and nothing of the batch has run",
    async (_what, decide) => {
      const money = bank({ readOnly: true });
      const error = await rejection(playWith({ decide, preset: "full" }, [5, 6], money));
      expect(error).toMatchObject({
        code: "handler_failed",
        middleware: "tool-approval",
        cause: { message: "no idea" },
      });
      expect(money.paid).toEqual([]);
    },
  );

  it.each<[unknown]>([
    ["allow"],
    [""],
    [true],
    [1],
    [{}],
    [{ kind: "deny" }],
    [{ kind: "ask", reason: 1 }],
  ])("a callback that gives %j has decided nothing: the run fails", async (decided) => {
    const money = bank({ readOnly: true });
    const decide = () => decided as "run";
    const error = await rejection(playWith({ decide, preset: "full" }, [5], money));
    expect(error).toMatchObject({ code: "wrong_result", middleware: "tool-approval" });
    expect(money.paid).toEqual([]);
  });

  it("leaves a violation to a person, whatever rules, callback and preset would say", async () => {
    const limit = verdictMiddleware("limit", async () => ({ kind: "ask", violation: "limit" }));
    const decide = vi.fn(() => "run" as const);
    const money = bank({ readOnly: true });
    const { response } = await play({
      turns: [paying(5)],
      agent: {
        tools: money.pay,
        middleware: [toolApproval({ preset: "full", rules: [rule("run")], decide }), limit],
      },
    });
    expect(response.approvalRequests).toMatchObject([{ violation: "limit" }]);
    expect(money.paid).toEqual([]);
    expect(decide).not.toHaveBeenCalled();
  });

  it("leaves the last word to handlers further out", async () => {
    const money = bank();
    const strict = verdictMiddleware("strict", async (_context, next) => {
      const inner = await next();
      return inner.kind === "run" ? { kind: "deny", message: "not at night" } : inner;
    });
    const { response } = await playWith({ rules: [rule("run")] }, [5], money, [strict]);
    expect(resultTexts(response.messages)).toEqual(["Error: not at night"]);
    expect(money.paid).toEqual([]);
  });

  it("judges arguments that a function handler has changed", async () => {
    const money = bank();
    const rules = [rule("run", { arguments: { amount: 5 } })];
    const changing = functionMiddleware("changing", (context, next) => {
      context.arguments = { amount: 500 };
      return next();
    });
    const { response } = await play({
      turns: [paying(5), "done"],
      agent: {
        tools: money.pay,
        middleware: [toolApproval({ rules, decide: () => "deny" }), changing],
      },
    });
    expect(resultTexts(response.messages)).toEqual(["Error: not run: this is not allowed."]);
    expect(money.paid).toEqual([]);
  });

  it("is replaced by a run's own of the same name", async () => {
    const money = bank();
    const { response } = await play({
      turns: [paying(5), "done"],
      agent: { tools: money.pay, middleware: [toolApproval({ preset: "all" })] },
      run: { middleware: [toolApproval({ preset: "full" })] },
    });
    expect(response.outcome).toBe("completed");
    expect(money.paid).toEqual([5]);
  });
});

describe("after a person has decided", () => {
  /** An agent that asks by callback, in a session that waits for the answer about one payment. */
  async function waiting() {
    const { pay, paid } = bank();
    const decide = vi.fn((_context: VerdictContext) => "ask" as const);
    const client = new ScriptedChatClient([paying(5), "done", paying(5), "done again"]);
    const agent = new Agent({ client, tools: pay, middleware: [toolApproval({ decide })] });
    const session = new AgentSession();
    const { approvalRequests } = await agent.run("go", { session });
    const [request] = approvalRequests;
    if (request === undefined) throw new Error("nobody was asked");
    return { agent, session, request, decide, paid };
  }

  it("the callback is not asked again about an approved call", async () => {
    const { agent, session, request, decide, paid } = await waiting();
    expect((await agent.run(approve(request), { session })).outcome).toBe("completed");
    expect(paid).toEqual([5]);
    expect(decide).toHaveBeenCalledTimes(1);
  });

  it("nor about a denied one", async () => {
    const { agent, session, request, decide, paid } = await waiting();
    const { messages } = await agent.run(deny(request, { reason: "too much" }), { session });
    expect(resultTexts(messages)[0]).toContain("too much");
    expect(paid).toEqual([]);
    expect(decide).toHaveBeenCalledTimes(1);
  });

  it("a remembered approval answers the callback's question", async () => {
    const { agent, session, request, paid } = await waiting();
    await agent.run(approve(request, { remember: true }), { session });
    expect((await agent.run("again", { session })).outcome).toBe("completed");
    expect(paid).toEqual([5, 5]);
  });

  it("a remembered denial is not overruled by a rule, nor by a preset", async () => {
    const { agent, session, request, paid } = await waiting();
    await agent.run(deny(request, { remember: true }), { session });
    const lenient = toolApproval({ preset: "full", rules: [rule("run")] });
    const { messages } = await agent.run("again", { session, middleware: [lenient] });
    expect(resultTexts(messages)[0]).toContain("a person has denied such calls");
    expect(paid).toEqual([]);
  });

  it("a denial by rule is not overruled by a remembered approval", async () => {
    const { agent, session, request, paid } = await waiting();
    await agent.run(approve(request, { remember: { scope: "tool" } }), { session });
    const strict = toolApproval({ rules: [rule("deny", { reason: "closed." })] });
    const { messages } = await agent.run("again", { session, middleware: [strict] });
    expect(resultTexts(messages)).toEqual(["Error: not run: closed."]);
    expect(paid).toEqual([5]);
  });
});

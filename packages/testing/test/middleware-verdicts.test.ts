import {
  Agent,
  type AgentOptions,
  endRun,
  functionMiddleware,
  type RunEvent,
  tool,
  type Verdict,
  verdictMiddleware,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectNoUnhandledRejections } from "./support/onions.js";
import { outline, resultTexts } from "./support/outline.js";
import { inBothManners, rejection } from "./support/play.js";
import { lamp, lampIn } from "./support/tools.js";

expectNoUnhandledRejections();

const run: Verdict = { kind: "run" };

/** A tool that moves money and keeps the books. */
function bank() {
  const paid: number[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays an amount.",
    parameters: {
      type: "object",
      properties: { amount: { type: "number", maximum: 1000 } },
      required: ["amount"],
      additionalProperties: false,
    },
    execute: ({ amount }, context) => {
      if (context.arguments["amount"] !== amount) throw new Error("the context says otherwise");
      paid.push(amount);
      return `paid ${amount}`;
    },
  });
  return { pay, paid };
}

/** Asks about large amounts and denies the round ones. */
const policy = verdictMiddleware("policy", async (context, next) => {
  const amount = Number(context.arguments["amount"]);
  if (amount > 100) return { kind: "ask", reason: "large", summary: `Pay ${amount}?` };
  if (amount % 10 === 0) return { kind: "deny", message: `${amount} is too round` };
  return next();
});

const paying = (...amounts: readonly unknown[]) => ({
  calls: amounts.map((amount, at) => ({
    name: "pay",
    arguments: { amount: amount as number },
    id: `c${at}`,
  })),
});

inBothManners((play) => {
  it("deny is answered, is no failure, and the rest runs", async () => {
    const { pay, paid } = bank();
    const { response, events } = await play({
      turns: [paying(10, 7), paying(20), paying(30), paying(40), "done"],
      agent: { tools: pay, middleware: [policy], invocation: { maxConsecutiveErrors: 1 } },
    });
    expect(response.outcome).toBe("completed");
    expect(paid).toEqual([7]);
    expect(resultTexts(response.messages).slice(0, 2)).toEqual([
      "Error: 10 is too round",
      "paid 7",
    ]);
    const ends = events.flatMap((event) => (event.type === "call.end" ? [event.outcome] : []));
    expect(ends).toEqual(["refused", "completed", "refused", "refused", "refused"]);
  });

  it("ask pauses the run with a request, and nothing of the batch runs", async () => {
    const { pay, paid } = bank();
    const { response, requests } = await play({
      turns: [{ text: "paying", ...paying(7, 500, 10) }],
      agent: { tools: pay, middleware: [policy] },
    });
    expect(response.outcome).toBe("paused");
    expect(paid).toEqual([]);
    expect(requests).toHaveLength(1);
    expect(response.approvalRequests).toMatchObject([
      { call: { callId: "c1" }, reason: "large", summary: "Pay 500?" },
    ]);
    expect(outline(response.messages)).toEqual([
      'assistant: paying | pay({"amount":7}) | pay({"amount":500}) | pay({"amount":10}) | <function_approval_request>',
    ]);
  });

  it("the outermost handler has the last word", async () => {
    const { pay, paid } = bank();
    const lenient = verdictMiddleware("lenient", async (_context, next) => {
      await next();
      return run;
    });
    const { response } = await play({
      turns: [paying(10, 500), "done"],
      agent: { tools: pay, middleware: [lenient, policy] },
    });
    expect(response.outcome).toBe("completed");
    expect(paid).toEqual([10, 500]);
  });

  it("only valid calls of the batch are judged, with what the batch holds", async () => {
    const { pay } = bank();
    const seen: unknown[] = [];
    const watch = verdictMiddleware("watch", (context, next) => {
      seen.push([context.tool.name, context.arguments, context.batch.length, context.call.callId]);
      return next();
    });
    await play({
      turns: [{ calls: [...paying("12", 5000).calls, { name: "nobody", id: "c9" }] }, "done"],
      agent: { tools: pay, middleware: [watch] },
    });
    expect(seen).toEqual([["pay", { amount: 12 }, 3, "c0"]]);
  });

  describe("arguments that a function handler changes", () => {
    const changing = (amount: unknown) =>
      functionMiddleware("changing", (context, next) => {
        context.arguments = { amount: amount as number };
        return next();
      });

    it.each([
      ["run", 7, "paid 7"],
      ["deny", 10, "Error: 10 is too round"],
      [
        "ask",
        500,
        "Error: not run: with the arguments as they were changed, a person would have to be asked (large).",
      ],
    ])("are judged again: %s", async (_kind, amount, result) => {
      const { pay, paid } = bank();
      const { response } = await play({
        turns: [paying(1), "done"],
        agent: { tools: pay, middleware: [policy, changing(amount)] },
      });
      expect(resultTexts(response.messages)).toEqual([result]);
      expect(paid).toEqual(amount === 7 ? [7] : []);
      expect(response.outcome).toBe("completed");
    });

    it("are validated before that, and what the tool gets is what was judged", async () => {
      const { pay, paid } = bank();
      const seen: unknown[] = [];
      const watch = verdictMiddleware("watch", (context, next) => {
        seen.push(context.arguments["amount"]);
        return next();
      });
      for (const [amount, text] of [
        ["8", "paid 8"],
        ["nine", "Error: "],
        [5000, "Error: "],
      ] as const) {
        const { response } = await play({
          turns: [paying(1), "done"],
          agent: { tools: pay, middleware: [watch, changing(amount)] },
        });
        expect(resultTexts(response.messages)[0]).toContain(text);
      }
      expect(paid).toEqual([8]);
      expect(seen).toEqual([1, 8, 1, 1]);
    });

    it("a verdict that throws about them lets nothing through and fails the run", async () => {
      const { pay, paid } = bank();
      const moody = verdictMiddleware("moody", (context, next) => {
        if (context.arguments["amount"] === 7) throw new Error("no idea");
        return next();
      });
      const error = await rejection(
        play({
          turns: [paying(1), "done"],
          agent: { tools: pay, middleware: [moody, changing(7)] },
        }),
      );
      expect(error).toMatchObject({ code: "handler_failed", middleware: "moody" });
      expect(paid).toEqual([]);
    });

    it("an unchanged call is judged once", async () => {
      const { pay } = bank();
      let judged = 0;
      const count = verdictMiddleware("count", (_context, next) => {
        judged++;
        return next();
      });
      const idle = functionMiddleware("idle", (_context, next) => next());
      await play({ turns: [paying(1), "done"], agent: { tools: pay, middleware: [count, idle] } });
      expect(judged).toBe(1);
    });
  });

  it("a verdict may end the run: it is the call's, and the batch is the last one", async () => {
    const { pay, paid } = bank();
    const last = verdictMiddleware("last", async (context, next) =>
      context.arguments["amount"] === 10 ? endRun(run) : next(),
    );
    const { response, requests } = await play({
      turns: [paying(10, 7), "never asked"],
      agent: { tools: pay, middleware: [last] },
    });
    expect([response.outcome, response.endedBy]).toEqual(["ended", "last"]);
    expect(paid.sort()).toEqual([10, 7].sort());
    expect(requests).toHaveLength(1);
  });
});

inBothManners((play) => {
  it.each(["returned", "thrown"])(
    "an end that an inner handler has %s is a verdict to those further out, who have the last word",
    async (how) => {
      const { pay, paid } = bank();
      const seen: Verdict[] = [];
      const outer = verdictMiddleware("outer", async (_context, next) => {
        seen.push(await next());
        return { kind: "deny", message: "no" };
      });
      const inner = verdictMiddleware("inner", async () => {
        if (how === "thrown") throw endRun(run);
        return endRun(run);
      });
      const { response } = await play({
        turns: [paying(10), "never asked"],
        agent: { tools: pay, middleware: [outer, inner] },
      });
      expect(seen).toEqual([run]);
      expect(paid).toEqual([]);
      expect([response.outcome, response.endedBy]).toEqual(["ended", "inner"]);
    },
  );

  it.each<[string, unknown]>([
    ["a denial without a message", { kind: "deny" }],
    ["a denial with something else for a message", { kind: "deny", message: { text: "no" } }],
    ["a question with something else for a reason", { kind: "ask", reason: { text: "why" } }],
    ["another word", { kind: "allow" }],
  ])("%s is no verdict", async (_what, verdict) => {
    const { pay, paid } = bank();
    const wrong = verdictMiddleware("wrong", async () => verdict as Verdict);
    const played = play({ turns: [paying(10)], agent: { tools: pay, middleware: [wrong] } });
    expect(await rejection(played)).toMatchObject({
      code: "wrong_result",
      message: expect.stringContaining('it must return a verdict: { kind: "run" }'),
    });
    expect(paid).toEqual([]);
  });
});

it.each<object>([
  { effective: "x" },
  { effective: null },
  { effective: [] },
  { additionalProperties: "x" },
  { additionalProperties: [] },
])(
  "ask takes objects as arguments and facts: %j is a mistake that names the handler",
  async (wrong) => {
    const asks: Verdict = { kind: "ask" };
    const odd = verdictMiddleware("odd", async () => ({ ...asks, ...wrong }));
    const client = new ScriptedChatClient([{ calls: [lampIn("hall")] }]);
    const agent = new Agent({ client, tools: lamp, middleware: [odd] });
    expect(await rejection(agent.run("go"))).toMatchObject({
      code: "wrong_result",
      middleware: "odd",
    });
  },
);

describe("the order of the calls of a batch", () => {
  it("changes no verdict", async () => {
    const amounts = fc.array(fc.constantFrom<unknown>(7, 10, 500, 5000, "x", 13), {
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(
        amounts.chain((list) =>
          fc.tuple(
            fc.constant(list),
            fc.shuffledSubarray([...list.keys()], { minLength: list.length }),
          ),
        ),
        async ([list, order]) => {
          const straight = await judged(list);
          const mixed = await judged(order.map((at) => list[at]));
          expect(order.map((at) => straight.verdicts[at])).toEqual(mixed.verdicts);
          expect(mixed.outcome).toBe(straight.outcome);
          expect([...mixed.paid].sort()).toEqual([...straight.paid].sort());
        },
      ),
      { numRuns: 150 },
    );
  });

  async function judged(amounts: readonly unknown[]) {
    const { pay, paid } = bank();
    const events: RunEvent[] = [];
    const options: AgentOptions = {
      client: new ScriptedChatClient([paying(...amounts), "done"]),
      tools: pay,
      middleware: [policy],
    };
    const response = await new Agent(options).run("go", { onEvent: (event) => events.push(event) });
    const asked = new Set(response.approvalRequests.map((request) => request.call.callId));
    const texts = new Map(
      response.messages
        .flatMap((message) => message.contents)
        .flatMap((content) =>
          content.type === "function_result"
            ? [
                [
                  content.callId,
                  outline([{ id: "", role: "tool", contents: [content], createdAt: 0 }]),
                ],
              ]
            : [],
        ) as [string, unknown][],
    );
    const verdicts = amounts.map((_, at) =>
      asked.has(`c${at}`) ? "asked" : (texts.get(`c${at}`) ?? "held"),
    );
    return { verdicts, outcome: response.outcome, paid };
  }
});

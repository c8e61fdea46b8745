import {
  Agent,
  AgentSession,
  agentMiddleware,
  ChatClientError,
  chatMiddleware,
  checkHistory,
  createStateKey,
  functionMiddleware,
  type Middleware,
  type RunEvent,
  type TunicError,
  textOf,
  tool,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { expectNoUnhandledRejections } from "./support/onions.js";
import { outline, resultTexts } from "./support/outline.js";
import { inBothManners, rejection } from "./support/play.js";

expectNoUnhandledRejections();

/** Calls next() until it works. */
const retryModel: Middleware = chatMiddleware("retry", async (_context, next) => {
  for (;;) {
    try {
      return await next();
    } catch (error) {
      if (!(error instanceof ChatClientError && error.retryable)) throw error;
    }
  }
});

const retryCall = functionMiddleware("retry", async (_context, next) => {
  for (let attempt = 1; ; attempt++) {
    const result = await next();
    if (!result.isError || attempt === 3) return result;
  }
});

const cut = (text: string) => ({
  text,
  error: new ChatClientError("server_error", "cut", { retryable: true }),
  errorAfter: 1,
});

function counting() {
  const ran: string[] = [];
  const work = tool({
    name: "work",
    description: "Fails the first two times that it is flaky.",
    parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    execute: ({ name }) => {
      ran.push(name);
      if (name === "flaky" && ran.filter((each) => each === "flaky").length < 3) {
        throw new Error("not yet");
      }
      return `${name} done`;
    },
  });
  return { ran, work };
}

const call = (name: string) => ({ name: "work", arguments: { name } });

inBothManners((play) => {
  it("a retry in the chat onion asks the model again and re-runs no tool", async () => {
    const { ran, work } = counting();
    const { response, requests } = await play({
      turns: [
        { calls: [call("a"), call("b")] },
        cut("I have do"),
        cut("I have"),
        { text: "more", calls: [call("c")] },
        cut("all"),
        "all done",
      ],
      agent: { tools: work, middleware: [retryModel] },
    });
    expect(ran).toEqual(["a", "b", "c"]);
    expect(outline(response.messages)).toEqual([
      'assistant: work({"name":"a"}) | work({"name":"b"})',
      "tool: a done | b done",
      'assistant: more | work({"name":"c"})',
      "tool: c done",
      "assistant: all done",
    ]);
    expect(requests).toHaveLength(6);
    // Each attempt saw the same.
    expect(requests[2]?.messages).toEqual(requests[1]?.messages);
    expect(requests[3]?.messages).toEqual(requests[1]?.messages);
  });

  it("a retry in the function onion re-runs its own call only; attempts are counted, the call once", async () => {
    const { ran, work } = counting();
    const { response, events } = await play({
      turns: [{ calls: [call("a"), call("flaky"), call("b"), call("c")] }, "done"],
      agent: {
        tools: work,
        middleware: [retryCall],
        invocation: { maxFunctionCalls: 3 },
      },
    });
    expect(ran.sort()).toEqual(["a", "b", "flaky", "flaky", "flaky"]);
    expect(resultTexts(response.messages)).toEqual([
      "a done",
      "flaky done",
      "b done",
      "Error: not run: limit reached (maxFunctionCalls).",
    ]);
    const ends = events.flatMap((event: RunEvent) =>
      event.type === "call.end" ? [`${event.outcome} ${event.attempts}`] : [],
    );
    expect(ends.sort()).toEqual(["completed 1", "completed 1", "completed 3", "refused 0"]);
  });

  it("retries do not eat the budgets of a whole run, nor does giving up count as several failures", async () => {
    const { ran, work } = counting();
    const { response } = await play({
      turns: [{ calls: [call("flaky")] }, "done"],
      agent: {
        tools: work,
        middleware: [retryCall],
        invocation: { maxFunctionCalls: 1, maxConsecutiveErrors: 1, maxIterations: 2 },
      },
    });
    expect(ran).toHaveLength(3);
    expect(resultTexts(response.messages)).toEqual(["flaky done"]);
  });
});

describe("a retry in the agent onion", () => {
  it("leaves a valid log of all its passes, bounded or not, though the service repeats its ids", async () => {
    for (const bounds of [{}, { signal: new AbortController().signal }]) {
      const { work } = counting();
      const asks = { calls: [{ ...call("a"), id: "c1" }] };
      const down = { error: new ChatClientError("server_error", "down") };
      const agent = new Agent({
        client: new ScriptedChatClient([asks, down, asks, down]),
        tools: work,
        middleware: [
          agentMiddleware("retry", async (_context, next) => {
            await next(bounds).catch(() => {});
            return next(bounds);
          }),
        ],
      });
      const session = new AgentSession();
      const error = await rejection(agent.run("go", { session }));
      const { transcript = [] } = error as TunicError;
      expect(resultTexts(transcript)).toEqual(["a done", "a done"]);
      expect(checkHistory([...transcript])).toEqual([]);
      expect(checkHistory(session.messages)).toEqual([]);
    }
  });
});

describe("2,000 concurrent runs on one agent", () => {
  it("keep what handlers remember apart, in the run and in the session", async () => {
    const key = createStateKey("seen", () => [] as string[]);
    const remember: Middleware = {
      name: "remember",
      agent: async (context, next) => {
        const mine = context.messages.map(textOf).join("");
        context.run.state.get(key).push(`agent ${mine}`);
        if (context.session)
          context.session.state["runs"] = Number(context.session.state["runs"] ?? 0) + 1;
        await turn();
        const response = await next();
        await turn();
        return response.with({ model: context.run.state.get(key).join(", ") });
      },
      chat: async (context, next) => {
        await turn();
        context.run.state
          .get(key)
          .push(`chat ${context.messages.slice(-1).map(textOf).join("") || "result"}`);
        return next();
      },
      verdict: async (context, next) => {
        context.run.state.get(key).push(`verdict ${context.arguments["name"]}`);
        await turn();
        return next();
      },
      function: async (context, next) => {
        await turn();
        context.run.state.get(key).push(`function ${context.arguments["name"]}`);
        return next();
      },
    };
    const { work } = counting();
    const agent = new Agent({
      client: new ScriptedChatClient(({ messages }) => {
        const name = textOf(messages.findLast(({ role }) => role === "user") as never);
        const answered = messages.at(-1)?.role === "tool";
        return answered ? { text: `${name} is done` } : { calls: [call(name)] };
      }),
      tools: work,
      middleware: [remember],
    });
    const sessions = Array.from({ length: 1000 }, () => new AgentSession());
    const runs = Array.from({ length: 2000 }, async (_, at) => {
      const session = sessions[at];
      const name = `n${at}`;
      const response = await agent.run(name, {
        ...(session && { session }),
        ...(at % 2 && { onUpdate: () => turn() }),
      });
      expect(response.text).toBe(`${name} is done`);
      expect(response.model).toBe(
        [
          `agent ${name}`,
          `chat ${name}`,
          `verdict ${name}`,
          `function ${name}`,
          "chat result",
        ].join(", "),
      );
    });
    await Promise.all(runs);
    for (const session of sessions) expect(session.state).toEqual({ runs: 1 });
  }, 60_000);
});

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

import {
  Agent,
  AgentSession,
  checkHistory,
  type FunctionInvocationContext,
  FunctionInvocationLayer,
  functionMiddleware,
  type Middleware,
  MiddlewareError,
  type RunEvent,
  sortMiddleware,
  tool,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { everyOnion, expectNoUnhandledRejections, kinds, middlewareOf } from "./support/onions.js";
import { outline, resultsIn } from "./support/outline.js";
import { deferred, rejection, settled } from "./support/play.js";
import { lampIn } from "./support/tools.js";

expectNoUnhandledRejections();

const secret = "db://u:pw@h down";
const crash = () => {
  throw new Error(secret);
};

/** An agent with a lamp that says which rooms it has lit. */
function scene(
  middleware: readonly Middleware[],
  turns = [{ calls: [lampIn("hall", "c1")] }, "done"],
) {
  const lit: string[] = [];
  const light = tool({
    name: "lamp",
    description: "Switches the lamp of a room.",
    parameters: { type: "object", properties: { room: { type: "string" } }, required: ["room"] },
    execute: ({ room }) => {
      lit.push(room);
      return `${room} lit`;
    },
  });
  const client = new ScriptedChatClient(turns, { chunkSize: 3 });
  return { agent: new Agent({ client, tools: light, middleware }), client, lit };
}

describe.each(everyOnion)(
  "a guard that throws in the $kind onion, $manner",
  ({ kind, options }) => {
    it.each([
      ["before the inside", crash],
      ["later, before the inside", async () => settled().then(crash)],
    ])("%s: nothing behind it happens, and the run fails by its name", async (_when, guard) => {
      const { agent, lit, client } = scene([middlewareOf(kind, "guard", guard)]);
      const error = await rejection(agent.run("go", options));
      expect(error).toBeInstanceOf(MiddlewareError);
      expect(error).toMatchObject({ code: "handler_failed", middleware: "guard" });
      expect(lit).toEqual([]);
      expect(client.requests.length).toBe(kind === "agent" || kind === "chat" ? 0 : 1);
      expect(checkHistory([...((error as MiddlewareError).transcript ?? [])])).toEqual([]);
    });

    it("after the inside: the run fails all the same, and what was done stays in the transcript", async () => {
      const guard = middlewareOf(kind, "guard", async (_context, next) => {
        await next();
        return crash();
      });
      const { agent } = scene([guard]);
      const session = new AgentSession();
      const error = await rejection(agent.run("go", { ...options, session }));
      expect(error).toMatchObject({ code: "handler_failed", middleware: "guard" });
      const { transcript = [] } = error as MiddlewareError;
      expect(checkHistory([...transcript])).toEqual([]);
      const expected = {
        agent: ['assistant: lamp({"room":"hall"})', "tool: hall lit", "assistant: done"],
        chat: [],
        verdict: [
          'assistant: lamp({"room":"hall"})',
          "tool: !not run: the run was interrupted before.",
        ],
        function: [
          'assistant: lamp({"room":"hall"})',
          "tool: !interrupted: may or may not have run.",
        ],
      }[kind];
      expect(outline(transcript).map((line) => line.replace("!Error: ", "!"))).toEqual(expected);
      expect(outline(session.messages).slice(1)).toHaveLength(expected.length);
    });

    it("under handlers that catch nothing, the model never reads what it threw", async () => {
      const { agent, client } = scene([middlewareOf(kind, "guard", crash)]);
      await rejection(agent.run("go", options));
      expect(JSON.stringify(client.requests)).not.toContain("pw@h");
    });
  },
);

describe.each(["whole", "streamed"])("a guard that crashes in a batch, %s", (manner) => {
  const options = manner === "streamed" ? { onUpdate: () => {} } : {};

  it("siblings that have finished keep their results, the crashed call says interrupted, later ones never start", async () => {
    const first = deferred();
    const started: string[] = [];
    const work = tool({
      name: "work",
      description: "Works.",
      parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      execute: ({ n }) => {
        started.push(`work ${n}`);
        if (n === 1) first.resolve();
        return n === 3 ? new Promise(() => {}) : `worked ${n}`;
      },
    });
    const guard = functionMiddleware("guard", async (context, next) => {
      if (context.arguments["n"] !== 2) return next();
      await first.promise;
      await settled();
      throw new Error(secret);
    });
    const calls = [1, 2, 3, 4].map((n) => ({ name: "work", arguments: { n }, id: `c${n}` }));
    const agent = new Agent({
      client: new ScriptedChatClient([{ calls }]),
      tools: work,
      middleware: [guard],
      invocation: { maxConcurrency: 3 },
    });
    const events: RunEvent[] = [];
    const error = (await rejection(
      agent.run("go", { ...options, onEvent: (event) => events.push(event) }),
    )) as MiddlewareError;
    expect(error).toMatchObject({ code: "handler_failed", middleware: "guard" });
    const { transcript = [] } = error;
    expect(checkHistory([...transcript])).toEqual([]);
    const results = resultsIn(transcript).map((result) => [
      result.callId,
      result.error?.code ?? "completed",
    ]);
    expect(results).toEqual([
      ["c1", "completed"],
      ["c2", "interrupted"],
      ["c3", "interrupted"],
      // There was room for it as soon as the first was done.
      ["c4", "completed"],
    ]);
    expect(started).toEqual(["work 1", "work 3", "work 4"]);
    const ends = events.flatMap((event) =>
      event.type === "call.end" ? [`${event.callId} ${event.outcome}`] : [],
    );
    expect(ends.sort()).toEqual([
      "c1 completed",
      "c2 interrupted",
      "c3 interrupted",
      "c4 completed",
    ]);
    expect(events.at(-1)).toMatchObject({ type: "run.end", outcome: "failed", error });
  });

  it("no further call starts after the crash", async () => {
    const started: string[] = [];
    const work = tool({
      name: "work",
      description: "Works.",
      execute: (_args, context) => started.push(context.call.callId),
    });
    const guard = functionMiddleware("guard", async (context, next) => {
      if (context.call.callId === "c1") throw new Error(secret);
      await settled();
      return next();
    });
    const calls = ["c1", "c2", "c3"].map((id) => ({ name: "work", id }));
    const agent = new Agent({
      client: new ScriptedChatClient([{ calls }]),
      tools: work,
      middleware: [guard],
      invocation: { maxConcurrency: 2 },
    });
    const error = (await rejection(agent.run("go", options))) as MiddlewareError;
    await settled();
    await settled();
    expect(started).toEqual([]);
    expect(resultsIn(error.transcript ?? []).map((result) => result.error?.code)).toEqual([
      "interrupted",
      "interrupted",
      "not_run",
    ]);
  });

  it("in a sub-agent: decided otherwise than to end the outer run, the child fails and its call is an error result without the text", async () => {
    const { agent: child, lit } = scene([middlewareOf("function", "guard", crash)]);
    const client = new ScriptedChatClient([
      { calls: [{ name: "child", arguments: { task: "light" } }] },
      "the child has failed",
    ]);
    const parent = new Agent({ client, tools: child.asTool({ name: "child" }) });
    const events: RunEvent[] = [];
    const response = await parent.run("go", { ...options, onEvent: (event) => events.push(event) });
    expect(response.text).toBe("the child has failed");
    expect(lit).toEqual([]);
    expect(resultsIn(response.messages).map((result) => result.isError)).toEqual([true]);
    expect(JSON.stringify(client.requests)).not.toContain("pw@h");
    // Those who watch see all of it.
    const end = events.find((event) => event.type === "run.end" && event.outcome === "failed");
    expect(String((end as { error?: unknown } | undefined)?.error)).toContain(secret);
  });

  it("agents made of the same options keep the handlers of every kind", async () => {
    const seen: string[] = [];
    const watch: Middleware = {
      name: "watch",
      ...Object.fromEntries(
        kinds.map((kind) => [
          kind,
          (_context: unknown, next: () => Promise<never>) => {
            seen.push(kind);
            return next();
          },
        ]),
      ),
    };
    const light = tool({ name: "lamp", description: "Lights.", execute: () => "lit" });
    const make = () => ({
      client: new ScriptedChatClient([{ calls: [{ name: "lamp" }] }, "done"]),
      tools: light,
      middleware: [watch],
    });
    const shared = make();
    await new Agent(shared).run("go", options);
    await new Agent({ ...shared, client: make().client }).run("go", options);
    const once = ["agent", "chat", "verdict", "function", "chat"];
    expect(seen).toEqual([...once, ...once]);
  });
});

describe("a loop that was made with handlers of its own", () => {
  it("keeps them as an agent's client, with and without handlers of the run", async () => {
    const guard = functionMiddleware("guard", crash);
    for (const middleware of [undefined, [middlewareOf("chat", "idle", (_c, next) => next())]]) {
      const lit: string[] = [];
      const light = tool({ name: "lamp", description: "Lights.", execute: () => lit.push("hall") });
      const client = new FunctionInvocationLayer(
        new ScriptedChatClient([{ calls: [{ name: "lamp" }] }]),
        {},
        { layers: sortMiddleware([guard]) },
      );
      const agent = new Agent({ client, tools: light });
      await expect(agent.run("go", middleware && { middleware })).rejects.toMatchObject({
        middleware: "guard",
      });
      expect(lit).toEqual([]);
    }
  });
});

describe("a guard of a later round", () => {
  it("that crashes loses nothing of what was done before it", async () => {
    const guard = middlewareOf("chat", "guard", (context, next) =>
      (context as unknown as { iteration: number }).iteration === 2 ? crash() : next(),
    );
    const { agent } = scene([guard]);
    const session = new AgentSession();
    const error = (await rejection(agent.run("go", { session }))) as MiddlewareError;
    const done = ['assistant: lamp({"room":"hall"})', "tool: hall lit"];
    expect(outline(error.transcript ?? [])).toEqual(done);
    expect(outline(session.messages)).toEqual(["user: go", ...done]);
  });
});

describe("what a tool throws", () => {
  it("is data inside the function onion, with the raw text kept from the model unless details are wanted", async () => {
    for (const includeDetailedErrors of [false, true]) {
      const seen: unknown[] = [];
      const failing = tool({ name: "db", description: "Asks the database.", execute: crash });
      const client = new ScriptedChatClient([{ calls: [{ name: "db" }] }, "done"]);
      const agent = new Agent({
        client,
        tools: failing,
        invocation: { includeDetailedErrors },
        middleware: [
          functionMiddleware("log", async (_context: FunctionInvocationContext, next) => {
            const result = await next();
            seen.push(result.isError);
            return result;
          }),
        ],
      });
      await agent.run("go");
      expect(seen).toEqual([true]);
      expect(JSON.stringify(client.requests[1]?.messages).includes("pw@h")).toBe(
        includeDetailedErrors,
      );
    }
  });
});

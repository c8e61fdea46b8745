import {
  Agent,
  AgentSession,
  checkHistory,
  endRun,
  FunctionInvocationLayer,
  foldUpdates,
  type Middleware,
  MiddlewareTermination,
  textOf,
  tool,
  toolResult,
  type Update,
  withMiddleware,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { expectNoUnhandledRejections, type Kind, kinds, middlewareOf } from "./support/onions.js";
import { outline } from "./support/outline.js";
import { inBothManners } from "./support/play.js";
import { ask, lamp, lampIn, ping } from "./support/tools.js";

expectNoUnhandledRejections();

interface Answering {
  respond(text: string): unknown;
}

/** What a handler of a kind ends a run with. */
function resultOf(kind: Kind, context: unknown): unknown {
  if (kind === "agent" || kind === "chat") return (context as Answering).respond("that is all");
  if (kind === "verdict") return { kind: "deny", message: "that is all" };
  return toolResult({ contents: "that is all" });
}

const ended: Record<Kind, readonly string[]> = {
  agent: ["assistant: that is all"],
  chat: ["assistant: that is all"],
  verdict: ['assistant: lamp({"room":"hall"}) | ping({})', "tool: !Error: that is all | pong"],
  function: ['assistant: lamp({"room":"hall"}) | ping({})', "tool: that is all | pong"],
};

const turns = [{ calls: [lampIn("hall"), { name: "ping" }] }, "never asked"];

/** Ends the run at the lamp, or wherever it is asked first. */
function ender(kind: Kind, how: "returned" | "thrown"): Middleware {
  return middlewareOf(kind, "ender", async (context, next) => {
    if ("call" in context && (context.call as { name: string }).name !== "lamp") return next();
    const termination = endRun(resultOf(kind, context));
    if (how === "thrown") throw termination;
    return termination;
  });
}

const ways = kinds.flatMap((kind) => [
  { kind, how: "returned" as const },
  { kind, how: "thrown" as const },
]);

inBothManners((play, streamed) => {
  describe.each(ways)("endRun $how in the $kind onion", ({ kind, how }) => {
    it("ends the run in order, by the middleware's name, and siblings finish", async () => {
      const { response, requests, events } = await play({
        turns,
        agent: { tools: [lamp, ping], middleware: [ender(kind, how)] },
      });
      expect(response.outcome).toBe("ended");
      expect(response.endedBy).toBe("ender");
      expect(outline(response.messages)).toEqual(ended[kind]);
      expect(requests.length).toBe(kind === "agent" || kind === "chat" ? 0 : 1);
      expect(events.at(-1)).toMatchObject({ type: "run.end", outcome: "ended" });
    });

    // A verdict passes those further out as one that they may overrule: see middleware-verdicts.test.ts.
    if (kind !== "verdict")
      it("passes other handlers untouched, and their finally blocks run", async () => {
        const seen: unknown[] = [];
        const outer = middlewareOf(kind, "outer", async (_context, next) => {
          try {
            return await next();
          } catch (error) {
            seen.push(error);
            throw error;
          } finally {
            seen.push("finally");
          }
        });
        const { response } = await play({
          turns,
          agent: { tools: [lamp, ping], middleware: [outer, ender(kind, how)] },
        });
        expect(response.endedBy).toBe("ender");
        const [termination] = seen.filter((each) => each !== "finally");
        expect(termination).toBeInstanceOf(MiddlewareTermination);
        expect(termination).toMatchObject({ endedBy: "ender" });
        expect(seen).toContain("finally");
      });

    it("is what the session keeps", async () => {
      const session = new AgentSession();
      const { response } = await play({
        turns,
        agent: { tools: [lamp, ping], middleware: [ender(kind, how)] },
        run: { session },
      });
      expect(session.messages.slice(1)).toEqual(response.messages);
      expect(checkHistory(session.messages)).toEqual([]);
    });
  });

  describe.each(["returned", "thrown"])("endRun %s by a tool", (how) => {
    const done = tool({
      name: "done",
      description: "Ends it.",
      execute: () => {
        const termination = endRun({ answer: 42 });
        if (how === "thrown") throw termination;
        return termination;
      },
    });

    it("names the tool; siblings finish and every call has a result", async () => {
      const { response, requests } = await play({
        turns: [
          { calls: [lampIn("hall"), { name: "done" }, { name: "ping" }, { name: "nobody" }] },
        ],
        agent: {
          tools: [lamp, ping, done],
          middleware: [middlewareOf("function", "idle", (_context, next) => next())],
        },
      });
      expect([response.outcome, response.endedBy]).toEqual(["ended", "done"]);
      expect(outline(response.messages)[1]).toMatch(
        /^tool: hall lit \| \{"answer":42\} \| pong \| !/,
      );
      expect(requests).toHaveLength(1);
    });

    it("a call that was to go back to the caller is answered, too", async () => {
      const { response } = await play({
        turns: [{ calls: [{ name: "ask" }, { name: "done" }] }],
        agent: { tools: [ask, done] },
      });
      expect(response.outcome).toBe("ended");
      expect(outline(response.messages)[1]).toBe(
        'tool: !Error: not run: the run was ended. | {"answer":42}',
      );
      expect(response.openCalls).toEqual([]);
    });
  });

  it("a chat handler that ends with a response of calls leaves none of them open", async () => {
    const middleware = middlewareOf("chat", "ender", async (_context, next) =>
      endRun(await next()),
    );
    const { response } = await play({
      turns,
      agent: { tools: [lamp, ping], middleware: [middleware] },
    });
    expect(response.outcome).toBe("ended");
    expect(outline(response.messages)[1]).toBe(
      "tool: !Error: not run: the run was ended. | !Error: not run: the run was ended.",
    );
  });

  it("a handler around the client by hand ends the run it is asked in", async () => {
    const updates: Update[] = [];
    const client = withMiddleware(new ScriptedChatClient(turns), [ender("chat", "returned")]);
    for (const middleware of [[], [middlewareOf("chat", "idle", (_context, next) => next())]]) {
      const response = await new Agent({ client, tools: [lamp, ping], middleware }).run("go", {
        ...(streamed && { onUpdate: (update) => void updates.push(update) }),
      });
      expect([response.outcome, response.endedBy]).toEqual(["ended", "ender"]);
      expect(response.text).toBe("that is all");
    }
    const loop = new FunctionInvocationLayer(client);
    const response = await loop.getResponse({ messages: [], options: {} });
    expect(response).toMatchObject({ outcome: "ended", endedBy: "ender" });
  });

  it("without a loop, the response is all there is, and the consumer has it", async () => {
    const client = withMiddleware(new ScriptedChatClient(["first"]), [
      middlewareOf("chat", "ender", async (context, next) => {
        await next();
        return endRun((context as unknown as Answering).respond("instead"));
      }),
    ]);
    const updates: Update[] = [];
    const response = await client.getResponse({
      messages: [],
      options: {},
      ...(streamed && { onUpdate: (update) => void updates.push(update) }),
    });
    expect(response.messages.map(textOf)).toEqual(["instead"]);
    if (streamed) expect(foldUpdates(updates).messages).toEqual(response.messages);
  });
});

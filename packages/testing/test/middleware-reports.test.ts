import { AsyncLocalStorage } from "node:async_hooks";
import {
  Agent,
  ChatClientError,
  chatMiddleware,
  foldUpdates,
  type Middleware,
  replaceText,
  tool,
  type Update,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { expectNoUnhandledRejections, kinds, middlewareOf } from "./support/onions.js";
import { inBothManners, rejection, settled } from "./support/play.js";
import { lamp, lampIn } from "./support/tools.js";

expectNoUnhandledRejections();

const down = new ChatClientError("server_error", "down", { retryable: true });

inBothManners((play, streamed) => {
  it("B82: the same layers serve both manners, and the after-phase runs once, with the final value", async () => {
    const finals: string[] = [];
    const list = [
      chatMiddleware("reads the final value", async (_context, next) => {
        const response = await next();
        finals.push(response.messages.map((message) => JSON.stringify(message.contents)).join());
        return response;
      }),
      chatMiddleware("maps pieces", (context, next) => {
        context.transformUpdates(replaceText("world", "moon"));
        return next();
      }),
      chatMiddleware("passes through", (_context, next) => next()),
    ];
    const { response, updates } = await play({
      turns: ["hello world"],
      agent: { middleware: list },
    });
    expect(response.text).toBe("hello moon");
    expect(finals).toEqual(['[{"type":"text","text":"hello moon"}]']);
    expect(updates.length > 2).toBe(streamed);
  });

  it("B82: a whole response without next() is a one-shot stream", async () => {
    const { response, updates, requests } = await play({
      turns: [],
      agent: {
        middleware: [chatMiddleware("cache", async (context) => context.respond("from the cache"))],
      },
    });
    expect(response.text).toBe("from the cache");
    expect(requests).toEqual([]);
    expect(updates.map((update) => update.type)).toEqual(streamed ? ["delta", "finish"] : []);
  });

  it("B82: a failure at the third piece passes the try/catch around next(), and can be answered", async () => {
    const caught: unknown[] = [];
    const list = [
      chatMiddleware("answers", async (context, next) => {
        try {
          return await next();
        } catch {
          return context.respond("sorry");
        }
      }),
      chatMiddleware("catches", async (_context, next) => {
        try {
          return await next();
        } catch (error) {
          caught.push(error);
          throw error;
        }
      }),
    ];
    const turns = [{ text: "a long answer", error: down, errorAfter: 2 }];
    const { response } = await play({ turns, agent: { middleware: list } });
    expect(caught).toEqual([down]);
    expect(response.text).toBe("sorry");
    expect(response.messages).toHaveLength(1);
  });

  it("B82: a failure after the last piece, such as of a parser, passes it as well", async () => {
    const parse = chatMiddleware("parses", async (_context, next) => {
      const response = await next();
      JSON.parse(response.messages.map((message) => JSON.stringify(message.role)).join("}"));
      throw new SyntaxError("no JSON");
    });
    const caught: unknown[] = [];
    const catches = chatMiddleware("catches", async (_context, next) => {
      try {
        return await next();
      } catch (error) {
        caught.push(error);
        throw error;
      }
    });
    const error = await rejection(
      play({ turns: ["no json"], agent: { middleware: [catches, parse] } }),
    );
    expect(caught).toEqual([error]);
    expect(error).toMatchObject({ code: "handler_failed", middleware: "parses" });
    expect(String((error as Error).cause)).toContain("no JSON");
  });
});

describe("B82: the consumer leaves early", () => {
  it("the after-phase of every handler runs once, with the abort", async () => {
    const left: string[] = [];
    const list = ["a", "b"].flatMap((name) =>
      (["agent", "chat"] as const).map((kind) =>
        middlewareOf(kind, `${kind} ${name}`, async (_context, next) => {
          try {
            return await next();
          } finally {
            left.push(`${kind} ${name}`);
          }
        }),
      ),
    );
    const client = new ScriptedChatClient(["a rather long answer"], { chunkSize: 1 });
    const stream = new Agent({ client, middleware: list }).stream("go");
    for await (const update of stream) if (update.type === "delta") break;
    await settled();
    expect(left).toEqual(["chat b", "chat a", "agent b", "agent a"]);
  });
});

describe("B84: the async context of a stream", () => {
  const storage = new AsyncLocalStorage<{ readonly id: number }>();

  function agentThatNotes(seen: unknown[]): Agent {
    const note = (what: string): void => {
      seen.push([what, storage.getStore()?.id]);
    };
    const watch: Middleware[] = kinds.map((kind) =>
      middlewareOf(kind, kind, async (_context, next) => {
        note(`${kind} before`);
        const result = await next();
        note(`${kind} after`);
        return result;
      }),
    );
    const light = tool({ name: "lamp", description: "Lights.", execute: () => note("tool") });
    const client = new ScriptedChatClient(
      ({ messages }) => {
        note("model");
        return messages.length > 1 ? "done with it" : { calls: [{ name: "lamp" }] };
      },
      { chunkSize: 2 },
    );
    return new Agent({ client, tools: light, middleware: watch });
  }

  it("is that of the call that made it, in every layer, tool and later step, however it is consumed", async () => {
    const seen: [string, number][][] = [[], []];
    const streams = [0, 1].map((id) =>
      storage.run({ id }, () => agentThatNotes(seen[id] ?? []).stream("go")),
    );
    await storage.run({ id: 99 }, async () => {
      const [first, second] = streams.map((stream) => stream[Symbol.asyncIterator]());
      for (;;) {
        const steps = [await first?.next(), await second?.next()];
        expect(storage.getStore()).toEqual({ id: 99 });
        if (steps.every((step) => step?.done)) break;
      }
    });
    for (const [id, notes] of seen.entries()) {
      // model and chat twice, verdict, function, tool and agent around them
      expect(notes).toHaveLength(2 + 4 + 2 + 2 + 1 + 2);
      expect(new Set(notes.map(([, store]) => store))).toEqual(new Set([id]));
    }
  });

  it("stays so when the consumer leaves early", async () => {
    const seen: [string, number][] = [];
    const stream = storage.run({ id: 7 }, () => agentThatNotes(seen).stream("go"));
    for await (const update of stream) if (update.type === "delta") break;
    await settled();
    expect(seen.length).toBeGreaterThan(2);
    expect(new Set(seen.map(([, store]) => store))).toEqual(new Set([7]));
  });
});

describe("what a handler lets out late", () => {
  it("cannot rewrite what the run has answered", async () => {
    const updates: Update[] = [];
    const late: (() => void)[] = [];
    const client = new ScriptedChatClient([{ calls: [lampIn("hall")] }, "done"]);
    const agent = new Agent({
      client,
      tools: lamp,
      middleware: [
        chatMiddleware("late", (context, next) => {
          late.push(() => context.transformUpdates(replaceText("done", "DONE")));
          return next();
        }),
      ],
    });
    const response = await agent.run("go", { onUpdate: (update) => void updates.push(update) });
    for (const register of late) register();
    await settled();
    expect(response.text).toBe("done");
    expect(foldUpdates(updates).messages).toEqual(response.messages);
  });
});

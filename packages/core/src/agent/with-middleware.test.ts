import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import type { ChatClient, ChatRequest } from "../chat/chat-client.js";
import { replaceText } from "../chat/replace-text.js";
import { respond } from "../chat/respond.js";
import { foldUpdates } from "../messages/fold-updates.js";
import { textOf } from "../messages/message.js";
import { type Update, updatesOf } from "../messages/update.js";
import { Run } from "../run/run.js";
import { chatMiddleware, functionMiddleware, type Middleware } from "./middleware.js";
import { withMiddleware } from "./with-middleware.js";

/** A client that says one text, and keeps what it was asked. */
function echo(text = "hello") {
  const asked: ChatRequest[] = [];
  const client: ChatClient = {
    metadata: { provider: "echo", defaultModel: "e1" },
    checkTools: () => {
      throw new TypeError("no tools here");
    },
    async getResponse(request) {
      asked.push(request);
      const response = respond(request.run ?? new Run(), text);
      for (const message of response.messages) {
        for (const update of updatesOf(message, {})) await request.onUpdate?.(update);
      }
      return response;
    },
  };
  return { client, asked };
}

const request: ChatRequest = { messages: [], options: {} };

describe("withMiddleware", () => {
  it("is a chat client like the one inside", () => {
    const { client } = echo();
    const wrapped = withMiddleware(client, []);
    expect(wrapped.metadata).toBe(client.metadata);
    expect(() => wrapped.checkTools?.([])).toThrow("no tools here");
  });

  it.each([
    [functionMiddleware("mine", (_context, next) => next()), "function"],
    [{ name: "mine", chat: (_c, next) => next(), agent: (_c, next) => next() }, "agent"],
    [{ name: "mine", verdict: (_c, next) => next() }, "verdict"],
  ] satisfies [Middleware, string][])("takes chat handlers only", (middleware, kind) => {
    expect(() => withMiddleware(echo().client, [middleware])).toThrow(
      `A chat client takes chat handlers only; "mine" has a handler for "${kind}". Put it into the agent's list.`,
    );
  });

  it("hands the run of the request on, and makes one where there is none", async () => {
    const { client, asked } = echo();
    const seen: unknown[] = [];
    const wrapped = withMiddleware(client, [
      chatMiddleware("watch", (context, next) => {
        seen.push(context.run);
        return next();
      }),
    ]);
    const run = new Run();
    await wrapped.getResponse({ ...request, run });
    await wrapped.getResponse(request);
    expect(seen[0]).toMatchObject({ parent: run, state: run.state });
    expect(asked.map((each) => each.run)).toEqual(seen);
    expect(seen[1]).toBeInstanceOf(Run);
  });

  it("leaves no listener at the signal of a request, and passes its reason on", async () => {
    const { client } = echo();
    const controller = new AbortController();
    const deaf = chatMiddleware("deaf", () => new Promise(() => {}));
    const idle = chatMiddleware("idle", (_context, next) => next());
    await withMiddleware(client, [idle]).getResponse({ ...request, signal: controller.signal });
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    const asked = withMiddleware(client, [deaf]).getResponse({
      ...request,
      signal: controller.signal,
    });
    const reason = new Error("the caller gave up");
    controller.abort(reason);
    await expect(asked).rejects.toBe(reason);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    const late = withMiddleware(client, [idle]).getResponse({
      ...request,
      signal: controller.signal,
    });
    await expect(late).rejects.toBe(reason);
  });

  it("sends what a handler puts in the place of what was streamed, message by message", async () => {
    const { client } = echo();
    const updates: Update[] = [];
    const wrapped = withMiddleware(client, [
      chatMiddleware("twice", async (context, next) => {
        const response = await next();
        const second = context.respond("and this").messages;
        return { ...response, messages: [...response.messages, ...second] };
      }),
    ]);
    const response = await wrapped.getResponse({
      ...request,
      onUpdate: (update) => void updates.push(update),
    });
    expect(response.messages.map(textOf)).toEqual(["hello", "and this"]);
    const fold = foldUpdates(updates);
    expect(fold.messages).toEqual(response.messages);
    expect(fold.finishReason).toBe("stop");
  });

  it("under transforms, a client that streams something else than it answers does no harm", async () => {
    const careless: ChatClient = {
      metadata: { provider: "careless" },
      async getResponse({ onUpdate }) {
        const contents = (text: string) => [{ type: "text" as const, text }];
        const head = { role: "assistant" as const, createdAt: 0 };
        await onUpdate?.({
          type: "delta",
          messageId: "m",
          ...head,
          contents: contents("half an a"),
        });
        return { messages: [{ id: "m", ...head, contents: contents("the answer") }] };
      },
    };
    const idle = chatMiddleware("idle", (_context, next) => next());
    const changing = chatMiddleware("changing", (context, next) => {
      context.transformUpdates(replaceText("answer", "ANSWER"));
      return next();
    });
    for (const list of [[changing], [changing, idle], [idle, changing]]) {
      const updates: Update[] = [];
      const response = await withMiddleware(careless, list).getResponse({
        ...request,
        onUpdate: (update) => void updates.push(update),
      });
      expect(response.messages.map(textOf)).toEqual(["the ANSWER"]);
      expect(foldUpdates(updates).messages).toEqual(response.messages);
    }
  });

  it("gives messages that a handler wrote by hand what they lack", async () => {
    const byHand = [{ role: "assistant", contents: [{ type: "text", text: "hi" }] }];
    const wrapped = withMiddleware(echo().client, [
      chatMiddleware("by hand", async () => ({ messages: byHand }) as never),
    ]);
    const { messages } = await wrapped.getResponse(request);
    expect(messages[0]?.id).toMatch(/^message_/);
    expect(messages[0]?.createdAt).toBeTypeOf("number");
  });

  it("metadata alone sends nothing", async () => {
    const updates: Update[] = [];
    const wrapped = withMiddleware(echo().client, [
      chatMiddleware("named", async (_context, next) => ({ ...(await next()), model: "m" })),
    ]);
    const response = await wrapped.getResponse({
      ...request,
      onUpdate: (update) => void updates.push(update),
    });
    expect(response.model).toBe("m");
    expect(updates.map((update) => update.type)).toEqual(["delta", "finish"]);
  });
});

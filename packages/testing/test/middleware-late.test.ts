import {
  Agent,
  chatMiddleware,
  foldUpdates,
  replaceText,
  type Update,
  withMiddleware,
} from "@tunic/core";
import { manualEnvironment, ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { expectNoUnhandledRejections, lampAgent, middlewareOf } from "./support/onions.js";
import { deferred, rejection, settled } from "./support/play.js";

expectNoUnhandledRejections();

describe("late updates", () => {
  it("of a deaf client are dropped, also what a transform still holds", async () => {
    for (const transformed of [false, true]) {
      const gate = deferred();
      const begun = deferred();
      const late = {
        metadata: { provider: "late" },
        async getResponse({ onUpdate }: { onUpdate?: ((update: Update) => unknown) | undefined }) {
          const delta = (text: string): Update => ({
            type: "delta",
            messageId: "m",
            role: "assistant",
            contents: [{ type: "text", text }],
          });
          await onUpdate?.(delta("early 4111 "));
          begun.resolve();
          await gate.promise;
          await onUpdate?.(delta("late"));
          const contents = [{ type: "text" as const, text: "early 4111 late" }];
          return { messages: [{ id: "m", role: "assistant" as const, contents, createdAt: 0 }] };
        },
      };
      const controller = new AbortController();
      const client = withMiddleware(late, [
        chatMiddleware("timeout", async (context, next) => {
          if (transformed) context.transformUpdates(replaceText("4111", "****"));
          try {
            return await next({ signal: controller.signal });
          } catch {
            return context.respond("timed out");
          }
        }),
        chatMiddleware("inner", (context, next) => {
          if (transformed) context.transformUpdates(replaceText("early", "EARLY"));
          return next();
        }),
      ]);
      const updates: Update[] = [];
      const run = client.getResponse({
        messages: [],
        options: {},
        onUpdate: (update) => void updates.push(update),
      });
      await begun.promise;
      controller.abort("time is up");
      const response = await run;
      const before = updates.length;
      gate.resolve();
      await settled();
      expect(updates.length).toBe(before);
      expect(response.messages[0]?.contents).toEqual([{ type: "text", text: "timed out" }]);
    }
  });

  it("of a slow transform are dropped when its time is up", async () => {
    const gate = deferred();
    const entered = deferred();
    const controller = new AbortController();
    const client = withMiddleware(new ScriptedChatClient(["slowly"]), [
      chatMiddleware("timeout", async (context, next) => {
        context.transformUpdates(() => ({
          async update(update, emit) {
            entered.resolve();
            await gate.promise;
            await emit(update);
          },
        }));
        return next({ signal: controller.signal }).catch(() => context.respond("timed out"));
      }),
    ]);
    const updates: Update[] = [];
    const run = client.getResponse({
      messages: [],
      options: {},
      onUpdate: (update) => void updates.push(update),
    });
    await entered.promise;
    controller.abort("time is up");
    const response = await run;
    gate.resolve();
    await settled();
    expect(foldUpdates(updates).messages).toEqual(response.messages);
    expect(JSON.stringify(updates)).not.toContain("slowly");
  });

  it("of a first attempt do not mix into the second one's transforms", async () => {
    const gate = deferred();
    const done = deferred();
    let asked = 0;
    const client = {
      metadata: { provider: "late" },
      async getResponse() {
        const attempt = ++asked;
        if (attempt === 1) await gate.promise;
        else {
          gate.resolve();
          await settled();
        }
        if (attempt === 1) done.resolve();
        const contents = [{ type: "text" as const, text: `attempt ${attempt}` }];
        const id = `m${attempt}`;
        return { messages: [{ id, role: "assistant" as const, contents, createdAt: 0 }] };
      },
    };
    const controller = new AbortController();
    const wrapped = withMiddleware(client, [
      chatMiddleware("retry", async (context, next) => {
        context.transformUpdates(replaceText("attempt", "ATTEMPT"));
        try {
          return await next({ signal: controller.signal });
        } catch {
          return next();
        }
      }),
    ]);
    const run = wrapped.getResponse({ messages: [], options: {} });
    await settled();
    controller.abort("time is up");
    const response = await run;
    await done.promise;
    expect(response.messages.map((message) => message.contents)).toEqual([
      [{ type: "text", text: "ATTEMPT 2" }],
    ]);
  });
});

describe("after an abort", () => {
  /** Answers in spite of whatever happens inside, a little later. */
  const stubborn = middlewareOf("agent", "stubborn", async (context, next) => {
    try {
      return await next();
    } catch {
      await settled();
      return (context as unknown as { respond(text: string): unknown }).respond("too late");
    }
  });

  it("an agent handler that answers all the same is not heard any more", async () => {
    for (const bounded of [false, true]) {
      const controller = new AbortController();
      const updates: Update[] = [];
      const seen = (): string => JSON.stringify(updates);
      const client = new ScriptedChatClient([
        { text: "an answer", beforePiece: () => controller.abort("enough") },
      ]);
      const outer = middlewareOf("agent", "outer", (context, next) =>
        next({ signal: controller.signal }).catch(() =>
          (context as unknown as { respond(text: string): unknown }).respond("in time"),
        ),
      );
      const agent = new Agent({ client, middleware: bounded ? [outer, stubborn] : [stubborn] });
      const run = agent.run("go", {
        ...(!bounded && { signal: controller.signal }),
        onUpdate: (update) => void updates.push(update),
      });
      if (bounded) expect((await run).text).toBe("in time");
      else expect(await rejection(run)).toBe("enough");
      await settled();
      await settled();
      expect(seen()).not.toContain("too late");
    }
  });

  it("inside a run that goes on, what a given-up handler says is dropped as well", async () => {
    const controller = new AbortController();
    const gate = deferred();
    const updates: Update[] = [];
    const outer = middlewareOf("agent", "outer", async (context, next) => {
      await next({ signal: controller.signal }).catch(() => {});
      gate.resolve();
      await settled();
      await settled();
      return (context as unknown as { respond(text: string): unknown }).respond("in time");
    });
    const late = middlewareOf("agent", "late", async (context) => {
      controller.abort("enough");
      await gate.promise;
      return (context as unknown as { respond(text: string): unknown }).respond("too late");
    });
    const agent = new Agent({ client: new ScriptedChatClient([]), middleware: [outer, late] });
    const response = await agent.run("go", { onUpdate: (update) => void updates.push(update) });
    expect(response.text).toBe("in time");
    expect(JSON.stringify(updates)).not.toContain("too late");
  });

  it("a wrapped client's consumer hears nothing of a deaf client, and a fired signal asks nobody", async () => {
    const gate = deferred();
    const begun = deferred();
    let entered = 0;
    const deaf = {
      metadata: { provider: "deaf" },
      async getResponse({ onUpdate }: { onUpdate?: ((update: Update) => unknown) | undefined }) {
        begun.resolve();
        await gate.promise;
        await onUpdate?.({ type: "delta", messageId: "m", role: "assistant", contents: [] });
        return { messages: [] };
      },
    };
    const client = withMiddleware(deaf, [
      chatMiddleware("counts", (_context, next) => {
        entered++;
        return next();
      }),
    ]);
    const controller = new AbortController();
    const updates: Update[] = [];
    const request = {
      messages: [],
      options: {},
      signal: controller.signal,
      onUpdate: (update: Update) => void updates.push(update),
    };
    const run = rejection(client.getResponse(request));
    await begun.promise;
    controller.abort("enough");
    expect(await run).toBe("enough");
    gate.resolve();
    await settled();
    expect(updates).toEqual([]);
    expect(await rejection(client.getResponse(request))).toBe("enough");
    expect(entered).toBe(1);
  });
});

describe("maxDurationMs under agent handlers", () => {
  it("ends the run in order all the same, with and without a signal", async () => {
    for (const signal of [undefined, new AbortController().signal]) {
      const environment = manualEnvironment();
      const agent = new Agent({
        client: new ScriptedChatClient(["too late"], { environment, delayMs: 1000 }),
        environment,
        invocation: { maxDurationMs: 100 },
        middleware: [middlewareOf("agent", "idle", (_context, next) => next())],
      });
      const run = agent.run("go", signal ? { signal } : {});
      await environment.advance(2000);
      expect(await run).toMatchObject({ outcome: "limit", limit: "maxDurationMs" });
    }
  });
});

describe("a consumer that throws", () => {
  it("rejects the run with what it threw, whatever a handler makes of it", async () => {
    const forgiving = middlewareOf("agent", "forgiving", async (context, next) => {
      try {
        return await next();
      } catch {
        return (context as unknown as { respond(text: string): unknown }).respond("never mind");
      }
    });
    const reason = new Error("the consumer failed");
    let updates = 0;
    const run = lampAgent([forgiving]).run("go", {
      onUpdate: () => {
        if (updates++ === 0) throw reason;
      },
    });
    expect(await rejection(run)).toBe(reason);
  });
});

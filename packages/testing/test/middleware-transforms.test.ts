import {
  Agent,
  bufferUpdates,
  type ChatClient,
  chatMiddleware,
  endRun,
  foldUpdates,
  replaceText,
  type TransformFactory,
  type Update,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { expectNoUnhandledRejections } from "./support/onions.js";
import { inBothManners, rejection } from "./support/play.js";

expectNoUnhandledRejections();

const failure = new Error("no idea");
const fail = (): never => {
  throw failure;
};
const transforming = (make: TransformFactory) =>
  chatMiddleware("censor", async (context, next) => {
    context.transformUpdates(make);
    return await next();
  });

const failing: Record<string, TransformFactory> = {
  "when it is made": fail,
  "at a piece": () => ({ update: fail }),
  "at a piece, later": () => ({ update: async () => fail() }),
  "at the end": () => ({ update() {}, end: fail }),
  "in its verdict": bufferUpdates(fail),
  "in its verdict, later": bufferUpdates(async () => fail()),
};

inBothManners((play) => {
  it.each(Object.entries(failing))(
    "a transform that fails %s ends the run by its middleware's name, and nothing gets out",
    async (_when, make) => {
      const turns = ["a secret that is long"];
      const scenario = { turns, agent: { middleware: [transforming(make)] } };
      expect(await rejection(play(scenario))).toMatchObject({
        name: "MiddlewareError",
        code: "handler_failed",
        middleware: "censor",
        cause: failure,
      });
    },
  );
});

inBothManners((play) => {
  it.each<[string, TransformFactory, string]>([
    ["a redaction", replaceText("secret", "(hidden)"), "the (hidden) is out"],
    ["a guard that withholds", bufferUpdates(() => "withheld"), "withheld"],
  ])(
    "%s holds for an answer with which a handler further in ends the run",
    async (_what, make, text) => {
      const ending = chatMiddleware("ending", async (_context, next) => endRun(await next()));
      const { response } = await play({
        turns: ["the secret is out"],
        agent: { middleware: [transforming(make), ending] },
      });
      expect([response.outcome, response.endedBy, response.text]).toEqual([
        "ended",
        "ending",
        text,
      ]);
    },
  );

  it("one that is registered after next() is a mistake: no answer would pass it", async () => {
    const late = chatMiddleware("late", async (context, next) => {
      const response = await next();
      context.transformUpdates(replaceText("secret", "(hidden)"));
      return response;
    });
    const played = play({ turns: ["the secret"], agent: { middleware: [late] } });
    expect(await rejection(played)).toMatchObject({
      code: "late_transform",
      message:
        'Middleware "late" called transformUpdates() after next(). Register transforms before it.',
    });
  });
});

describe("a failed transform", () => {
  const updates: Update[] = [];
  const onUpdate = (update: Update): void => void updates.push(update);
  const streaming = (emit: (push: () => unknown) => Promise<void>): ChatClient => ({
    metadata: { provider: "test" },
    async getResponse(request) {
      const contents = [{ type: "text" as const, text: "a secret" }];
      const delta = {
        type: "delta" as const,
        messageId: "m",
        role: "assistant" as const,
        contents,
      };
      await emit(() => request.onUpdate?.(delta));
      return { messages: [{ id: "m", role: "assistant", contents, createdAt: 0 }] };
    },
  });

  it.each<[string, (push: () => unknown) => Promise<void>]>([
    [
      "swallows it",
      async (push) =>
        void (await Promise.resolve()
          .then(push)
          .catch(() => {})),
    ],
    [
      "makes another error of it",
      async (push) => {
        await Promise.resolve()
          .then(push)
          .catch(() => {
            throw new Error("Connection error.");
          });
      },
    ],
  ])("is told as such, also where the client %s", async (_what, emit) => {
    const middleware = [transforming(() => ({ update: fail }))];
    const agent = new Agent({ client: streaming(emit), middleware });
    const error = await rejection(agent.run("go", { onUpdate }));
    expect(error).toMatchObject({ code: "handler_failed", middleware: "censor", cause: failure });
    expect(foldUpdates(updates).messages).toEqual([]);
  });

  it("is not what the consumer has thrown", async () => {
    const client = new ScriptedChatClient(["hello"]);
    const pass = transforming(() => ({ update: (update, emit) => emit(update) }));
    const run = new Agent({ client, middleware: [pass] }).run("go", { onUpdate: fail });
    expect(await rejection(run)).toBe(failure);
  });

  it("can be tried again: the next attempt has a transform of its own", async () => {
    let made = 0;
    const again = chatMiddleware("censor", async (context, next) => {
      context.transformUpdates(() => ({
        update: made++ === 0 ? fail : (update, emit) => emit(update),
      }));
      return await next().catch(() => next());
    });
    const client = new ScriptedChatClient(["one", "two"]);
    const response = await new Agent({ client, middleware: [again] }).run("go", { onUpdate });
    expect(response.text).toBe("two");
  });
});

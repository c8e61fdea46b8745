import {
  agentMiddleware,
  bufferUpdates,
  chatMiddleware,
  createStateKey,
  functionMiddleware,
  type Middleware,
  replaceText,
} from "@tunic/core";
import { describeMiddlewareContract } from "@tunic/testing/contracts";
import { describe, expect, it } from "vitest";
import { middlewareChecks } from "../src/middleware-checks.js";

const key = createStateKey("rounds", () => ({ count: 0 }));

describeMiddlewareContract("redaction", {
  create: () =>
    chatMiddleware("redact", (context, next) => {
      context.transformUpdates(replaceText(/\d{4}/, "****", { maxLength: 4 }));
      return next();
    }),
  texts: ["pay 4111 1111 now", "12345678", "1 22 333", ""],
});

describeMiddlewareContract("a buffer", {
  create: () =>
    chatMiddleware("buffer", (context, next) => {
      context.transformUpdates(bufferUpdates((_message, text) => !text.includes("secret")));
      return next();
    }),
  texts: ["a secret", "no such thing"],
});

describeMiddlewareContract("injected context", {
  create: () =>
    chatMiddleware("inject", (context, next) => {
      const contents = [{ type: "text" as const, text: "be kind" }];
      context.messages = [{ id: "i", role: "user", contents, createdAt: 0 }, ...context.messages];
      return next();
    }),
});

describeMiddlewareContract("state in the run, in three onions", {
  create: () => ({
    name: "counter",
    agent: async (context, next) => {
      const response = await next();
      return response.with({ model: `${context.run.state.get(key).count} rounds` });
    },
    chat: (context, next) => {
      context.run.state.get(key).count++;
      return next();
    },
    function: (context, next) => {
      context.arguments = { ...context.arguments };
      return next();
    },
  }),
});

/** Which checks a middleware fails, by the number of words that tell them apart. */
async function failuresOf(create: () => Middleware, texts?: readonly string[]): Promise<string[]> {
  const failed: string[] = [];
  for (const [title, check] of middlewareChecks({ create, ...(texts && { texts }) })) {
    await check().catch(() => failed.push(title));
  }
  return failed;
}

describe("the contract finds a middleware that", () => {
  it("looks at each piece of a stream by itself", async () => {
    const create = (): Middleware =>
      chatMiddleware("per piece", (context, next) => {
        context.transformUpdates(() => ({
          update: (update, emit) =>
            emit({
              ...update,
              contents: update.contents.map((content) =>
                content.type === "text"
                  ? { ...content, text: content.text.replace("4111", "****") }
                  : content,
              ),
            }),
        }));
        return next();
      });
    expect(await failuresOf(create)).toEqual([
      "gives the same result wherever the stream is cut",
      "answers the same streamed and not",
    ]);
  });

  it("keeps what it has injected in its closure", async () => {
    const create = (): Middleware => {
      let extra: { id: string; role: "user"; contents: []; createdAt: 0 }[] = [];
      return chatMiddleware("growing", (context, next) => {
        extra = [...extra, { id: "i", role: "user", contents: [], createdAt: 0 }];
        context.messages = [...extra, ...context.messages];
        return next();
      });
    };
    expect(await failuresOf(create)).toContain(
      "injects nothing twice when an outer layer calls next() again",
    );
  });

  it("changes arguments more with every attempt", async () => {
    const create = (): Middleware => {
      let attempt = 0;
      return functionMiddleware("suffix", (context, next) => {
        context.arguments = { text: `attempt ${++attempt}` };
        return next();
      });
    };
    expect(await failuresOf(create)).toContain(
      "injects nothing twice when an outer layer calls next() again",
    );
  });

  it("keeps the state of a run on itself", async () => {
    const create = (): Middleware => {
      let runs = 0;
      return agentMiddleware("counting", async (context, next) => {
        await next();
        return context.respond(`run ${++runs}`);
      });
    };
    expect(await failuresOf(create)).toContain("keeps concurrent runs apart");
  });

  it("answers otherwise in a stream", async () => {
    const create = (): Middleware =>
      chatMiddleware("two faces", async (context, next) =>
        context.streamed ? next() : context.respond("not streamed"),
      );
    expect(await failuresOf(create)).toContain("answers the same streamed and not");
  });

  it("is none", async () => {
    expect(await failuresOf(() => ({ name: "nothing" }))).toContain(
      "fits into the list of an agent",
    );
  });
});

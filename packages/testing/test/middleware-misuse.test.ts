import {
  ChatClientError,
  endRun,
  FunctionInvocationLayer,
  MiddlewareError,
  type RunEvent,
  sortMiddleware,
  tool,
  withMiddleware,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import {
  type AnyHandler,
  everyOnion,
  expectNoUnhandledRejections,
  lampAgent,
  middlewareOf,
} from "./support/onions.js";
import { deferred, rejection, settled } from "./support/play.js";

expectNoUnhandledRejections();

/** What a mistake is told with, and how it is made. */
const mistakes: Record<
  string,
  { readonly code: string; readonly says: string; readonly make: AnyHandler }
> = {
  "next() called while it runs, both awaited": {
    code: "next_while_running",
    says: 'Middleware "mine" called next() while an earlier next() was running. Await that one first.',
    make: async (_context, next) => {
      const [first] = await Promise.all([next(), next()]);
      return first;
    },
  },
  "next() called while it runs, the second not awaited": {
    code: "next_while_running",
    says: 'Middleware "mine" called next() while an earlier next() was running. Await that one first.',
    make: async (_context, next) => {
      const first = next();
      void next();
      return first;
    },
  },
  "next() called while it runs, and the refusal caught": {
    code: "next_while_running",
    says: 'Middleware "mine" called next() while an earlier next() was running. Await that one first.',
    make: async (_context, next) => {
      const first = next();
      await next().catch(() => {});
      return first;
    },
  },
  "a result that was not awaited": {
    code: "left_running",
    says: 'Middleware "mine" returned while next() was running. It is probably missing an `await` before next().',
    make: async (_context, next) => {
      void next();
      return undefined as never;
    },
  },
  "a handler without async that returns something else than next()": {
    code: "left_running",
    says: 'Middleware "mine" returned while next() was running. It is probably missing an `await` before next().',
    make: (_context, next) => {
      const result = next();
      return { ...result } as never;
    },
  },
  "nothing returned": {
    code: "nothing_returned",
    says: 'Middleware "mine" returned nothing. Return what next() gave, or a result of its own.',
    make: async (_context, next) => {
      await next();
      return undefined as never;
    },
  },
  "nothing returned, and no promise": {
    code: "nothing_returned",
    says: 'Middleware "mine" returned nothing. Return what next() gave, or a result of its own.',
    make: () => undefined as never,
  },
  "something returned that is no result": {
    code: "wrong_result",
    says: 'Middleware "mine" returned an object with text; it must return a',
    make: async () => ({ text: "hello" }) as never,
  },
  "a run ended with something that is no result": {
    code: "wrong_result",
    says: 'Middleware "mine" ended the run with a string; it must be a',
    make: async () => endRun("that is all") as never,
  },
  "a run ended by a throw with something that is no result": {
    code: "wrong_result",
    says: 'Middleware "mine" ended the run with nothing; it must be a',
    make: async () => {
      throw endRun(undefined);
    },
  },
  "a throw of its own": {
    code: "handler_failed",
    says: 'Middleware "mine" failed: out of luck',
    make: async () => {
      throw new Error("out of luck");
    },
  },
  "a throw before any promise": {
    code: "handler_failed",
    says: 'Middleware "mine" failed: out of luck',
    make: () => {
      throw new Error("out of luck");
    },
  },
};

/** An inside that has not finished when a careless handler returns. */
const slow: AnyHandler = async (_context, next) => {
  await settled();
  return next();
};

const cases = everyOnion.flatMap((onion) =>
  Object.entries(mistakes).map(([what, mistake]) => ({ ...onion, what, ...mistake })),
);

describe.each(cases)("$kind onion, $manner: $what", ({ kind, options, code, says, make }) => {
  it("is told with the name of the middleware and the mistake", async () => {
    const list = [middlewareOf(kind, "mine", make), middlewareOf(kind, "slow", slow)];
    const error = await rejection(lampAgent(list).run("go", options));
    expect(error).toBeInstanceOf(MiddlewareError);
    expect(error).toMatchObject({
      code,
      message: expect.stringContaining(says),
      middleware: "mine",
    });
  });

  it("is told the same under idle handlers around it", async () => {
    const idle = (name: string) => middlewareOf(kind, name, (_context, next) => next());
    const list = [
      idle("outer"),
      middlewareOf(kind, "mine", make),
      idle("inner"),
      middlewareOf(kind, "slow", slow),
    ];
    const error = await rejection(lampAgent(list).run("go", options));
    expect(error).toMatchObject({
      code,
      message: expect.stringContaining(says),
      middleware: "mine",
    });
  });
});

describe.each(everyOnion)("$kind onion, $manner", ({ kind, options }) => {
  it("next() after the handler has returned rejects, and the run is told as a notice", async () => {
    const late = deferred<unknown>();
    const events: RunEvent[] = [];
    const handler: AnyHandler = async (_context, next) => {
      const result = await next();
      setImmediate(() => next().catch(late.resolve));
      return result;
    };
    await lampAgent([middlewareOf(kind, "mine", handler)]).run("go", {
      ...options,
      onEvent: (event) => events.push(event),
    });
    const message = 'Middleware "mine" called next() after it had returned.';
    expect(await late.promise).toMatchObject({ code: "next_after_return", message });
    expect(events).toContainEqual(
      expect.objectContaining({ type: "notice", code: "next_after_return", message }),
    );
  });

  it("a late next() that nobody awaits ends nothing", async () => {
    const handler: AnyHandler = async (_context, next) => {
      const result = await next();
      setImmediate(() => void next());
      return result;
    };
    await lampAgent([middlewareOf(kind, "mine", handler)]).run("go", options);
    await settled();
  });

  it("a failure inside that a handler awaits late, or never, is not unhandled", async () => {
    const crash = middlewareOf(kind, "crash", async () => {
      throw new Error("inner");
    });
    const never = middlewareOf(kind, "mine", async (_context, next) => {
      void next();
      await settled();
      await settled();
      throw new Error("outer");
    });
    const late = middlewareOf(kind, "mine", async (_context, next) => {
      const result = next();
      await settled();
      await settled();
      return result;
    });
    expect(await rejection(lampAgent([never, crash]).run("go", options))).toMatchObject({
      message: 'Middleware "mine" failed: outer',
    });
    expect(await rejection(lampAgent([late, crash]).run("go", options))).toMatchObject({
      message: 'Middleware "crash" failed: inner',
    });
  });

  it("what the inside has thrown keeps its identity through every handler", async () => {
    const inner = new ChatClientError("server_error", "down", { retryable: true });
    const list = [
      middlewareOf(kind, "a", async (_context, next) => next()),
      middlewareOf(kind, "b", async (_context, next) => {
        try {
          return await next();
        } finally {
          await settled();
        }
      }),
      middlewareOf(kind, "c", async () => {
        throw inner;
      }),
    ];
    expect(await rejection(lampAgent(list).run("go", options))).toBe(inner);
  });
});

describe("a chat handler that adds a tool to a round", () => {
  it.each([{ onUpdate: () => {} }, {}])("is told so by its own name", async (options) => {
    const extra = tool({ name: "extra", description: "More.", execute: () => "more" });
    const widening = {
      name: "mine",
      chat: (context, next) => {
        context.options = { ...context.options, tools: [...(context.options.tools ?? []), extra] };
        return next();
      },
    } satisfies Parameters<typeof lampAgent>[0][number];
    const idle = middlewareOf("chat", "idle", (_context, next) => next());
    const error = await rejection(
      lampAgent([idle, widening, { ...idle, name: "i2" }]).run("go", options),
    );
    expect(error).toMatchObject({ code: "tools_widened", middleware: "mine" });
    expect(String(error)).toContain('"extra"');
  });
});

describe("a client wrapped by hand", () => {
  const request = { messages: [], options: {} };

  it.each(["whole", "streamed"])("tells the same mistakes, %s", async (manner) => {
    for (const { code, says, make } of Object.values(mistakes)) {
      const client = withMiddleware(new ScriptedChatClient(["hi"]), [
        middlewareOf("chat", "mine", make),
      ]);
      const asked = { ...request, ...(manner === "streamed" && { onUpdate: () => {} }) };
      expect(await rejection(client.getResponse(asked))).toMatchObject({
        code,
        message: expect.stringContaining(says),
      });
    }
  });
});

describe("a loop that is given sorted middleware", () => {
  it("refuses agent handlers: it has no agent onion, and a guard must not get lost", () => {
    const layers = sortMiddleware([middlewareOf("agent", "guard", (_, next) => next())]);
    const client = new ScriptedChatClient([]);
    expect(() => new FunctionInvocationLayer(client, {}, { layers })).toThrow(
      expect.objectContaining({
        code: "wrong_kind",
        message: expect.stringContaining('"guard" has a handler for "agent"'),
      }),
    );
  });
});

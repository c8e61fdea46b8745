import { describe, expect, it } from "vitest";
import type { MiddlewareError } from "../errors/middleware-error.js";
import { endRun } from "../errors/middleware-termination.js";
import { compose } from "./compose.js";
import type { Handler } from "./handler.js";
import type { Onion } from "./onion.js";

interface Context {
  text: string;
  readonly signal: AbortSignal;
}

/** An onion of texts that writes down what the kernel asks of it. */
function textOnion(log: string[] = []): Onion<Context, string> {
  const never = new AbortController().signal;
  return {
    result: "a text",
    kind: "text",
    observer: () => undefined,
    inside: (own, signal) => ({ text: own.text, signal: signal ?? own.signal ?? never }),
    signalOf: (own) => own.signal,
    isResult: (value) => typeof value === "string",
    begin: () => void log.push("begin"),
    settle: (_own, result, last) => {
      if (result !== last) log.push(`settle ${result} after ${last}`);
      return result;
    },
    stray: (_own, error) => void log.push(`stray ${error.code}`),
    abandoned: (_own, outcome) => void log.push(`abandoned ${outcome}`),
  };
}

const context = (text = ""): Context => ({ text, signal: new AbortController().signal });

function around(
  handlers: readonly Handler<Context, string>[],
  core: (context: Context) => Promise<string> = async ({ text }) => text,
  log: string[] = [],
) {
  const layers = handlers.map((handler, at) => ({ name: `layer ${at}`, handler }));
  return compose(layers, textOnion(log), core);
}

describe("compose", () => {
  it("is the core itself without layers", () => {
    const core = async (): Promise<string> => "core";
    expect(compose([], textOnion(), core)).toBe(core);
  });

  it("the first layer is the outermost, and each has a context of its own", async () => {
    const add =
      (mark: string): Handler<Context, string> =>
      async (own, next) => {
        own.text += mark;
        const result = await next();
        return `${result}|${own.text}`;
      };
    const whole = around([add("a"), add("b"), add("c")]);
    expect(await whole(context("-"))).toBe("-abc|-abc|-ab|-a");
  });

  it("every pass of a retry begins with what the layer had, and the earlier one is taken back", async () => {
    const log: string[] = [];
    const seen: string[] = [];
    const whole = around(
      [
        async (_own, next) => {
          await next();
          await next();
          return next();
        },
        (own, next) => {
          own.text += "x";
          return next();
        },
      ],
      async ({ text }) => {
        seen.push(text);
        return `pass ${seen.length}`;
      },
      log,
    );
    expect(await whole(context())).toBe("pass 3");
    expect(seen).toEqual(["x", "x", "x"]);
    expect(log).toEqual(["begin", "begin"]);
  });

  it("a result that is not the last pass's own is settled; that pass's own is not", async () => {
    const log: string[] = [];
    const keepFirst: Handler<Context, string> = async (_own, next) => {
      const first = await next();
      await next().catch(() => {});
      return first;
    };
    let passes = 0;
    const core = async (): Promise<string> => {
      if (++passes === 2) throw new Error("down");
      return "one";
    };
    expect(await around([keepFirst], core, log)(context())).toBe("one");
    // The failed pass took the first one's place: it has to be settled anew.
    expect(log).toEqual(["begin", "settle one after undefined"]);
    log.length = 0;
    expect(await around([(_own, next) => next()], async () => "plain", log)(context())).toBe(
      "plain",
    );
    expect(await around([async () => "own"], async () => "plain", log)(context())).toBe("own");
    expect(log).toEqual(["settle own after undefined"]);
  });

  it("what the inside throws passes untouched, a throw of a layer's own gets its name", async () => {
    const thrown = new Error("inside");
    const failing = async (): Promise<string> => {
      throw thrown;
    };
    const idle: Handler<Context, string> = (_own, next) => next();
    await expect(around([idle, idle], failing)(context())).rejects.toBe(thrown);
    const wrapping: Handler<Context, string> = async (_own, next) => {
      try {
        return await next();
      } catch (cause) {
        throw new Error("wrapped", { cause });
      }
    };
    await expect(around([idle, wrapping], failing)(context())).rejects.toMatchObject({
      code: "handler_failed",
      middleware: "layer 1",
      cause: { cause: thrown },
    });
  });

  it("an abort passes untouched, though the handler waited for something of its own", async () => {
    const controller = new AbortController();
    const reason = new Error("the caller gave up");
    const idle: Handler<Context, string> = (_own, next) => next();
    const waiting: Handler<Context, string> = async () => {
      controller.abort(reason);
      throw reason;
    };
    const aborted = around([idle, waiting])({ text: "", signal: controller.signal });
    await expect(aborted).rejects.toBe(reason);
    const other: Handler<Context, string> = async () => {
      throw new Error("something else");
    };
    await expect(around([other])({ text: "", signal: controller.signal })).rejects.toMatchObject({
      code: "handler_failed",
    });
  });

  it("a value thrown again later by an outer layer is still the inside's", async () => {
    let caught: unknown;
    const whole = around(
      [
        async (_own, next) => {
          await next().catch((error: unknown) => {
            caught = error;
          });
          throw caught;
        },
      ],
      () => Promise.reject("a text"),
    );
    await expect(whole(context())).rejects.toBe("a text");
  });

  it("an orderly end carries the name of the layer that it left first", async () => {
    const idle: Handler<Context, string> = (_own, next) => next();
    const termination = endRun("over");
    const whole = around([idle, async () => termination, idle]);
    await expect(whole(context())).rejects.toMatchObject({ result: "over", endedBy: "layer 1" });
  });

  it("one composed onion serves passes that overlap", async () => {
    const whole = around(
      [
        async (own, next) => {
          own.text += "!";
          await new Promise((resolve) => setImmediate(resolve));
          return next();
        },
      ],
      async ({ text }) => text,
    );
    const texts = ["a", "b", "c"];
    expect(await Promise.all(texts.map((text) => whole(context(text))))).toEqual([
      "a!",
      "b!",
      "c!",
    ]);
  });
});

describe("next({ signal })", () => {
  it("rejects at once, and the late outcome is told of", async () => {
    for (const outcome of ["completed", "failed"] as const) {
      const log: string[] = [];
      let settle = (): void => {};
      const core = (): Promise<string> =>
        new Promise((resolve, reject) => {
          settle = () => (outcome === "completed" ? resolve("late") : reject(new Error("late")));
        });
      const controller = new AbortController();
      const whole = around(
        [
          async (_own, next) => {
            setImmediate(() => controller.abort("enough"));
            return next({ signal: controller.signal }).catch((error) => `gave up: ${error}`);
          },
        ],
        core,
        log,
      );
      expect(await whole(context())).toBe("gave up: enough");
      settle();
      await new Promise((resolve) => setImmediate(resolve));
      expect(log).toEqual(["settle gave up: enough after undefined", `abandoned ${outcome}`]);
    }
  });

  it("an abandoned pass is not the layer's last, whatever comes of it", async () => {
    const log: string[] = [];
    const gates: (() => void)[] = [];
    const core = ({ text }: Context): Promise<string> =>
      new Promise((resolve) => gates.push(() => resolve(text)));
    const controller = new AbortController();
    const whole = around(
      [
        async (own, next) => {
          own.text = "first";
          setImmediate(() => controller.abort("enough"));
          await next({ signal: controller.signal }).catch(() => {});
          own.text = "second";
          const second = next();
          setImmediate(() => {
            gates[0]?.();
            setImmediate(() => gates[1]?.());
          });
          return second;
        },
      ],
      core,
      log,
    );
    expect(await whole(context())).toBe("second");
    expect(log).toEqual(["begin", "abandoned completed"]);
  });

  it("a second pass may begin under a bound as soon as the first was given up, but not before", async () => {
    const controller = new AbortController();
    const whole = around(
      [
        async (_own, next) => {
          const first = next({ signal: controller.signal });
          await next().catch(() => {});
          controller.abort("enough");
          await first.catch(() => {});
          return "never";
        },
      ],
      () => new Promise(() => {}),
    );
    const error = await whole(context()).catch((reason: MiddlewareError) => reason);
    expect(error).toMatchObject({ code: "next_while_running", middleware: "layer 0" });
  });
});

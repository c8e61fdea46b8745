import { agentMiddleware, chatMiddleware, functionMiddleware, type Middleware } from "@tunic/core";
import compose from "koa-compose";
import { bestTimes } from "./measure.js";
import type { Contender, Work } from "./script.js";
import { tunic } from "./tunic.js";

export type LayerKind = "agent" | "chat" | "function";

/** Handlers that only hand on. */
export function idle(kind: LayerKind, count: number): readonly Middleware[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `idle ${index}`;
    if (kind === "agent") return agentMiddleware(name, async (_context, next) => next());
    if (kind === "chat") return chatMiddleware(name, async (_context, next) => next());
    return functionMiddleware(name, async (_context, next) => next());
  });
}

const layers = 10;

/**
 * What ten idle layers cost, as a ratio to ten idle layers of koa-compose. The layers of an onion
 * are passed as often as their kind says: once a run, once a model call, once a tool call.
 */
export async function layerRatio(kind: LayerKind): Promise<number> {
  // One run of 20 rounds passes the chat onion 21 times, the function onion 20 times.
  const passes = { agent: 1, chat: 21, function: 20 }[kind];
  const size = kind === "agent" ? 0 : 20;
  const contenders = [tunic(), tunic(idle(kind, layers)), koa(passes)];
  const [without = 0, with10 = 0, theirs = 0] = await bestTimes(contenders, "loop", size, 40);
  return (with10 - without) / theirs;
}

/** The same number of passes through koa-compose, around the same nothing. */
function koa(passes: number): Contender {
  const onion = compose(
    Array.from(
      { length: layers },
      () => async (_context: object, next: () => Promise<unknown>) => next(),
    ),
  );
  return {
    async run(work: Work) {
      for (let pass = 0; pass < passes; pass++) await onion({});
      // Nothing of the work is done here: only the layers are timed.
      work.skip();
      return { text: "" };
    },
    async stream() {
      throw new Error("bench: koa-compose has no stream");
    },
  };
}

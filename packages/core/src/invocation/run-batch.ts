import type { RunnableCall } from "./judged-call.js";

/** What a call keeps to itself while it runs: everything, some keys, or nothing. */
type Claim = "alone" | readonly string[] | undefined;

type Invoke = (call: RunnableCall) => void | Promise<void>;

/**
 * Runs the calls of a batch together, at most `maxConcurrency` at a time. A call that must be alone
 * waits for all before it and holds up all after it; calls that share a resource go one after the
 * other, in call order. `invoke` settles a call and never fails; a call that is done at once costs
 * no promise.
 */
export function runBatch(
  calls: readonly RunnableCall[],
  maxConcurrency: number,
  invoke: Invoke,
): void | Promise<void> {
  const [only] = calls;
  if (only && calls.length === 1) return invoke(only);
  const claims = calls.map(claimOf);
  const free = claims.every((claim) => claim === undefined);
  return free
    ? together(calls, maxConcurrency, invoke)
    : inTurn(calls, claims, maxConcurrency, invoke);
}

/** Starts all calls, as far as there is room. */
function together(
  calls: readonly RunnableCall[],
  maxConcurrency: number,
  invoke: Invoke,
): void | Promise<void> {
  let next = 0;
  const work = (first: Promise<void>): Promise<void> => first.then(proceed);
  const proceed = async (): Promise<void> => {
    while (next < calls.length) await start();
  };
  const start = (): void | Promise<void> => {
    const call = calls[next++];
    return call && invoke(call);
  };
  const running: Promise<void>[] = [];
  while (next < calls.length && running.length < maxConcurrency) {
    const started = start();
    if (started) running.push(work(started));
  }
  if (running.length > 0) return Promise.all(running).then(nothing);
}

async function inTurn(
  calls: readonly RunnableCall[],
  claims: readonly Claim[],
  maxConcurrency: number,
  invoke: Invoke,
): Promise<void> {
  const inSlot = slots(maxConcurrency);
  const turns = new Turns();
  for (const [index, call] of calls.entries()) {
    const claim = claims[index];
    const start = (): Promise<void> => inSlot(() => invoke(call));
    const before = turns.before(claim);
    turns.take(claim, before.length === 0 ? start() : Promise.all(before).then(start));
  }
  await Promise.all(turns.last);
}

/**
 * Who waits for whom. A call waits for the last one of its kind only, which has waited for all before
 * it: a batch of ten thousand costs ten thousand waits, not fifty million.
 */
class Turns {
  #alone: readonly Promise<void>[] = [];
  #since: Promise<void>[] = [];
  readonly #byKey = new Map<string, Promise<void>>();

  /** What a call with this claim waits for. */
  before(claim: Claim): readonly Promise<void>[] {
    if (claim === "alone") return this.last;
    return [...this.#alone, ...(claim ?? []).flatMap((key) => this.#byKey.get(key) ?? [])];
  }

  take(claim: Claim, done: Promise<void>): void {
    if (claim === "alone") {
      this.#alone = [done];
      this.#since = [];
      this.#byKey.clear();
      return;
    }
    this.#since.push(done);
    for (const key of claim ?? []) this.#byKey.set(key, done);
  }

  /** When these are done, all are. */
  get last(): readonly Promise<void>[] {
    return [...this.#alone, ...this.#since];
  }
}

function claimOf({ tool, input }: RunnableCall): Claim {
  if (tool.exclusive || tool.destructive || tool.concurrencySafe === false) return "alone";
  if (typeof tool.resources !== "function") return tool.resources;
  try {
    const keys: unknown = tool.resources(input as never);
    if (Array.isArray(keys)) return keys;
  } catch {
    // Told below.
  }
  // Who cannot say what it works on gets everything to itself.
  return "alone";
}

/** Lets at most `count` pieces of work go on at a time, the others in the order in which they came. */
function slots(count: number): (work: () => void | Promise<void>) => Promise<void> {
  let free = count;
  const queue: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      await work();
    } finally {
      // The slot goes straight to the next in line; it is free only when nobody waits.
      const next = queue.shift();
      if (next) next();
      else free++;
    }
  };
}

function nothing(): void {}

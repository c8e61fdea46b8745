import type { RunnableCall } from "./judge-batch.js";

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
  const done: Promise<void>[] = [];
  for (const [index, call] of calls.entries()) {
    const before = done.filter((_, earlier) => conflict(claims[earlier], claims[index]));
    const start = (): Promise<void> => inSlot(() => invoke(call));
    done.push(before.length === 0 ? start() : Promise.all(before).then(start));
  }
  await Promise.all(done);
}

function claimOf({ tool, input }: RunnableCall): Claim {
  if (tool.exclusive || tool.destructive || tool.concurrencySafe === false) return "alone";
  if (typeof tool.resources !== "function") return tool.resources;
  try {
    return tool.resources(input as never);
  } catch {
    // Who cannot say what it works on gets everything to itself.
    return "alone";
  }
}

function conflict(a: Claim, b: Claim): boolean {
  if (a === "alone" || b === "alone") return true;
  return a?.some((key) => b?.includes(key)) ?? false;
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

import type { RunnableCall } from "./judge-batch.js";

/** What a call keeps to itself while it runs: everything, some keys, or nothing. */
type Claim = "alone" | readonly string[] | undefined;

/**
 * Runs the calls of a batch together, at most `maxConcurrency` at a time. A call that must be alone
 * waits for all before it and holds up all after it; calls that share a resource go one after the
 * other, in call order. `invoke` settles a call and never rejects.
 */
export async function runBatch(
  calls: readonly RunnableCall[],
  maxConcurrency: number,
  invoke: (call: RunnableCall) => Promise<void>,
): Promise<void> {
  const only = calls.length === 1 ? calls[0] : undefined;
  if (only) return invoke(only);
  const claims = calls.map(claimOf);
  if (calls.length <= maxConcurrency && claims.every((claim) => claim === undefined)) {
    await Promise.all(calls.map(invoke));
    return;
  }
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
function slots(count: number): (work: () => Promise<void>) => Promise<void> {
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

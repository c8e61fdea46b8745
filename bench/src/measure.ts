import { type Contender, Work, type WorkKind } from "./script.js";

/** One run of a case, checked. */
async function once(contender: Contender, kind: WorkKind, size: number): Promise<void> {
  const work = new Work(kind, size);
  work.check(await (kind === "stream" ? contender.stream(work) : contender.run(work)));
}

/** Milliseconds that this process has had a processor for, all of its threads together. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Microseconds of one run: the best of several interleaved rounds, so that noise hits both alike.
 *
 * @param clock In milliseconds. Default: the time that passes. Small differences need {@link processorTime}:
 * what others do on the machine does not count.
 */
export async function bestTimes(
  contenders: readonly Contender[],
  kind: WorkKind,
  size: number,
  rounds = 25,
  clock = () => performance.now(),
): Promise<readonly number[]> {
  const best = contenders.map(() => Infinity);
  const repeat: number[] = [];
  for (const contender of contenders) {
    const started = performance.now();
    let runs = 0;
    while (performance.now() - started < 800) {
      await once(contender, kind, size);
      runs++;
    }
    repeat.push(Math.max(1, Math.ceil((15 * runs) / 800)));
  }
  for (let round = 0; round < rounds; round++) {
    for (const [index, contender] of contenders.entries()) {
      const times = repeat[index] ?? 1;
      const started = clock();
      for (let run = 0; run < times; run++) await once(contender, kind, size);
      const each = ((clock() - started) * 1000) / times;
      best[index] = Math.min(best[index] ?? Infinity, each);
    }
  }
  return best;
}

/** Bytes that each further run leaves in memory: the slope between 2,000 and 20,000 runs. */
export async function retainedPerRun(contender: Contender): Promise<number> {
  const used: number[] = [];
  let done = 0;
  for (const until of [2_000, 20_000]) {
    for (; done < until; done++) await once(contender, "loop", 2);
    used.push(await settledHeap());
  }
  const [early = 0, late = 0] = used;
  return (late - early) / 18_000;
}

async function settledHeap(): Promise<number> {
  const collect = globalThis.gc;
  if (!collect) throw new Error("bench: run node with --expose-gc");
  for (let pass = 0; pass < 5; pass++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return process.memoryUsage().heapUsed;
}

// Prints how many calls of the framework's own functions one streamed delta costs, and how deep the
// stack is where it reaches the consumer, for some numbers of idle handlers. A process of its own:
// the counters belong to the whole process.
import { Session } from "node:inspector/promises";
import { Agent, agentMiddleware, chatMiddleware, type Middleware } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";

const numbers = [0, 1, 10, 50];
const onions: Record<string, (name: string) => Middleware> = {
  chat: (name) => chatMiddleware(name, async (_context, next) => next()),
  agent: (name) => agentMiddleware(name, async (_context, next) => next()),
};

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

async function stream(middleware: readonly Middleware[], deltas: number): Promise<number> {
  const client = new ScriptedChatClient([{ text: "x".repeat(deltas) }], { chunkSize: 1 });
  const agent = new Agent({ client, middleware });
  let depth = 0;
  Error.stackTraceLimit = Infinity;
  await agent.run("go", {
    onUpdate: (update) => {
      if (update.type !== "delta" || depth > 0) return;
      const frames = new Error("here").stack?.split("\n") ?? [];
      depth = frames.filter((frame) => !frame.includes("at async ")).length;
    },
  });
  return depth;
}

/** Calls of functions in the sources of core since the last time. */
async function calls(): Promise<number> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  return result
    .filter(({ url }) => url.includes("/packages/core/src/"))
    .flatMap(({ functions }) => functions)
    .reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0);
}

async function callsFor(middleware: readonly Middleware[], deltas: number): Promise<number> {
  await calls();
  await stream(middleware, deltas);
  return calls();
}

const report: Record<string, unknown> = {};
for (const [onion, idle] of Object.entries(onions)) {
  for (const number of numbers) {
    const middleware = Array.from({ length: number }, (_, at) => idle(`idle ${at}`));
    await stream(middleware, 10);
    const few = await callsFor(middleware, 100);
    const many = await callsFor(middleware, 300);
    report[`${onion} ${number}`] = {
      perDelta: (many - few) / 200,
      depth: await stream(middleware, 2),
    };
  }
}
process.stdout.write(JSON.stringify(report));

// Runs that go wrong in every way that handlers and listeners can. If anything of that reaches the
// process, it ends with another code than 0 and without the last line.
import { Agent, type Middleware, type RunOptions, tool } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const crash = (): never => {
  throw new Error("crash");
};
type Next = () => Promise<never>;
const handlers: Record<string, (context: unknown, next: Next) => unknown> = {
  throws: crash,
  rejects: async () => crash(),
  later: async () => turn().then(crash),
  after: async (_context, next) => {
    await next();
    return crash();
  },
  "leaves next() behind": async (_context, next) => {
    void next();
    return crash();
  },
  "leaves next() behind for long": async (_context, next) => {
    void next();
    await turn();
    await turn();
    return crash();
  },
  "calls next() late": async (_context, next) => {
    const result = await next();
    setImmediate(() => void next());
    return result;
  },
  idle: (_context, next) => next(),
};

const lamp = tool({ name: "lamp", description: "Lights.", execute: crash });

function agentWith(middleware: readonly Middleware[], fails: boolean): Agent {
  const answer = { calls: [{ name: "lamp" }, { name: "lamp" }], chunkSize: 2 };
  const second = fails
    ? { text: "a long answer", error: new Error("down"), errorAfter: 1 }
    : "done";
  const client = new ScriptedChatClient([answer, second]);
  return new Agent({ client, tools: lamp, middleware });
}

const names = [
  "run.start",
  "run.end",
  "model.start",
  "model.end",
  "call.start",
  "call.end",
  "layer.start",
  "layer.end",
  "notice",
] as const;

let runs = 0;
for (const kind of ["agent", "chat", "verdict", "function"]) {
  for (const handler of Object.values(handlers)) {
    for (const fails of [false, true]) {
      for (const options of [{}, { onUpdate: turn }] satisfies RunOptions[]) {
        const middleware: object = { name: "mine", [kind]: handler };
        const agent = agentWith([middleware as Middleware], fails);
        const listeners = [crash, async () => crash(), async () => turn().then(crash)];
        for (const name of names) for (const listen of listeners) agent.events.on(name, listen);
        await agent.run("go", { ...options, onEvent: async () => crash() }).catch(() => {});
        runs++;
      }
    }
  }
}
await turn();
await turn();
process.stdout.write(`${runs} runs survived`);

// How long does what take? One middleware with a handler in three onions: it stands around the whole
// run, around each model call and around each tool call. `await next()` comes back when the inside has
// finished, streamed or not, so the times are the real ones.
import assert from "node:assert/strict";
import { Agent, type Middleware, tool } from "@tunic/core";
import { manualEnvironment, ScriptedChatClient } from "@tunic/testing";

/** Where the times go. `report` is configuration; nothing is kept in the middleware itself. */
function timing(report: (line: string) => void): Middleware {
  return {
    name: "timing",
    async agent({ run }, next) {
      const start = run.now();
      try {
        return await next();
      } finally {
        report(`run ${run.now() - start} ms`);
      }
    },
    async chat({ run, iteration }, next) {
      const start = run.now();
      try {
        return await next();
      } finally {
        report(`model call ${iteration}: ${run.now() - start} ms`);
      }
    },
    async function({ run, tool }, next) {
      const start = run.now();
      try {
        return await next();
      } finally {
        report(`${tool.name}: ${run.now() - start} ms`);
      }
    },
  };
}

// A clock that is moved by hand, so that the times are the same each time.
const environment = manualEnvironment();
const weather = tool({
  name: "weather",
  async execute() {
    await environment.advance(30);
    return "Sunny.";
  },
});
const client = new ScriptedChatClient([
  async () => {
    await environment.advance(120);
    return { calls: [{ name: "weather" }] };
  },
  async () => {
    await environment.advance(80);
    return "It is sunny.";
  },
]);

const lines: string[] = [];
const agent = new Agent({
  client,
  tools: [weather],
  environment,
  middleware: [timing((line) => lines.push(line))],
});

// The framework can tell the same of every layer, your own or not. Without a listener nothing is measured.
const layers: string[] = [];
agent.events.on("layer.end", ({ middleware, kind, durationMs }) => {
  layers.push(`${middleware}/${kind} ${durationMs}`);
});

await agent.run("How is the weather?");
for (const line of lines) console.log(line);

assert.deepEqual(lines, [
  "model call 1: 120 ms",
  "weather: 30 ms",
  "model call 2: 80 ms",
  "run 230 ms",
]);
assert.deepEqual(layers, [
  "timing/chat 120",
  "timing/function 30",
  "timing/chat 80",
  "timing/agent 230",
]);

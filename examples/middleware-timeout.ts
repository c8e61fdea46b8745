// Give a tool so much time and no more, also one that never looks at its signal. Under `next({ signal })`
// the inside is let go as soon as the signal fires; what still comes of it is used for nothing, and told
// as the event `call.abandoned`.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, functionMiddleware, tool, toolResult } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";

const timeout = (ms: number) =>
  functionMiddleware("timeout", async (context, next) => {
    const limit = AbortSignal.timeout(ms);
    try {
      return await next({ signal: limit });
    } catch (error) {
      // The run itself may have been stopped: that is not ours to answer.
      if (error !== limit.reason) throw error;
      const message = `${context.tool.name} took longer than ${ms} ms.`;
      return toolResult({
        contents: `Error: ${message}`,
        error: { code: "tool_timeout", retryable: true, message },
      });
    }
  });

const deaf = tool({
  name: "deaf",
  async execute() {
    await sleep(100); // does not ask for context.signal
    return "Too late.";
  },
});
const quick = tool({ name: "quick", execute: () => "In time." });

const client = new ScriptedChatClient([
  { calls: [{ name: "deaf" }, { name: "quick" }] },
  "One of the two did not answer.",
]);
const agent = new Agent({ client, tools: [deaf, quick], middleware: [timeout(20)] });

const abandoned: string[] = [];
agent.events.on("call.abandoned", ({ toolName, outcome }) => {
  abandoned.push(`${toolName} ${outcome}`);
});
const response = await agent.run("Ask both.");
const results = response.messages[1]?.contents.map((content) => {
  assert.ok(content.type === "function_result");
  return [content.contents[0]?.type === "text" && content.contents[0].text, content.error?.code];
});
console.log(results);

assert.deepEqual(results, [
  ["Error: deaf took longer than 20 ms.", "tool_timeout"],
  ["In time.", undefined],
]);
assert.deepEqual(abandoned, []); // it is still at work …
await sleep(150);
assert.deepEqual(abandoned, ["deaf completed"]); // … and what came of it was told, not used

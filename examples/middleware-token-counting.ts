// Count the tokens of a run, model by model. The counter lives in `run.state`: one agent serves many runs
// at once, and each has a counter of its own. A literal that `satisfies Middleware` has two handlers that
// share it.
import assert from "node:assert/strict";
import { Agent, createStateKey, type Middleware, tool, totalTokens } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";

const tokens = createStateKey("tokens by model", () => new Map<string, number>());

const bills: string[] = [];
const tokenCounting = {
  name: "token-counting",
  async chat(context, next) {
    const response = await next();
    const counts = context.run.state.get(tokens);
    const model = response.model ?? "unknown";
    counts.set(model, (counts.get(model) ?? 0) + totalTokens(response.usage ?? {}));
    return response;
  },
  async agent(context, next) {
    const response = await next();
    const counts = [...context.run.state.get(tokens)].map(([model, sum]) => `${model} ${sum}`);
    bills.push(`${context.run.principal?.id}: ${counts.join(", ")}`);
    return response;
  },
} satisfies Middleware;

// A tool finds the counter under the same key.
const spent = tool({
  name: "tokens_spent",
  execute: (_input, { run }) => [...run.state.get(tokens).values()].reduce((a, b) => a + b, 0),
});

const client = new ScriptedChatClient(({ messages }) =>
  messages.at(-1)?.role === "tool"
    ? { text: "That is all.", model: "small", usage: { inputTokens: 60, outputTokens: 5 } }
    : {
        calls: [{ name: "tokens_spent" }],
        model: "large",
        usage: { inputTokens: 40, outputTokens: 2 },
      },
);
const agent = new Agent({ client, tools: [spent], middleware: [tokenCounting] });

// Two runs at the same time, on one agent, for two people.
const [mara] = await Promise.all([
  agent.run("What did this cost?", { principal: { id: "mara" } }),
  agent.run("What did this cost?", { principal: { id: "noor" } }),
]);
for (const bill of bills) console.log(bill);

assert.deepEqual(bills.sort(), ["mara: large 42, small 65", "noor: large 42, small 65"]);
const result = mara.messages[1]?.contents[0];
assert.ok(result?.type === "function_result");
assert.deepEqual(result.contents, [{ type: "text", text: "42" }]);

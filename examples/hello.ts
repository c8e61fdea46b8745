// The smallest agent: a model, a tool, a question. The model is a script, so that this runs offline.
import assert from "node:assert/strict";
import { Agent, tool } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";

const weather = tool({
  name: "weather",
  description: "The weather in a city, today.",
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
  },
  execute: ({ city }) => `Sunny in ${city}, 21 degrees.`,
});

const client = new ScriptedChatClient([
  { calls: [{ name: "weather", arguments: { city: "Lisbon" } }] },
  "Leave the umbrella at home: Lisbon is sunny.",
]);
const agent = new Agent({ client, instructions: "Answer in one sentence.", tools: [weather] });

const response = await agent.run("Do I need an umbrella in Lisbon?");
console.log(response.text);

assert.equal(response.text, "Leave the umbrella at home: Lisbon is sunny.");
const seen = client.requests[1]?.messages.at(-1)?.contents[0];
assert.ok(seen?.type === "function_result");
assert.deepEqual(seen.contents, [{ type: "text", text: "Sunny in Lisbon, 21 degrees." }]);

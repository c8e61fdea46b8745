// A conversation that outlives the process: two turns, and between them the session is JSON.
import assert from "node:assert/strict";
import { Agent, AgentSession, textOf } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";

// Answers with what it was told first, which it only knows if it was sent the whole conversation.
const client = new ScriptedChatClient(({ messages }) => {
  const [first] = messages;
  return messages.length === 1
    ? "Nice to meet you."
    : `You said: “${first ? textOf(first) : "nothing"}”`;
});
const agent = new Agent({ client });

const monday = new AgentSession();
await agent.run("My name is Mara.", { session: monday });
const saved = JSON.stringify(monday);

const tuesday = AgentSession.fromJSON(JSON.parse(saved));
const response = await agent.run("What is my name?", { session: tuesday });
console.log(response.text);

assert.equal(response.text, "You said: “My name is Mara.”");
assert.equal(tuesday.id, monday.id);
assert.deepEqual(
  tuesday.messages.map(({ role }) => role),
  ["user", "assistant", "user", "assistant"],
);
assert.equal(monday.messages.length, 2, "the loaded session is a copy");

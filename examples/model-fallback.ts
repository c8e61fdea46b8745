// Two services, one of which is down. Each model call begins with the first, goes on to the second, and when both
// have failed is made again a little later. What was streamed of an answer that never got whole is taken
// back; the tool runs once.
import assert from "node:assert/strict";
import { Agent, ChatClientError, foldUpdates, tool } from "@tunic/core";
import { fallbackClient, retryModelCalls } from "@tunic/resilience";
import { ScriptedChatClient } from "@tunic/testing";

const down = new ChatClientError("server_error", "Down.", { status: 503, retryable: true });
const limited = new ChatClientError("rate_limit", "Slowly.", {
  status: 429,
  retryable: true,
  retryAfterMs: 20,
});

const first = new ScriptedChatClient(
  [
    { error: down },
    { text: "The parcel is", error: down, errorAfter: 2 }, // two pieces, then nothing more
    "The parcel is on its way.",
  ],
  { metadata: { provider: "first" }, chunkSize: 5 },
);
const second = new ScriptedChatClient([{ calls: [{ name: "find_parcel" }] }, { error: limited }], {
  metadata: { provider: "second" },
});

let searches = 0;
const findParcel = tool({
  name: "find_parcel",
  execute: () => `Found it. Search number ${++searches}.`,
});

const agent = new Agent({
  client: fallbackClient([first, second], { afterUpdates: true }),
  tools: [findParcel],
  middleware: [retryModelCalls({ initialDelayMs: 5 })],
});

const told: string[] = [];
const fold = foldUpdates();
let takenBack = 0;
const response = await agent.run("Where is my parcel?", {
  onUpdate(update) {
    fold.add(update);
    if (update.type === "retract") takenBack++;
  },
  onEvent(event) {
    if (event.type === "notice") told.push(event.message);
  },
});
console.log(told.join("\n"));
console.log(response.text);

assert.equal(response.text, "The parcel is on its way.");
assert.deepEqual(fold.messages, response.messages);
assert.deepEqual([first.requests.length, second.requests.length], [3, 2]);
assert.deepEqual([searches, takenBack], [1, 1]);
assert.equal(told.length, 3); // the second is asked twice, and once all is tried again

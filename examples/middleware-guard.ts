// End the run when something goes beyond what may be forgiven. `endRun` takes the result that the call is
// to have: the other calls of the batch finish, every call has its result, and the model is not asked again.
import assert from "node:assert/strict";
import {
  Agent,
  AgentSession,
  checkHistory,
  endRun,
  functionMiddleware,
  tool,
  toolResult,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";

const withinNotes = functionMiddleware("within-notes", async (context, next) => {
  const path = String(context.arguments["path"]);
  if (path.startsWith("notes/")) return next();
  // Returned, not thrown: a throw of any other kind would be a failure of the guard.
  return endRun(toolResult({ contents: "Error: not allowed.", isError: true }));
});

const read = tool({
  name: "read_file",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  execute: ({ path }) => `text of ${path}`,
});
const client = new ScriptedChatClient([
  {
    calls: [
      { name: "read_file", arguments: { path: "notes/monday.md" } },
      { name: "read_file", arguments: { path: "/etc/passwd" } },
    ],
  },
  "This is never asked for.",
]);
const agent = new Agent({ client, tools: [read], middleware: [withinNotes] });
const session = new AgentSession();
const response = await agent.run("Read my notes.", { session });
console.log(`${response.outcome} by ${response.endedBy}`);

assert.equal(response.outcome, "ended");
assert.equal(response.endedBy, "within-notes");
assert.equal(client.requests.length, 1);
const results = response.messages[1]?.contents.map((content) => {
  assert.ok(content.type === "function_result");
  return content.contents[0]?.type === "text" && content.contents[0].text;
});
assert.deepEqual(results, ["text of notes/monday.md", "Error: not allowed."]);
// The conversation is whole: it can be stored, and gone on with.
assert.deepEqual(checkHistory(session.messages), []);

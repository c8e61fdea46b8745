/**
 * An agent with the tools of an MCP server, and the server as well: a booking waits for a person's yes, and then the
 * server asks that person something itself. Both programs are real; only the model is a script. Checks itself.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { Agent, AgentSession } from "@tunic/core";
import { approve, describeRequest } from "@tunic/core/approvals";
import { mcpTools } from "@tunic/mcp";
import { ScriptedChatClient } from "@tunic/testing";

await using harbour = mcpTools(
  {
    command: process.execPath,
    args: [...process.execArgv, join(import.meta.dirname, "server.ts")],
  },
  { name: "harbour", approvalMode: { alwaysRequire: ["book_berth"] } },
);

const client = new ScriptedChatClient([
  { calls: [{ name: "harbour_free_berths" }] },
  { calls: [{ name: "harbour_book_berth", arguments: { berth: "B4" } }] },
  "You have berth B4 tonight.",
]);
const agent = new Agent({ client, contextProviders: [harbour] });
const session = new AgentSession();
await agent.run("Find me a berth for tonight.", { session });

// The berths were looked up without asking. To book one, nobody has allowed yet.
const [booking] = session.pending;
assert(booking !== undefined);
console.log(`${describeRequest(booking)}\n`);
assert.deepEqual(booking.call.arguments, { berth: "B4" });
await agent.run(approve(booking), { session });

// Now the server works on the call, and wants to know something from the same person.
const [question] = session.pending;
assert(question !== undefined);
console.log(`${describeRequest(question)}\n`);
assert.equal(question.summary, "How long is your boat?");
const { text } = await agent.run(approve(question, { arguments: { metres: 12.5 } }), { session });

console.log(text);
assert.equal(text, "You have berth B4 tonight.");
assert.match(JSON.stringify(session.messages), /Booked: B4\./);

/**
 * Approvals between three programs that share only JSON: a server that runs an agent, a page that shows
 * what waits, and a person who may answer days later. Checks itself.
 */
import assert from "node:assert/strict";
import { Agent, AgentSession, tool, toolApproval } from "@tunic/core";
import {
  approve,
  deny,
  describeRequest,
  type FunctionApprovalRequestContent,
  parseDecision,
} from "@tunic/core/approvals";
import { ScriptedChatClient } from "@tunic/testing";

const done: string[] = [];

const search = tool({ name: "search", readOnly: true, execute: () => "2 old branches" });
const remove = tool({
  name: "delete_branch",
  title: "Delete a branch",
  destructive: true,
  parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  describeCall: ({ name }) => `Delete the branch ${name} for ever.`,
  execute({ name }) {
    done.push(name);
    return `${name} is deleted`;
  },
});

const agent = new Agent({
  client: new ScriptedChatClient([
    { calls: [{ name: "search" }] },
    {
      calls: [
        { name: "delete_branch", arguments: { name: "old-login" } },
        { name: "delete_branch", arguments: { name: "release-2" } },
      ],
    },
    "old-login is gone, release-2 stays.",
  ]),
  tools: [search, remove],
  middleware: [toolApproval()],
});

// The server: sessions by id, as text. Whatever stores text will do.
const store = new Map<string, string>();

async function serve(id: string, input: Parameters<Agent["run"]>[0]): Promise<string> {
  const stored = store.get(id);
  const session = stored ? AgentSession.fromJSON(JSON.parse(stored)) : new AgentSession({ id });
  const { text, outcome } = await agent.run(input, { session });
  store.set(id, JSON.stringify(session));
  return outcome === "paused" ? JSON.stringify(session.pending) : text;
}

// Reading runs by itself; deleting waits.
const waiting = await serve("s1", "Tidy up the branches.");
assert.deepEqual(done, []);

// The page: shows the requests, and posts what was clicked.
const requests = JSON.parse(waiting) as FunctionApprovalRequestContent[];
for (const request of requests) console.log(`${describeRequest(request)}\n`);
const [first, second] = requests;
assert(first && second);
const clicks = [
  JSON.stringify(approve(first)),
  JSON.stringify(deny(second, { reason: "That one is in use." })),
];

// The server again: reads strictly, and adds who it was.
const decisions = clicks.map((json) => parseDecision(json, { decidedBy: "mara" }));
const answer = await serve("s1", decisions);
console.log(answer);
assert.equal(answer, "old-login is gone, release-2 stays.");
assert.deepEqual(done, ["old-login"]);

// A second click, or a replayed request: refused, and nothing is deleted.
await assert.rejects(serve("s1", decisions), { code: "request_closed" });
assert.deepEqual(done, ["old-login"]);

/**
 * An agent with a skill in a folder: it loads it, reads from it, and has its script run once a person has agreed.
 * The skill is a real one and needs nothing of this program; only the model is a script. Checks itself.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { Agent, AgentSession, type RunEvent, tool, toolApproval } from "@tunic/core";
import { approve, deny, describeRequest } from "@tunic/core/approvals";
import { readOnlyToolsAutoApprovalRule, SkillsProvider } from "@tunic/skills";
import { fileSkills, processScriptRunner } from "@tunic/skills/node";
import { ScriptedChatClient } from "@tunic/testing";
import { nextTurn } from "./script.js";

const listCommits = tool({
  name: "list_commits",
  description: "The commits since the last release, and its version.",
  readOnly: true,
  execute: () => ({
    since: "1.4.2",
    messages: [
      "feat(editor): remembers where you were",
      "fix: a file without a last line break is saved as it is",
      "chore: newer compiler",
      "feat(cli)!: checks by default\n\nBREAKING CHANGE: write --write where files are to be changed.",
      "perf(search): twice as fast in large folders",
      "docs: how to install",
    ],
  }),
});

/** As a process that starts would make it: everything that a run needs to go on stands in its session. */
function openAgent(): Agent {
  const scriptRunner = processScriptRunner();
  const skills = fileSkills(join(import.meta.dirname, "skills"), { scriptRunner });
  return new Agent({
    client: new ScriptedChatClient(nextTurn),
    tools: [listCommits],
    contextProviders: [new SkillsProvider({ skills })],
    // Loading and reading go without asking; the script asks.
    middleware: [toolApproval({ decide: readOnlyToolsAutoApprovalRule })],
  });
}

const problems: string[] = [];
const watch = {
  onEvent(event: RunEvent) {
    if (event.type === "notice") problems.push(event.message);
  },
};

/** Runs until the script waits for a person. */
async function ask(): Promise<string> {
  const session = new AgentSession();
  const { outcome } = await openAgent().run("Write the release notes.", { session, ...watch });
  assert.equal(outcome, "paused");
  return JSON.stringify(session);
}

const saved = await ask();

// Another process, next week: nothing but the script is asked about.
const session = AgentSession.fromJSON(JSON.parse(saved));
const [request, ...more] = session.pending;
assert(request !== undefined && more.length === 0);
console.log(`${describeRequest(request)}\n`);
// With the folder that it is from, and a hash of what would run: the yes is for nothing else.
assert.match(
  request.summary ?? "",
  /^Run "scripts\/next-version\.mjs" of the skill "release-notes" from .+ \(sha256:\w+…\)\.$/,
);

const { text } = await openAgent().run(approve(request), { session, ...watch });
console.log(text);
assert.equal(
  text,
  `## 2.0.0

### What you have to change

- **cli** write --write where files are to be changed.

### New

- **editor** remembers where you were

### Repaired

- a file without a last line break is saved as it is
- **search** twice as fast in large folders`,
);

// The same run, where the person says no: the script does not run, and no number is made up.
const other = AgentSession.fromJSON(JSON.parse(saved));
const denied = await openAgent().run(deny(request), { session: other, ...watch });
assert.equal(denied.text, "The script did not run, so I name no version and write no notes.");
assert.deepEqual(problems, []);

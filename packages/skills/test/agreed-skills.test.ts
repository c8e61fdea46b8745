import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Agent, AgentSession, approve, type Remember, toolApproval } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { mcpSkills, type Skill, type SkillsProviderOptions } from "../src/index.js";
import { fileSkills, processScriptRunner } from "../src/node.js";
import { skillText, temporaryFolder, writeFiles } from "./support/folder.js";
import { connected, listedSkill } from "./support/mcp.js";
import { restarted, resultsIn, say } from "./support/narrowed-agent.js";
import { agentWith, free, knots, text, theirs } from "./support/provider.js";

const run = {
  name: "run_skill_script",
  arguments: { skill_name: "knots", script_name: "tie.sh", arguments: { argv: [] } },
};
const load = { name: "load_skill", arguments: { skill_name: "knots" } };
const read = {
  name: "read_skill_resource",
  arguments: { skill_name: "knots", resource_name: "all.md" },
};
const files = {
  "knots/SKILL.md": skillText("knots"),
  "knots/tie.sh": ". ./lib/words; say old",
  "knots/lib/words": "say() { echo said $1; }",
  "knots/all.md": "Bowline.",
};
const runner = processScriptRunner();

function agentOf(skills: SkillsProviderOptions["skills"], call: typeof run | typeof load) {
  return agentWith([{ calls: [call] }, "done"], { skills }).agent;
}

const changes: readonly (readonly [string, (folder: string) => void, typeof run | typeof load])[] =
  [
    ["the script", (folder) => writeFiles(folder, { "knots/tie.sh": "echo new" }), run],
    [
      "a file beside it",
      (folder) => writeFiles(folder, { "knots/lib/words": "say() { echo new; }" }),
      run,
    ],
    ["a new file beside it", (folder) => writeFiles(folder, { "knots/lib/more": "x" }), run],
    ["a file that is gone", (folder) => rmSync(join(folder, "knots/lib/words")), run],
    [
      "the instructions",
      (folder) => writeFiles(folder, { "knots/SKILL.md": skillText("knots", "", "New.\n") }),
      load,
    ],
    ["a resource", (folder) => writeFiles(folder, { "knots/all.md": "New." }), read as never],
  ];

describe.each([{ streamed: false }, { streamed: true }])(
  "a yes to a skill of a folder, streamed: $streamed",
  ({ streamed }) => {
    it.each(changes)("does not hold once something has changed: %s", async (_, change, call) => {
      const folder = temporaryFolder(files);
      const start = () => agentOf(fileSkills(folder, { scriptRunner: runner }), call);
      const first = new AgentSession();
      await say(start(), streamed, "Tie.", { session: first });
      change(folder);
      const session = restarted(first);
      const { outcome, messages } = await say(
        agentWith(["done"], { skills: fileSkills(folder, { scriptRunner: runner }) }).agent,
        streamed,
        session.pending.map((each) => approve(each)),
        { session },
      );
      expect(outcome).toBe("paused");
      expect(resultsIn(messages)).toEqual([]);
      expect(session.pending[0]?.reason).toContain("has changed since");
      // Of what it is now there is a yes of its own.
      const last = await say(
        agentWith(["done"], { skills: fileSkills(folder, { scriptRunner: runner }) }).agent,
        streamed,
        session.pending.map((each) => approve(each)),
        { session },
      );
      expect(last.outcome).toBe("completed");
    });

    it("holds where nothing has changed, after a restart and at another time", async () => {
      const folder = temporaryFolder(files);
      const skills = () => fileSkills(folder, { scriptRunner: runner });
      const first = new AgentSession();
      await say(agentOf(skills(), run), streamed, "Tie.", { session: first });
      writeFiles(folder, files);
      const session = restarted(first);
      const { messages } = await say(
        agentWith(["done"], { skills: skills() }).agent,
        streamed,
        session.pending.map((each) => approve(each)),
        { session },
      );
      expect(resultsIn(messages).map(text)).toEqual(["said old\n"]);
    });
  },
);

describe("a yes to a skill", () => {
  async function again(before: Skill, after: Skill, remember?: Remember) {
    const call = {
      name: "run_skill_script",
      arguments: { skill_name: "knots", script_name: "tie", arguments: { turns: 1 } },
    };
    let session = new AgentSession();
    const ask = async (agent: Agent, input: Parameters<Agent["run"]>[0]) => {
      session = restarted(session);
      return await agent.run(input, { session });
    };
    await ask(agentWith([{ calls: [call] }], { skills: before }).agent, "Tie.");
    const answers = session.pending.map((each) => approve(each, remember ? { remember } : {}));
    const skills = remember ? before : after;
    const first = await ask(agentWith(["done"], { skills }).agent, answers);
    if (!remember) return first.outcome;
    expect(first.outcome).toBe("completed");
    return (await ask(agentWith([{ calls: [call] }, "done"], { skills: after }).agent, "Again."))
      .outcome;
  }

  const elsewhere: Skill = { ...knots, origin: "elsewhere" };
  it.each([
    ["another origin", knots, elsewhere, "paused"],
    ["others", knots, { ...knots, trust: "untrusted" } as Skill, "paused"],
    ["the same", elsewhere, { ...elsewhere }, "completed"],
  ] as const)("of the same name is none to that of %s", async (_, before, after, outcome) => {
    expect(await again(before, after)).toBe(outcome);
    for (const scope of ["arguments", "tool"] as const) {
      expect(await again(before, after, { scope })).toBe(outcome);
    }
  });

  it("of others that nobody can hold to what it was is remembered for nothing", async () => {
    expect(await again(theirs, theirs)).toBe("completed");
    expect(await again(theirs, theirs, { scope: "tool" })).toBe("paused");
  });

  it("that is remembered covers no changed script", async () => {
    const folder = temporaryFolder(files);
    const skills = () => fileSkills(folder, { scriptRunner: runner });
    const session = new AgentSession();
    await agentOf(skills(), run).run("Tie.", { session });
    const always = session.pending.map((each) => approve(each, { remember: { scope: "tool" } }));
    const next = agentWith([{ calls: [run] }, "done"], { skills: skills() }).agent;
    expect((await next.run(always, { session })).outcome).toBe("completed");
    writeFiles(folder, { "knots/lib/words": "say() { echo new; }" });
    expect((await agentOf(skills(), run).run("Again.", { session })).outcome).toBe("paused");
  });

  it("is asked for once where the program asks about what the tools do not ask about", async () => {
    const folder = temporaryFolder(files);
    const options = { ...free, skills: fileSkills(folder, { scriptRunner: runner }) };
    const { agent } = agentWith([{ calls: [run] }, "done"], options, {
      middleware: [toolApproval()],
    });
    const session = new AgentSession();
    await agent.run("Tie.", { session });
    const { outcome } = await agent.run(
      session.pending.map((each) => approve(each)),
      { session },
    );
    expect(outcome).toBe("completed");
  });
});

describe("who is asked about a skill", () => {
  async function requestOf(skills: SkillsProviderOptions["skills"], call = load as typeof run) {
    const session = new AgentSession();
    await agentOf(skills, call).run("Go.", { session });
    const [request] = session.pending;
    if (request === undefined) throw new Error("nobody was asked");
    return request;
  }

  it("is told where it is from, who wrote it, and what it is", async () => {
    const folder = temporaryFolder(files);
    const root = { path: folder, trust: "untrusted" } as const;
    const skills = fileSkills(root, { scriptRunner: runner });
    const { summary, additionalProperties } = await requestOf(skills, run);
    expect(summary).toMatch(
      /^Run "tie.sh" of the skill "knots" from \S+\/knots \(written by others, sha256:[0-9a-f]{16}…\)\.$/,
    );
    expect(additionalProperties).toEqual({
      skill: {
        action: "run",
        name: "knots",
        script: "tie.sh",
        origin: `${folder}/knots`,
        trust: "untrusted",
        fingerprint: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      },
    });
  });

  it("reads no words of others as ours", async () => {
    const origin = `acme (your own).\n\u202eIt is safe${"!".repeat(200)}`;
    const { summary = "" } = await requestOf({ ...knots, origin, trust: "untrusted" });
    expect(summary).toMatch(
      /^Load the skill "knots" from "acme \(your own\)\.��It is .*…!+" \(written by others\)\.$/,
    );
    expect(summary.length).toBeLessThan(200);
  });

  it("is told so of what there is not", async () => {
    const { summary } = await requestOf(knots, {
      name: "load_skill",
      arguments: { skill_name: 'a"b' },
    } as never);
    expect(summary).toBe('Use the skill "a\\"b", which there is not.');
  });
});

describe("a yes to a skill of a server", () => {
  it.each([
    ["the same files", {}, "completed"],
    ["another file", { "more.md": "More." }, "paused"],
  ])("holds for the set of its files: %s", async (_, files, outcome) => {
    const session = new AgentSession();
    const ask = async (more: object, turns: Parameters<typeof agentWith>[0], answer: boolean) => {
      const skill = listedSkill("knots", { "all.md": "Bowline.", ...more });
      const { client, listSkills } = await connected(skill.files, {
        pages: [{ skills: [skill.entry] }],
      });
      const { agent } = agentWith(turns, {
        skills: mcpSkills(client, { name: "acme", listSkills }),
      });
      const answers = session.pending.map((each) => approve(each));
      return await agent.run(answer ? answers : "Go.", { session });
    };
    await ask({}, [{ calls: [load] }], false);
    expect(session.pending[0]?.summary).toContain("from acme (written by others, sha256:");
    expect((await ask(files, ["done"], true)).outcome).toBe(outcome);
  });
});

import { AgentSession, type FunctionResultContent } from "@tunic/core";
import { describe, expect, it } from "vitest";
import {
  aggregateSkills,
  allToolsAutoApprovalRule,
  cacheSkills,
  deduplicateSkills,
  defineSkill,
  filterSkills,
  readOnlyToolsAutoApprovalRule,
  type Skill,
  type SkillListing,
  SkillsProvider,
  skillScript,
} from "../src/index.js";
import { fileSkills } from "../src/node.js";
import { skillText, temporaryFolder } from "./support/folder.js";
import { agentWith, free, knots, load, read, run, text } from "./support/provider.js";
import { contextWith, heldSource, listOf, skillNamed } from "./support/skills.js";

// What an existing implementation of skills checks, line by line, except where this package does otherwise
// on purpose:
// - Names and folders that do not match, names of another form and single odd fields are warnings, as the guide
//   for clients asks; `strict` refuses them. A skill that is refused is a problem with file and line, no log line.
// - Frontmatter is read by a YAML library: a tab indents nothing, and a member called twice is an error.
// - A loaded skill is its instructions in a frame, without the frontmatter, from files and from code alike;
//   without resources or scripts there is no empty block for them.
// - A script in a file takes `{ argv: [...] }`, one closed schema; a list by itself is no object. Functions take
//   their own schema, and nothing of the run is mixed into arguments, so nothing can collide.
// - Errors are error results with a code, not texts that look like answers.
// - Without a runner a file has no scripts, and a warning says so; it is not found out at the call.
// - Nothing is cached for ever unasked: folders are looked at in each run and read where they have changed.
// - The prompt knows `{skills}` only.
// - Approvals are asked by the tools' own modes; the rules are functions for `toolApproval`.
// - Skills of classes and of MCP servers are tested beside their code.

const context = contextWith();

const names = ({ skills }: SkillListing) => skills.map(({ frontmatter }) => frontmatter.name);

async function resultOf(skills: Skill, call: { name: string; arguments: object }) {
  const { agent } = agentWith([{ calls: [call as typeof load] }, "ok"], { ...free, skills });
  const { messages } = await agent.run("Go.");
  const [result] = messages.flatMap(({ contents }) =>
    contents.filter((content) => content.type === "function_result"),
  );
  return result as FunctionResultContent;
}

describe("checklist: scripts and their arguments", () => {
  const withScript = (execute: (args: { n?: number }) => unknown) =>
    defineSkill({
      name: "knots",
      description: "d",
      instructions: "i",
      scripts: [
        skillScript({
          name: "tie",
          parameters: { type: "object", properties: { n: { type: "number" } } },
          run: execute,
        }),
      ],
    });
  const call = (args: unknown) => ({
    ...run,
    arguments: {
      skill_name: "knots",
      script_name: "tie",
      ...(args !== undefined && { arguments: args }),
    },
  });

  it.each<[string, unknown, string]>([
    ["an object", { n: 2 }, '{"n":2}'],
    ["none", undefined, "{}"],
  ])("%s reaches the function", async (_, args, seen) => {
    expect(
      text(
        await resultOf(
          withScript((given) => JSON.stringify(given)),
          call(args),
        ),
      ),
    ).toBe(seen);
  });

  it.each<[string, unknown]>([
    ["a list", ["2"]],
    ["a word", "n=2"],
    ["another type", { n: "two" }],
  ])("%s is an error, and nothing runs", async (_, args) => {
    let ran = false;
    const skill = withScript(() => {
      ran = true;
    });
    expect(await resultOf(skill, call(args))).toMatchObject({ isError: true });
    expect(ran).toBe(false);
  });

  it("an asynchronous one is waited for, nothing passes through as nothing, a throw is an error", async () => {
    expect(
      text(
        await resultOf(
          withScript(async () => "later"),
          call({}),
        ),
      ),
    ).toBe("later");
    expect(
      await resultOf(
        withScript(() => null),
        call({}),
      ),
    ).not.toMatchObject({ isError: true });
    const failing = withScript(() => {
      throw new Error("torn");
    });
    expect(await resultOf(failing, call({}))).toMatchObject({ isError: true });
  });

  it("the runner of a source gets words, and each source has its own", async () => {
    const root = temporaryFolder({ "a/SKILL.md": skillText("a"), "a/s.py": "print()" });
    for (const own of ["one", "two"]) {
      const source = fileSkills(root, { scriptRunner: (_, argv) => [own, ...argv] });
      const [skill] = (await source.list(context)).skills;
      expect(await skill?.scripts[0]?.run({ argv: ["-v"] }, context)).toEqual([own, "-v"]);
    }
  });
});

describe("checklist: sources", () => {
  const sails = skillNamed("sails");

  it("of one name, whatever its case, the first counts: files before code where they stand first", async () => {
    const root = temporaryFolder({ "knots/SKILL.md": skillText("knots") });
    const source = deduplicateSkills(aggregateSkills(fileSkills(root), skillNamed("KNOTS"), sails));
    const { skills } = await source.list(context);
    expect(skills.map(({ origin }) => origin)).toEqual([`${root}/knots`, "code"]);
  });

  it("a filter sees skill and context", async () => {
    const session = new AgentSession();
    const asked = contextWith({ session });
    const keep = (_: Skill, given: typeof asked) => given.session === session;
    expect(names(await filterSkills(listOf(sails), keep).list(asked))).toEqual(["sails"]);
    expect(names(await filterSkills(listOf(sails), keep).list(context))).toEqual([]);
  });

  it("a cache asks once at a time, by key, again after its interval, and never keeps a failure", async () => {
    let time = 0;
    const { source, asked } = heldSource();
    const cached = cacheSkills(source, {
      isolationKey: ({ session }) => session?.id ?? "none",
      refreshIntervalMs: 10,
      now: () => time,
    });
    const waiting = [cached.list(context), cached.list(context)];
    asked[0]?.answer.reject(new Error("away"));
    expect((await Promise.allSettled(waiting)).map(({ status }) => status)).toEqual([
      "rejected",
      "rejected",
    ]);
    const again = cached.list(context);
    asked[1]?.answer.resolve({ skills: [sails], problems: [] });
    expect(names(await again)).toEqual(["sails"]);
    void cached.list(contextWith({ session: new AgentSession() }));
    expect(asked).toHaveLength(3);
    await cached.list(context);
    expect(asked).toHaveLength(3);
    time = 10;
    void cached.list(context);
    expect(asked).toHaveLength(4);
  });

  it("the provider asks a source of the caller's in every run, with that run's context", async () => {
    const sessions: unknown[] = [];
    const source = {
      list: async ({ session }: typeof context) => {
        sessions.push(session);
        return { skills: [sails], problems: [] };
      },
    };
    const { agent } = agentWith(["one", "two"], { skills: source });
    const [first, second] = [new AgentSession(), new AgentSession()];
    await agent.run("Go.", { session: first });
    await agent.run("Go.", { session: second });
    expect(sessions).toEqual([first, second]);
  });
});

describe("checklist: the provider", () => {
  it("advertises three tools whenever there is a skill, and nothing without", async () => {
    for (const [skills, count] of [
      [[skillNamed("bare")], 3],
      [[], 0],
    ] as const) {
      const { client, agent } = agentWith(["ok"], { skills });
      await agent.run("Go.");
      expect(client.requests[0]?.options.tools ?? []).toHaveLength(count);
    }
  });

  it.each([
    ["loadSkillApproval", load],
    ["readSkillResourceApproval", read],
    ["runSkillScriptApproval", run],
  ] as const)("%s frees one tool; all ask otherwise", async (option, call) => {
    for (const [options, outcome] of [
      [{}, "paused"],
      [{ [option]: "never_require" }, "completed"],
    ] as const) {
      const { agent } = agentWith([{ calls: [call] }, "ok"], options);
      const response = await agent.run("Go.", { session: new AgentSession() });
      expect(response.outcome).toBe(outcome);
    }
  });

  it("rules say nothing of tools that are not the provider's own", () => {
    for (const rule of [readOnlyToolsAutoApprovalRule, allToolsAutoApprovalRule]) {
      const decide = (tool: object) => rule({ tool } as Parameters<typeof rule>[0]);
      expect(decide({ name: "load_skill" })).toBe("run");
      expect(decide({ name: "load_skill", owner: "server" })).toBeUndefined();
      expect(decide({ name: "load_skill", trust: "external" })).toBeUndefined();
      expect(decide({ name: "send_mail" })).toBeUndefined();
    }
  });

  it.each([
    ["a skill", { ...load, arguments: { skill_name: "" } }, "unknown_skill"],
    [
      "a resource",
      { ...read, arguments: { skill_name: "knots", resource_name: "" } },
      "unknown_resource",
    ],
    ["a script", { ...run, arguments: { skill_name: "knots", script_name: "" } }, "unknown_script"],
  ])("%s without a name is an error that names what exists", async (_, call, code) => {
    expect(await resultOf(knots, call)).toMatchObject({ isError: true, error: { code } });
  });

  it("takes a single skill, and no path", () => {
    expect(() => new SkillsProvider({ skills: knots })).not.toThrow();
    expect(() => new SkillsProvider({ skills: "skills" as unknown as Skill })).toThrow(
      /fileSkills/,
    );
  });

  it.each(["no place", "{skills} {other}", "{} {skills}"])("refuses the prompt %j", (prompt) => {
    expect(() => new SkillsProvider({ skills: knots, prompt })).toThrow(TypeError);
  });
});

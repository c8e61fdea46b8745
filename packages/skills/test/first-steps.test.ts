import { Agent, ConfigurationError } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import {
  aggregateSkills,
  cacheSkills,
  deduplicateSkills,
  defineSkill,
  filterSkills,
  optionalSkills,
  type SkillsInput,
  SkillsProvider,
  type SkillsSource,
  skillScript,
} from "../src/index.js";
import { fileSkills, processScriptRunner } from "../src/node.js";
import {
  allowing,
  codesIn,
  load,
  narrowedAgent,
  resultsIn,
  script,
  theirs,
} from "./support/narrowed-agent.js";
import { agentWith, free, knots, text } from "./support/provider.js";
import { contextWith } from "./support/skills.js";

const failing = (name?: string): SkillsSource => ({
  ...(name && { name }),
  list: () => Promise.reject(new Error("away")),
});

describe("a source that fails", () => {
  it.each([
    ["its name", failing("the wiki"), "The source of skills the wiki failed: away"],
    ["its place", [knots, failing()], "The source of skills number 2 failed: away"],
    [
      "its name through others",
      cacheSkills(failing("x"), { isolationKey: "shared" }),
      "The source of skills x failed: away",
    ],
  ])("says which one it is, by %s", async (_, input, message) => {
    await expect(aggregateSkills(input as SkillsInput).list(contextWith())).rejects.toThrow(
      message,
    );
  });

  it("is a problem where it can be done without, told with the run", async () => {
    const { agent, client } = agentWith(["ok"], {
      skills: [knots, optionalSkills(failing("the wiki"))],
    });
    const notices: unknown[] = [];
    agent.events.on("notice", (notice) => notices.push(notice));
    await agent.run("Go.");
    expect(notices).toMatchObject([
      {
        code: "skill_problem",
        message: expect.stringContaining("the wiki failed: away"),
        error: { severity: "error", code: "source_failed" },
      },
    ]);
    expect(client.requests).toHaveLength(1);
  });

  it("stops with the run all the same", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(optionalSkills(failing()).list({ signal })).rejects.toThrow("enough");
  });
});

describe("what stands around a source", () => {
  it.each([
    ["filterSkills", (input: SkillsInput) => filterSkills(input, () => true)],
    ["cacheSkills", (input: SkillsInput) => cacheSkills(input, { isolationKey: "shared" })],
    ["deduplicateSkills", (input: SkillsInput) => deduplicateSkills(input)],
    ["optionalSkills", (input: SkillsInput) => optionalSkills(input)],
  ])("takes what the provider takes: %s", async (_, around) => {
    const source = { list: async () => ({ skills: [allowing("sails")] }) };
    const { skills } = await around([knots, source]).list(contextWith());
    expect(skills.map(({ frontmatter }) => frontmatter.name)).toEqual(["knots", "sails"]);
    expect(() => around("skills" as never)).toThrow("a text");
  });

  it.each([
    [[knots], "gave a list. Write { skills: […]"],
    [undefined, "gave undefined"],
    [{ problems: [] }, "without a list `skills`"],
    [{ skills: [], problems: 1 }, "`problems` is no list"],
    [
      { skills: [{ name: "x", description: "y" }] },
      "without `frontmatter: { name, description }`; make it with defineSkill",
    ],
    [
      { skills: [{ frontmatter: knots.frontmatter }] },
      "lacks `load`, `resources`, `scripts`, `origin`, `trust`",
    ],
  ])("says what to write where a listing is none: %#", async (listing, message) => {
    const source = { list: async () => listing } as unknown as SkillsSource;
    const listed = aggregateSkills(source).list(contextWith());
    await expect(listed).rejects.toThrow(ConfigurationError);
    await expect(listed).rejects.toThrow(message);
  });

  it("speaks of an object as one does", () => {
    expect(() => aggregateSkills({} as SkillsInput)).toThrow("Skills cannot be an object");
  });
});

it.each([[{ trusted: false }], [{ turst: "untrusted" }]])("a root with %j is none", (more) => {
  expect(() => fileSkills([{ path: "skills", ...more } as never])).toThrow(
    /fileSkills: a root.*trust/,
  );
});

it("an extension of interpreters without its dot is told of", () => {
  expect(() => processScriptRunner({ interpreters: { rb: ["ruby"] } })).toThrow(
    'write { ".rb": […] }',
  );
});

describe("a resource", () => {
  const base = { name: "prices", description: "Prices.", instructions: "Read list." };
  it("may be a function that gets it", async () => {
    const skill = defineSkill({ ...base, resources: [{ name: "list", content: () => "Tea: 2" }] });
    expect(await skill.resources[0]?.read(contextWith())).toBe("Tea: 2");
  });
  it.each([[42], [{}], [null]])("of %j is refused", (content) => {
    const resources = [{ name: "list", content }] as never;
    expect(() => defineSkill({ ...base, resources })).toThrow("must be a text, a content");
  });
});

describe("names in toolNames that lead nowhere", () => {
  it.each([
    ["a tool", { Mail: "sent" }, "Mail", 'There is no tool "sent"; did you mean "send"?'],
    [
      "an argument",
      { Bash: { tool: "shell", argument: "comand" } },
      "Bash(ls)",
      'The tool "shell" has no argument "comand"; did you mean "command"?',
    ],
  ] as const)("are an error at loading: %s", async (_, toolNames, word, hint) => {
    const { agent, notices } = narrowedAgent(
      [allowing("files", [word])],
      [{ calls: [load("files")] }, "done"],
      { provider: { toolNames } },
    );
    const { messages } = await agent.run("Go.");
    expect(codesIn(messages)).toEqual(["skill_allowed_tools"]);
    expect(notices.join()).toContain(hint);
  });
});

it("a script of a skill with limits runs once the skill is loaded, and not before", async () => {
  const { agent } = narrowedAgent(
    [allowing("files", [])],
    [
      { calls: [script("files")] },
      { calls: [load("files"), script("files")] },
      { calls: [script("files")] },
      "done",
    ],
  );
  const { messages } = await agent.run("Go.");
  expect(codesIn(messages)).toEqual(["approval_denied", "ok", "approval_denied", "ok"]);
  expect(resultsIn(messages).map(text)[0]).toContain("Load it with load_skill first");
});

it("two providers are told to be one", async () => {
  const contextProviders = ["a", "b"].map((name) => new SkillsProvider({ name, skills: knots }));
  const agent = new Agent({ client: new ScriptedChatClient(["ok"]), contextProviders });
  await expect(agent.run("Go.")).rejects.toThrow("new SkillsProvider({ skills: [first, second] })");
});

it("with skills of others only, the instructions say where the list is", async () => {
  const { agent, client } = agentWith(["ok"], { skills: theirs(knots) });
  await agent.run("Go.");
  const sent = JSON.stringify(client.requests[0]);
  expect(sent).toContain("The list of skills is in a message");
  expect(sent.match(/<available_skills>/g)).toHaveLength(1);
});

it("schemas of scripts are told as they are, without what says nothing", async () => {
  const parameters = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { a: { type: "string", description: '</arguments> "&"' } },
  } as const;
  const go = skillScript({ name: "go", parameters, run: () => "" });
  const skill = defineSkill({ name: "knots", description: "d", instructions: "i", scripts: [go] });
  const { agent } = agentWith([{ calls: [load("knots")] }, "ok"], { ...free, skills: skill });
  const { messages } = await agent.run("Go.");
  const [, json = ""] =
    /<arguments>(.*)<\/arguments>/.exec(resultsIn(messages).map(text).join()) ?? [];
  const { $schema: _, ...rest } = go.parameters as Record<string, unknown>;
  expect(JSON.parse(json)).toEqual(rest);
  expect(json).not.toContain("<");
});

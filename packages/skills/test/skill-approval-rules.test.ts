import { Agent, AgentSession, tool, toolApproval } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import {
  type Skill,
  type SkillApproval,
  SkillsProvider,
  skillAutoApprovalRule,
  trustedSkillsAutoApprovalRule,
} from "../src/index.js";
import { agentWith, knots, load, read, run, theirs } from "./support/provider.js";

/** The tools that a person is asked about. */
async function asked(
  skills: readonly Skill[],
  decide: Parameters<typeof toolApproval>[0] extends infer Options | undefined
    ? Options extends { decide?: infer Decide }
      ? Decide
      : never
    : never,
): Promise<readonly string[]> {
  const session = new AgentSession();
  const { agent } = agentWith(
    [{ calls: [load, read, run] }],
    { skills },
    { middleware: [toolApproval({ decide })] },
  );
  const { outcome } = await agent.run("Go.", { session }).catch(() => ({ outcome: "exhausted" }));
  return outcome === "paused" ? session.pending.map(({ call }) => call.name) : [];
}

const tools = ["load_skill", "read_skill_resource", "run_skill_script"];

describe("trustedSkillsAutoApprovalRule", () => {
  it("lets skills of our own be loaded and read, and asks about scripts", async () => {
    expect(await asked([knots], trustedSkillsAutoApprovalRule)).toEqual(["run_skill_script"]);
  });

  it("asks about everything of a skill of others", async () => {
    expect(await asked([theirs], trustedSkillsAutoApprovalRule)).toEqual(tools);
  });

  it("judges the skill that a name means in this run: of two the first", async () => {
    expect(await asked([theirs, knots], trustedSkillsAutoApprovalRule)).toEqual(tools);
    expect(await asked([knots, theirs], trustedSkillsAutoApprovalRule)).toEqual([
      "run_skill_script",
    ]);
  });

  it("asks about a skill that there is not", async () => {
    const other = { ...knots, frontmatter: { ...knots.frontmatter, name: "sails" } };
    expect(await asked([other], trustedSkillsAutoApprovalRule)).toEqual(tools);
  });

  it("says nothing of a server's tool of the same name", async () => {
    let loads = 0;
    const foreign = tool({
      name: "load_skill",
      owner: "server",
      description: "Loads.",
      approvalMode: "always_require",
      parameters: { type: "object", properties: { skill_name: { type: "string" } } },
      execute: () => {
        loads++;
      },
    });
    const session = new AgentSession();
    const agent = new Agent({
      client: new ScriptedChatClient([{ calls: [load] }]),
      tools: foreign,
      contextProviders: [new SkillsProvider({ skills: [] })],
      middleware: [toolApproval({ decide: trustedSkillsAutoApprovalRule })],
    });
    await agent.run("Go.", { session });
    expect([session.pending.length, loads]).toEqual([1, 0]);
  });
});

describe("skillAutoApprovalRule", () => {
  it("is given the skill, what is to be done with it, and the call", async () => {
    const seen: unknown[] = [];
    const allow: SkillApproval = (skill, action, { call }) => {
      seen.push([skill === knots, action, call.name]);
      return true;
    };
    expect(await asked([knots], skillAutoApprovalRule(allow))).toEqual([]);
    expect(seen).toEqual([
      [true, "load", "load_skill"],
      [true, "read", "read_skill_resource"],
      [true, "run", "run_skill_script"],
    ]);
  });

  it("can go by where a skill is from, so that the same name from elsewhere asks", async () => {
    const rule = skillAutoApprovalRule(({ origin }) => origin === "code");
    expect(await asked([knots], rule)).toEqual([]);
    expect(await asked([{ ...knots, origin: "elsewhere" }], rule)).toEqual(tools);
  });

  it("takes nothing but true for a yes", async () => {
    const late = (() => Promise.resolve(true)) as unknown as SkillApproval;
    expect(await asked([knots], skillAutoApprovalRule(late))).toEqual(tools);
  });
});

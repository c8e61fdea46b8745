import {
  Agent,
  AgentSession,
  approve,
  deny,
  type FunctionResultContent,
  type RunOptions,
  tool,
  toolApproval,
} from "@tunic/core";
import { secureAgent } from "@tunic/security";
import { ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import {
  allToolsAutoApprovalRule,
  readOnlyToolsAutoApprovalRule,
  type Skill,
  SkillsProvider,
} from "../src/index.js";
import { agentWith, free, knots, load, read, run, text, theirs } from "./support/provider.js";

describe.each([{ streamed: false }, { streamed: true }])(
  "a run, streamed: $streamed",
  ({ streamed }) => {
    const say = async (agent: Agent, input: Parameters<Agent["run"]>[0], options: RunOptions) =>
      streamed ? await agent.stream(input, options).response : await agent.run(input, options);

    it("asks before each tool, and goes on after a restart as if nothing had been", async () => {
      const turns: readonly ScriptedTurn[] = [
        { calls: [load] },
        { calls: [read, run] },
        "Three turns.",
      ];
      let session = new AgentSession();
      let asked = 0;
      const start = () => agentWith(turns.slice(asked++)).agent;
      const restart = () => {
        session = AgentSession.fromJSON(JSON.parse(JSON.stringify(session)));
      };
      let response = await say(start(), "Tie a knot.", { session });
      expect(response.outcome).toBe("paused");
      expect(session.pending.map(({ summary }) => summary)).toEqual(['Load the skill "knots".']);
      restart();
      response = await say(
        start(),
        session.pending.map((request) => approve(request)),
        { session },
      );
      expect(response.outcome).toBe("paused");
      restart();
      const [first, second] = session.pending;
      if (first === undefined || second === undefined) throw new Error("two questions");
      response = await say(start(), [approve(first), deny(second, { reason: "no ropes" })], {
        session,
      });
      expect(response.text).toBe("Three turns.");
      const results = session.messages
        .flatMap(({ contents }) => contents)
        .filter((content) => content.type === "function_result")
        .map((content) => text(content as FunctionResultContent));
      expect(results).toEqual([
        expect.stringContaining("Begin with the bowline."),
        "Bowline, reef.",
        expect.stringContaining("no ropes"),
      ]);
    });

    it.each([
      [readOnlyToolsAutoApprovalRule, ["run_skill_script"]],
      [allToolsAutoApprovalRule, []],
    ])("asks under a rule about what the rule leaves: %o", async (decide, asked) => {
      const session = new AgentSession();
      const turns = [{ calls: [load] }, { calls: [read] }, { calls: [run] }, "done"];
      const { agent } = agentWith(turns, {}, { middleware: [toolApproval({ decide })] });
      await say(agent, "Tie a knot.", { session });
      expect(session.pending.map(({ call }) => call.name)).toEqual(asked);
    });
  },
);

describe("under information flow control", () => {
  /** Whether a call that needs a trusted context runs after the skill was loaded. */
  async function sails(skills: Skill): Promise<boolean> {
    let sailed = false;
    const sail = tool({
      name: "sail",
      description: "Sets sail.",
      execute() {
        sailed = true;
      },
    });
    const security = secureAgent({
      tools: sail,
      policy: {
        version: 1,
        tools: {
          sail: { effects: ["consequential"] },
          load_skill: { effects: ["read"], result: "trusted" },
        },
      },
      quarantine: false,
      labels: { providers: { skills: "trusted" } },
    });
    const client = new ScriptedChatClient([{ calls: [load] }, { calls: [{ name: "sail" }] }, "ok"]);
    const provider = new SkillsProvider({ skills, ...free });
    const agent = new Agent({ client, contextProviders: [security, provider] });
    await agent.run("Sail.", { session: new AgentSession() });
    return sailed;
  }

  it("what a skill of our own says leaves the model free to act", async () => {
    expect(await sails(knots)).toBe(true);
  });

  it("what a skill of others says does not, although the set-up trusts the provider", async () => {
    expect(await sails(theirs)).toBe(false);
  });
});

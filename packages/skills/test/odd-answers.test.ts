import { labelOf } from "@tunic/security";
import { describe, expect, it } from "vitest";
import { defineSkill, skillScript } from "../src/index.js";
import { resultsIn } from "./support/narrowed-agent.js";
import { agentWith, free, text } from "./support/provider.js";

const circle: Record<string, unknown> = {};
circle["itself"] = circle;

describe("what a script of others gives", () => {
  it.each<[string, unknown, string]>([
    ["nothing", undefined, "(empty text)"],
    ["an empty text", "", "(empty text)"],
    ["null", null, "null"],
    ["a number that JSON does not have", 10n, "(It gave something that cannot be shown.)"],
    ["a circle", circle, "(It gave something that cannot be shown.)"],
  ])("%s, is labelled and no failure", async (_, given, shown) => {
    const skill = defineSkill({
      name: "theirs",
      description: "Of others.",
      instructions: "Run it.",
      trust: "untrusted",
      scripts: [skillScript({ name: "go", run: () => given })],
    });
    const call = {
      name: "run_skill_script",
      arguments: { skill_name: "theirs", script_name: "go" },
    };
    const { agent } = agentWith([{ calls: [call] }, "ok"], { ...free, skills: skill });
    const [result] = resultsIn((await agent.run("Go.")).messages);
    if (result === undefined) throw new Error("no result");
    expect(result.isError).not.toBe(true);
    expect(text(result)).toBe(shown);
    expect(result.contents[0] && labelOf(result.contents[0])?.integrity).toBe("untrusted");
  });
});

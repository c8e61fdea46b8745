import type { Agent, FunctionResultContent, JsonValue } from "@tunic/core";
import { labelOf } from "@tunic/security";
import { describe, expect, it } from "vitest";
import { fileSkills, processScriptRunner, type SkillsRoot } from "../src/node.js";
import { skillText, temporaryFolder } from "./support/folder.js";
import { agentWith, free, text } from "./support/provider.js";

/** What the model reads when it has a script of a folder run. */
async function resultOf(
  args: JsonValue | undefined,
  { streamed = false, trust }: { streamed?: boolean; trust?: SkillsRoot["trust"] } = {},
): Promise<FunctionResultContent> {
  const path = temporaryFolder({
    "knots/SKILL.md": skillText("knots"),
    "knots/tie.sh": 'echo "tied $#: $*"; test "$1" != fail || { echo "no rope" >&2; exit 2; }',
  });
  const skills = fileSkills({ path, trust }, { scriptRunner: processScriptRunner() });
  const call = {
    name: "run_skill_script",
    arguments: {
      skill_name: "knots",
      script_name: "tie.sh",
      ...(args !== undefined && { arguments: args }),
    },
  };
  const { agent } = agentWith([{ calls: [call] }, "ok"], { ...free, skills });
  const { messages } = await (streamed ? agent.stream("Tie.").response : agent.run("Tie."));
  return resultIn(messages);
}

function resultIn(messages: Awaited<ReturnType<Agent["run"]>>["messages"]): FunctionResultContent {
  const result = messages
    .flatMap(({ contents }) => contents)
    .find((content) => content.type === "function_result");
  if (result?.type !== "function_result") throw new Error("no result");
  return result as FunctionResultContent;
}

describe.each([{ streamed: false }, { streamed: true }])(
  "a script in a folder, streamed: $streamed",
  ({ streamed }) => {
    it("runs with the words of its arguments, and its output is the result", async () => {
      const result = await resultOf({ argv: ["-n", "2 turns"] }, { streamed });
      expect(text(result)).toBe("tied 2: -n 2 turns\n");
      expect(result.isError).not.toBe(true);
    });

    it("that fails is an error, of which the model reads what the script said", async () => {
      const result = await resultOf({ argv: ["fail"] }, { streamed });
      expect(result).toMatchObject({ isError: true, error: { code: "script_failed" } });
      expect(text(result)).toBe(
        "Error: tie.sh ended with exit code 2. The end of what it wrote to stderr:\nno rope",
      );
    });
  },
);

describe("arguments in another form", () => {
  it.each([
    ["flags as members", { n: 2, turns: "three" }],
    ["flags beside the words", { argv: ["x"], n: 2 }],
  ])("are refused with what to write: %s", async (_, args) => {
    const result = await resultOf(args);
    expect(result).toMatchObject({ isError: true, error: { code: "invalid_arguments" } });
    expect(text(result)).toContain('{"argv":["--name","value"]}');
  });

  it("are refused as a list, which the tool describes otherwise", async () => {
    const result = await resultOf(["-n", "2"]);
    expect(result).toMatchObject({ isError: true, error: { code: "invalid_arguments" } });
    expect(text(result)).toContain("/arguments: expected object");
  });

  it("are none where there are none", async () => {
    expect(text(await resultOf(undefined))).toBe("tied 0: \n");
    expect(text(await resultOf({}))).toBe("tied 0: \n");
  });
});

it.each([["-n"], ["fail"]])("what a script of others says is untrusted: %s", async (word) => {
  const result = await resultOf({ argv: [word] }, { trust: "untrusted" });
  expect(text(result)).toContain(word === "fail" ? "no rope" : "tied");
  expect(result.contents.map((content) => labelOf(content)?.integrity)).toEqual(["untrusted"]);
});

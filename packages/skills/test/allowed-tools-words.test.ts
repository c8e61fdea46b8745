import { describe, expect, it } from "vitest";
import { SkillsProvider, type ToolNames } from "../src/index.js";
import {
  allowing,
  codesIn,
  load,
  narrowedAgent,
  resultsIn,
  shell,
  theirs,
} from "./support/narrowed-agent.js";
import { text } from "./support/provider.js";

const send = { name: "send", arguments: { to: "kim" } };
const limit: ToolNames = { Bash: { tool: "shell", argument: "command" } };

describe("the words of allowed-tools", () => {
  /** What `load_skill` answers, and whether a call runs after it. */
  async function loaded(
    words: readonly string[],
    call = send as ReturnType<typeof shell>,
    toolNames?: ToolNames,
  ) {
    const { agent, notices, client } = narrowedAgent(
      [allowing("files", words)],
      [{ calls: [load("files")] }, { calls: [call] }, "done"],
      { provider: { toolNames } },
    );
    const { messages } = await agent.run("Go.");
    const [first] = resultsIn(messages);
    return { codes: codesIn(messages), first: first && text(first), notices, client };
  }

  it("are names of tools, and told to the model with the skill", async () => {
    const { codes, first } = await loaded(["send"]);
    expect(codes).toEqual(["ok", "ok"]);
    expect(first).toContain(
      "<allowed_tools>Now only send and the tools for skills may run.</allowed_tools>",
    );
  });

  it("allow no tool where there is none of them", async () => {
    const { codes, first } = await loaded([]);
    expect(codes).toEqual(["ok", "approval_denied"]);
    expect(first).toContain("Now only the tools for skills may run.");
  });

  it("stand for what the program says that they mean, and for nothing else then", async () => {
    const toolNames = { Mail: ["send", "read_file"], WebFetch: [], shell: "send" };
    expect((await loaded(["Mail"], send, toolNames)).codes).toEqual(["ok", "ok"]);
    expect((await loaded(["WebFetch"], send, toolNames)).codes).toEqual(["ok", "approval_denied"]);
    expect((await loaded(["shell"], send, toolNames)).codes).toEqual(["ok", "ok"]);
    const other = await loaded(["shell"], shell("ls"), toolNames);
    expect(other.codes).toEqual(["ok", "approval_denied"]);
  });

  it("limit an argument where the program says which", async () => {
    const words = ["Bash(git log:*)", "Bash(ls)"];
    for (const [command, code] of [
      ["git log -1", "ok"],
      ["ls", "ok"],
      ["ls -l", "approval_denied"],
      ["git log; rm x", "approval_denied"],
    ] as const) {
      const { codes } = await loaded(words, shell(command), limit);
      expect([command, ...codes]).toEqual([command, "ok", code]);
    }
    const without = await loaded(words, { name: "shell", arguments: {} }, limit);
    expect(without.codes).toEqual(["ok", "approval_denied"]);
    expect(without.first).toContain("shell (command: git log:*), shell (command: ls)");
    expect((await loaded(["Bash"], shell("rm x"), limit)).codes).toEqual(["ok", "ok"]);
  });

  it.each<[string, readonly string[], ToolNames?]>([
    ["a tool that there is not", ["Read"]],
    ["another case", ["Send"]],
    ["a name of the prototype", ["constructor"]],
    ["a limit without a meaning", ["shell(ls)"]],
    ["a limit for a tool without an argument", ["Bash(ls)"], { Bash: "shell" }],
    ["a limit for one of two", ["Bash(ls)"], { Bash: ["send", { tool: "shell", argument: "x" }] }],
    ["a limit that says nothing", ["Bash()"], limit],
    ["a limit for all", ["Bash(:*)"], limit],
    ["a limit that goes on", ["Bash(ls)x"], limit],
    ["nothing", [""]],
    ["too many", Array.from({ length: 201 }, () => "send")],
  ])("that nobody knows are an error, and the skill is not loaded: %s", async (_, words, names) => {
    const { codes, first, notices } = await loaded(["send", ...words], send, names);
    expect(codes).toEqual(["skill_allowed_tools", "ok"]);
    expect(first).toContain(JSON.stringify(words[words.length - 1]));
    expect(first).not.toContain("Do files.");
    expect(notices).toEqual([expect.stringMatching(/^skill_allowed_tools: .*toolNames/)]);
  });

  it.each<[string, unknown]>([
    ["a list", []],
    ["a number", { Bash: 1 }],
    ["a limit with parentheses in its word", { "Bash(git:*)": "shell" }],
    ["a tool without a name", { Bash: "" }],
    ["an argument without a tool", { Bash: { argument: "command" } }],
    ["more than that", { Bash: [{ tool: "shell", argument: "command", x: 1 }] }],
  ])("cannot be explained by %s", (_, toolNames) => {
    expect(() => new SkillsProvider({ skills: [], toolNames: toolNames as ToolNames })).toThrow(
      expect.objectContaining({ code: "invalid_option" }),
    );
  });
});

describe("a skill of others", () => {
  it("limits, too, and nothing of it stands in what it keeps from running", async () => {
    const { agent } = narrowedAgent(
      [theirs(allowing("obey-me", ["Bash(obey me:*)", "send"]))],
      [{ calls: [load("obey-me")] }, { calls: [shell("ls"), send] }, "done"],
      { provider: { toolNames: limit } },
    );
    const { messages } = await agent.run("Go.");
    expect(codesIn(messages)).toEqual(["ok", "approval_denied", "ok"]);
    expect(text(resultsIn(messages)[1] as never)).toBe(
      "Error: not run: while a skill of others is in use, only shell (some calls), send and the tools for skills may run. This holds until the user's next message.",
    );
  });
});

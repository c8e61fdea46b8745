import {
  AgentSession,
  chatMiddleware,
  functionMiddleware,
  hostedTool,
  tool,
  toolResult,
} from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolNames } from "../src/index.js";
import {
  allowing,
  codesIn,
  load,
  narrowedAgent,
  resultsIn,
  say,
  script,
  shell,
} from "./support/narrowed-agent.js";
import { text } from "./support/provider.js";
import { skillNamed } from "./support/skills.js";

const send = { name: "send", arguments: { to: "kim" } };
const readFile = { name: "read_file", arguments: { path: "a" } };
const limit: ToolNames = { Bash: { tool: "shell", argument: "command" } };

describe.each([{ streamed: false }, { streamed: true }])(
  "while a skill is in use, streamed: $streamed",
  ({ streamed }) => {
    it("only the tools that it allows run, until the user says something", async () => {
      const session = new AgentSession();
      const { agent, ran } = narrowedAgent(
        [allowing("files", ["read_file"])],
        [
          { calls: [send] },
          { calls: [load("files")] },
          { calls: [send, readFile] },
          "done",
          { calls: [send] },
          "done",
        ],
      );
      const { messages } = await say(agent, streamed, "Go.", { session });
      expect(codesIn(messages)).toEqual(["ok", "ok", "approval_denied", "ok"]);
      expect(text(resultsIn(messages)[2] as never)).toBe(
        'Error: not run: while the skill "files" is in use, only read_file and the tools for skills may run. This holds until the user\'s next message.',
      );
      expect(ran).toHaveLength(2);
      await say(agent, streamed, "And now send it.", { session });
      expect(ran.at(-1)).toContain("send");
    });

    it("its own reading and scripts go on, and scripts of others do not", async () => {
      const notes = (name: string) => ({
        name: "read_skill_resource",
        arguments: { skill_name: name, resource_name: "notes" },
      });
      const { agent } = narrowedAgent(
        [allowing("files", []), allowing("other")],
        [
          { calls: [load("files")] },
          { calls: [notes("files"), notes("other"), script("FILES"), script("other"), send] },
          { calls: [load("other")] },
          "done",
        ],
      );
      const { messages } = await say(agent, streamed, "Go.");
      expect(codesIn(messages)).toEqual([
        "ok",
        "ok",
        "ok",
        "ok",
        "approval_denied",
        "approval_denied",
        "ok",
      ]);
    });

    it("scripts of others run where it names the tool for them", async () => {
      const { agent } = narrowedAgent(
        [allowing("files", ["run_skill_script"]), allowing("other")],
        [{ calls: [load("files")] }, { calls: [script("other"), send] }, "done"],
      );
      expect(codesIn((await say(agent, streamed, "Go.")).messages)).toEqual([
        "ok",
        "ok",
        "approval_denied",
      ]);
    });

    it("another tool is none of the skill's because it is called with its name", async () => {
      const other = tool({
        name: "other",
        description: "Does other things.",
        parameters: { type: "object", properties: { skill_name: { type: "string" } } },
        execute: () => "done",
      });
      const call = { name: "other", arguments: { skill_name: "files" } };
      const { agent } = narrowedAgent(
        [allowing("files", [])],
        [{ calls: [load("files")] }, { calls: [call] }, "done"],
        { tools: other },
      );
      const { messages } = await say(agent, streamed, "Go.");
      expect(codesIn(messages)).toEqual(["ok", "approval_denied"]);
    });

    it("a loading that was given up is none, although it ends after that", async () => {
      const bound = new AbortController();
      const slow = {
        ...allowing("files", []),
        load: () => {
          bound.abort(new Error("too slow"));
          return "Do files.";
        },
      };
      const middleware = functionMiddleware("bound", async (context, next) =>
        context.tool.name === "load_skill"
          ? await next({ signal: bound.signal }).catch(() => toolResult({ contents: "late" }))
          : await next(),
      );
      const { agent } = narrowedAgent(
        [slow],
        [{ calls: [load("files")] }, { calls: [send] }, "done"],
        { middleware: [middleware] },
      );
      expect(codesIn((await say(agent, streamed, "Go.")).messages)).toEqual(["ok", "ok"]);
    });

    it("two skills allow what both of them do, and one without a list says nothing", async () => {
      const { agent } = narrowedAgent(
        [allowing("a", ["read_file", "send"]), allowing("b", ["send", "shell"]), allowing("c")],
        [
          { calls: [load("a"), load("b"), load("c")] },
          { calls: [send, readFile, shell("ls"), script("a"), script("c")] },
          "done",
        ],
      );
      const { messages } = await say(agent, streamed, "Go.");
      expect(codesIn(messages).slice(3)).toEqual([
        "ok",
        "approval_denied",
        "approval_denied",
        "approval_denied",
        "approval_denied",
      ]);
    });

    it("what was called beside the loading runs: the skill was not read yet", async () => {
      const { agent, ran } = narrowedAgent(
        [allowing("files", [])],
        [{ calls: [send, load("files"), shell("ls")] }, { calls: [send] }, "done"],
      );
      const { messages } = await say(agent, streamed, "Go.");
      expect(codesIn(messages)).toEqual(["ok", "ok", "ok", "approval_denied"]);
      expect(ran).toHaveLength(2);
    });

    it("a loading that fails leaves everything as it was", async () => {
      const broken = {
        ...allowing("files", []),
        load: () => {
          throw new Error("gone");
        },
      };
      const { agent } = narrowedAgent(
        [broken],
        [{ calls: [load("files"), load("none")] }, { calls: [send] }, "done"],
      );
      const { messages } = await say(agent, streamed, "Go.");
      expect(codesIn(messages)).toEqual(["function_failed", "unknown_skill", "ok"]);
    });

    it("tools of the service that it does not allow are not offered, and the run hears of it", async () => {
      const hosted = ["web_search", "code_interpreter"].map((name) =>
        hostedTool({ provider: "scripted", name, definition: { type: name } }),
      );
      const { agent, client, notices } = narrowedAgent(
        [allowing("web", ["web_search"]), allowing("odd", ["Bash(x:*)"])],
        [
          { calls: [load("web")] },
          "ok",
          { calls: [load("odd"), load("web")] },
          { calls: [send] },
          "ok",
        ],
        {
          provider: { toolNames: { Bash: { tool: "web_search", argument: "query" } } },
          tools: hosted,
        },
      );
      const offered = (at: number) =>
        client.requests[at]?.options.tools?.flatMap((each) =>
          each.type === "hosted" ? [each.name] : [],
        );
      await say(agent, streamed, "Go.");
      expect([offered(0), offered(1)]).toEqual([
        ["web_search", "code_interpreter"],
        ["web_search"],
      ]);
      expect(notices).toEqual([expect.stringMatching(/^skill_hosted_tools: .*code_interpreter/)]);
      await say(agent, streamed, "Go.");
      expect([offered(2), offered(3), offered(4)]).toEqual([
        ["web_search", "code_interpreter"],
        [],
        [],
      ]);
      expect(notices).toHaveLength(2);
    });

    it.each([
      ["required", "required"],
      [{ name: "web_search" }, "auto"],
      [{ name: "send" }, { name: "send" }],
      [{ allowed: ["web_search", "send"] }, { allowed: ["send"] }],
      [{ allowed: ["web_search"] }, "none"],
    ] as const)("a choice of tools %j becomes %j without such a tool", async (toolChoice, left) => {
      const { agent, client } = narrowedAgent(
        [allowing("files", ["send"])],
        [{ calls: [load("files")] }, "done"],
        {
          tools: hostedTool({ provider: "scripted", name: "web_search", definition: {} }),
          middleware: [
            chatMiddleware("choosing", (context, next) => {
              context.options = { ...context.options, toolChoice };
              return next();
            }),
          ],
        },
      );
      await say(agent, streamed, "Go.");
      const choices = client.requests.map(({ options }) => options.toolChoice);
      expect(choices).toEqual([toolChoice, left]);
    });

    it("an agent that is a tool runs where it is named, with tools of its own", async () => {
      const inner = narrowedAgent(
        [allowing("deep", ["send"])],
        [
          { calls: [send, readFile] },
          { calls: [load("deep")] },
          { calls: [send, readFile] },
          "done",
        ],
        { name: "helper" },
      );
      const { agent } = narrowedAgent(
        [allowing("files", ["helper"])],
        [
          { calls: [load("files")] },
          { calls: [{ name: "helper", arguments: { task: "x" } }, readFile] },
          "done",
        ],
        { tools: inner.agent.asTool() },
      );
      const { messages } = await say(agent, streamed, "Go.");
      expect(codesIn(messages)).toEqual(["ok", "ok", "approval_denied"]);
      expect(inner.ran.map((each) => each.split(" ")[0])).toEqual(["send", "read_file", "send"]);
    });
  },
);

describe("whatever is loaded", () => {
  const words = ["send", "read_file", "shell", "Bash", "Bash(ls:*)", "Bash(git *)", "Read"];
  const calls = [send, readFile, shell("ls"), shell("ls -l"), shell("git x"), shell("rm x")];
  const names = ["a", "b", "c"];
  const turn = fc.array(fc.oneof(fc.constantFrom(...calls), fc.constantFrom(...names.map(load))), {
    minLength: 1,
    maxLength: 4,
  });

  it("nothing runs that would not run without skills that limit", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.option(fc.subarray(words), { nil: undefined }), {
          minLength: names.length,
          maxLength: names.length,
        }),
        fc.array(turn, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        async (lists, turns, streamed) => {
          const script = [...turns.map((each) => ({ calls: each })), "done"];
          const provider = { toolNames: { ...limit, Read: [] } };
          const limited = narrowedAgent(
            names.map((name, at) => allowing(name, lists[at])),
            script,
            { provider },
          );
          const free = narrowedAgent(
            names.map((name) => skillNamed(name)),
            script,
            { provider },
          );
          await say(limited.agent, streamed, "Go.");
          await say(free.agent, streamed, "Go.");
          const left = [...free.ran];
          for (const each of limited.ran) {
            const at = left.indexOf(each);
            expect(at).toBeGreaterThanOrEqual(0);
            left.splice(at, 1);
          }
          // Without a list nothing is kept from running.
          if (lists.every((list) => list === undefined)) expect(left).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
  });
});

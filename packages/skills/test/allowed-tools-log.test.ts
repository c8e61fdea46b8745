import { AgentSession, approve, type Message, textContent, tool } from "@tunic/core";
import { secureAgent } from "@tunic/security";
import type { ScriptedTurn } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { SkillsProvider } from "../src/index.js";
import {
  allowing,
  codesIn,
  load,
  narrowedAgent,
  restarted,
  resultsIn,
  say,
  shell,
  theirs,
} from "./support/narrowed-agent.js";
import { free, text } from "./support/provider.js";

const send = { name: "send", arguments: { to: "kim" } };
const ask = ["read_file"];
const readFile = { name: "read_file", arguments: { path: "a" } };
const files = allowing("files", ["read_file"]);
/** A skill is loaded, something asks, and after the answer the model wants what is not allowed. */
const first: readonly ScriptedTurn[] = [{ calls: [load("files")] }, { calls: [readFile] }];
const second: readonly ScriptedTurn[] = [{ calls: [send] }, "done"];

describe.each([{ streamed: false }, { streamed: true }])(
  "a turn that goes on after a pause, streamed: $streamed",
  ({ streamed }) => {
    it("goes on with the skills that are in use, in another process", async () => {
      let session = new AgentSession();
      await say(narrowedAgent([files], first, { ask }).agent, streamed, "Go.", { session });
      session = restarted(session);
      const { agent, ran } = narrowedAgent([files], [...second, { calls: [send] }, "done"], {
        ask,
      });
      const answers = session.pending.map((request) => approve(request));
      const { messages } = await say(agent, streamed, answers, { session });
      expect(codesIn(messages)).toEqual(["ok", "approval_denied"]);
      await say(agent, streamed, "And now.", { session });
      expect(ran.map((each) => each.split(" ")[0])).toEqual(["read_file", "send"]);
    });

    it("does so without a session, with the history that comes along", async () => {
      const start = narrowedAgent([files], first, { ask });
      const before = await say(start.agent, streamed, "Go.");
      const history: Message[] = JSON.parse(JSON.stringify(before.newMessages));
      const { agent, ran } = narrowedAgent([files], second, { ask });
      const answers = before.approvalRequests.map((request) => approve(request));
      const { messages } = await say(agent, streamed, [...history, ...answers]);
      expect(codesIn(messages)).toEqual(["ok", "approval_denied"]);
      expect(ran).toHaveLength(1);
    });

    it("is over where words come along with the answer", async () => {
      const session = new AgentSession();
      const start = narrowedAgent([files], [...first, ...second], { ask });
      await say(start.agent, streamed, "Go.", { session });
      const answers = session.pending.map((request) => approve(request));
      await say(start.agent, streamed, [...answers, textContent("And send it.")], { session });
      expect(codesIn(session.messages)).toEqual(["ok", "ok", "ok"]);
    });

    it("uses what the model has read, although the skill is another one or gone by now", async () => {
      const changed = allowing("files", ["send"]);
      for (const skills of [[changed], [], [theirs(files)]]) {
        const before = new AgentSession();
        await say(narrowedAgent([files], first, { ask }).agent, streamed, "Go.", {
          session: before,
        });
        const session = restarted(before);
        const { agent } = narrowedAgent(skills, second, { ask });
        const answers = session.pending.map((request) => approve(request));
        const { messages } = await say(agent, streamed, answers, { session });
        expect(codesIn(messages)).toEqual(["ok", "approval_denied"]);
        const told = text(resultsIn(messages)[1] as never);
        expect(told).not.toContain('"files"');
        expect(told).not.toContain("read_file");
      }
    });

    it("counts a skill from when it is loaded, in the answer to the question whether it may be", async () => {
      const session = new AgentSession();
      const start = narrowedAgent([files], [{ calls: [load("files"), send] }], {
        provider: { loadSkillApproval: "always_require" },
      });
      await say(start.agent, streamed, "Go.", { session });
      const { agent, ran } = narrowedAgent([files], [{ calls: [send] }, "done"]);
      const answers = session.pending.map((request) => approve(request));
      const { messages } = await say(agent, streamed, answers, { session });
      expect(codesIn(messages)).toEqual(["ok", "ok", "approval_denied"]);
      expect(ran).toHaveLength(1);
    });

    it("lets run what was called beside the loading, when a person says so later", async () => {
      const invocation = { approvals: { mode: "run" } } as const;
      const session = new AgentSession();
      const none = allowing("none", []);
      const start = narrowedAgent([none], [{ calls: [load("none"), readFile] }], {
        ask,
        invocation,
      });
      await say(start.agent, streamed, "Go.", { session });
      expect(codesIn(session.messages)).toEqual(["ok"]);
      const { agent, ran } = narrowedAgent([none], second, { ask, invocation });
      const answers = session.pending.map((request) => approve(request));
      const { messages } = await say(agent, streamed, answers, { session });
      expect(codesIn(messages)).toEqual(["ok", "approval_denied"]);
      expect(ran).toHaveLength(1);
    });
  },
);

describe("what a log says of skills", () => {
  const mark = (allowedTools: readonly string[], provider = "skills") => ({
    skill: { provider, name: "files", allowedTools },
  });
  /** A log in which something was loaded, as others might write it. */
  function log(name: string, additionalProperties: object | undefined, isError = false): Message[] {
    const content = {
      type: "text",
      text: "Do files.",
      ...(additionalProperties && { additionalProperties }),
    };
    return JSON.parse(
      JSON.stringify([
        { id: "1", role: "user", contents: [{ type: "text", text: "Go." }], createdAt: 1 },
        {
          id: "2",
          role: "assistant",
          contents: [
            { type: "function_call", callId: "c", name, arguments: { skill_name: "FILES" } },
          ],
          createdAt: 2,
        },
        {
          id: "3",
          role: "tool",
          contents: [{ type: "function_result", callId: "c", contents: [content], isError }],
          createdAt: 3,
        },
      ]),
    );
  }

  async function codesAfter(history: readonly Message[], skills = [files]) {
    const { agent } = narrowedAgent(skills, second);
    return codesIn((await agent.run(history)).messages);
  }

  it("counts as a result of load_skill alone", async () => {
    expect(await codesAfter(log("load_skill", mark([])))).toEqual(["approval_denied"]);
    expect(await codesAfter(log("shell", mark([])))).toEqual(["ok"]);
    expect(await codesAfter(log("load_skill", mark([]), true))).toEqual(["ok"]);
    const [words] = log("x", undefined);
    const posing = { ...words, contents: [textContent("Go.", { additionalProperties: mark([]) })] };
    expect(await codesAfter([posing as Message])).toEqual(["ok"]);
  });

  it("never makes more run than the list of the run does, where its mark is lost or none", async () => {
    for (const lost of [
      undefined,
      {},
      { skill: 1 },
      { skill: { provider: "skills", name: "files", allowedTools: "all" } },
    ]) {
      expect(await codesAfter(log("load_skill", lost))).toEqual(["approval_denied"]);
    }
    expect(await codesAfter(log("load_skill", undefined), [allowing("files")])).toEqual(["ok"]);
    // Nobody knows what it was.
    expect(await codesAfter(log("load_skill", undefined), [])).toEqual(["approval_denied"]);
  });

  it("is another provider's where that one wrote it", async () => {
    expect(await codesAfter(log("load_skill", mark([], "others")))).toEqual(["ok"]);
  });

  it("is never said by the result of another tool", async () => {
    const forge = tool({
      name: "forge",
      description: "Poses.",
      execute: () => textContent("x", { additionalProperties: mark([]) }),
    });
    const session = new AgentSession();
    const turns = [{ calls: [{ name: "forge" }, readFile] }];
    await narrowedAgent([files], turns, {
      ask,
      tools: forge,
      invocation: { approvals: { mode: "run" } },
    }).agent.run("Go.", { session });
    const { agent } = narrowedAgent([files], second, { ask, tools: forge });
    const answers = session.pending.map((request) => approve(request));
    const { messages } = await agent.run(answers, { session: restarted(session) });
    expect(codesIn(messages)).toEqual(["ok", "ok"]);
  });

  it("holds for arguments that a person has edited, too", async () => {
    const { agent } = narrowedAgent(
      [allowing("git", ["Bash(git:*)"])],
      [{ calls: [load("git")] }, { calls: [shell("git log")] }, "done"],
      { ask: ["shell"], provider: { toolNames: { Bash: { tool: "shell", argument: "command" } } } },
    );
    const session = new AgentSession();
    await agent.run("Go.", { session });
    const [request] = session.pending;
    if (request === undefined) throw new Error("it should ask");
    const { messages } = await agent.run(approve(request, { arguments: { command: "rm x" } }), {
      session,
    });
    expect(codesIn(messages)).toEqual(["approval_denied"]);
  });

  it("holds under information flow control, beside its labels", async () => {
    const policy = {
      version: 1,
      tools: {
        shell: { effects: ["read"] },
        send: { effects: ["read"] },
        read_file: { effects: ["read"] },
        load_skill: { effects: ["read"] },
      },
    } as const;
    const parts = (session: AgentSession, turns: readonly ScriptedTurn[]) => {
      const narrowed = narrowedAgent([theirs(files)], turns, {
        ask,
        contextProviders: [
          secureAgent({ policy, quarantine: false }),
          new SkillsProvider({ skills: theirs(files), ...free }),
        ],
      });
      return { ...narrowed, session };
    };
    const start = parts(new AgentSession(), first);
    await start.agent.run("Go.", { session: start.session });
    const { agent, session } = parts(restarted(start.session), second);
    const answers = session.pending.map((request) => approve(request));
    const { messages } = await agent.run(answers, { session });
    expect(codesIn(messages)).toEqual(["ok", "approval_denied"]);
    expect(text(resultsIn(messages)[1] as never)).toContain("while a skill of others is in use");
  });
});

import {
  Agent,
  AgentSession,
  type Content,
  checkHistory,
  functionResultContent,
  type MessageInput,
  type RunEvent,
  textContent,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { callIdsIn, outline, resultsIn } from "./support/outline.js";

const user = (text: string): MessageInput => ({ role: "user", contents: text });
const said = (text: string): MessageInput => ({ role: "assistant", contents: text });
const called = (...callIds: string[]): MessageInput => ({
  role: "assistant",
  contents: callIds.map(
    (callId): Content => ({ type: "function_call", callId, name: "f", arguments: {} }),
  ),
});
const answered = (...callIds: string[]): MessageInput => ({
  role: "tool",
  contents: callIds.map((callId, at) => functionResultContent(callId, `r${at}`)),
});

/** What the model sees of a history, what is told about it, and the log that the run leaves. */
async function continued(history: readonly MessageInput[], input: string | readonly [] = "next") {
  const client = new ScriptedChatClient(["ok"]);
  const notices: RunEvent<"notice">[] = [];
  const agent = new Agent({ client });
  agent.events.on("notice", (event) => notices.push(event));
  const response = await agent.run([...history, ...(typeof input === "string" ? [input] : [])]);
  const { messages } = client.requests[0] ?? { messages: [] };
  expect(checkHistory(messages)).toEqual([]);
  expect(checkHistory(response.newMessages)).toEqual([]);
  return { seen: outline(messages), messages, codes: notices.map((notice) => notice.code) };
}

describe("a history that is in order", () => {
  it("is taken as it is, and nothing is said of it", async () => {
    const { seen, codes } = await continued([
      user("a"),
      called("c1", "c2"),
      answered("c1", "c2"),
      said("b"),
    ]);
    expect(seen).toEqual([
      "user: a",
      "assistant: f({}) | f({})",
      "tool: r0 | r1",
      "assistant: b",
      "user: next",
    ]);
    expect(codes).toEqual([]);
  });
});

describe("call ids that are used again", () => {
  it("in a later message: each call keeps its own result", async () => {
    const { seen, messages } = await continued([
      user("a"),
      called("c1"),
      { role: "tool", contents: [functionResultContent("c1", "first")] },
      called("c1"),
      { role: "tool", contents: [functionResultContent("c1", "second")] },
    ]);
    expect(seen).toEqual([
      "user: a",
      "assistant: f({})",
      "tool: first",
      "assistant: f({})",
      "tool: second",
      "user: next",
    ]);
    expect(new Set(callIdsIn(messages)).size).toBe(2);
  });

  it("in one message: each call keeps its own result", async () => {
    const { seen, messages } = await continued([
      user("a"),
      called("c1", "c1"),
      {
        role: "tool",
        contents: [functionResultContent("c1", "first"), functionResultContent("c1", "second")],
      },
    ]);
    expect(seen).toEqual([
      "user: a",
      "assistant: f({}) | f({})",
      "tool: first | second",
      "user: next",
    ]);
    expect(new Set(callIdsIn(messages)).size).toBe(2);
  });

  it("that a session holds already", async () => {
    const session = new AgentSession();
    const client = new ScriptedChatClient(["ok", "ok"]);
    const agent = new Agent({ client });
    const turn = [user("a"), called("c1"), answered("c1"), user("b")];
    await agent.run(turn, { session });
    await agent.run(turn, { session });
    expect(checkHistory(session.messages)).toEqual([]);
    expect(resultsIn(client.requests[1]?.messages ?? [])).toHaveLength(2);
  });
});

describe("a broken history", () => {
  it("a result without a call stays out, and is told", async () => {
    const { seen, codes } = await continued([user("a"), answered("gone"), said("b")]);
    expect(seen).toEqual(["user: a", "assistant: b", "user: next"]);
    expect(codes).toEqual(["history_repaired"]);
  });

  it("a second result of a call stays out, and is told", async () => {
    const { seen, codes } = await continued([
      user("a"),
      called("c1"),
      answered("c1"),
      answered("c1"),
      said("b"),
    ]);
    expect(seen).toEqual(["user: a", "assistant: f({})", "tool: r0", "assistant: b", "user: next"]);
    expect(codes).toEqual(["history_repaired"]);
  });

  it("a result before its call stays out, and is told", async () => {
    const { seen, codes } = await continued([
      user("a"),
      answered("c1"),
      called("c1"),
      answered("c1"),
      said("b"),
    ]);
    expect(seen).toEqual(["user: a", "assistant: f({})", "tool: r0", "assistant: b", "user: next"]);
    expect(codes).toEqual(["history_repaired"]);
  });

  it("a batch without any result stays unseen", async () => {
    const { seen } = await continued([user("a"), called("c1", "c2"), user("b"), said("c")]);
    expect(seen).toEqual(["user: a", "user: b", "assistant: c", "user: next"]);
  });

  it("a batch without any result is told", async () => {
    const { codes } = await continued([user("a"), called("c1", "c2"), user("b"), said("c")]);
    expect(codes).toEqual(["history_repaired"]);
  });

  it("a batch with some results is closed where it stands", async () => {
    const { seen } = await continued([user("a"), called("c1", "c2"), answered("c1")]);
    expect(seen).toEqual([
      "user: a",
      "assistant: f({}) | f({})",
      "tool: r0 | !Error: not answered, not run.",
      "user: next",
    ]);
  });

  it("a batch with some results in the middle of a history is closed, too", async () => {
    const { seen } = await continued([
      user("a"),
      called("c1", "c2"),
      answered("c1"),
      user("b"),
      said("c"),
    ]);
    expect(seen.filter((line) => line.startsWith("user"))).toEqual([
      "user: a",
      "user: b",
      "user: next",
    ]);
    expect(seen).toContain("tool: r0 | !Error: not answered, not run.");
  });

  it("an empty list goes on with a session as it stands", async () => {
    const session = new AgentSession();
    const client = new ScriptedChatClient(["ok", "and more"]);
    const agent = new Agent({ client });
    await agent.run("a", { session });
    expect((await agent.run([], { session })).text).toBe("and more");
    expect(outline(client.requests[1]?.messages ?? [])).toEqual(["user: a", "assistant: ok"]);
  });

  it("nothing but text is no reason to add an empty message to a session", async () => {
    const session = new AgentSession();
    const agent = new Agent({ client: new ScriptedChatClient(["ok", "ok"]) });
    await agent.run("a", { session });
    await expect(agent.run([textContent("")], { session })).rejects.toMatchObject({
      code: "empty_input",
    });
  });
});

import {
  Agent,
  AgentSession,
  checkHistory,
  functionResultContent,
  InputError,
  type MessageInput,
  type Update,
} from "@tunic/core";
import { ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { outline, resultTexts } from "./support/outline.js";
import { expectFold, rejection } from "./support/play.js";
import { ask, lamp, lampIn } from "./support/tools.js";

const question = (id: string) => ({ name: "ask", id });
const answer = functionResultContent;

/** An agent whose model asks the caller first; and the session in which it does. */
async function paused(calls: readonly { name: string; id?: string }[], ...turns: ScriptedTurn[]) {
  const client = new ScriptedChatClient([{ calls }, ...turns]);
  const agent = new Agent({ client, tools: [ask, lamp] });
  const session = new AgentSession();
  const response = await agent.run("go", { session });
  expect(response.outcome).toBe("paused");
  return { client, agent, session, response };
}

describe("a call that the caller has to answer", () => {
  it("ends the run with the call open", async () => {
    const { client, session, response } = await paused([question("q1")]);
    expect(response.openCalls).toMatchObject([{ callId: "q1", name: "ask", arguments: {} }]);
    expect(outline(session.messages)).toEqual(["user: go", "assistant: ask({})"]);
    expect(client.requests).toHaveLength(1);
  });

  it("goes on with the answer, in the session", async () => {
    const { client, agent, session } = await paused([question("q1")], "thanks");
    const response = await agent.run(answer("q1", "blue"), { session });
    expect(response).toMatchObject({ outcome: "completed", text: "thanks", openCalls: [] });
    expect(outline(client.requests[1]?.messages ?? [])).toEqual([
      "user: go",
      "assistant: ask({})",
      "tool: blue",
    ]);
    expect(outline(response.newMessages)).toEqual(["tool: blue", "assistant: thanks"]);
  });

  it("goes on with the answer, with the history that holds it", async () => {
    const { client, agent, response } = await paused([question("q1")], "thanks");
    const resumed = await agent.run([...response.newMessages, answer("q1", "blue")]);
    expect(resumed.text).toBe("thanks");
    expect(outline(client.requests[1]?.messages ?? []).at(-1)).toBe("tool: blue");
  });

  it("goes on after a restart: session and answer came as JSON", async () => {
    const { agent, session } = await paused([question("q1")], "thanks");
    const restored = AgentSession.fromJSON(JSON.parse(JSON.stringify(session)));
    const posted = JSON.parse(JSON.stringify(answer("q1", "blue")));
    expect((await agent.run(posted, { session: restored })).text).toBe("thanks");
  });

  it("may be answered with an error", async () => {
    const { client, agent, session } = await paused([question("q1")], "pity");
    await agent.run(answer("q1", "nobody there", { isError: true }), { session });
    expect(outline(client.requests[1]?.messages ?? []).at(-1)).toBe("tool: !nobody there");
  });

  it("is answered once: a second answer is an error, and nothing is asked", async () => {
    const { client, agent, session } = await paused([question("q1")], "thanks", "never");
    await agent.run(answer("q1", "blue"), { session });
    const before = JSON.stringify(session);
    const error = await rejection(agent.run(answer("q1", "red"), { session }));
    expect(error).toBeInstanceOf(InputError);
    expect(error).toMatchObject({
      code: "unmatched_result",
      message: expect.stringMatching(/"q1"/),
    });
    expect(client.requests).toHaveLength(2);
    expect(JSON.stringify(session)).toBe(before);
  });

  it("is answered once: two answers in one input are an error", async () => {
    const { agent, session } = await paused([question("q1")], "never");
    const twice = [answer("q1", "blue"), answer("q1", "red")];
    expect(await rejection(agent.run(twice, { session }))).toMatchObject({
      code: "unmatched_result",
    });
  });

  it("an answer to a call that nobody made is an error that lists the open ones", async () => {
    const { agent, session } = await paused([question("q1")], "never");
    expect(await rejection(agent.run(answer("q9", "x"), { session }))).toMatchObject({
      code: "unmatched_result",
      message: expect.stringMatching(/"q9".*Open calls: q1/),
    });
    const fresh = new Agent({ client: new ScriptedChatClient(["never"]) });
    expect(await rejection(fresh.run(answer("q1", "x")))).toBeInstanceOf(InputError);
  });
});

describe("new text instead of an answer", () => {
  it("leaves a batch of which nothing has run open and unseen; a late answer still counts", async () => {
    const { client, agent, session } = await paused([question("q1")], "hello", "blue it is");
    await agent.run("never mind", { session });
    expect(outline(client.requests[1]?.messages ?? [])).toEqual(["user: go", "user: never mind"]);
    const late = await agent.run(answer("q1", "blue"), { session });
    expect(late.text).toBe("blue it is");
    // The batch stands where its result came: the earlier view is a prefix of the later one.
    expect(outline(client.requests[2]?.messages ?? [])).toEqual([
      "user: go",
      "user: never mind",
      "assistant: hello",
      "assistant: ask({})",
      "tool: blue",
    ]);
  });

  it("closes a batch of which something has run; a late answer is an error", async () => {
    const { client, agent, session } = await paused(
      [lampIn("hall", "l1"), question("q1")],
      "hello",
    );
    await agent.run("never mind", { session });
    expect(outline(client.requests[1]?.messages ?? [])).toEqual([
      "user: go",
      'assistant: lamp({"room":"hall"}) | ask({})',
      "tool: hall lit | !Error: not answered, not run.",
      "user: never mind",
    ]);
    expect(checkHistory(session.messages)).toEqual([]);
    expect(await rejection(agent.run(answer("q1", "x"), { session }))).toMatchObject({
      code: "unmatched_result",
    });
  });

  it("together with an answer goes behind it", async () => {
    const { client, agent, session } = await paused([question("q1")], "thanks");
    await agent.run([answer("q1", "blue"), "and hurry"], { session });
    expect(outline(client.requests[1]?.messages ?? [])).toEqual([
      "user: go",
      "assistant: ask({})",
      "tool: blue",
      "user: and hurry",
    ]);
  });

  it("together with some answers closes the rest", async () => {
    const { client, agent, session } = await paused([question("q1"), question("q2")], "thanks");
    await agent.run([answer("q1", "blue"), "skip the other"], { session });
    expect(outline(client.requests[1]?.messages ?? [])).toEqual([
      "user: go",
      "assistant: ask({}) | ask({})",
      "tool: blue | !Error: not answered, not run.",
      "user: skip the other",
    ]);
    expect(checkHistory(session.messages)).toEqual([]);
  });
});

describe("answers to some of several calls", () => {
  it("are kept, and the model is not asked before all are there", async () => {
    const { client, agent, session } = await paused([question("q1"), question("q2")], "thanks");
    const some = await agent.run(answer("q2", "two"), { session });
    expect(some.outcome).toBe("paused");
    expect(client.requests).toHaveLength(1);
    const all = await agent.run(answer("q1", "one"), { session });
    expect(all.text).toBe("thanks");
    expect(outline(client.requests[1]?.messages ?? [])).toEqual([
      "user: go",
      "assistant: ask({}) | ask({})",
      "tool: one | two",
    ]);
  });

  it("leave the others listed as open", async () => {
    const { agent, session } = await paused([question("q1"), question("q2")]);
    const some = await agent.run(answer("q2", "two"), { session });
    expect(some.openCalls.map((call) => call.callId)).toEqual(["q1"]);
  });

  it("what could run has run: only the question stays open", async () => {
    const { response } = await paused([lampIn("hall", "l1"), question("q1")]);
    expect(resultTexts(response.messages)).toEqual(["hall lit"]);
    expect(response.openCalls.map((call) => call.callId)).toEqual(["q1"]);
  });

  it("a paused stream folds to the response, with the call once", async () => {
    const client = new ScriptedChatClient(
      [{ text: "well", calls: [question("q1"), lampIn("hall", "l1"), question("q2")] }],
      { chunkSize: 2 },
    );
    const updates: Update[] = [];
    const agent = new Agent({ client, tools: [ask, lamp] });
    const response = await agent.run("go", { onUpdate: (update) => void updates.push(update) });
    expectFold(updates, response);
    expect(outline(response.messages)).toEqual([
      'assistant: well | ask({}) | lamp({"room":"hall"}) | ask({})',
      "tool: hall lit",
    ]);
  });
});

it("an answer in a whole history of the caller's is matched like every other", async () => {
  const history: MessageInput[] = [
    { role: "user", contents: "go" },
    {
      role: "assistant",
      contents: [{ type: "function_call", callId: "q1", name: "ask", arguments: {} }],
    },
  ];
  const client = new ScriptedChatClient(["thanks"]);
  const agent = new Agent({ client, tools: ask });
  const response = await agent.run([...history, answer("q1", "blue")]);
  expect(response.text).toBe("thanks");
  expect(checkHistory(response.newMessages)).toEqual([]);
});

import {
  Agent,
  AgentSession,
  ChatClientError,
  checkHistory,
  SessionBusyError,
  tool,
} from "@tunic/core";
import { ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { outline } from "./support/outline.js";
import { deferred, rejection, settled } from "./support/play.js";
import { lamp, lampIn } from "./support/tools.js";

const agentWith = (...turns: ScriptedTurn[]) => {
  const client = new ScriptedChatClient(turns);
  return { client, agent: new Agent({ client, tools: lamp }) };
};

/** A model that answers when the test says so. */
function slow() {
  const answer = deferred<string>();
  return { answer, turn: () => answer.promise };
}

describe("several turns on one session", () => {
  it("the model sees all that was said before", async () => {
    const { client, agent } = agentWith({ calls: [lampIn("hall")] }, "lit", "it was the hall");
    const session = new AgentSession();
    await agent.run("light", { session });
    await agent.run("which room?", { session });
    expect(outline(client.requests[2]?.messages ?? [])).toEqual([
      "user: light",
      'assistant: lamp({"room":"hall"})',
      "tool: hall lit",
      "assistant: lit",
      "user: which room?",
    ]);
    expect(outline(session.messages).at(-1)).toBe("assistant: it was the hall");
    expect(checkHistory(session.messages)).toEqual([]);
  });

  it("also when each turn is another process: the session travels as JSON", async () => {
    const run = async (session: AgentSession): Promise<AgentSession> => {
      const { agent } = agentWith({ calls: [lampIn("hall", "c1")] }, "lit");
      await agent.run("light", { session });
      return AgentSession.fromJSON(JSON.parse(JSON.stringify(session)));
    };
    let session = new AgentSession({ id: "s1" });
    session.state["visits"] = 1;
    for (let turn = 0; turn < 3; turn++) session = await run(session);
    expect(session).toMatchObject({ id: "s1", state: { visits: 1 } });
    expect(session.messages).toHaveLength(12);
    // The service gave its only call the same id each time; in the log each has its own.
    expect(checkHistory(session.messages)).toEqual([]);
    expect(JSON.stringify(AgentSession.fromJSON(session.toJSON()))).toBe(JSON.stringify(session));
  });

  it("grows in one step, at the end of the run", async () => {
    const { answer, turn } = slow();
    const { agent } = agentWith({ calls: [lampIn("hall")] }, turn);
    const session = new AgentSession();
    const run = agent.run("light", { session });
    await settled();
    expect(session.messages).toEqual([]);
    answer.resolve("lit");
    const { newMessages } = await run;
    expect(session.messages).toEqual(newMessages);
  });

  it("two agents can take turns on it", async () => {
    const one = agentWith("one");
    const two = agentWith("two");
    const session = new AgentSession();
    await one.agent.run("a", { session });
    await two.agent.run("b", { session });
    expect(outline(two.client.requests[0]?.messages ?? [])).toEqual([
      "user: a",
      "assistant: one",
      "user: b",
    ]);
  });
});

describe("a second run on a busy session", () => {
  it("is refused by name; the first goes on, and frees it", async () => {
    const { answer, turn } = slow();
    const { client, agent } = agentWith(turn, "two");
    const session = new AgentSession({ id: "s1" });
    const first = agent.run("a", { session });
    const other = agentWith("never");
    for (const refused of [
      agent.run("b", { session }),
      agent.stream("b", { session }).response,
      other.agent.run("b", { session }),
    ]) {
      const error = await rejection(refused);
      expect(error).toBeInstanceOf(SessionBusyError);
      expect(error).toMatchObject({ code: "session_busy", message: expect.stringMatching(/"s1"/) });
    }
    answer.resolve("one");
    await first;
    expect((await agent.run("c", { session })).text).toBe("two");
    expect(client.requests).toHaveLength(2);
    expect(other.client.requests).toHaveLength(0);
  });

  it.each<[string, (agent: Agent, session: AgentSession) => Promise<unknown>]>([
    ["refused input", (agent, session) => agent.run([], { session })],
    [
      "a refused system message",
      (agent, session) => agent.run({ role: "system", contents: "x" }, { session }),
    ],
    // @ts-expect-error an option that does not exist
    ["an unknown option", (agent, session) => agent.run("x", { session, sesion: session })],
    ["an abort", (agent, session) => agent.run("x", { session, signal: AbortSignal.abort("no") })],
    ["a failure of the service", (agent, session) => agent.run("fail", { session })],
    [
      "a consumer that throws",
      (agent, session) =>
        agent.run("x", { session, onUpdate: () => Promise.reject(new Error("gone")) }),
    ],
  ])("is free again after %s", async (_why, fail) => {
    const client = new ScriptedChatClient(({ messages }) =>
      JSON.stringify(messages.at(-1)).includes("fail") ? { error: new Error("down") } : "ok",
    );
    const agent = new Agent({ client });
    const session = new AgentSession();
    await rejection(fail(agent, session));
    expect((await agent.run("again", { session })).text).toBe("ok");
  });

  it("is free again after a stream was left", async () => {
    const { agent } = agentWith("one", "two");
    const session = new AgentSession();
    for await (const _update of agent.stream("a", { session })) break;
    expect((await agent.run("b", { session })).text).toBe("two");
  });
});

describe("what a session holds after a run that failed", () => {
  it("nothing new, when the service failed before anything was done: the caller can try again", async () => {
    const failure = new ChatClientError("overloaded", "busy", { retryable: true });
    const { client, agent } = agentWith({ error: failure }, "ok");
    const session = new AgentSession();
    expect(await rejection(agent.run("a", { session }))).toBe(failure);
    expect(session.messages).toEqual([]);
    await agent.run("a", { session });
    expect(outline(client.requests[1]?.messages ?? [])).toEqual(["user: a"]);
  });

  it("what was done, when the service failed after tools had run", async () => {
    const { agent } = agentWith(
      { calls: [lampIn("hall")] },
      { text: "half", error: new Error("down"), errorAfter: 1 },
    );
    const session = new AgentSession();
    const error = await rejection(agent.run("a", { session }));
    expect(error).toMatchObject({ code: "unknown", message: expect.stringMatching(/down/) });
    expect(outline(session.messages)).toEqual([
      "user: a",
      'assistant: lamp({"room":"hall"})',
      "tool: hall lit",
    ]);
  });

  it("the input, when it was aborted: the person has said it", async () => {
    const controller = new AbortController();
    const { client, agent } = agentWith(() => {
      controller.abort("stop");
      return "late";
    }, "ok");
    const session = new AgentSession();
    await rejection(agent.run("a", { session, signal: controller.signal }));
    expect(outline(session.messages)).toEqual(["user: a"]);
    await agent.run("b", { session });
    expect(outline(client.requests[1]?.messages ?? [])).toEqual(["user: a", "user: b"]);
  });

  it("finished results and the call in flight, when it was aborted while tools ran", async () => {
    const controller = new AbortController();
    const stuck = tool({
      name: "stuck",
      execute: () => {
        setImmediate(() => controller.abort("stop"));
        return new Promise(() => {});
      },
    });
    const client = new ScriptedChatClient([{ calls: [lampIn("hall"), { name: "stuck" }] }]);
    const session = new AgentSession();
    const run = new Agent({ client, tools: [lamp, stuck] }).run("a", {
      session,
      signal: controller.signal,
    });
    await rejection(run);
    expect(outline(session.messages).at(-1)).toBe(
      "tool: hall lit | !Error: interrupted: may or may not have run.",
    );
    expect(checkHistory(JSON.parse(JSON.stringify(session.messages)))).toEqual([]);
  });
});

describe("sessions and runs", () => {
  it("a run without a session has none: no throwaway", async () => {
    const seen: unknown[] = [];
    const look = tool({
      name: "look",
      execute: (_input, { session, run }) => void seen.push(session, run.session),
    });
    const client = new ScriptedChatClient([
      { calls: [{ name: "look" }] },
      "a",
      { calls: [{ name: "look" }] },
      "b",
    ]);
    const agent = new Agent({ client, tools: look });
    const session = new AgentSession();
    await agent.run("a");
    await agent.run("b", { session });
    expect(seen).toEqual([undefined, undefined, session, session]);
  });

  it("many at once on one agent keep apart", async () => {
    const echo = tool({
      name: "echo",
      parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      execute: async ({ text }, { session }) => {
        await settled();
        if (session) session.state["heard"] = text;
        return text;
      },
    });
    const client = new ScriptedChatClient(({ messages }) => {
      const [first] = messages;
      const text = first ? (outline([first])[0] ?? "") : "";
      return messages.at(-1)?.role === "tool"
        ? `done ${text}`
        : { calls: [{ name: "echo", arguments: { text }, id: "c" }] };
    });
    const agent = new Agent({ client, tools: echo });
    const sessions = Array.from({ length: 20 }, (_, at) => new AgentSession({ id: `s${at}` }));
    await Promise.all(sessions.map((session) => agent.run(session.id, { session })));
    for (const session of sessions) {
      const { id } = session;
      expect(session.state).toEqual({ heard: `user: ${id}` });
      expect(outline(session.messages)).toEqual([
        `user: ${id}`,
        `assistant: echo({"text":"user: ${id}"})`,
        `tool: user: ${id}`,
        `assistant: done user: ${id}`,
      ]);
    }
  });
});

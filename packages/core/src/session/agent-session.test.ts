import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../errors/configuration-error.js";
import { SessionBusyError } from "../errors/run-errors.js";
import type { Message } from "../messages/message.js";
import { AgentSession, holdSession } from "./agent-session.js";

const said = (id: string): Message => ({
  id,
  role: "assistant",
  contents: [{ type: "text", text: id, additionalProperties: { label: "x" } }],
  createdAt: 1,
});
const grow = (
  session: AgentSession,
  added: readonly Message[],
  paused: AgentSession["paused"],
): void => AgentSession.commit(session, { fresh: [], added, paused });
const spent = { iterations: 2, functionCalls: 3, tokens: 40 };

/** As a store gives it back: whatever somebody wrote there. */
const stored = (json: string): unknown => JSON.parse(json);

/** The code of the error that a stored text is refused with. */
function refusal(json: string): string | undefined {
  try {
    AgentSession.fromJSON(stored(json));
    return undefined;
  } catch (error) {
    return error instanceof ConfigurationError ? error.code : String(error);
  }
}

describe("a new session", () => {
  it("is empty and has an id of its own, or the given one", () => {
    const session = new AgentSession();
    expect([session.messages, session.state, session.paused]).toEqual([[], {}, undefined]);
    expect(session.id).toMatch(/^session_[0-9a-f]+$/);
    expect(new AgentSession().id).not.toBe(session.id);
    expect(new AgentSession({ id: "s1" }).id).toBe("s1");
    expect(new AgentSession({ id: undefined }).id).toMatch(/^session_/);
  });

  it.each<[unknown, string, RegExp]>([
    [new AgentSession().toJSON(), "session_data", /AgentSession\.fromJSON\(data\) makes one/],
    [{ id: "s1", messages: [] }, "session_data", /fromJSON/],
    [new AgentSession(), "session_data", /fromJSON/],
    ["s1", "invalid_option", /new AgentSession\(\{ id: "…" \}\)/],
    [null, "invalid_option", /takes an object/],
    [{ ID: "s1" }, "unknown_option", /did you mean "id"/],
    [{ id: 7 }, "invalid_option", /non-empty string/],
    [{ id: "" }, "invalid_option", /non-empty string/],
  ])("is not made of %j", (options, code, message) => {
    expect(() => Reflect.construct(AgentSession, [options])).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });
});

describe("a session as JSON", () => {
  const session = new AgentSession({ id: "s1" });
  grow(session, [said("m1"), said("m2")], spent);
  session.state["todo"] = [{ done: false }];

  it("comes back as it was, paused run included", () => {
    const json = JSON.stringify(session);
    const back = AgentSession.fromJSON(stored(json));
    expect(back).toStrictEqual(session);
    expect(back).toBeInstanceOf(AgentSession);
    expect(JSON.stringify(back)).toBe(json);
  });

  it("shares nothing with what it was read from", () => {
    const data = session.toJSON();
    const back = AgentSession.fromJSON(data);
    expect(back.state["todo"]).toEqual([{ done: false }]);
    expect(back.state["todo"]).not.toBe(session.state["todo"]);
    back.state["todo"] = "changed";
    expect(session.state["todo"]).toEqual([{ done: false }]);
    expect(back.messages[0]).not.toBe(data.messages[0]);
    expect(back.messages[0]?.contents).not.toBe(data.messages[0]?.contents);
    expect(back.paused).not.toBe(data.paused);
  });

  it("that a newer version wrote is refused, with both versions in the message", () => {
    const newer = JSON.stringify({ ...session.toJSON(), version: 2 });
    expect(refusal(newer)).toBe("session_version");
    expect(() => AgentSession.fromJSON(stored(newer))).toThrow(/version 2.*version 1/);
    expect(refusal('{"id":"s1","messages":[],"state":{}}')).toBe("session_version");
  });

  it.each([
    "null",
    "12",
    '"s1"',
    "[]",
    "{}",
    '{"version":1}',
    '{"version":1,"id":"s1","messages":{}}',
    '{"version":1,"id":"s1","messages":["hello"]}',
    '{"version":1,"id":"s1","messages":[],"state":"none"}',
  ])("that is none is refused: %s", (json) => {
    expect(refusal(json)).toBe("session_data");
  });

  it("that is still text is refused with what to write", () => {
    expect(() => AgentSession.fromJSON(JSON.stringify(session))).toThrow("JSON.parse(text)");
  });

  it("that a newer version wrote in another form is refused for its version", () => {
    expect(refusal('{"version":2,"id":"s1","log":[]}')).toBe("session_version");
  });
  it.each([
    '{"version":1,"id":"s","messages":[null],"state":{}}',
    '{"version":1,"id":"s","messages":[{"id":"m","role":"user"}],"state":{}}',
    '{"version":1,"id":"s","messages":[{"id":"m","role":"user","contents":[null]}],"state":{}}',
    '{"version":1,"id":"s","messages":[],"state":[1]}',
    '{"version":1,"id":"s","messages":[],"state":"text"}',
  ])("with a part that is none is refused now, not in its first run: %s", (json) => {
    expect(refusal(json)).toBe("session_data");
  });

  it.each([
    "{}",
    "true",
    '{"iterations":-1000,"functionCalls":0,"tokens":0}',
    '{"iterations":1,"functionCalls":1,"tokens":"many"}',
  ])("whose counters would let a run go on for ever is refused: %s", (paused) => {
    expect(refusal(`{"version":1,"id":"s","messages":[],"state":{},"paused":${paused}}`)).toBe(
      "session_data",
    );
  });

  it.each([
    '{"version":1,"messages":[],"state":{}}',
    '{"version":1,"id":7,"messages":[],"state":{}}',
  ])("without an id is refused: %s", (json) => {
    expect(refusal(json)).toBe("session_data");
  });

  it("with a member called __proto__ in its state keeps it as data", () => {
    const json = '{"version":1,"id":"s1","messages":[],"state":{"__proto__":{"admin":true}}}';
    const back = AgentSession.fromJSON(stored(json));
    expect(back.state["admin"]).toBeUndefined();
    expect(JSON.stringify(back)).toBe(json);
  });
});

describe("a session grows", () => {
  it("in one step, by a new list: what somebody read before stays as it was", () => {
    const session = new AgentSession();
    grow(session, [said("m1")], undefined);
    const before = session.messages;
    grow(session, [said("m2")], undefined);
    expect(before).toEqual([said("m1")]);
    expect(session.messages).toEqual([said("m1"), said("m2")]);
    expect(session.messages[0]).toBe(before[0]);
  });

  it("and keeps the counters of a paused run until a run ends otherwise", () => {
    const session = new AgentSession();
    grow(session, [], spent);
    expect(session.paused).toEqual(spent);
    grow(session, [], undefined);
    expect(session).not.toHaveProperty("paused");
  });
});

describe("a session in use", () => {
  it("refuses a second run until the first one gives it back", () => {
    const session = new AgentSession({ id: "s1" });
    const release = holdSession(session);
    expect(() => holdSession(session)).toThrow(SessionBusyError);
    expect(() => holdSession(session)).toThrow(/"s1"/);
    release();
    const again = holdSession(session);
    expect(() => holdSession(session)).toThrow(SessionBusyError);
    again();
    expect(() => holdSession(session)()).not.toThrow();
  });

  it("does not stand in the way of another one", () => {
    holdSession(new AgentSession({ id: "s1" }));
    expect(() => holdSession(new AgentSession({ id: "s1" }))).not.toThrow();
  });

  it("has an error that says what to do and can be told by its code", () => {
    const error = new SessionBusyError("s1");
    expect([error.code, error.name]).toEqual(["session_busy", "SessionBusyError"]);
    expect(error.message).toContain("Wait for it to end");
  });

  it("is not freed by a run that gave it back before", () => {
    const session = new AgentSession();
    const release = holdSession(session);
    release();
    holdSession(session);
    release();
    expect(() => holdSession(session)).toThrow(SessionBusyError);
  });
});

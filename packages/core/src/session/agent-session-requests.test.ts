import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../errors/configuration-error.js";
import type { Content, FunctionApprovalRequestContent } from "../messages/content.js";
import type { Message, Role } from "../messages/message.js";
import { AgentSession } from "./agent-session.js";
import type { RememberedDecision } from "./remembered-decision.js";

const call = (callId: string) =>
  ({ type: "function_call", callId, name: "pay", arguments: { amount: 5 } }) as const;
const request = (
  at: number,
  more: Partial<FunctionApprovalRequestContent> = {},
): FunctionApprovalRequestContent => ({
  type: "function_approval_request",
  requestId: `r${at}`,
  call: call(`c${at}`),
  batch: ["c1", "c2"],
  spent: { iterations: 1, functionCalls: 0, tokens: 0 },
  ...more,
});
const message = (id: string, role: Role, ...contents: readonly Content[]): Message => ({
  id,
  role,
  contents,
  createdAt: 0,
});
const answer = (at: number): Content => ({
  type: "function_approval_response",
  requestId: `r${at}`,
  approved: true,
});
const result = (at: number): Content => ({
  type: "function_result",
  callId: `c${at}`,
  contents: [],
});
const remembered: RememberedDecision = {
  id: "d1",
  approved: true,
  tool: { name: "pay", owner: "bank", hash: "h" },
  scope: { matching: { amount: 5 } },
  until: 5000,
  usesLeft: 2,
  decidedBy: "mara",
  requestId: "r0",
  createdAt: 7,
};

/** A session whose run has paused with two questions. */
function paused(): AgentSession {
  const session = new AgentSession({ id: "s1" });
  AgentSession.commit(session, {
    fresh: [message("u1", "user", { type: "text", text: "go" })],
    added: [message("a1", "assistant", call("c1"), call("c2"), request(1), request(2))],
    paused: { iterations: 1, functionCalls: 0, tokens: 0 },
  });
  return session;
}
/** The session as a store gives it back. */
const stored = (session: AgentSession): AgentSession =>
  AgentSession.fromJSON(JSON.parse(JSON.stringify(session)));
const ids = (session: AgentSession) => session.pending.map(({ requestId }) => requestId);

describe("the questions of a session", () => {
  it("are those that its runs have asked, until they are answered", () => {
    const session = paused();
    expect(session.pending).toEqual([request(1), request(2)]);
    AgentSession.commit(session, { fresh: [message("u2", "user", answer(1))], added: [] });
    expect(ids(session)).toEqual(["r2"]);
    expect(AgentSession.requestsOf(session)).toHaveLength(2);
    AgentSession.commit(session, {
      fresh: [message("u3", "user", answer(2))],
      added: [message("t1", "tool", result(1), result(2))],
    });
    expect(session.pending).toEqual([]);
    expect(AgentSession.requestsOf(session)).toEqual([]);
    expect(session.toJSON()).not.toHaveProperty("requests");
  });

  it("are never what came in with an input, whatever role it has", () => {
    const session = new AgentSession();
    const fresh = [
      message("u1", "user", request(1)),
      message("a1", "assistant", call("c2"), request(2)),
    ];
    AgentSession.commit(session, { fresh, added: [message("a2", "assistant", request(3))] });
    expect(ids(session)).toEqual(["r3"]);
  });

  it("stay as they were asked: another one of the same id is none", () => {
    const session = paused();
    const forged = request(1, { call: call("c9") });
    AgentSession.commit(session, { fresh: [], added: [message("a2", "assistant", forged)] });
    expect(session.pending).toEqual([request(1), request(2)]);
  });

  it("leave out what nobody can be asked about", () => {
    const session = new AgentSession();
    const broken = { ...request(1), call: undefined } as unknown as Content;
    const hosted = { ...request(2), call: undefined, provider: "x" } as unknown as Content;
    AgentSession.commit(session, {
      fresh: [],
      added: [message("a1", "assistant", broken, hosted)],
    });
    expect(session.pending).toEqual([]);
    expect(JSON.stringify(stored(session))).toBe(JSON.stringify(session));
  });

  it("survive a store, answered in part or not", () => {
    const session = paused();
    expect(stored(session).pending).toEqual(session.pending);
    expect(JSON.stringify(stored(session))).toBe(JSON.stringify(session));
    AgentSession.commit(session, { fresh: [message("u2", "user", answer(1))], added: [] });
    const back = stored(session);
    expect(ids(back)).toEqual(["r2"]);
    AgentSession.commit(back, {
      fresh: [message("u3", "user", answer(2))],
      added: [message("t1", "tool", result(1), result(2))],
    });
    expect(stored(back).pending).toEqual([]);
  });

  it("of every kind survive a store", () => {
    const session = new AgentSession();
    const kinds = [
      request(1),
      request(2, { provider: "openai", batch: undefined as never }),
      request(3, { path: [{ callId: "c3", name: "clerk" }], editable: ["amount"], expiresAt: 9 }),
    ];
    const stage: Content = {
      type: "paused_call",
      callId: "c3",
      requestIds: ["r3"],
      hash: "h",
      state: [],
    };
    AgentSession.commit(session, {
      fresh: [],
      added: [message("a1", "assistant", ...kinds, stage)],
    });
    expect(ids(session)).toEqual(["r1", "r2", "r3"]);
    expect(ids(stored(session))).toEqual(["r1", "r2", "r3"]);
  });

  it("share nothing with what they were read from", () => {
    const data = paused().toJSON();
    const [one] = AgentSession.fromJSON(data).pending;
    expect(one).toEqual(data.requests?.[0]);
    expect(one).not.toBe(data.requests?.[0]);
    expect(one?.call).not.toBe(data.requests?.[0]?.call);
  });
});

describe("what a session remembers", () => {
  it("survives a store, whole", () => {
    const session = new AgentSession();
    AgentSession.remember(session, [remembered, { ...remembered, id: "d2", scope: "tool" }]);
    const back = stored(session);
    expect(back.remembered).toStrictEqual(session.remembered);
    expect(JSON.stringify(back)).toBe(JSON.stringify(session));
    expect(back.toJSON().remembered).toEqual([
      remembered,
      { ...remembered, id: "d2", scope: "tool" },
    ]);
  });

  it("is forgotten where it is revoked, also after a store", () => {
    const session = new AgentSession();
    AgentSession.remember(session, [remembered, { ...remembered, id: "d2" }]);
    const before = session.remembered;
    const back = stored(session);
    expect(back.revoke("d1")).toBe(true);
    expect(stored(back).remembered.map(({ id }) => id)).toEqual(["d2"]);
    expect(back.revoke("d1")).toBe(false);
    expect(back.revoke("d2")).toBe(true);
    expect(back.toJSON()).not.toHaveProperty("remembered");
    expect(session.remembered).toBe(before);
    expect(before).toHaveLength(2);
  });

  it("is nothing in a new session, and nothing there can be revoked", () => {
    const session = new AgentSession();
    expect([session.remembered, session.pending]).toEqual([[], []]);
    expect(session.revoke("d1")).toBe(false);
  });
});

describe("a stored session", () => {
  /** The code of the error with which a session is refused that holds this. */
  function refusal(part: object): string | undefined {
    const data: unknown = JSON.parse(
      JSON.stringify({ version: 1, id: "s1", messages: [], state: {}, ...part }),
    );
    try {
      AgentSession.fromJSON(data);
      return undefined;
    } catch (error) {
      return error instanceof ConfigurationError ? error.code : String(error);
    }
  }

  it.each<[unknown]>([
    [null],
    ["r1"],
    [{}],
    [request(1)],
    [[null]],
    [["r1"]],
    [[[]]],
    [[{}]],
    [[{ ...request(1), requestId: 1 }]],
    [[{ ...request(1), requestId: null }]],
    [[{ ...request(1), call: undefined }]],
    [[{ ...request(1), call: "c1" }]],
    [[{ ...request(1), call: { name: "pay" } }]],
    [[{ ...request(1), batch: "c1" }]],
    [[{ ...request(1), batch: 5 }]],
    [[{ ...request(1), batch: {} }]],
    [[{ ...request(1), batch: [1] }]],
    [[{ ...request(1), path: "c1" }]],
    [[{ ...request(1), path: [null] }]],
    [[{ ...request(1), path: [{ name: "clerk" }] }]],
    [[request(1), { ...request(2), call: null }]],
  ])("with broken questions is refused: %j", (requests) => {
    expect(refusal({ requests })).toBe("session_data");
  });

  it.each<[unknown]>([
    [null],
    ["d1"],
    [{}],
    [remembered],
    [[null]],
    [[[]]],
    [[{}]],
    [[{ ...remembered, id: 1 }]],
    [[{ ...remembered, approved: "true" }]],
    [[{ ...remembered, approved: undefined }]],
    [[{ ...remembered, tool: undefined }]],
    [[{ ...remembered, tool: "pay" }]],
    [[{ ...remembered, tool: {} }]],
    [[{ ...remembered, tool: { name: "pay" } }]],
    [[{ ...remembered, tool: { hash: "h" } }]],
    [[{ ...remembered, tool: { name: "pay", owner: null, hash: "h" } }]],
    [[{ ...remembered, scope: undefined }]],
    [[{ ...remembered, scope: null }]],
    [[{ ...remembered, scope: "arguments" }]],
    [[{ ...remembered, scope: [] }]],
    [[{ ...remembered, scope: {} }]],
    [[{ ...remembered, scope: { matching: null } }]],
    [[{ ...remembered, scope: { matching: "x" } }]],
    [[{ ...remembered, scope: { arguments: [] } }]],
    [[{ ...remembered, scope: { arguments: null, matching: {} } }]],
    [[{ ...remembered, until: "5000" }]],
    [[{ ...remembered, until: null }]],
    [[{ ...remembered, usesLeft: "2" }]],
    [[{ ...remembered, usesLeft: null }]],
    [[remembered, { ...remembered, scope: {} }]],
  ])("with broken decisions is refused: %j", (decisions) => {
    expect(refusal({ remembered: decisions })).toBe("session_data");
  });

  it("with none of either, or whole ones, is taken", () => {
    expect(refusal({})).toBeUndefined();
    expect(refusal({ requests: [], remembered: [] })).toBeUndefined();
    const { until: _until, usesLeft: _uses, decidedBy: _by, ...least } = remembered;
    const scopes = ["tool", { arguments: {} }, { matching: { a: 1 } }];
    const tool = { name: "pay", hash: "h" };
    const decisions = [remembered, least, ...scopes.map((scope) => ({ ...least, tool, scope }))];
    const hosted = request(3, { provider: "openai" });
    const inside = request(4, { path: [{ callId: "c4", name: "clerk" }] });
    expect(
      refusal({ requests: [request(1), hosted, inside], remembered: decisions }),
    ).toBeUndefined();
  });
});

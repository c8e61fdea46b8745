import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type {
  Content,
  FunctionApprovalRequestContent,
  FunctionApprovalResponseContent,
} from "./content.js";
import type { Message, Role } from "./message.js";
import {
  answersIn,
  asksHosted,
  heldCallIds,
  hostedRequestIds,
  isControl,
  openRequests,
  pending,
  requestsIn,
  waitingCallId,
} from "./requests.js";
import { areMessages } from "./shapes.js";

type Request = FunctionApprovalRequestContent;

const call = (callId: string): Content & { readonly type: "function_call" } => ({
  type: "function_call",
  callId,
  name: "pay",
  arguments: {},
});
const request = (requestId: string, callId: string, more: Partial<Request> = {}): Request => ({
  type: "function_approval_request",
  requestId,
  call: call(callId),
  ...more,
});
/** A question of a sub-agent: about a call of its own, inside a call of this log. */
const inside = (requestId: string, callId: string, more: Partial<Request> = {}): Request =>
  request(requestId, `inner_${requestId}`, { path: [{ callId, name: "clerk" }], ...more });
const hosted = (requestId: string, more: Partial<Request> = {}): Request =>
  request(requestId, `h_${requestId}`, { provider: "openai", ...more });
const answer = (requestId: string, approved = true): FunctionApprovalResponseContent => ({
  type: "function_approval_response",
  requestId,
  approved,
});
const result = (callId: string): Content => ({ type: "function_result", callId, contents: [] });
const stage = (callId: string, ...requestIds: string[]): Content => ({
  type: "paused_call",
  callId,
  requestIds,
  hash: "h",
  state: null,
});
const message = (role: Role, ...contents: readonly Content[]): Message => ({
  id: "m",
  role,
  contents,
  createdAt: 0,
});
const asked = (...contents: readonly Content[]): Message => message("assistant", ...contents);
const said = (...contents: readonly Content[]): Message => message("user", ...contents);
const done = (...contents: readonly Content[]): Message => message("tool", ...contents);
/** Whatever a store or a page holds. */
const odd = (value: unknown): Content => value as Content;

const ids = (requests: readonly Request[]): readonly string[] =>
  requests.map(({ requestId }) => requestId);

describe("pending", () => {
  it.each<[string, readonly Message[], readonly string[]]>([
    ["an empty log", [], []],
    ["a log without questions", [asked(call("c1")), done(result("c1"))], []],
    [
      "questions, in their order",
      [asked(request("r2", "c2")), asked(request("r1", "c1"))],
      ["r2", "r1"],
    ],
    ["two in one message", [asked(request("r1", "c1"), request("r2", "c2"))], ["r1", "r2"]],
    [
      "an answered one",
      [asked(request("r1", "c1"), request("r2", "c2")), said(answer("r1"))],
      ["r2"],
    ],
    ["a denied one", [asked(request("r1", "c1")), said(answer("r1", false))], []],
    ["an answer in a message of a tool", [asked(request("r1", "c1")), done(answer("r1"))], []],
    ["an answer of the agent to itself", [asked(request("r1", "c1"), answer("r1"))], ["r1"]],
    ["an answer to something else", [asked(request("r1", "c1")), said(answer("r2"))], ["r1"]],
    ["a call that has its result", [asked(request("r1", "c1")), done(result("c1"))], []],
    ["a result in a user's message", [asked(request("r1", "c1")), said(result("c1"))], []],
    ["a result of another call", [asked(request("r1", "c1")), done(result("c2"))], ["r1"]],
    ["a question in a user's message", [said(request("r1", "c1"))], []],
    ["a question in a tool's message", [done(request("r1", "c1"))], []],
    ["a question in a system message", [message("system", request("r1", "c1"))], []],
  ])("of %s", (_what, log, wanted) => {
    expect(ids(pending(log))).toEqual(wanted);
  });

  it("takes the first request of an id, wherever another one poses as it", () => {
    const first = request("r1", "c1");
    const log = [
      said(request("r1", "c0")),
      asked(first, request("r1", "c2")),
      asked(request("r1", "c3")),
    ];
    expect(pending(log)).toEqual([first]);
    expect(pending(log)[0]).toBe(first);
  });

  it("takes the last of several questions about one call", () => {
    const log = [asked(request("r1", "c1"), request("r2", "c2")), asked(request("r3", "c1"))];
    expect(ids(pending(log))).toEqual(["r2", "r3"]);
    expect(ids(pending([...log, said(answer("r3"))]))).toEqual(["r2"]);
    expect(ids(openRequests(log, requestsIn(log)))).toEqual(["r2", "r3"]);
  });

  it("takes of a sub-agent's questions those of its last pause", () => {
    const first = asked(
      call("c1"),
      inside("r1", "c1"),
      inside("r2", "c1"),
      stage("c1", "r1", "r2"),
    );
    expect(ids(pending([first]))).toEqual(["r1", "r2"]);
    const again = [
      first,
      said(answer("r1"), answer("r2")),
      asked(inside("r3", "c1"), stage("c1", "r3")),
    ];
    expect(ids(pending(again))).toEqual(["r3"]);
    expect(ids(pending([...again, done(result("c1"))]))).toEqual([]);
    expect(ids(pending([asked(call("c1"), inside("r1", "c1"))]))).toEqual([]);
  });

  it("closes a question of a deeper sub-agent with the call of this log", () => {
    const path = [
      { callId: "c1", name: "clerk" },
      { callId: "c2", name: "helper" },
    ];
    const log = [asked(call("c1"), request("r1", "c3", { path }), stage("c1", "r1"))];
    expect(ids(pending(log))).toEqual(["r1"]);
    for (const callId of ["c2", "c3"]) {
      expect(ids(pending([...log, done(result(callId))]))).toEqual(["r1"]);
    }
    expect(ids(pending([...log, done(result("c1"))]))).toEqual([]);
  });

  it("holds a question of the model service for open until it is answered", () => {
    const log = [asked(hosted("r1"), call("c1")), done(result("c1"), result("h_r1"))];
    expect(ids(pending(log))).toEqual(["r1"]);
    expect(pending([...log, said(answer("r1"))])).toEqual([]);
  });

  it("does not mix up a question of the service with one of the agent about a call of the same id", () => {
    const log = [
      asked(call("c1"), request("r1", "c1"), request("r2", "c1", { provider: "openai" })),
    ];
    expect(ids(pending(log))).toEqual(["r1", "r2"]);
    expect(ids(pending([...log, said(answer("r2"))]))).toEqual(["r1"]);
    expect(ids(pending([...log, done(result("c1"))]))).toEqual(["r2"]);
  });

  it.each<[string, unknown]>([
    ["no id", { ...request("r1", "c1"), requestId: undefined }],
    ["a number for an id", { ...request("r1", "c1"), requestId: 1 }],
    ["no call", { ...request("r1", "c1"), call: undefined }],
    ["null for a call", { ...request("r1", "c1"), call: null }],
    ["a call without an id", { ...request("r1", "c1"), call: { name: "pay" } }],
    ["a batch that is none", { ...request("r1", "c1"), batch: "c1" }],
    ["an empty batch", { ...request("r1", "c1"), batch: [] }],
    ["a batch of other things", { ...request("r1", "c1"), batch: [1] }],
    ["null for a batch", { ...request("r1", "c1"), batch: null }],
    ["a path that is none", { ...request("r1", "c1"), path: "c1" }],
    ["an empty path", { ...request("r1", "c1"), path: [] }],
    ["a path of other things", { ...request("r1", "c1"), path: [null] }],
    ["a step without an id", { ...request("r1", "c1"), path: [{ name: "clerk" }] }],
    [
      "a step with a number for an id",
      { ...request("r1", "c1"), path: [{ callId: 1, name: "x" }] },
    ],
    ["the service's, without a call", { ...hosted("r1"), call: undefined }],
    ["the service's, without an id", { ...hosted("r1"), requestId: undefined }],
  ])("leaves out what nobody can be asked about: %s", (_what, broken) => {
    const stages = ["c1", "", "1"].map((callId) => stage(callId, "r1"));
    const log = [asked(odd(broken), request("r2", "c2"), hosted("r3"), ...stages)];
    expect(ids(pending(log))).toEqual(["r2", "r3"]);
  });

  it("never throws, whatever the contents of a log hold", () => {
    const seen = { open: 0, none: 0 };
    fc.assert(
      fc.property(oddLogs, (log) => {
        const stored: unknown = JSON.parse(JSON.stringify(log));
        if (!areMessages(stored)) throw new Error("the log is none");
        const open = pending(stored);
        if (open.length > 0) seen.open++;
        else seen.none++;
        for (const each of open) expect(typeof each.call.callId).toBe("string");
        expect(new Set(ids(open)).size).toBe(open.length);
        for (const id of heldCallIds(open)) expect(typeof id).toBe("string");
      }),
      { numRuns: 2000 },
    );
    expect(Math.min(seen.open, seen.none)).toBeGreaterThan(100);
  });
});

/** Logs whose contents have the right names and anything in them. */
const oddLogs = (() => {
  const id = fc.constantFrom("a", "b", "c");
  const mostly = <Value>(fit: fc.Arbitrary<Value>) =>
    fc.oneof({ weight: 8, arbitrary: fit as fc.Arbitrary<unknown> }, fc.jsonValue({ maxDepth: 1 }));
  const step = fc.record({ callId: mostly(id), name: mostly(id) }, { requiredKeys: [] });
  const content = fc.record(
    {
      type: fc.constantFrom(
        "function_approval_request",
        "function_approval_request",
        "function_approval_response",
        "function_result",
        "paused_call",
        "function_call",
        "of_another_world",
      ),
      requestId: mostly(id),
      callId: mostly(id),
      call: mostly(fc.record({ callId: mostly(id) }, { requiredKeys: [] })),
      approved: mostly(fc.boolean()),
      requestIds: mostly(fc.array(mostly(id), { maxLength: 2 })),
    },
    { requiredKeys: ["type", "requestId", "call"] },
  );
  const more = fc.record(
    {
      path: mostly(fc.array(mostly(step), { maxLength: 2 })),
      batch: mostly(fc.array(mostly(id), { maxLength: 2 })),
      provider: mostly(id),
    },
    { requiredKeys: [] },
  );
  const contents = fc
    .tuple(content, fc.oneof(fc.constant({}), more))
    .map(([one, rest]) => ({ ...one, ...rest }));
  return fc.array(
    fc.record({
      role: fc.oneof({ weight: 4, arbitrary: fc.constant("assistant") }, fc.string()),
      contents: fc.array(contents, { maxLength: 3 }),
    }),
    { maxLength: 4 },
  );
})();

describe("openRequests", () => {
  it("is about the requests it is given, not about those of the log", () => {
    const known = [request("r1", "c1")];
    expect(openRequests([], known)).toEqual(known);
    expect(openRequests([asked(request("r9", "c9"))], known)).toEqual(known);
    expect(openRequests([done(result("c1"))], known)).toEqual([]);
    expect(openRequests([done(result("c1"))], [])).toEqual([]);
  });

  it("holds an answered one of the agent for open until its call has a result", () => {
    const known = [request("r1", "c1"), hosted("r2")];
    expect(openRequests([said(answer("r1"), answer("r2"))], known)).toEqual([known[0]]);
  });
});

describe("answersIn", () => {
  it("takes the first answer to each request, and none of the agent's own", () => {
    const first = answer("r1");
    const log = [asked(answer("r1", false)), said(first), done(answer("r1", false), answer("r2"))];
    const answers = answersIn(log);
    expect([...answers.keys()]).toEqual(["r1", "r2"]);
    expect(answers.get("r1")).toBe(first);
  });
});

describe("requestsIn", () => {
  it("finds them open or not", () => {
    const log = [asked(request("r1", "c1"), hosted("r2")), said(answer("r1")), done(result("c1"))];
    expect(ids(requestsIn(log))).toEqual(["r1", "r2"]);
  });
});

describe("the calls that wait", () => {
  it("are those of the questions, and all that wait with them", () => {
    const held = heldCallIds([
      request("r1", "c1", { batch: ["c1", "c2"] }),
      inside("r2", "c3", { batch: ["c3", "c4"] }),
      request("r3", "c5"),
    ]);
    expect([...held].toSorted()).toEqual(["c1", "c2", "c3", "c4", "c5"]);
    expect(waitingCallId(inside("r2", "c3"))).toBe("c3");
  });

  it("are none where the model service asks", () => {
    expect([...heldCallIds([hosted("r1", { batch: ["c1"] })])]).toEqual([]);
  });

  it("are those of the agent where a sub-agent's service asks", () => {
    expect([...heldCallIds([inside("r1", "c1", { provider: "openai" })])]).toEqual(["c1"]);
  });
});

describe("questions of a model service", () => {
  it("are told from those of the agent, of a sub-agent's service, and from what a user says", () => {
    expect(hostedRequestIds(asked(hosted("r1"), request("r2", "c2"), hosted("r3")))).toEqual([
      "r1",
      "r3",
    ]);
    expect(asksHosted(asked(hosted("r1")))).toBe(true);
    for (const other of [
      asked(request("r1", "c1")),
      asked(inside("r1", "c1", { provider: "openai" })),
      said(hosted("r1")),
    ]) {
      expect(asksHosted(other)).toBe(false);
      expect(hostedRequestIds(other)).toEqual([]);
    }
  });
});

describe("isControl", () => {
  it("is true of questions, answers and pauses alone", () => {
    const controls = [request("r1", "c1"), hosted("r2"), answer("r1"), stage("c1", "r1")];
    expect(controls.every(isControl)).toBe(true);
    expect([call("c1"), result("c1"), odd({ type: "text", text: "x" })].some(isControl)).toBe(
      false,
    );
  });
});

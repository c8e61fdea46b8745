import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { FunctionApprovalRequestContent, FunctionCallContent } from "../messages/content.js";
import { copyJson, type JsonValue } from "../messages/json.js";
import type { ApprovalKey } from "./approval-keys.js";
import { type SignedPause, signPause, verifiesPause } from "./sign-batch.js";

afterEach(() => {
  vi.restoreAllMocks();
});

const key = (id: string, letter = id): ApprovalKey => ({ id, secret: letter.repeat(32) });
const keys = [key("k1")];

const call = (callId: string, amount: number): FunctionCallContent => ({
  type: "function_call",
  callId,
  name: "pay",
  arguments: { amount, to: ["a", "b"] },
});
const tool = {
  name: "pay",
  owner: "bank",
  title: "Pay",
  description: "Pays.",
  parameters: { type: "object" },
  traits: { destructive: true },
  hash: "h_pay",
};
const calls = [
  call("c1", 1),
  call("c2", 2),
  { ...call("c3", 3), name: "assistant" },
  { type: "function_call", callId: "c4", name: "pay", argumentsText: '{"amount"' } as const,
];
const common = {
  type: "function_approval_request",
  batch: ["c1", "c2", "c3"],
  expiresAt: 5000,
  spent: { iterations: 1, functionCalls: 2, tokens: 3 },
} as const;

/** Two questions of its own, one of a sub-agent, and what that was at. */
const pause: SignedPause = {
  requests: [
    {
      ...common,
      requestId: "r1",
      call: call("c1", 1),
      tool,
      summary: "Pay 1?",
      reason: "large",
      violation: "limit",
      editable: ["amount"],
    },
    {
      ...common,
      requestId: "r2",
      call: call("c2", 2),
      tool,
      editable: true,
      effective: { amount: 2, to: "Bob" },
      additionalProperties: { rule: "large", origin: { tool: "mail", labels: ["a", "b"] } },
    },
    {
      ...common,
      requestId: "r3",
      call: call("inner", 9),
      tool,
      path: [{ callId: "c3", name: "assistant" }],
    },
  ],
  calls,
  paused: [
    {
      type: "paused_call",
      callId: "c3",
      requestIds: ["r3"],
      hash: "h_assistant",
      state: { messages: [{ id: "m1", role: "user", contents: [] }] },
    },
  ],
};

type Draft = Record<keyof SignedPause, Record<string, unknown>[]>;

/** The pause as somebody has changed it. */
function changed(change: (draft: Draft) => void): SignedPause {
  const draft = copyJson(pause) as unknown as Draft;
  change(draft);
  return draft as unknown as SignedPause;
}
const request = (at: number, more: object) => (draft: Draft) => {
  Object.assign(draft.requests[at] ?? {}, more);
};
const inCall = (at: number, more: object) => (draft: Draft) => {
  Object.assign(draft.calls[at] ?? {}, more);
};
const inRequestedCall = (at: number, more: object) => (draft: Draft) => {
  Object.assign(draft.requests[at]?.["call"] ?? {}, more);
};
const inTool = (more: object) => (draft: Draft) => {
  Object.assign(draft.requests[0]?.["tool"] ?? {}, more);
};
const inStage = (more: object) => (draft: Draft) => {
  Object.assign(draft.paused[0] ?? {}, more);
};

const changes: Readonly<Record<string, (draft: Draft) => void>> = {
  "another request id": request(0, { requestId: "r9" }),
  "two request ids in each other's place": (draft) => {
    request(0, { requestId: "r2" })(draft);
    request(1, { requestId: "r1" })(draft);
  },
  "a request left out": (draft) => void draft.requests.pop(),
  "a request twice": (draft) => void draft.requests.push(...draft.requests.slice(0, 1)),
  "no request at all": (draft) => void draft.requests.splice(0),
  "another call's name": inCall(0, { name: "pay_all" }),
  "another call's argument": inCall(1, { arguments: { amount: 3, to: ["a", "b"] } }),
  "another order in an argument": inCall(1, { arguments: { amount: 2, to: ["b", "a"] } }),
  "another call's id": inCall(0, { callId: "c9" }),
  "arguments of two calls in each other's place": (draft) => {
    inCall(0, { arguments: call("c2", 2).arguments })(draft);
    inCall(1, { arguments: call("c1", 1).arguments })(draft);
  },
  "a broken call made whole": inCall(3, { arguments: {}, argumentsText: undefined }),
  "another text of a broken call": inCall(3, { argumentsText: '{"amount":5}' }),
  "a call added": (draft) => void draft.calls.push({ ...call("c5", 5) }),
  "a call left out": (draft) => void draft.calls.shift(),
  "what a person is shown of the call": inRequestedCall(0, { arguments: { amount: 5000 } }),
  "the name of the call that a person is shown": inRequestedCall(0, { name: "read" }),
  "what a person is shown of a call further in": inRequestedCall(2, { arguments: {} }),
  "another call in the question": inRequestedCall(0, { callId: "c2" }),
  "another tool's name": inTool({ name: "read" }),
  "another owner": inTool({ owner: "other" }),
  "no owner": inTool({ owner: undefined }),
  "another hash": inTool({ hash: "h_read" }),
  "another title": inTool({ title: "Read" }),
  "another description": inTool({ description: "Reads." }),
  "other traits": inTool({ traits: { readOnly: true } }),
  "one more trait": inTool({ traits: { destructive: true, harmless: true } }),
  "no traits": inTool({ traits: undefined }),
  "no description and no traits": inTool({ traits: null, description: null }),
  "no tool": request(0, { tool: undefined }),
  "a question as the model service's own": request(0, { provider: "openai" }),
  "a question as nobody's own": request(0, { provider: null }),
  "facts that the handler did not state": request(0, { additionalProperties: { origin: "user" } }),
  "other facts": request(1, { additionalProperties: { rule: "small" } }),
  "no facts": request(1, { additionalProperties: undefined }),
  "other arguments as the tool would get them": request(1, { effective: { amount: 2, to: "Eve" } }),
  "another path": request(2, { path: [{ callId: "c2", name: "assistant" }] }),
  "another name on the path": request(2, { path: [{ callId: "c3", name: "pay" }] }),
  "a longer path": request(2, { path: [{ callId: "c3", name: "assistant" }, { callId: "x" }] }),
  "no path": request(2, { path: undefined }),
  "a path where there is none": request(0, { path: [{ callId: "c3", name: "assistant" }] }),
  "a smaller batch": request(0, { batch: ["c1", "c2"] }),
  "another order of the batch": request(0, { batch: ["c2", "c1", "c3"] }),
  "no batch": request(0, { batch: undefined }),
  "more that is editable": request(0, { editable: ["amount", "to"] }),
  "everything editable": request(0, { editable: true }),
  "something editable where nothing is": request(2, { editable: ["amount"] }),
  "nothing editable": request(1, { editable: undefined }),
  "more time": request(0, { expiresAt: 5001 }),
  "no end of time": request(0, { expiresAt: undefined }),
  "another rule that is broken": request(0, { violation: "other" }),
  "no rule that is broken": request(0, { violation: undefined }),
  "a rule that is broken where none is": request(1, { violation: "limit" }),
  "another summary": request(0, { summary: "Pay 2?" }),
  "no summary": request(0, { summary: undefined }),
  "another reason": request(0, { reason: "small" }),
  "a reason for a summary": request(0, { reason: "Pay 1?", summary: "large" }),
  "less that was used up": request(0, { spent: { iterations: 0, functionCalls: 2, tokens: 3 } }),
  "another state": inStage({ state: { messages: [] } }),
  "no state": inStage({ state: null }),
  "another call that is paused": inStage({ callId: "c2" }),
  "other requests that it waits for": inStage({ requestIds: ["r1"] }),
  "more requests that it waits for": inStage({ requestIds: ["r3", "r1"] }),
  "another hash of what is paused": inStage({ hash: "h_pay" }),
  "what is paused left out": (draft) => void draft.paused.pop(),
  "something more that is paused": (draft) =>
    void draft.paused.push({ type: "paused_call", callId: "c2", requestIds: ["r2"], state: 1 }),
};

describe("the signature of a pause", () => {
  it("verifies what was signed, also once it has been stored", async () => {
    const signature = await signPause(keys, pause);
    expect(signature).toMatch(/^k1\.[\w-]{43}$/);
    expect(await verifiesPause(keys, pause, signature)).toBe(true);
    const stored: SignedPause = JSON.parse(JSON.stringify(pause));
    expect(await verifiesPause(keys, stored, signature)).toBe(true);
  });

  it.each(Object.entries(changes))("does not fit any more with %s", async (_what, change) => {
    const signature = await signPause(keys, pause);
    expect(await verifiesPause(keys, changed(change), signature)).toBe(false);
  });

  it("covers every part: whatever is changed or left out anywhere, it does not fit any more", async () => {
    const signature = await signPause(keys, pause);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...placesIn(plain)), fc.boolean(), async (place, out) => {
        const forged = changedAt(plain, place, out) as unknown as SignedPause;
        expect(await verifiesPause(keys, forged, signature)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it("does not depend on the order of the parts, nor of their members", async () => {
    const signature = await signPause(keys, pause);
    const shuffled = <Part>(list: readonly Part[]) =>
      fc.shuffledSubarray([...list], { minLength: list.length });
    await fc.assert(
      fc.asyncProperty(
        fc.record({ requests: shuffled(pause.requests), calls: shuffled(pause.calls) }),
        fc.boolean(),
        async (parts, turn) => {
          const mixed: SignedPause = { ...pause, ...parts };
          const same = turn ? (turned(mixed) as SignedPause) : mixed;
          expect(await verifiesPause(keys, same, signature)).toBe(true);
        },
      ),
    );
  });

  it("says nothing about what a request carries for others: the signature itself, and members that nobody shows", async () => {
    const signature = await signPause(keys, pause);
    const marked = {
      ...pause,
      requests: pause.requests.map((each) => ({
        ...each,
        signature,
        providerData: { openai: { id: "item 1" } },
      })),
    };
    expect(await verifiesPause(keys, marked, signature)).toBe(true);
  });

  it("is one for one question and for two hundred", async () => {
    const sign = vi.spyOn(crypto.subtle, "sign");
    const many = Array.from({ length: 200 }, (_, at) => ({
      ...(pause.requests[0] as FunctionApprovalRequestContent),
      requestId: `r${at}`,
    }));
    await signPause(keys, { ...pause, requests: many.slice(0, 1) });
    expect(sign).toHaveBeenCalledTimes(1);
    const signature = await signPause(keys, { ...pause, requests: many });
    expect(sign).toHaveBeenCalledTimes(2);
    expect(await verifiesPause(keys, { ...pause, requests: many }, signature)).toBe(true);
    expect(await verifiesPause(keys, { ...pause, requests: many.slice(1) }, signature)).toBe(false);
  });
});

/**
 * A pause as plain JSON, without what names the kind of a content, which nobody can change in a log,
 * and without the tool's schema, which is left to its hash.
 */
const plain = JSON.parse(JSON.stringify(pause), (name, value) => {
  const kind = name === "type" && typeof value === "string" && value.includes("_");
  return kind || name === "parameters" ? undefined : value;
}) as JsonValue;

type Place = readonly (string | number)[];

/** The paths of all texts, numbers and the like in a value. */
function placesIn(value: JsonValue, at: Place = []): Place[] {
  if (typeof value !== "object" || value === null) return [at];
  return Object.entries(value).flatMap(([name, member]) => placesIn(member, [...at, name]));
}

/** A copy with something else at a place, or with nothing there. */
function changedAt(value: JsonValue, [step, ...rest]: Place, out: boolean): JsonValue {
  if (step === undefined) return typeof value === "number" ? value + 1 : "changed";
  const copy = copyJson(value) as Record<string | number, JsonValue>;
  if (rest.length > 0) copy[step] = changedAt(copy[step] ?? null, rest, out);
  else if (!out) copy[step] = changedAt(copy[step] ?? null, [], out);
  else if (Array.isArray(copy)) copy.splice(Number(step), 1);
  else delete copy[step];
  return copy as JsonValue;
}

/** A copy in which every object's members stand in another order. */
function turned(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(turned);
  const members = Object.entries(value).map(([name, member]) => [name, turned(member)] as const);
  return Object.fromEntries(members.reverse());
}

import { afterEach, describe, expect, it, vi } from "vitest";
import type { FunctionApprovalRequestContent, FunctionCallContent } from "../messages/content.js";
import type { JsonObject } from "../messages/json.js";
import { systemEnvironment } from "../run/environment.js";
import { Run } from "../run/run.js";
import { AgentSession } from "../session/agent-session.js";
import { tool } from "../tools/function-tool.js";
import type { FunctionTool } from "../tools/tool.js";
import { ToolPause } from "../tools/tool-pause.js";
import { readApprovalKeys } from "./approval-keys.js";
import { approvalSettings, defaultExpiryMs } from "./approval-options.js";
import { type AskedCall, makeRequests, type PauseTerms } from "./approval-request.js";
import { verifiesPause } from "./sign-batch.js";
import { type Verdict, VerdictContext } from "./verdict.js";

afterEach(() => {
  vi.restoreAllMocks();
});

const environment = { ...systemEnvironment, now: () => 1000 };
const approvalSecret = "0123456789abcdef0123456789abcdef";
const keys = readApprovalKeys(approvalSecret);
const call = (callId: string, amount = 5): FunctionCallContent => ({
  type: "function_call",
  callId,
  name: "pay",
  arguments: { amount },
});
const pay = tool({ name: "pay", description: "Pays." }) as FunctionTool;

function askedAbout(
  one: FunctionCallContent,
  run: Run,
  of: FunctionTool = pay,
  verdict: Extract<Verdict, { kind: "ask" }> = { kind: "ask" },
): AskedCall {
  const { arguments: args = {} } = one;
  const parts = { tool: of, call: one, arguments: args, batch: [one], run, input: args };
  return { context: new VerdictContext({ ...parts, ended: () => {} }), input: args, verdict };
}

/** What a pause of these calls has to say. */
function terms(
  calls: readonly FunctionCallContent[],
  run: Run,
  options: Parameters<typeof approvalSettings>[0] = {},
): PauseTerms {
  return {
    run,
    settings: approvalSettings(options),
    batch: calls.map((one) => one.callId),
    refused: [],
    calls,
  };
}

/** The question about one call. */
async function questionOf(
  of: FunctionTool,
  {
    verdict,
    run = new Run({ environment }),
    options,
  }: {
    readonly verdict?: Extract<Verdict, { kind: "ask" }>;
    readonly run?: Run;
    readonly options?: Parameters<typeof approvalSettings>[0];
  } = {},
): Promise<FunctionApprovalRequestContent> {
  const one = call("c1");
  const asked = [askedAbout(one, run, of, verdict)];
  const { requests } = await makeRequests(asked, [], terms([one], run, options));
  expect(requests).toHaveLength(1);
  return requests[0] as FunctionApprovalRequestContent;
}

describe("the questions of a pause", () => {
  it("say what is known of the call and its tool", async () => {
    const verdict = {
      kind: "ask",
      reason: "large",
      summary: "Pay 5?",
      violation: "limit",
    } as const;
    expect(await questionOf(pay, { verdict })).toStrictEqual({
      type: "function_approval_request",
      requestId: expect.stringMatching(/^request_/),
      call: call("c1"),
      tool: {
        name: "pay",
        description: "Pays.",
        parameters: pay.parameters,
        traits: {},
        hash: expect.any(String),
      },
      reason: "large",
      summary: "Pay 5?",
      violation: "limit",
      expiresAt: 1000 + defaultExpiryMs,
      batch: ["c1"],
      spent: { iterations: 0, functionCalls: 0, tokens: 0 },
    });
  });

  it("show what a handler knows better than the schema, and the facts that it states", async () => {
    const facts = { rule: "large", origin: { tool: "mail" } };
    const effective = { amount: 5, to: "Bob" };
    const verdict = { kind: "ask", effective, additionalProperties: facts } as const;
    const asked = await questionOf(pay, { verdict });
    expect(asked).toMatchObject({ effective, additionalProperties: facts });
    // The handler may go on changing its own.
    expect(asked.effective).not.toBe(effective);
    expect(asked.additionalProperties).not.toBe(facts);
  });

  it("show no arguments of a handler's that are the call's own, though the schema's are others", async () => {
    const one = call("c1");
    const run = new Run({ environment });
    const asked = askedAbout(one, run, pay, { kind: "ask", effective: { amount: 5 } });
    const defaults = { ...asked, input: { amount: 5, cc: "boss" } };
    const { requests } = await makeRequests([defaults], [], terms([one], run));
    expect(requests[0]).not.toHaveProperty("effective");
  });

  it("hold JSON alone, whatever a handler wrote, so that their signature holds after a restart", async () => {
    const written = { at: new Date(0), none: undefined } as unknown as JsonObject;
    const verdict = { kind: "ask", effective: written, additionalProperties: written } as const;
    const options = { approvalSecret };
    const request = await questionOf(pay, { verdict, options });
    const read = JSON.parse(JSON.stringify(request)) as typeof request;
    expect(read).toStrictEqual(request);
    const pause = { requests: [read], calls: [call("c1")], paused: [] };
    expect(await verifiesPause(keys, pause, read.signature ?? "")).toBe(true);
  });

  it.each<[boolean | readonly string[] | undefined, unknown]>([
    [undefined, undefined],
    [false, undefined],
    [[], undefined],
    [true, true],
    [["amount"], ["amount"]],
  ])("let arguments be edited as the tool says: %j", async (editable, expected) => {
    const of = tool({ name: "pay", editable }) as FunctionTool;
    expect((await questionOf(of)).editable).toEqual(expected);
  });

  it("have an end unless a session remembers them, or the options say when", async () => {
    const inSession = new Run({ environment, session: new AgentSession() });
    const child = new Run({ parent: inSession });
    const expiry = async (run?: Run, expiresInMs?: number) =>
      (await questionOf(pay, { ...(run && { run }), options: { expiresInMs } })).expiresAt;
    expect(await expiry()).toBe(1000 + 24 * 60 * 60 * 1000);
    expect(await expiry(inSession)).toBeUndefined();
    expect(await expiry(child)).toBeUndefined();
    expect(await expiry(undefined, 50)).toBe(1050);
    expect(await expiry(inSession, 50)).toBe(1050);
  });

  it.each<[string, FunctionTool["describeCall"], string | undefined]>([
    ["says it", () => "Pay five.", "Pay five."],
    ["says it later", async () => "Pay five.", "Pay five."],
    ["says nothing", () => " ", undefined],
    ["says something else", () => 5 as never, undefined],
    [
      "throws",
      () => {
        throw new Error("no words");
      },
      undefined,
    ],
    ["rejects", () => Promise.reject(new Error("no words")), undefined],
  ])("are put into words by a tool that %s", async (_what, describeCall, summary) => {
    const notices: unknown[] = [];
    const run = new Run({ environment, onEvent: (event) => void notices.push(event) });
    const of = tool({ name: "pay", describeCall }) as FunctionTool;
    expect((await questionOf(of, { run })).summary).toBe(summary);
    expect(notices).toMatchObject(summary ? [] : [{ code: "describe_call_failed" }]);
  });

  it("are put into words by a handler, before the tool is asked for some", async () => {
    const describeCall = vi.fn(() => "Pay five.");
    const of = tool({ name: "pay", describeCall }) as FunctionTool;
    const verdict = { kind: "ask", summary: "Really pay?" } as const;
    expect((await questionOf(of, { verdict })).summary).toBe("Really pay?");
    expect(describeCall).not.toHaveBeenCalled();
  });
});

describe("the questions of a run inside a call", () => {
  it("name the way to them, and what of this log waits for them", async () => {
    const run = new Run({ environment });
    const clerk = tool({ name: "clerk" }) as FunctionTool;
    const outer: FunctionCallContent = { ...call("c1"), name: "clerk" };
    const inner: FunctionApprovalRequestContent = {
      type: "function_approval_request",
      requestId: "r1",
      call: call("inner"),
      path: [{ callId: "c7", name: "helper" }],
      batch: ["inner"],
      spent: { iterations: 9, functionCalls: 9, tokens: 9 },
      signature: "inside.AAAA",
      summary: "Pay 5?",
    };
    const pause = new ToolPause([inner], { at: 1 });
    const { requests, paused } = await makeRequests(
      [],
      [{ call: outer, tool: clerk, pause }],
      terms([outer], run),
    );
    const { signature: _inside, ...rest } = inner;
    expect(requests).toStrictEqual([
      {
        ...rest,
        path: [
          { callId: "c1", name: "clerk" },
          { callId: "c7", name: "helper" },
        ],
        expiresAt: 1000 + defaultExpiryMs,
        batch: ["c1"],
        spent: { iterations: 0, functionCalls: 0, tokens: 0 },
      },
    ]);
    expect(paused).toStrictEqual([
      {
        type: "paused_call",
        callId: "c1",
        requestIds: ["r1"],
        hash: expect.any(String),
        state: { at: 1 },
      },
    ]);
  });

  it("stand behind those of this run, and the first of all says what waits", async () => {
    const run = new Run({ environment });
    const [one, outer] = [call("c1"), { ...call("c2"), name: "clerk" }];
    const inner = await questionOf(pay);
    expect(inner.batch).toEqual(["c1"]);
    const clerk = tool({ name: "clerk" }) as FunctionTool;
    const waiting = { call: outer, tool: clerk, pause: new ToolPause([inner], null) };
    const { requests } = await makeRequests(
      [askedAbout(one, run)],
      [waiting],
      terms([one, outer], run),
    );
    expect(requests.map(({ batch, path }) => [batch, path?.[0]?.callId])).toEqual([
      [["c1", "c2"], undefined],
      [undefined, "c2"],
    ]);
  });

  it("keep the end that they have", async () => {
    const outer: FunctionCallContent = { ...call("c1"), name: "clerk" };
    const inner = await questionOf(pay, { options: { expiresInMs: 5 } });
    const clerk = tool({ name: "clerk" }) as FunctionTool;
    const waiting = { call: outer, tool: clerk, pause: new ToolPause([inner], null) };
    for (const session of [undefined, new AgentSession()]) {
      const run = new Run({ environment, ...(session && { session }) });
      const { requests } = await makeRequests([], [waiting], terms([outer], run));
      expect(requests[0]?.expiresAt).toBe(1005);
    }
  });
});

describe("the signature of the questions", () => {
  it.each([1, 200])("is one for %i of them, the same on each, and verifies all", async (count) => {
    const sign = vi.spyOn(crypto.subtle, "sign");
    const run = new Run({ environment });
    const calls = Array.from({ length: count }, (_, at) => call(`c${at}`, at));
    const asked = calls.map((one) => askedAbout(one, run));
    const { requests, paused } = await makeRequests(
      asked,
      [],
      terms(calls, run, { approvalSecret }),
    );
    expect(sign).toHaveBeenCalledTimes(1);
    expect(requests).toHaveLength(count);
    const signatures = new Set(requests.map(({ signature }) => signature));
    expect(signatures.size).toBe(1);
    const [signature = ""] = signatures;
    expect(await verifiesPause(keys, { requests, calls, paused }, signature)).toBe(true);
    expect(new Set(requests.map(({ requestId }) => requestId)).size).toBe(count);
  });

  it("is not there without a secret", async () => {
    const sign = vi.spyOn(crypto.subtle, "sign");
    expect(await questionOf(pay)).not.toHaveProperty("signature");
    expect(sign).not.toHaveBeenCalled();
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApprovalError } from "../errors/run-errors.js";
import type {
  FunctionApprovalRequestContent,
  FunctionApprovalResponseContent,
  Remember,
} from "../messages/content.js";
import type { JsonObject } from "../messages/json.js";
import { systemEnvironment } from "../run/environment.js";
import { Run } from "../run/run.js";
import { AgentSession } from "../session/agent-session.js";
import { tool } from "../tools/function-tool.js";
import type { FunctionTool } from "../tools/tool.js";
import { approve, deny } from "./approval-response.js";
import { recall } from "./recall.js";
import { checkRemember, rememberDecision } from "./remember.js";
import { requestedTool } from "./requested-tool.js";

const environment = { ...systemEnvironment, now: () => 1000 };
const pay = tool({ name: "pay", description: "Pays.", owner: "bank" }) as FunctionTool;
const args: JsonObject = { amount: 5, to: "DE1" };

async function requestFor(of: FunctionTool = pay, call: JsonObject | undefined = args) {
  const request: FunctionApprovalRequestContent = {
    type: "function_approval_request",
    requestId: "r1",
    call: { type: "function_call", callId: "c1", name: of.name, arguments: call },
    tool: await requestedTool(of),
    editable: true,
  };
  return request;
}

/** A run in a session of its own. */
function begin() {
  const session = new AgentSession();
  return { session, run: new Run({ session, environment }) };
}

describe("checkRemember", () => {
  async function refusal(
    answer: FunctionApprovalResponseContent,
    run: Run = begin().run,
  ): Promise<ApprovalError | undefined> {
    try {
      checkRemember(answer, await requestFor(), run);
      return undefined;
    } catch (error) {
      if (error instanceof ApprovalError) return error;
      throw error;
    }
  }

  it("needs a session, of the run or of one around it, and only where something is remembered", async () => {
    const request = await requestFor();
    const run = new Run({ environment });
    for (const answer of [
      approve(request, { remember: true }),
      deny(request, { remember: { scope: "tool" } }),
    ]) {
      expect(await refusal(answer, run)).toMatchObject({
        code: "remember_needs_session",
        requestId: "r1",
      });
      expect(await refusal(answer, new Run({ parent: begin().run }))).toBeUndefined();
    }
    expect(await refusal(approve(request), run)).toBeUndefined();
  });

  it("refuses a time that is over", async () => {
    const request = await requestFor();
    for (const until of [1000, 999, 0, -1]) {
      expect(await refusal(approve(request, { remember: { until } }))).toMatchObject({
        code: "invalid_decision",
        message: expect.stringContaining("over already"),
      });
    }
    expect(await refusal(approve(request, { remember: { until: 1001 } }))).toBeUndefined();
  });

  it.each<[JsonObject, string | undefined]>([
    [{ amount: 5 }, undefined],
    [{ to: "DE1", amount: 5 }, undefined],
    [{ amount: 6 }, "amount"],
    [{ amount: "5" }, "amount"],
    [{ amount: 5, to: "DE2" }, "to"],
    [{ note: "x" }, "note"],
    [{ note: null }, "note"],
    [{ constructor: {} }, "constructor"],
  ])("refuses a pattern that the call itself does not match: %j", async (matching, wrong) => {
    const request = await requestFor();
    for (const decide of [approve, deny]) {
      const error = await refusal(decide(request, { remember: { scope: { matching } } }));
      expect(error?.code).toBe(wrong && "invalid_decision");
      if (wrong !== undefined) expect(error?.message).toContain(`"${wrong}" is another one`);
    }
  });

  it("holds a pattern against the arguments as they were edited", async () => {
    const request = await requestFor();
    const edited = { arguments: { amount: 6, to: "DE1" } };
    const answer = (matching: JsonObject) =>
      approve(request, { ...edited, remember: { scope: { matching } } });
    expect(await refusal(answer({ amount: 6 }))).toBeUndefined();
    expect(await refusal(answer({ amount: 5 }))).toMatchObject({ code: "invalid_decision" });
  });

  it("takes every other scope", async () => {
    const request = await requestFor();
    for (const remember of [true, {}, { scope: "arguments" }, { scope: "tool" }] as const) {
      expect(await refusal(approve(request, { remember }))).toBeUndefined();
    }
  });
});

describe("rememberDecision", () => {
  it("writes down what was decided, about which tool, and by whom", async () => {
    const { session, run } = begin();
    const request = await requestFor();
    const remember: Remember = { scope: "tool", until: 5000, uses: 2 };
    const answer = { ...approve(request, { remember }), decidedBy: "mara" };
    rememberDecision(answer, request, args, run);
    expect(session.remembered).toStrictEqual([
      {
        id: expect.stringMatching(/^remembered_/),
        approved: true,
        tool: { name: "pay", owner: "bank", hash: request.tool?.hash },
        scope: "tool",
        until: 5000,
        usesLeft: 2,
        decidedBy: "mara",
        requestId: "r1",
        createdAt: 1000,
      },
    ]);
  });

  it.each<[Remember | true, unknown]>([
    [true, { arguments: args }],
    [{}, { arguments: args }],
    [{ scope: "arguments" }, { arguments: args }],
    [{ scope: "tool" }, "tool"],
    [{ scope: { matching: { to: "DE1" } } }, { matching: { to: "DE1" } }],
  ])("of %j remembers no more than that", async (remember, scope) => {
    const { session, run } = begin();
    const request = await requestFor(tool({ name: "pay" }) as FunctionTool);
    rememberDecision(deny(request, { remember }), request, args, run);
    expect(session.remembered).toStrictEqual([
      {
        id: session.remembered[0]?.id,
        approved: false,
        tool: { name: "pay", hash: request.tool?.hash },
        scope,
        requestId: "r1",
        createdAt: 1000,
      },
    ]);
  });

  it("remembers nothing that was not said, of no tool, and without a session", async () => {
    const { session, run } = begin();
    const request = await requestFor();
    const { tool: _none, ...hosted } = request;
    rememberDecision(approve(request), request, args, run);
    rememberDecision(approve(request, { remember: true }), hosted, args, run);
    rememberDecision(approve(request, { remember: true }), request, args, new Run());
    expect(session.remembered).toEqual([]);
  });

  it("adds the newest at the end, and lets go of those that no longer hold", async () => {
    let now = 1000;
    const session = new AgentSession();
    const run = new Run({ session, environment: { ...environment, now: () => now } });
    const request = await requestFor();
    const remember = (options: Remember): void =>
      rememberDecision(approve(request, { remember: options }), request, args, run);
    remember({ until: 2000 });
    remember({ until: 9000 });
    const [, second] = session.remembered;
    const before = session.remembered;
    now = 2000;
    remember({ scope: "tool" });
    expect(session.remembered.map(({ until, scope }) => until ?? scope)).toEqual([9000, "tool"]);
    expect(session.remembered[0]).toBe(second);
    expect(before).toHaveLength(2);
    expect(new Set(session.remembered.map(({ id }) => id)).size).toBe(2);
  });

  it("keeps what a sub-agent asked in the session of the run around it", async () => {
    const { session, run } = begin();
    const request = await requestFor();
    rememberDecision(approve(request, { remember: true }), request, args, new Run({ parent: run }));
    expect(session.remembered).toHaveLength(1);
  });
});

describe("what was remembered", () => {
  const value = fc.constantFrom<JsonObject[string]>(1, "1", null, [], {}, { a: 1 });
  const object = fc
    .dictionary(fc.constantFrom("a", "b", "__proto__"), value, { maxKeys: 3 })
    .map((each): JsonObject => JSON.parse(JSON.stringify(each)));
  const decided = fc.record({
    approved: fc.boolean(),
    scope: fc.constantFrom("arguments", "tool", "matching"),
    args: object,
    // Like the call that was decided, with more arguments, or with any.
    another: fc.constantFrom("same", "more", "any"),
    some: object,
  });

  it("is recalled for the very call, and for another one only where the scope reaches it", async () => {
    const request = await requestFor();
    const reached = { arguments: 0, matching: 0, tool: 0 };
    await fc.assert(
      fc.asyncProperty(decided, async ({ approved, scope: kind, args, another, some }) => {
        fc.pre(kind !== "matching" || Object.keys(args).length > 0);
        const other = another === "any" ? some : { ...(another === "more" && some), ...args };
        const { run } = begin();
        const scope = kind === "matching" ? { matching: args } : (kind as "arguments" | "tool");
        const decide = approved ? approve : deny;
        rememberDecision(decide(request, { remember: { scope } }), request, args, run);
        expect((await recall(run, pay, args))?.approved).toBe(approved);
        const reaches = {
          tool: true,
          arguments: sorted(other) === sorted(args),
          matching: sorted({ ...other, ...args }) === sorted(other),
        }[kind];
        if (reaches) reached[kind as keyof typeof reached]++;
        expect((await recall(run, pay, other)) !== undefined).toBe(reaches);
      }),
      { numRuns: 500 },
    );
    expect(Math.min(...Object.values(reached))).toBeGreaterThan(5);
  });

  /** As text, with the members in one order. */
  const sorted = (object: JsonObject): string => JSON.stringify(Object.entries(object).sort());
});

import {
  Agent,
  AgentSession,
  approve,
  deny,
  type FunctionApprovalRequestContent,
  type FunctionApprovalResponseContent,
  verdictMiddleware,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { mcpTools } from "../src/index.js";
import { onlyRequest, readable, resultsOf, scripted } from "./support/agents.js";
import { deferred } from "./support/deferred.js";
import { serve } from "./support/served.js";
import { add, ran, wipe } from "./support/served-tools.js";

describe("a served call that needs approval", () => {
  it("is refused, and says so", async () => {
    ran.length = 0;
    await using pair = await serve(wipe);
    const { text, isError } = await pair.call("wipe", { file: "a" });
    expect(text).toContain("needs somebody's approval");
    expect(isError).toBe(true);
    expect(ran).toEqual([]);
  });

  it("is refused where the client could ask, but is not to", async () => {
    ran.length = 0;
    await using pair = await serve(wipe, {}, () => ({
      action: "accept",
      content: { approve: true },
    }));
    expect(await pair.call("wipe", { file: "a" })).toMatchObject({ isError: true });
    expect(ran).toEqual([]);
  });

  it("runs once a function on this side has approved it", async () => {
    ran.length = 0;
    await using pair = await serve(wipe, {
      principal: { id: "mara" },
      approvals: async (request, { principal }) =>
        principal?.id === "mara" && request.call.arguments?.["file"] === "a"
          ? approve(request)
          : deny(request, { reason: "Not that one." }),
    });
    expect(await pair.call("wipe", { file: "a" })).toEqual({ text: "wiped a", isError: false });
    const { text, isError } = await pair.call("wipe", { file: "b" });
    expect(text).toContain("Not that one.");
    expect(isError).toBe(true);
    expect(ran).toEqual(["a"]);
  });

  it("is refused where that function has no answer", async () => {
    ran.length = 0;
    await using pair = await serve(wipe, { approvals: () => undefined });
    expect(await pair.call("wipe", { file: "a" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("needs somebody's approval, and nobody has given it."),
    });
    expect(ran).toEqual([]);
  });

  it("is refused where that function returns what is no answer to it", async () => {
    ran.length = 0;
    let earlier: FunctionApprovalResponseContent | undefined;
    let next: unknown;
    await using pair = await serve(wipe, {
      approvals: (request) => {
        earlier ??= approve(request);
        return next as FunctionApprovalResponseContent;
      },
    });
    for (next of [null, true, "yes", {}, [], { approved: true }]) {
      expect(await pair.call("wipe", { file: "a" })).toMatchObject({ isError: true });
    }
    next = earlier;
    expect(await pair.call("wipe", { file: "a" })).toMatchObject({ isError: true });
    expect(ran).toEqual([]);
    expect(pair.errors).toEqual([]);
  });

  it("leaves its place when it is cancelled, whether that function listens or not", async () => {
    const asked = deferred();
    const heard = deferred();
    await using pair = await serve([add, wipe], {
      maxConcurrentCalls: 1,
      approvals(_request, { signal }) {
        signal.addEventListener("abort", () => heard.resolve());
        asked.resolve();
        return new Promise(() => {});
      },
    });
    const controller = new AbortController();
    const call = pair.call("wipe", { file: "a" }, controller.signal).catch(() => "cancelled");
    await asked.promise;
    controller.abort();
    expect(await call).toBe("cancelled");
    await heard.promise;
    expect(await pair.call("add", { a: 1, b: 2 })).toEqual({ text: "3", isError: false });
  });

  it("asks the person at the client, and runs when they agree", async () => {
    ran.length = 0;
    const asked: unknown[] = [];
    await using pair = await serve(wipe, { approvals: "elicit" }, (params) => {
      asked.push(params.message);
      return { action: "accept", content: { approve: true } };
    });
    expect(await pair.call("wipe", { file: "a" })).toEqual({ text: "wiped a", isError: false });
    expect(asked).toEqual([expect.stringContaining('"file": "a"')]);
  });

  it("shows that person what they would not see", async () => {
    ran.length = 0;
    const asked: string[] = [];
    await using pair = await serve(wipe, { approvals: "elicit" }, (params) => {
      asked.push(params.message);
      return { action: "decline" };
    });
    await pair.call("wipe", { file: "gpj.\u202Efdp\u200B\u{E0041}" });
    expect(asked).toEqual([
      expect.stringContaining(String.raw`"file": "gpj.\u{202e}fdp\u{200b}\u{e0041}"`),
    ]);
  });

  it.each([
    ["accepts", { action: "accept" }],
    ["accepts, and fills in nothing", { action: "accept", content: {} }],
  ] as const)("runs when that person %s", async (_what, answer) => {
    ran.length = 0;
    await using pair = await serve(wipe, { approvals: "elicit" }, () => answer);
    expect(await pair.call("wipe", { file: "a" })).toEqual({ text: "wiped a", isError: false });
    expect(ran).toEqual(["a"]);
  });

  it.each([
    ["declines", { action: "decline" }],
    ["says no", { action: "accept", content: { approve: false } }],
  ] as const)("is denied when that person %s", async (_what, answer) => {
    ran.length = 0;
    await using pair = await serve(wipe, { approvals: "elicit" }, () => answer);
    const { text, isError } = await pair.call("wipe", { file: "a" });
    expect([text, isError]).toEqual([expect.stringContaining("a person has denied"), true]);
    expect(ran).toEqual([]);
  });

  it.each([
    ["closes the form", () => ({ action: "cancel" as const })],
    ["says what is no answer", () => ({ action: "accept" as const, content: { approve: "no" } })],
    [
      "cannot be asked after all",
      () => {
        throw new Error("no screen");
      },
    ],
  ] as const)(
    "does not run when that person %s, and nobody has denied it",
    async (_what, elicit) => {
      ran.length = 0;
      await using pair = await serve(wipe, { approvals: "elicit" }, elicit);
      const { text, isError } = await pair.call("wipe", { file: "a" });
      expect(text).toContain("needs somebody's approval, and nobody has given it.");
      expect(text).not.toContain("denied");
      expect(isError).toBe(true);
      expect(ran).toEqual([]);
    },
  );

  it.each([
    ["approves", approve, "wiped a"],
    ["denies", deny, "denied"],
    [
      "says no in the form",
      (request: FunctionApprovalRequestContent) =>
        approve(request, { arguments: { approve: false } }),
      "denied",
    ],
  ])("asks through an agent of ours: whoever is asked there %s", async (_what, answer, text) => {
    ran.length = 0;
    await using pair = await serve(wipe, { approvals: "elicit" });
    await using mcp = mcpTools(pair.server.url ?? "", { name: "s", approvalMode: "never_require" });
    const { agent } = scripted([["s_wipe", { file: "a" }]], { contextProviders: [mcp] });
    const session = new AgentSession();
    const asked = onlyRequest(await agent.run("go", { session }));
    const { messages } = await agent.run(answer(asked), { session });
    expect(resultsOf(messages).map(readable)).toEqual([expect.stringContaining(text)]);
    expect(ran).toEqual(text === "denied" ? [] : ["a"]);
  });

  it("is refused where the client cannot ask", async () => {
    await using pair = await serve(wipe, { approvals: "elicit" });
    expect(await pair.call("wipe", { file: "a" })).toMatchObject({ isError: true });
  });

  it("is refused where it would break a rule, whatever the client says", async () => {
    const rule = verdictMiddleware("rule", async () => ({ kind: "ask", violation: "No leaks." }));
    await using pair = await serve(add, { approvals: "elicit", middleware: [rule] }, () => ({
      action: "accept",
      content: { approve: true },
    }));
    const { text, isError } = await pair.call("add", { a: 1, b: 1 });
    expect(text).toContain("No leaks.");
    expect(isError).toBe(true);
  });
});

describe("a served agent", () => {
  const inner = (turns: ConstructorParameters<typeof ScriptedChatClient>[0]) =>
    new Agent({
      client: new ScriptedChatClient(turns),
      name: "janitor",
      description: "Cleans up.",
      tools: [wipe, add],
    });

  it("is one tool, and answers with its text", async () => {
    const agent = inner([{ calls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, "Three."]);
    await using pair = await serve(agent);
    const { tools } = await pair.client.listTools();
    expect(tools).toMatchObject([{ name: "janitor", description: "Cleans up." }]);
    expect(pair.client.getServerVersion()?.name).toBe("janitor");
    expect(await pair.call("janitor", { task: "Add." })).toEqual({
      text: "Three.",
      isError: false,
    });
  });

  it("asks as its tools do, and goes on with the answer", async () => {
    ran.length = 0;
    const calls = [{ name: "wipe", arguments: { file: "old" } }];
    await using refusing = await serve(inner([{ calls }, "Done."]));
    expect(await refusing.call("janitor", { task: "Clean." })).toMatchObject({ isError: true });
    expect(ran).toEqual([]);
    await using asking = await serve(inner([{ calls }, "Done."]), { approvals: "elicit" }, () => ({
      action: "accept",
      content: { approve: true },
    }));
    expect(await asking.call("janitor", { task: "Clean." })).toEqual({
      text: "Done.",
      isError: false,
    });
    expect(ran).toEqual(["old"]);
  });
});

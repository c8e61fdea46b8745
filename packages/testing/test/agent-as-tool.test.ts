import {
  Agent,
  type AgentOptions,
  AgentSession,
  approve,
  type FunctionApprovalRequestContent,
  type FunctionInvocationContext,
  foldUpdates,
  type Message,
  type RunEvent,
  tool,
  type Update,
  verdictMiddleware,
} from "@tunic/core";
import { manualEnvironment, ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { outline, resultsIn, resultTexts } from "./support/outline.js";
import { deferred, inBothManners, rejection } from "./support/play.js";
import { ask, lamp, lampIn } from "./support/tools.js";

const helper = (turns: readonly ScriptedTurn[], options: Omit<AgentOptions, "client"> = {}) =>
  new Agent({
    name: "helper",
    description: "Helps.",
    client: new ScriptedChatClient(turns),
    ...options,
  });
const delegate = (task = "t", name = "helper") => ({
  calls: [{ name, arguments: { task }, id: `call ${name}` }],
});

describe("an agent as a tool", () => {
  it("presents itself by name, description and one argument", () => {
    expect(helper([]).asTool()).toMatchObject({
      name: "helper",
      description: "Helps.",
      parameters: { type: "object", required: ["task"], properties: { task: { type: "string" } } },
    });
    const other = helper([]).asTool({
      name: "aide",
      description: "Aids.",
      taskDescription: "What?",
    });
    expect(other).toMatchObject({
      name: "aide",
      description: "Aids.",
      parameters: { properties: { task: { description: "What?" } } },
    });
    const nameless = new Agent({ client: new ScriptedChatClient([]) });
    expect(() => nameless.asTool()).toThrow(/needs a name: agent\.asTool/);
    expect(() => Reflect.apply(nameless.asTool, nameless, [{ name: "a", desc: "b" }])).toThrow(
      expect.objectContaining({ code: "unknown_option" }),
    );
  });

  inBothManners((play) => {
    it("gets the task as its input, and its answer is the result", async () => {
      const client = new ScriptedChatClient([{ calls: [lampIn("hall")] }, "the hall is lit"]);
      const child = new Agent({ name: "helper", client, tools: lamp });
      const { response } = await play({
        turns: [delegate("light the hall"), "done"],
        agent: { tools: child.asTool() },
      });
      expect(outline(client.requests[0]?.messages ?? [])).toEqual(["user: light the hall"]);
      expect(resultTexts(response.messages)).toEqual(["the hall is lit"]);
      expect(outline(response.messages)).toHaveLength(3);
    });

    it("is started anew for each call, and several at once", async () => {
      const child = helper(["one", "two"]);
      const calls = [...delegate("a").calls, { name: "helper", arguments: { task: "b" } }];
      const { response } = await play({
        turns: [{ calls }, "done"],
        agent: { tools: child.asTool() },
      });
      expect(resultTexts(response.messages)).toEqual(["one", "two"]);
    });

    it("what it uses is summed at its parent, and seen in the stream", async () => {
      const child = helper([{ text: "x", usage: { inputTokens: 100, outputTokens: 10 } }]);
      const { response } = await play({
        turns: [
          { ...delegate(), usage: { inputTokens: 1 } },
          { text: "done", usage: { inputTokens: 2 } },
        ],
        agent: { tools: child.asTool() },
      });
      expect(response.usage).toEqual({ inputTokens: 103, outputTokens: 10 });
      expect(response.lastUsage).toEqual({ inputTokens: 2 });
    });

    it("what it used before it failed is summed, too", async () => {
      const child = helper(
        [{ calls: [lampIn("a")], usage: { inputTokens: 5 } }, { error: new Error("down") }],
        { tools: lamp },
      );
      const { response } = await play({
        turns: [delegate(), "done"],
        agent: { tools: child.asTool() },
      });
      expect(response.usage).toEqual({ inputTokens: 5 });
    });

    it("what it had used when its parent's time was up is summed, too", async () => {
      const environment = manualEnvironment();
      const stuck = tool({ name: "stuck", execute: () => new Promise(() => {}) });
      const turns = [{ calls: [{ name: "stuck" }], usage: { inputTokens: 7 } }];
      const child = helper(turns, { tools: stuck });
      await child.prepare();
      const tools = child.asTool();
      await new Agent({ client: new ScriptedChatClient([]), tools }).prepare();
      const played = play({
        turns: [delegate()],
        agent: { tools, environment, invocation: { maxDurationMs: 10 } },
      });
      await environment.advance(10);
      const { response } = await played;
      expect(response).toMatchObject({ limit: "maxDurationMs", usage: { inputTokens: 7 } });
    });

    it("its failure is an error result, and the run goes on", async () => {
      const { response } = await play({
        turns: [delegate(), "sorry"],
        agent: { tools: helper([{ error: new Error("secret") }]).asTool() },
      });
      expect(resultTexts(response.messages)).toEqual(["Error: Function failed."]);
      expect(resultsIn(response.messages)[0]?.isError).toBe(true);
      expect(response.text).toBe("sorry");
    });

    it("its question, which nobody can answer yet, is an error result that says so", async () => {
      const child = helper([{ calls: [{ name: "ask" }] }], { tools: ask });
      const { response } = await play({
        turns: [delegate(), "sorry"],
        agent: { tools: child.asTool() },
      });
      expect(resultsIn(response.messages)[0]).toMatchObject({
        isError: true,
        error: { code: "needs_answer" },
      });
      expect(resultTexts(response.messages)[0]).toMatch(/ask/);
    });

    it("its question for a person surfaces at the run that called it, and it goes on with the answer", async () => {
      const careful = verdictMiddleware("careful", async () => ({ kind: "ask" }));
      const child = helper([{ calls: [lampIn("hall")] }, "lit"], {
        tools: lamp,
        middleware: [careful],
      });
      const agent = { tools: child.asTool() };
      const { response } = await play({ turns: [delegate()], agent });
      expect(response.outcome).toBe("paused");
      const [request] = response.approvalRequests;
      expect(request).toMatchObject({ call: { name: "lamp" }, path: [{ name: "helper" }] });
      const history = JSON.parse(JSON.stringify(response.newMessages)) as Message[];
      const answer = approve(request as FunctionApprovalRequestContent);
      const resumed = await play({ turns: ["done"], agent, input: [...history, answer] });
      expect(resultTexts(resumed.response.messages)).toEqual(["lit"]);
      expect(resumed.response.text).toBe("done");
    });

    it("its messages stay its own: the parent's session holds the result alone", async () => {
      const session = new AgentSession();
      const child = helper([{ calls: [lampIn("hall")] }, "lit"], { tools: lamp });
      await play({
        turns: [delegate(), "done"],
        agent: { tools: child.asTool() },
        run: { session },
      });
      expect(outline(session.messages)).toEqual([
        "user: go",
        'assistant: helper({"task":"t"})',
        "tool: lit",
        "assistant: done",
      ]);
    });
  });
});

describe("a run inside a run", () => {
  it("has its parent's services under its own, and state and session of neither", async () => {
    const seen: FunctionInvocationContext[] = [];
    const look = tool({ name: "look", execute: (_input, context) => void seen.push(context) });
    const child = helper([{ calls: [{ name: "look" }] }, "ok"], {
      tools: look,
      services: { log: "child's" },
    });
    const client = new ScriptedChatClient([delegate(), "done"]);
    const agent = new Agent({
      client,
      tools: child.asTool(),
      services: { db: 1, log: "parent's" },
    });
    await agent.run("go", { session: new AgentSession() });
    const [context] = seen;
    expect(context?.services).toEqual({ db: 1, log: "child's" });
    expect(context?.session).toBeUndefined();
    expect(context?.run.parent?.agent?.id).toBe(agent.id);
    expect(context?.run.state).not.toBe(context?.run.parent?.state);
  });

  it("stops with its parent", async () => {
    const started = deferred();
    const signals: AbortSignal[] = [];
    const stuck = tool({
      name: "stuck",
      execute: (_input, { signal }) => {
        signals.push(signal);
        started.resolve();
        return new Promise(() => {});
      },
    });
    const child = helper([{ calls: [{ name: "stuck" }] }], { tools: stuck });
    const agent = new Agent({
      client: new ScriptedChatClient([delegate()]),
      tools: child.asTool(),
    });
    const controller = new AbortController();
    const run = agent.run("go", { signal: controller.signal });
    await started.promise;
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await rejection(run)).toBe(reason);
    expect(signals.map((signal) => signal.reason)).toEqual([reason]);
  });

  it("tells its events to its own listeners and to its parent's, with the parent's run id", async () => {
    const child = helper([{ calls: [lampIn("hall")] }, "ok"], { tools: lamp });
    const own: RunEvent[] = [];
    const all: RunEvent[] = [];
    const parents: RunEvent<"call.end">[] = [];
    child.events.on("call.end", (event) => own.push(event));
    const client = new ScriptedChatClient([delegate(), "done"]);
    const agent = new Agent({ client, name: "boss", tools: child.asTool() });
    agent.events.on("call.end", (event) => parents.push(event));
    await agent.run("go", { onEvent: (event) => all.push(event) });
    const [outer, inner] = all.filter((event) => event.type === "run.start");
    expect(inner).toMatchObject({ agentName: "helper", parentRunId: outer?.runId });
    expect(outer).not.toHaveProperty("parentRunId");
    expect(own.map((event) => event.runId)).toEqual([inner?.runId]);
    expect(parents.map((event) => [event.agentName, event.toolName])).toEqual([
      ["helper", "lamp"],
      ["boss", "helper"],
    ]);
  });

  it("of the very same agent is told once", async () => {
    const client = new ScriptedChatClient([delegate("again", "self"), "inner", "outer"]);
    const agent = new Agent({ client });
    const starts: RunEvent[] = [];
    agent.events.on("run.start", (event) => starts.push(event));
    await agent.run("go", { tools: agent.asTool({ name: "self" }) });
    expect(new Set(starts.map((event) => event.runId)).size).toBe(2);
    expect(starts).toHaveLength(2);
  });

  it("shows its updates as progress of the call; a fold of them is its answer", async () => {
    const child = helper([{ calls: [lampIn("hall")] }, "the hall is lit"], { tools: lamp });
    const agent = new Agent({
      client: new ScriptedChatClient([delegate(), "done"]),
      tools: child.asTool(),
    });
    const inner: Update[] = [];
    const callIds = new Set<string>();
    const stream = agent.stream("go");
    for await (const update of stream) {
      if (update.type !== "progress") continue;
      callIds.add(update.callId);
      if (update.update) inner.push(update.update);
    }
    expect([...callIds]).toEqual(["call helper"]);
    expect(outline(foldUpdates(inner).messages)).toEqual([
      'assistant: lamp({"room":"hall"})',
      "tool: hall lit",
      "assistant: the hall is lit",
    ]);
  });

  it("is not streamed when nobody watches", async () => {
    const client = new ScriptedChatClient(["ok"]);
    const child = new Agent({ name: "helper", client });
    await new Agent({
      client: new ScriptedChatClient([delegate(), "done"]),
      tools: child.asTool(),
    }).run("go");
    expect(client.requests[0]?.streamed).toBe(false);
  });
});

describe("three deep", () => {
  const usage = { inputTokens: 1 };
  const bottom = () =>
    helper(
      [
        { calls: [lampIn("hall")], usage },
        { text: "lit", usage },
      ],
      { name: "bottom", tools: lamp },
    );
  const middle = () =>
    helper(
      [
        { ...delegate("b", "bottom"), usage },
        { text: "it is lit", usage },
      ],
      {
        name: "middle",
        tools: bottom().asTool(),
      },
    );

  inBothManners((play) => {
    it("answers, tokens and events come all the way up", async () => {
      const { response, updates, events } = await play({
        turns: [
          { ...delegate("a", "middle"), usage },
          { text: "done", usage },
        ],
        agent: { name: "top", tools: middle().asTool() },
      });
      expect(resultTexts(response.messages)).toEqual(["it is lit"]);
      expect(response.usage).toEqual({ inputTokens: 6 });
      const starts = events.filter((event) => event.type === "run.start");
      expect(starts.map((event) => event.agentName)).toEqual(["top", "middle", "bottom"]);
      expect(starts.map((event) => event.parentRunId)).toEqual([
        undefined,
        starts[0]?.runId,
        starts[1]?.runId,
      ]);
      const innermost = updates.flatMap((update) => {
        const once = update.type === "progress" ? update.update : undefined;
        const twice = once?.type === "progress" ? once.update : undefined;
        return twice ? [twice] : [];
      });
      if (updates.length > 0)
        expect(outline(foldUpdates(innermost).messages).at(-1)).toBe("assistant: lit");
    });

    it("one budget holds for all of them", async () => {
      const { response } = await play({
        turns: [delegate("a", "middle"), "enough"],
        agent: { tools: middle().asTool(), invocation: { maxFunctionCalls: 2 } },
      });
      // middle and bottom are two calls; for the lamp nothing is left.
      expect(response.limit).toBe("maxFunctionCalls");
      expect(resultTexts(response.messages)).toEqual(["it is lit"]);
    });
  });
});

import {
  Agent,
  AgentSession,
  approve,
  type FunctionApprovalRequestContent,
  type JsonObject,
} from "@tunic/core";
import { manualEnvironment, ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { mcpTools } from "../src/index.js";
import { readable, resultsOf, scripted, testLog } from "./support/agents.js";
import { type RawServer, rawServer } from "./support/raw-server.js";

/** Asks with what it is called with, and answers with what it was told. */
function asker(server: RawServer): void {
  const waiting = new Map<string, number>();
  const together: (() => void)[] = [];
  let held: number | undefined;
  let asked = 0;
  const ask = (args: Record<string, unknown>, id: number) => {
    const key = `q${asked++}`;
    waiting.set(key, id);
    const { method = "elicitation/create", ...params } = args;
    server.send({ id: key, method, params });
  };
  const tools: Record<string, (args: Record<string, unknown>, id: number) => unknown> = {
    ask,
    "ask-together": (args, id) => {
      together.push(() => ask(args, id));
      if (together.length === 2) for (const each of together) each();
    },
    fickle: (args, id) => {
      // One piece: a run that has seen the question alone pauses.
      process.stdout.cork();
      process.nextTick(() => process.stdout.uncork());
      ask(args, id);
      server.notify("notifications/cancelled", { requestId: `q${asked - 1}` });
      waiting.clear();
      return server.text("never mind");
    },
    slow: (_args, id) => {
      held = id;
    },
    release: () => {
      if (held !== undefined) server.result(held, server.text("slow is done"));
      return server.text("released");
    },
  };
  server.tools(...Object.keys(tools).map((name) => ({ name })));
  server.on("tools/call", ({ name = "", arguments: args }, id) => tools[name]?.(args, id));
  server.on("notifications/cancelled", ({ requestId }) => server.say(`cancelled ${requestId}`));
  server.onAnswer((id, answer) => {
    const call = waiting.get(`${id}`);
    if (call !== undefined) server.result(call, server.text(JSON.stringify(answer)));
  });
}

const target = rawServer(asker);

const colour: JsonObject = {
  message: "Which colour?",
  requestedSchema: { type: "object", properties: { colour: { type: "string" } } },
};

async function ask(args: JsonObject, sdk: 1 | 2 = 2) {
  await using mcp = mcpTools(target, { name: "s", sdk });
  const { agent } = scripted([["s_ask", args]], { contextProviders: [mcp] });
  const session = new AgentSession();
  const { messages } = await agent.run("go", { session });
  return { text: resultsOf(messages).map(readable).join(), pending: session.pending };
}

describe("what a server may ask a person", () => {
  it.each<[string, JsonObject]>([
    ["no message", { requestedSchema: { type: "object", properties: {} } }],
    ["no fields", { message: "m", requestedSchema: { type: "string" } }],
    [
      "fields inside of fields",
      { message: "m", requestedSchema: { type: "object", properties: { a: { type: "object" } } } },
    ],
    [
      "a schema without an end",
      {
        message: "m",
        requestedSchema: {
          type: "object",
          properties: { a: { type: "string", title: "x".repeat(70_000) } },
        },
      },
    ],
    [
      "a page that is code",
      { mode: "url", message: "m", url: "javascript:alert(1)", elicitationId: "1" },
    ],
    ["a file", { mode: "url", message: "m", url: "file:///etc/passwd", elicitationId: "1" }],
    ["a mode that nobody knows", { mode: "voice", message: "m" }],
  ])("is not: %s", async (_what, args) => {
    for (const sdk of [1, 2] as const) {
      const { text, pending } = await ask(args, sdk);
      expect(JSON.parse(text)).toMatchObject({ code: -32602 });
      expect(pending).toEqual([]);
    }
  });

  it("is without its patterns and whatever else is no part of a form", async () => {
    const property = { type: "string", pattern: "(a+)+$", $ref: "https://example.com", title: "A" };
    const { pending } = await ask({
      message: "m",
      requestedSchema: { type: "object", properties: { a: property }, $defs: {} },
    });
    expect(pending[0]?.tool?.parameters).toEqual({
      type: "object",
      properties: { a: { type: "string", title: "A" } },
      additionalProperties: false,
    });
  });
});

describe("a call that waits for a person", () => {
  it("is given up after its time, and the answer that comes later runs nothing", async () => {
    const log = testLog();
    await using mcp = mcpTools(target, {
      name: "s",
      onLog: log.onLog,
      elicitationTimeoutMs: 1000,
    });
    const environment = manualEnvironment();
    const client = new ScriptedChatClient([
      { calls: [{ name: "s_ask", arguments: colour }] },
      "done",
    ]);
    const agent = new Agent({ client, contextProviders: [mcp], environment });
    const session = new AgentSession();
    await agent.run("go", { session });
    const [request] = session.pending as [FunctionApprovalRequestContent];
    expect(request.expiresAt).toBe(environment.now() + 1000);
    await environment.advance(1001);
    await log.seen("cancelled");
    await expect(agent.run(approve(request), { session })).rejects.toMatchObject({
      code: "request_expired",
    });
  });

  it("no longer waits for what the server takes back", async () => {
    await using mcp = mcpTools(target, { name: "s" });
    const { agent } = scripted([["s_fickle", colour]], { contextProviders: [mcp] });
    const [result] = resultsOf((await agent.run("go")).messages);
    expect(result && readable(result)).toBe("never mind");
  });

  it("in an agent that is a tool: the question comes up, and the answer finds its way down", async () => {
    await using mcp = mcpTools(target, { name: "s" });
    const inner = scripted([["s_ask", colour]], { contextProviders: [mcp], name: "inner" });
    const { agent } = scripted([["inner", { task: "ask" }]], { tools: [inner.agent.asTool()] });
    const session = new AgentSession();
    await agent.run("go", { session });
    const [request] = session.pending as [FunctionApprovalRequestContent];
    expect(request.path?.map(({ name }) => name)).toEqual(["inner", "s_ask"]);
    await agent.run(approve(request, { arguments: { colour: "red" } }), { session });
    const told = inner.client.requests.at(-1)?.messages ?? [];
    expect(resultsOf(told).map(readable)).toEqual([
      '{"action":"accept","content":{"colour":"red"}}',
    ]);
  });

  it("is given up when all is closed", async () => {
    const mcp = mcpTools(target, { name: "s" });
    const { agent } = scripted([["s_ask", colour]], { contextProviders: [mcp] });
    const session = new AgentSession();
    await agent.run("go", { session });
    await mcp.close();
    const [request] = session.pending as [FunctionApprovalRequestContent];
    await using other = mcpTools(target, { name: "s" });
    const { agent: second } = scripted([], { contextProviders: [other] });
    const done = await second.run(approve(request), { session });
    expect(resultsOf(done.messages)[0]?.error?.code).toBe("mcp_interrupted");
  });

  it("beside others at the same server: the one that asks pauses, the others end", async () => {
    await using mcp = mcpTools(target, { name: "s" });
    const client = new ScriptedChatClient([
      {
        calls: [{ name: "s_slow" }, { name: "s_ask", arguments: colour }, { name: "s_release" }],
      },
      "done",
    ]);
    const agent = new Agent({ client, contextProviders: [mcp] });
    const session = new AgentSession();
    await agent.run("go", { session });
    const [request] = session.pending as [FunctionApprovalRequestContent];
    expect(request.reason).toContain("s_ask");
    const done = await agent.run(approve(request), { session });
    expect(done.text).toBe("done");
    const results = resultsOf(session.messages).map(readable);
    const answer = '{"action":"accept","content":{}}';
    expect(results.toSorted()).toEqual(["released", "slow is done", answer]);
  });

  it("beside another that asks: each has its own answer", async () => {
    await using mcp = mcpTools(target, { name: "s" });
    const call = { name: "s_ask-together", arguments: colour };
    const client = new ScriptedChatClient([{ calls: [call, call] }, "done"]);
    const agent = new Agent({ client, contextProviders: [mcp] });
    const session = new AgentSession();
    await agent.run("go", { session });
    expect(session.pending).toHaveLength(2);
    const answers = session.pending.map((request, at) =>
      approve(request, { arguments: { colour: at === 0 ? "red" : "blue" } }),
    );
    const done = await agent.run(answers, { session });
    expect(resultsOf(done.messages).map(readable)).toEqual([
      '{"action":"accept","content":{"colour":"red"}}',
      '{"action":"accept","content":{"colour":"blue"}}',
    ]);
  });

  it("is never shown to somebody else: two runs whose questions cannot be told apart are not asked", async () => {
    const log = testLog();
    await using mcp = mcpTools(target, { name: "s", onLog: log.onLog });
    const runs = [1, 2].map(() => {
      const { agent } = scripted([["s_ask-together", colour]], { contextProviders: [mcp] });
      return agent.run("go");
    });
    for (const { outcome, messages } of await Promise.all(runs)) {
      expect(outcome).toBe("completed");
      expect(resultsOf(messages).map(readable)).toEqual(['{"action":"cancel"}']);
    }
    await log.seen("not clear for which call");
  });
});

describe("a function that answers servers", () => {
  it.each([1, 2] as const)(
    "may fail, which is its program's own matter (line %i of the SDK)",
    async (sdk) => {
      const log = testLog();
      await using mcp = mcpTools(target, {
        name: "s",
        sdk,
        onLog: log.onLog,
        elicitation() {
          throw new Error("the secret of the database");
        },
      });
      const { agent } = scripted([["s_ask", colour]], { contextProviders: [mcp] });
      const [result] = resultsOf((await agent.run("go")).messages);
      expect(JSON.parse(result ? readable(result) : "")).toMatchObject({ code: -32603 });
      expect(result && readable(result)).not.toContain("secret");
      await log.seen("the secret of the database");
    },
  );

  it("is held to the form", async () => {
    await using mcp = mcpTools(target, {
      name: "s",
      elicitation: () => ({ action: "accept", content: { size: 1 } }),
    });
    const { agent } = scripted([["s_ask", colour]], { contextProviders: [mcp] });
    const [result] = resultsOf((await agent.run("go")).messages);
    expect(JSON.parse(result ? readable(result) : "")).toMatchObject({ code: -32603 });
  });
});

describe("what a server may ask a model", () => {
  const sampling: JsonObject = {
    method: "sampling/createMessage",
    messages: [{ role: "user", content: { type: "text", text: "Hi" } }],
    maxTokens: 10,
  };

  it("is not more than its share", async () => {
    let asked = 0;
    await using mcp = mcpTools(target, {
      name: "s",
      maxSamplingRequests: 2,
      samplingApproval: () => {
        asked += 1;
        return true;
      },
      samplingClient: new ScriptedChatClient(["one", "two", "three"]),
    });
    const call = ["s_ask", sampling] as const;
    const { agent } = scripted([call, call, call], { contextProviders: [mcp] });
    const results = resultsOf((await agent.run("go")).messages).map(readable);
    expect(asked).toBe(2);
    expect(JSON.parse(results[1] ?? "")).toMatchObject({
      model: "scripted-model",
      content: { text: "two" },
    });
    expect(JSON.parse(results[2] ?? "")).toMatchObject({ code: -1 });
  });

  it("is asked with its tools, whose calls go back to it", async () => {
    const client = new ScriptedChatClient([{ calls: [{ name: "look", arguments: { at: 1 } }] }]);
    await using mcp = mcpTools(target, {
      name: "s",
      samplingApproval: () => true,
      samplingClient: client,
    });
    const tools = [
      { name: "look", inputSchema: { type: "object", properties: { at: { type: "number" } } } },
    ];
    const { agent } = scripted(
      [["s_ask", { ...sampling, tools, toolChoice: { mode: "required" } }]],
      {
        contextProviders: [mcp],
      },
    );
    const [result] = resultsOf((await agent.run("go")).messages);
    expect(JSON.parse(result ? readable(result) : "")).toMatchObject({
      stopReason: "toolUse",
      content: [{ type: "tool_use", name: "look", input: { at: 1 } }],
    });
    expect(client.requests[0]?.options).toMatchObject({ toolChoice: "required", maxTokens: 10 });
    expect(client.requests[0]?.options.tools?.map(({ name }) => name)).toEqual(["look"]);
  });
});

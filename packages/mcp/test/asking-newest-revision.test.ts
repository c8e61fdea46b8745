import {
  AgentSession,
  approve,
  deny,
  type FunctionApprovalRequestContent,
  type JsonObject,
} from "@tunic/core";
import { describe, expect, it } from "vitest";
import { type McpToolsOptions, mcpTools } from "../src/index.js";
import { readable, resultsOf, scripted, stored } from "./support/agents.js";
import { type PostHandler, RawHttpServer, text } from "./support/raw-http-server.js";

const complete = { resultType: "complete", ttlMs: 0, cacheScope: "private" };

/** A server of revision 2026-07-28 with one tool. */
async function startServer(call: PostHandler): Promise<RawHttpServer> {
  const server = await RawHttpServer.start();
  server.on("server/discover", () => ({
    ...complete,
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {}, logging: {} },
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "new", version: "1" } },
  }));
  server.on("tools/list", () => ({
    ...complete,
    tools: [{ name: "go", inputSchema: { type: "object" } }],
  }));
  return server.on("tools/call", call);
}

const form: JsonObject = {
  method: "elicitation/create",
  params: {
    mode: "form",
    message: "Which colour?",
    requestedSchema: {
      type: "object",
      properties: { colour: { type: "string" } },
      required: ["colour"],
    },
  },
};
const sample: JsonObject = {
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "Hi" } }], maxTokens: 10 },
};

const open = (server: RawHttpServer, options: McpToolsOptions = {}) =>
  mcpTools(server.url, { name: "s", ...options });

function done(params: JsonObject): JsonObject {
  const { inputResponses, requestState } = params;
  return { resultType: "complete", ...text(JSON.stringify({ inputResponses, requestState })) };
}

describe("a call that is answered with a question (revision 2026-07-28)", () => {
  it.each([false, true])(
    "pauses, and is sent again with the answer, from another process too (streaming: %s)",
    async (streaming) => {
      await using server = await startServer(({ params }) =>
        params["inputResponses"] === undefined
          ? { resultType: "input_required", inputRequests: { c: form }, requestState: "s1" }
          : done(params),
      );
      const session = new AgentSession();
      {
        await using mcp = open(server);
        const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
        const asked = await (streaming
          ? agent.stream("go", { session }).response
          : agent.run("go", { session }));
        expect(asked.outcome).toBe("paused");
      }
      const elsewhere = stored(session);
      await using mcp = open(server);
      const { agent } = scripted([], { contextProviders: [mcp] });
      const [request] = elsewhere.pending as [FunctionApprovalRequestContent];
      expect(request).toMatchObject({ summary: "Which colour?", editable: true });
      const answer = approve(request, { arguments: { colour: "red" } });
      const response = await (streaming
        ? agent.stream(answer, { session: elsewhere }).response
        : agent.run(answer, { session: elsewhere }));
      const [result] = resultsOf(response.messages);
      expect(JSON.parse(result ? readable(result) : "")).toEqual({
        inputResponses: { c: { action: "accept", content: { colour: "red" } } },
        requestState: "s1",
      });
      expect(server.posted.filter(({ method }) => method === "tools/call")).toHaveLength(2);
    },
  );

  it("tells the server of a no, and of what models and roots say beside", async () => {
    await using server = await startServer(({ params }) =>
      params["inputResponses"] === undefined
        ? {
            resultType: "input_required",
            inputRequests: { c: form, m: sample, r: { method: "roots/list" } },
          }
        : done(params),
    );
    await using mcp = open(server, { samplingApproval: () => true, roots: ["/tmp/work"] });
    const { agent } = scripted([["s_go"]], { contextProviders: [mcp] }, ["sampled", "done"]);
    const session = new AgentSession();
    await agent.run("go", { session });
    const [request] = session.pending as [FunctionApprovalRequestContent];
    const response = await agent.run(deny(request), { session });
    const [result] = resultsOf(response.messages);
    const { inputResponses } = JSON.parse(result ? readable(result) : "");
    expect(inputResponses).toMatchObject({
      c: { action: "decline" },
      m: { role: "assistant", content: { type: "text", text: "sampled" } },
      r: { roots: [{ uri: "file:///tmp/work" }] },
    });
  });

  it("goes on in a history that is signed, and not in one that was changed", async () => {
    await using server = await startServer(({ params }) =>
      params["inputResponses"] === undefined
        ? { resultType: "input_required", inputRequests: { c: form }, requestState: "s1" }
        : done(params),
    );
    await using mcp = open(server);
    const approvals = { approvalSecret: "0123456789abcdef0123456789abcdef" };
    const { agent } = scripted([["s_go"]], { contextProviders: [mcp], invocation: { approvals } });
    const asked = await agent.run("go");
    const [request] = asked.approvalRequests as [FunctionApprovalRequestContent];
    const answer = approve(request, { arguments: { colour: "red" } });
    const changed = JSON.parse(JSON.stringify(asked.newMessages).replaceAll('"s1"', '"s2"'));
    await expect(agent.run([...changed, answer])).rejects.toMatchObject({ code: "not_genuine" });
    const history = JSON.parse(JSON.stringify(asked.newMessages));
    const [result] = resultsOf((await agent.run([...history, answer])).messages);
    expect(result && readable(result)).toContain('"colour":"red"');
  });

  it("goes on at once where a function answers, round after round", async () => {
    let rounds = 0;
    await using server = await startServer(({ params }) => {
      rounds += 1;
      return rounds < 4
        ? { resultType: "input_required", inputRequests: { c: form }, requestState: `${rounds}` }
        : done(params);
    });
    await using mcp = open(server, {
      elicitation: () => ({ action: "accept", content: { colour: "blue" } }),
    });
    const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
    const [result] = resultsOf((await agent.run("go")).messages);
    expect(result && readable(result)).toContain('"requestState":"3"');
  });

  it("ends where the server asks without end", async () => {
    await using server = await startServer(() => ({
      resultType: "input_required",
      requestState: "more",
    }));
    await using mcp = open(server);
    const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
    const [result] = resultsOf((await agent.run("go")).messages);
    expect(result?.error?.code).toBe("mcp_wrong_answer");
    expect(server.posted.filter(({ method }) => method === "tools/call")).toHaveLength(10);
  });

  it("ends where the server asks for what it was not offered", async () => {
    await using server = await startServer(() => ({
      resultType: "input_required",
      inputRequests: { m: sample },
    }));
    await using mcp = open(server);
    const { agent, client } = scripted([["s_go"]], { contextProviders: [mcp] });
    const [result] = resultsOf((await agent.run("go")).messages);
    expect(result && readable(result)).toContain("not offered");
    expect(client.requests).toHaveLength(2);
  });

  it("says with each call how much is to be logged", async () => {
    const levels: unknown[] = [];
    await using server = await startServer(({ params }) => {
      levels.push((params["_meta"] as JsonObject)["io.modelcontextprotocol/logLevel"]);
      return done(params);
    });
    await using mcp = open(server, { logLevel: "warning" });
    const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
    await agent.run("go");
    expect(levels).toEqual(["warning"]);
    expect(server.posted.map(({ method }) => method)).not.toContain("logging/setLevel");
  });
});

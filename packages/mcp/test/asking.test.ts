import {
  AgentSession,
  approve,
  deny,
  type FunctionApprovalRequestContent,
  isJsonObject,
} from "@tunic/core";
import { promptForDecisions } from "@tunic/core/approvals";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type McpTarget, type McpToolsOptions, mcpTools } from "../src/index.js";
import { readable, resultsOf, scripted, stored, testLog } from "./support/agents.js";
import { type HttpServerProcess, serverProgram, startEverything } from "./support/everything.js";

let http: HttpServerProcess;

beforeAll(async () => {
  http = await startEverything("streamableHttp");
});

afterAll(async () => {
  await http[Symbol.asyncDispose]();
});

const targets: Readonly<Record<string, () => McpTarget>> = {
  stdio: () => ({ command: process.execPath, args: [serverProgram("everything")] }),
  "streamable HTTP": () => http.url,
};

function elicitationOf(request: FunctionApprovalRequestContent | undefined) {
  const elicitation = request?.additionalProperties?.["elicitation"];
  if (!isJsonObject(elicitation)) throw new Error("The request holds no elicitation.");
  return elicitation;
}

describe.each(Object.keys(targets))("server-everything over %s asks", (transport) => {
  describe.each([1, 2] as const)("line %i of the SDK", (sdk) => {
    const open = (options: McpToolsOptions = {}) => {
      const target = targets[transport]?.();
      if (target === undefined) throw new Error(transport);
      return mcpTools(target, { name: "all", sdk, ...options });
    };
    const go = (
      agent: ReturnType<typeof scripted>["agent"],
      streaming: boolean,
      ...args: Parameters<typeof agent.run>
    ) => (streaming ? agent.stream(...args).response : agent.run(...args));

    it.each([false, true])(
      "a person to fill in a form: the run pauses, and goes on with the answer (streaming: %s)",
      async (streaming) => {
        await using mcp = open();
        const calls = [["all_trigger-elicitation-request"]] as const;
        const { agent } = scripted(calls, { contextProviders: [mcp] });
        const session = new AgentSession();
        const asked = await go(agent, streaming, "go", { session });
        expect(asked.outcome).toBe("paused");
        const [request] = session.pending;
        expect(request).toMatchObject({
          call: { name: "all_elicitation", arguments: { integer: 42, number: 3.14 } },
          tool: { owner: "all", traits: { trust: "external" } },
          summary: "Please provide inputs for the following fields:",
          editable: true,
        });
        expect(elicitationOf(request)).toMatchObject({ mode: "form", server: "all" });
        if (request === undefined) throw new Error("Nobody was asked.");
        // The person's page has it from the session, after a restart of the page.
        const done = await go(
          agent,
          streaming,
          approve(request, { arguments: { name: "Ada", integer: 7 } }),
          { session },
        );
        const [result] = resultsOf(done.messages);
        expect(result && readable(result)).toContain("- Name: Ada");
        expect(result && readable(result)).toContain("- Favorite Integer: 7");
        expect(result && readable(result)).toContain("- Favorite Number: 3.14");
        expect(done.outcome).toBe("completed");
      },
    );

    it("a person at a terminal, for one field after the other", async () => {
      await using mcp = open();
      const { agent } = scripted([["all_trigger-elicitation-request"]], {
        contextProviders: [mcp],
      });
      const session = new AgentSession();
      await agent.run("go", { session });
      // The second number is one that fits.
      const integers = ["1000", "7"];
      const question = async (text: string) => {
        if (text.includes("Answer?")) return "y";
        if (text.includes('"String" (')) return "Ada";
        return text.includes('"Integer" (') ? (integers.shift() ?? "") : "";
      };
      const decisions = await promptForDecisions(session.pending, { question });
      expect(integers).toEqual([]);
      const done = await agent.run(decisions, { session });
      const [result] = resultsOf(done.messages);
      const text = result && readable(result);
      expect(text).toContain("- Name: Ada");
      expect(text).toContain("- Favorite Integer: 7");
      expect(text).toContain("- Favorite Number: 3.14");
    });

    it("a person, who says no", async () => {
      await using mcp = open();
      const { agent } = scripted([["all_trigger-elicitation-request"]], {
        contextProviders: [mcp],
      });
      const session = new AgentSession();
      await agent.run("go", { session });
      const [request] = session.pending;
      const done = await agent.run(deny(request as FunctionApprovalRequestContent), { session });
      const [result] = resultsOf(done.messages);
      expect(result && readable(result)).toContain("User declined");
    });

    it("a person, whose answers do not fit at first", async () => {
      await using mcp = open();
      const { agent } = scripted([["all_trigger-elicitation-request"]], {
        contextProviders: [mcp],
      });
      const session = new AgentSession();
      await agent.run("go", { session });
      const [first] = session.pending as [FunctionApprovalRequestContent];
      const tooMuch = approve(first, { arguments: { name: "Ada", integer: 1000 } });
      await expect(agent.run(tooMuch, { session })).rejects.toMatchObject({ code: "invalid_edit" });
      // Not filled in at all, though a name is wanted: it is asked once more.
      const again = await agent.run(approve(first), { session });
      expect(again.outcome).toBe("paused");
      const [second] = session.pending as [FunctionApprovalRequestContent];
      expect(second.requestId).not.toBe(first.requestId);
      expect(second.reason).toContain("name");
      const done = await agent.run(approve(second, { arguments: { name: "Ada" } }), { session });
      const [result] = resultsOf(done.messages);
      expect(result && readable(result)).toContain("- Name: Ada");
    });

    it("in a process that is gone by the time of the answer: that is said, and nothing runs twice", async () => {
      const session = new AgentSession();
      {
        await using mcp = open();
        const { agent } = scripted([["all_trigger-elicitation-request"]], {
          contextProviders: [mcp],
        });
        await agent.run("go", { session });
      }
      const elsewhere = stored(session);
      await using mcp = open();
      const { agent } = scripted([], { contextProviders: [mcp] });
      const [request] = elsewhere.pending as [FunctionApprovalRequestContent];
      const done = await agent.run(approve(request, { arguments: { name: "Ada" } }), {
        session: elsewhere,
      });
      const [result] = resultsOf(done.messages);
      expect(result?.error?.code).toBe("mcp_interrupted");
      expect(result && readable(result)).toContain("may or may not");
    });

    it("a function instead, which answers at once", async () => {
      const asked: unknown[] = [];
      await using mcp = open({
        elicitation(request, { server, run, tool }) {
          asked.push([request.mode, server, run !== undefined, tool?.name]);
          return { action: "accept", content: { name: "Bob" } };
        },
      });
      const { agent } = scripted([["all_trigger-elicitation-request"]], {
        contextProviders: [mcp],
      });
      const [result] = resultsOf((await agent.run("go")).messages);
      expect(result && readable(result)).toContain("- Name: Bob");
      expect(result && readable(result)).toContain("- Favorite Number: 3.14");
      expect(asked).toEqual([["form", "all", true, "all_trigger-elicitation-request"]]);
    });

    it("nobody, where it was told that nobody can be asked", async () => {
      await using mcp = open({ elicitation: false });
      const { tools } = await mcp.connect();
      expect(tools.map(({ name }) => name).filter((name) => /elicitation/.test(name))).toEqual([]);
    });

    it("nobody, where code calls a tool by itself", async () => {
      const log = testLog();
      await using mcp = open({ onLog: log.onLog });
      const { tools } = await mcp.connect();
      const tool = tools.find(({ name }) => name === "all_trigger-elicitation-request");
      const result = await tool?.invoke({});
      expect(result && readable(result)).toContain("cancelled");
      await log.seen("not made in a run");
    });

    it.each([false, true])("a person to open a page (as an error: %s)", async (errorPath) => {
      await using mcp = open();
      const url = "https://example.com/sign-in";
      const elicitationId = `${transport}-${sdk}`;
      const calls = [["all_trigger-url-elicitation", { url, errorPath, elicitationId }]] as const;
      const { agent } = scripted(calls, { contextProviders: [mcp] });
      const session = new AgentSession();
      await agent.run("go", { session });
      const [request] = session.pending as [FunctionApprovalRequestContent];
      const first = errorPath ? "https://modelcontextprotocol.io/" : url;
      expect(elicitationOf(request)).toMatchObject({ mode: "url", url: first });
      expect(request.editable).toBeUndefined();
      expect(request.reason).toContain(new URL(first).host);
      let done = await agent.run(approve(request), { session });
      if (errorPath) {
        // The page that was demanded first is open; now comes the one of the call itself.
        const [second] = session.pending as [FunctionApprovalRequestContent];
        expect(elicitationOf(second)).toMatchObject({ url });
        done = await agent.run(approve(second), { session });
      }
      const [result] = resultsOf(done.messages);
      expect(result?.isError).toBeUndefined();
      expect(result && readable(result)).toContain("accept");
    });

    it.each([false, true])("a model, which is the run's own (streaming: %s)", async (streaming) => {
      const seen: unknown[] = [];
      await using mcp = open({
        samplingApproval(request, { tool }) {
          seen.push([request.maxTokens, request.systemPrompt, tool?.name]);
          return true;
        },
        maxSamplingTokens: 50,
      });
      const turns = [
        ["all_trigger-sampling-request", { prompt: "Hi there", maxTokens: 1000 }],
      ] as const;
      const { agent, client } = scripted(turns, { contextProviders: [mcp] }, ["sampled", "done"]);
      const done = await go(agent, streaming, "go");
      const [result] = resultsOf(done.messages);
      expect(result && readable(result)).toContain('"text": "sampled"');
      expect(done.text).toBe("done");
      expect(seen).toEqual([
        [50, "You are a helpful test server.", "all_trigger-sampling-request"],
      ]);
      expect(client.requests[1]?.options).toMatchObject({ maxTokens: 50, temperature: 0.7 });
      expect(JSON.stringify(client.requests[1]?.messages)).toContain("Hi there");
      expect(client.requests[1]?.options.tools).toBeUndefined();
    });

    it.each(["false", "throws"])("a model, and is refused (%s)", async (how) => {
      await using mcp = open({
        samplingApproval() {
          if (how === "throws") throw new Error("secret");
          return false;
        },
      });
      const { agent, client } = scripted(
        [["all_trigger-sampling-request", { prompt: "Hi there" }]],
        { contextProviders: [mcp] },
      );
      const [result] = resultsOf((await agent.run("go")).messages);
      expect(result?.isError).toBe(true);
      expect(result && readable(result)).toContain("Sampling was refused");
      expect(result && readable(result)).not.toContain("secret");
      expect(client.requests).toHaveLength(2);
    });

    it("no model where none was offered", async () => {
      await using mcp = open();
      const { tools } = await mcp.connect();
      expect(tools.map(({ name }) => name).filter((name) => /sampling/.test(name))).toEqual([]);
    });

    it("where it may work, and is told how much to log", async () => {
      const log = testLog();
      await using mcp = open({
        roots: ["/tmp/work", { uri: "file:///tmp/other", name: "Other" }],
        logLevel: "emergency",
        onLog: log.onLog,
      });
      const { agent } = scripted([["all_get-roots-list"]], { contextProviders: [mcp] });
      const [result] = resultsOf((await agent.run("go")).messages);
      expect(result && readable(result)).toContain("file:///tmp/work");
      expect(result && readable(result)).toContain("Other");
      // It tells of the roots with level info, which is not wanted.
      const logged = log.entries.filter(({ logger }) => logger === "everything-server");
      expect(logged).toEqual([]);
    });
  });
});

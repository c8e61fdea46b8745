import { readFileSync } from "node:fs";
import { AgentSession, approve } from "@tunic/core";
import { describe, expect, it, vi } from "vitest";
import { mcpTools } from "../src/index.js";
import {
  linesAndModes,
  onlyRequest,
  onlyResult,
  readable,
  runIn,
  scripted,
  stored,
  testLog,
} from "./support/agents.js";
import { startEverything } from "./support/everything.js";
import { RawHttpServer, sseServer, text } from "./support/raw-http-server.js";
import { newCountFile, rawServer } from "./support/raw-server.js";
import { httpRelay } from "./support/relay.js";

describe.each(linesAndModes)(
  "a server that comes and goes, line $sdk of the SDK, $mode",
  ({ sdk, mode }) => {
    it.each(["streamableHttp", "sse"] as const)(
      "everything over %s: killed in a call, and started again while somebody is asked",
      async (transport) => {
        let server = await startEverything(transport);
        try {
          let calls = 0;
          await using relay = await httpRelay(server.url, () => {
            calls += 1;
            if (calls === 1) void server[Symbol.asyncDispose]();
          });
          await using mcp = mcpTools(relay.target, {
            name: "all",
            sdk,
            approvalMode: "always_require",
          });
          const { agent } = scripted(
            [
              ["all_trigger-long-running-operation", { duration: 600, steps: 6000 }],
              ["all_echo", { message: "again" }],
            ],
            { contextProviders: [mcp] },
          );
          let session = new AgentSession();
          const first = onlyRequest(await runIn(mode, agent, "go", { session }));
          const second = await runIn(mode, agent, approve(first), { session });
          expect(onlyResult(second).error?.code).toBe("mcp_connection_lost");
          expect(readable(onlyResult(second))).toContain("may or may not have");

          await server[Symbol.asyncDispose]();
          server = await startEverything(transport, server);
          session = stored(session);
          const done = await runIn(mode, agent, approve(onlyRequest(second)), { session });
          expect(readable(onlyResult(done))).toBe("Echo: again");
          expect(done.text).toBe("done");
        } finally {
          await server[Symbol.asyncDispose]();
        }
      },
    );

    it("stdio: its process ends while somebody is asked, and the call is made by the next one", async () => {
      const countFile = newCountFile();
      const target = rawServer((server) => {
        server.tools({ name: "go" });
        const { starts } = server;
        server.on("tools/call", () => server.text(`start ${starts}`));
        server.say(`pid ${process.pid}`);
      }, countFile);
      const log = testLog();
      await using mcp = mcpTools(target, {
        name: "s",
        sdk,
        approvalMode: "always_require",
        onLog: log.onLog,
      });
      const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
      const session = new AgentSession();
      const asked = onlyRequest(await runIn(mode, agent, "go", { session }));
      const pids = (): readonly string[] =>
        log.entries.flatMap(({ data }) => /^pid (\d+)$/.exec(String(data))?.[1] ?? []);
      await log.seen("pid");
      const before = pids();
      process.kill(Number(before.at(-1)), "SIGKILL");
      // Until it is known here: what is sent meanwhile may or may not have arrived.
      await vi.waitFor(async () => {
        await mcp.connect();
        expect(pids().length).toBeGreaterThan(before.length);
      });
      const done = await runIn(mode, agent, approve(asked), { session: stored(session) });
      expect(readable(onlyResult(done))).toMatch(/^start [1-9]$/);
    });

    it("stdio: its process ends while it lists its tools, and the next one is asked for them", async () => {
      const target = rawServer((server) => {
        server.capabilities({ tools: {}, prompts: {} });
        const { starts } = server;
        server.tools({ name: "go" });
        if (starts === 0) server.on("tools/list", () => process.exit(1));
        server.on("tools/call", () => server.text("done by the next one"));
      }, newCountFile());
      await using mcp = mcpTools(target, { name: "s", sdk });
      const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
      expect(readable(onlyResult(await runIn(mode, agent, "go")))).toBe("done by the next one");
    });

    it("stdio: one that ends whenever it lists its tools is started twice for a run, not without end", async () => {
      const countFile = newCountFile();
      const target = rawServer((server) => {
        server.on("tools/list", () => process.exit(1));
      }, countFile);
      await using mcp = mcpTools(target, { name: "s", sdk });
      const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
      await expect(runIn(mode, agent, "go")).rejects.toMatchObject({
        code: "provider_failed",
        cause: { code: "mcp_connection_lost" },
      });
      expect(readFileSync(countFile, "utf8")).toBe("2");
    });

    it("HTTP: the session ends while somebody is asked, and the call is made in another", async () => {
      await using server = await RawHttpServer.start();
      let sessions = 0;
      server.onGreeting = (response) => {
        sessions += 1;
        response.setHeader("mcp-session-id", `session-${sessions}`);
      };
      let gone = "";
      server.onPost = ({ headers }, response) => {
        if (headers["mcp-session-id"] !== gone) return false;
        response.writeHead(404).end("Session not found");
        return true;
      };
      server.on("tools/call", ({ headers }) => text(String(headers["mcp-session-id"])));
      await using mcp = mcpTools(server.url, { name: "s", sdk, approvalMode: "always_require" });
      const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
      const session = new AgentSession();
      const asked = onlyRequest(await runIn(mode, agent, "go", { session }));
      gone = `session-${sessions}`;
      const done = await runIn(mode, agent, approve(asked), { session: stored(session) });
      expect(readable(onlyResult(done))).toBe(`session-${sessions}`);
      expect(`session-${sessions}`).not.toBe(gone);
      expect(server.posted.filter(({ method }) => method === "tools/call")).toHaveLength(1);
    });

    it("SSE: the stream ends while somebody is asked, and the call is made over another", async () => {
      await using server = await sseServer();
      server.on("tools/call", () => text("over another"));
      await using mcp = mcpTools(`${server.url}/sse`, {
        name: "s",
        sdk,
        approvalMode: "always_require",
      });
      const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
      const session = new AgentSession();
      const asked = onlyRequest(await runIn(mode, agent, "go", { session }));
      server.breakStreams();
      await vi.waitFor(async () => {
        await mcp.connect();
        expect(server.posted.filter(({ method }) => method === "initialize")).toHaveLength(2);
      });
      const done = await runIn(mode, agent, approve(asked), { session: stored(session) });
      expect(readable(onlyResult(done))).toBe("over another");
      expect(server.posted.filter(({ method }) => method === "initialize")).toHaveLength(2);
      expect(server.posted.filter(({ method }) => method === "tools/call")).toHaveLength(1);
    });
  },
);

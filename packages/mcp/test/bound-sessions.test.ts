import { AgentSession } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { type McpTools, mcpTools } from "../src/index.js";
import {
  linesAndModes,
  onlyResult,
  readable,
  resultsOf,
  runIn,
  scripted,
  testLog,
} from "./support/agents.js";
import { deferred } from "./support/deferred.js";
import { RawHttpServer, text } from "./support/raw-http-server.js";

/** A server that takes a session only from whoever has begun it, and from those it is told of. */
async function boundServer(friends: readonly string[] = []) {
  const server = await RawHttpServer.start();
  const state = { session: 0, owner: "" };
  const refused: string[] = [];
  server.tools("go", "wait");
  server.onPost = (request, response) => {
    const who = String(request.headers["x-who"]);
    const id = request.headers["mcp-session-id"];
    if (id === undefined) state.owner = who;
    else if (id !== `s${state.session}` || ![state.owner, ...friends].includes(who)) {
      refused.push(who);
      response.writeHead(404).end("Session not found");
      return true;
    }
    return false;
  };
  server.onGreeting = (response) => {
    state.session += 1;
    response.setHeader("mcp-session-id", `s${state.session}`);
  };
  server.on("ping", () => ({}));
  server.on("tools/call", () => text("went"));
  return { server, state, refused };
}

/** The person whose session it is, or the program itself. */
const headers = ({ session }: { session: AgentSession | undefined }) => ({
  "x-who": session?.id ?? "program",
});

function runAs(who: string, mcp: McpTools, mode: "whole" | "streamed", tool = "s_go") {
  const { agent } = scripted([[tool]], { contextProviders: [mcp] });
  return runIn(mode, agent, "go", { session: new AgentSession({ id: who }) });
}

describe.each(linesAndModes)(
  "a session that a server binds to who has begun it, line $sdk of the SDK, $mode",
  ({ sdk, mode }) => {
    it("stays for the others, when it does not take somebody's call", async () => {
      const { server, state, refused } = await boundServer(["mara"]);
      const waiting = deferred<void>();
      const released = deferred<void>();
      server.on("tools/call", async ({ params }) => {
        if (params["name"] !== "wait") return text("went");
        waiting.resolve();
        await released.promise;
        return text("waited");
      });
      const log = testLog();
      await using mcp = mcpTools(server.url, { name: "s", sdk, headers, onLog: log.onLog });
      const mara = runAs("mara", mcp, mode, "s_wait");
      await waiting.promise;
      const noor = onlyResult(await runAs("noor", mcp, mode));
      expect(noor.error).toMatchObject({ code: "mcp_session_refused", retryable: false });
      expect(readable(noor)).toContain("over its session");
      released.resolve();
      expect(resultsOf((await mara).messages).map(readable)).toEqual(["waited"]);
      expect(state.session).toBe(1);
      expect(refused).toEqual(["noor"]);
      const [warning] = log.entries.filter(({ level }) => level === "warning");
      expect(warning?.data).toContain("an mcpTools() of their own");
      await server.stop();
    });

    it("is begun anew where it has ended for everybody", async () => {
      const { server, state } = await boundServer(["noor"]);
      await using mcp = mcpTools(server.url, { name: "s", sdk, headers });
      expect(readable(onlyResult(await runAs("noor", mcp, mode)))).toBe("went");
      state.session += 1;
      expect(readable(onlyResult(await runAs("noor", mcp, mode)))).toBe("went");
      await server.stop();
    });

    it("fails what reads a prompt for somebody else, and nothing more", async () => {
      const { server, state } = await boundServer();
      server.on("initialize", async ({ params }, response) => {
        await server.onGreeting(response);
        const { protocolVersion = "2025-11-25" } = params;
        const serverInfo = { name: "raw", version: "1" };
        return { protocolVersion, capabilities: { prompts: {} }, serverInfo };
      });
      server.on("prompts/list", () => ({ prompts: [{ name: "greet" }] }));
      await using mcp = mcpTools(server.url, { name: "s", sdk, headers, prompts: "tools" });
      const { error } = onlyResult(await runAs("noor", mcp, mode, "s_prompt_greet"));
      expect(error).toMatchObject({ code: "mcp_session_refused", retryable: false });
      expect(await mcp.list("prompts")).toHaveLength(1);
      expect(state.session).toBe(1);
      await server.stop();
    });
  },
);

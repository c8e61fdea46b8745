import type { JsonObject } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { mcpTools } from "../src/index.js";
import { readable, resultsOf, scripted } from "./support/agents.js";
import { RawHttpServer, text } from "./support/raw-http-server.js";
import { rawServer } from "./support/raw-server.js";

const tools = [
  {
    name: "go",
    inputSchema: {
      type: "object",
      properties: { to: { type: "string", "x-mcp-header": "Region" } },
    },
  },
];
const complete = { resultType: "complete", ttlMs: 0, cacheScope: "private" };

describe("revision 2026-07-28", () => {
  it("over stdio: no handshake, and each request says who asks", async () => {
    const target = rawServer((server) => {
      const done = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
      server.on("initialize", (_params, id) => server.error(id, -32601, "no handshake here"));
      server.on("server/discover", () => ({
        ...done,
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "new", version: "1" } },
      }));
      server.on("tools/list", () => ({
        ...done,
        tools: [{ name: "go", inputSchema: { type: "object" } }],
      }));
      server.on("tools/call", ({ _meta }) => ({
        resultType: "complete",
        ...server.text(Object.keys(_meta ?? {}).join()),
      }));
    });
    await using mcp = mcpTools(target, { name: "s" });
    const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
    const [result] = resultsOf((await agent.run("go")).messages);
    expect(result && readable(result)).toContain("io.modelcontextprotocol/protocolVersion");
    expect((await mcp.connect()).server).toMatchObject({
      name: "new",
      protocolVersion: "2026-07-28",
    });
  });

  it("over HTTP: arguments that are to be headers are, beside those of the call", async () => {
    await using server = await RawHttpServer.start();
    server.on("server/discover", () => ({
      ...complete,
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "new", version: "1" } },
    }));
    const listed: JsonObject = { ...complete, tools };
    server.on("tools/list", () => listed);
    server.on("tools/call", ({ headers }) => ({
      resultType: "complete",
      ...text(`${headers["mcp-param-region"]} ${headers["mcp-method"]} ${headers["x-call"]}`),
    }));
    await using mcp = mcpTools(server.url, { name: "s", headers: () => ({ "x-call": "mine" }) });
    const { agent } = scripted([["s_go", { to: "sea" }]], { contextProviders: [mcp] });
    const [result] = resultsOf((await agent.run("go")).messages);
    expect(result && readable(result)).toBe("sea tools/call mine");
    expect(server.posted.map(({ method }) => method)).not.toContain("initialize");
  });
});

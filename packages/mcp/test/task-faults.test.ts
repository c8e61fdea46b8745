import type { JsonObject } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { type McpClient, McpError, type McpTarget, mcpTools } from "../src/index.js";
import { onlyResult, readable, scripted } from "./support/agents.js";
import { RawHttpServer } from "./support/raw-http-server.js";

const capabilities = { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } };
const long = {
  name: "long",
  inputSchema: { type: "object" },
  execution: { taskSupport: "required" },
};

async function resultFrom(target: McpTarget, sdk: 1 | 2) {
  await using mcp = mcpTools(target, { name: "h", sdk });
  const { agent } = scripted([["h_long"]], { contextProviders: [mcp] });
  return onlyResult(await agent.run("go"));
}

describe.each([1, 2] as const)("a task that was created, line %i of the SDK", (sdk) => {
  it.each(["tasks/get", "tasks/result"])(
    "may have had an effect, also where the server does not take a token any more (%s)",
    async (refused) => {
      await using server = await RawHttpServer.start();
      const status = refused === "tasks/get" ? "working" : "completed";
      server.on("initialize", ({ params }) => ({
        protocolVersion: params["protocolVersion"] ?? "",
        capabilities,
        serverInfo: { name: "raw", version: "1" },
      }));
      server.on("tools/list", () => ({ tools: [long] }));
      server.on("tools/call", () => ({ task: { taskId: "t1", status, pollInterval: 1 } }));
      server.on(refused, (_posted, response) => {
        response.writeHead(401).end();
        return undefined;
      });
      const result = await resultFrom(server.url, sdk);
      expect(result.error).toMatchObject({ code: "mcp_unauthorized", retryable: false });
      expect(readable(result)).toContain("may or may not have had an effect");
      expect(readable(result)).not.toContain("Not run");
    },
  );
});

it("a task whose server is not there in time again may have had an effect", async () => {
  let opened = 0;
  const result = await resultFrom((hooks): McpClient => {
    opened += 1;
    if (opened > 1) throw new McpError("mcp_timeout", "Too late.", { notSent: true });
    return {
      server: { name: "own", version: "1", capabilities },
      listTools: async () => ({ items: [long] }),
      callTool: async () => ({ task: { taskId: "t1", status: "completed" } }),
      request: async (): Promise<JsonObject> => {
        hooks.closed?.();
        throw new McpError("mcp_connection_lost", "The line broke.");
      },
      async notify() {},
      async close() {},
    };
  }, 2);
  expect(result.error).toMatchObject({ code: "mcp_connection_lost", retryable: false });
  expect(readable(result)).toContain("may or may not have had an effect");
});

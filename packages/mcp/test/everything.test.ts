import { createRequire } from "node:module";
import { Agent } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { mcpTools } from "../src/index.js";

const require = createRequire(import.meta.url);
const everything = require.resolve("@modelcontextprotocol/server-everything/dist/index.js");

describe.each([1, 2] as const)("server-everything over stdio, line %i of the SDK", (sdk) => {
  it("runs a tool in an agent", async () => {
    await using mcp = mcpTools({ command: process.execPath, args: [everything] }, { sdk });
    expect(mcp.name).toBe("server-everything");
    const client = new ScriptedChatClient([
      { calls: [{ name: "server-everything_echo", arguments: { message: "hello" } }] },
      "done",
    ]);
    const agent = new Agent({ client, contextProviders: [mcp] });
    const response = await agent.run("go");
    expect(JSON.stringify(response.messages)).toContain("Echo: hello");
    expect(response.text).toBe("done");
  });
});

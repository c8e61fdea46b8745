import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadMcpServers } from "../src/index.js";
import { readable, resultsOf, scripted } from "./support/agents.js";
import { serverProgram, startEverything } from "./support/everything.js";

describe("servers of a file, in an agent", () => {
  it("are started and reached, with what the file and the options say", async () => {
    await using http = await startEverything("streamableHttp");
    const path = join(mkdtempSync(join(tmpdir(), "tunic-mcp-")), "mcp.json");
    writeFileSync(
      path,
      `{
        // As VS Code has it.
        "inputs": [{ "type": "promptString", "id": "tide", "password": true }],
        "servers": {
          "near": {
            "type": "stdio",
            "command": "\${NODE}",
            "args": ["\${PROGRAM}"],
            "env": { "TIDE": "\${input:tide}" },
            "autoApprove": ["get-env"],
          },
          "far": { "type": "http", "url": "\${URL}" },
          "off": { "command": "no-such-program", "disabled": true },
        },
      }`,
    );
    const servers = loadMcpServers(path, {
      environment: { NODE: process.execPath, PROGRAM: serverProgram("everything"), URL: http.url },
      inputs: { tide: "high" },
      tools: (name) => ({ allowedTools: name === "near" ? ["get-env"] : ["echo"] }),
    });
    try {
      const { agent, client } = scripted([["near_get-env"], ["far_echo", { message: "hello" }]], {
        contextProviders: servers,
      });
      const notices: string[] = [];
      const { messages } = await agent.run("go", {
        onEvent(event) {
          if (event.type === "notice") notices.push(event.message);
        },
      });
      const [env, echo] = resultsOf(messages);
      expect(env && readable(env)).toContain('"TIDE": "high"');
      expect(echo && readable(echo)).toBe("Echo: hello");
      const offered = client.requests[0]?.options.tools?.map(({ name }) => name);
      expect(offered).toEqual(["near_get-env", "far_echo"]);
      expect(notices).toEqual([
        'MCP server "near": `autoApprove` in its configuration means nothing here.',
      ]);
    } finally {
      await Promise.all(servers.map((server) => server.close()));
    }
  });
});

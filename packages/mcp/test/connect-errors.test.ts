import { describe, expect, it } from "vitest";
import { mcpTools } from "../src/index.js";
import { resultsOf, scripted, testLog } from "./support/agents.js";
import { RawHttpServer } from "./support/raw-http-server.js";
import { rawServer } from "./support/raw-server.js";

const echo = {
  command: process.execPath,
  args: ["-e", "process.stdin.pipe(process.stdout)"],
};

describe.each([1, 2] as const)("what is told of a server, line %i of the SDK", (sdk) => {
  it("names it by its label where its program cannot be started", async () => {
    await using mcp = mcpTools({ command: "/does/not/exist" }, { name: "files", sdk });
    await expect(mcp.connect()).rejects.toThrow(
      /^The MCP server "files" \(\/does\/not\/exist\) could not be connected to: /,
    );
  });

  it("names it by its label where nobody listens", async () => {
    const server = await RawHttpServer.start();
    const { url } = server;
    await server.stop();
    await using mcp = mcpTools(url, { name: "files", sdk });
    await expect(mcp.connect()).rejects.toThrow(
      `The MCP server "files" at ${url} could not be connected to: `,
    );
  });

  it("says once why, whatever it ends with", async () => {
    await using server = await RawHttpServer.start();
    const headers = () => {
      throw new Error("There is no token.");
    };
    await using mcp = mcpTools(server.url, { name: "files", sdk, headers });
    await expect(mcp.connect()).rejects.toThrow(/^(?!.*no token.*no token).*There is no token\.$/);
  });

  it("says so of a program that is none", async () => {
    await using mcp = mcpTools(echo, { name: "files", sdk });
    await expect(mcp.connect()).rejects.toMatchObject({
      code: "mcp_connect_failed",
      message: expect.stringMatching(/^The MCP server "files" \(.*\) does not speak MCP: /),
    });
  });

  it("has no line in the log for progress that comes after the answer", async () => {
    const late = rawServer((server) => {
      server.tools({ name: "go" });
      let token = 0;
      server.on("tools/call", ({ _meta, name }, id) => {
        token = _meta?.progressToken ?? token;
        server.result(id, server.text(`${name} is done`));
        server.notify("notifications/progress", { progressToken: token, progress: 1 });
        server.notify("notifications/message", { level: "info", data: "after the progress" });
      });
    });
    const log = testLog();
    await using mcp = mcpTools(late, { name: "s", sdk, onLog: log.onLog });
    const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
    const results = resultsOf((await agent.run("go")).messages);
    expect(results.map(({ isError }) => isError)).toEqual([undefined]);
    await log.seen("after the progress");
    expect(log.entries.map(({ data }) => data)).toEqual(["after the progress"]);
  });
});

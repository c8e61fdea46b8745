import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mcpTools, type StdioServer } from "../src/index.js";
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

  it.each<[StdioServer | string, string]>([
    [
      { command: process.execPath, cwd: "/does/not/exist" },
      "connected to: the folder in `cwd` is not there.",
    ],
    [{ command: "npx -y some-server" }, "what follows the blank goes into `args`"],
    ["no.such.example/mcp", "an address begins with http:// or https://"],
  ])("says what is wrong where %j cannot be started", async (target, message) => {
    await using mcp = mcpTools(target, { name: "files", sdk });
    await expect(mcp.connect()).rejects.toMatchObject({
      code: "mcp_connect_failed",
      message: expect.stringContaining(message),
    });
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

  it("tells what one has written that does not answer in time", async () => {
    const silent = `console.error("reading the charts"); setInterval(() => {}, 1000)`;
    const log = testLog();
    const options = { name: "files", sdk, connectTimeoutMs: 3000, onLog: log.onLog };
    await using mcp = mcpTools({ command: process.execPath, args: ["-e", silent] }, options);
    const connecting = expect(mcp.connect()).rejects.toMatchObject({
      code: "mcp_timeout",
      message: `The MCP server "files" (${process.execPath}) did not answer within 3000 ms (connectTimeoutMs). Its last words were: reading the charts`,
    });
    await log.seen("reading the charts");
    await connecting;
  });

  it("tells of a program that may be downloading what it runs", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tunic-mcp-"));
    const npx = join(folder, "npx");
    writeFileSync(npx, "#!/bin/sh\nexec cat > /dev/null\n", { mode: 0o755 });
    const options = { name: "files", sdk, connectTimeoutMs: 200 };
    await using mcp = mcpTools({ command: npx, args: ["-y", "some-server"] }, options);
    await expect(mcp.connect()).rejects.toThrow(
      `The MCP server "files" (${npx}) did not answer within 200 ms (connectTimeoutMs). npx may have been downloading it still`,
    );
  });

  it("names it where nothing comes over HTTP", async () => {
    await using server = await RawHttpServer.start();
    server.onPost = () => true;
    await using mcp = mcpTools(server.url, { name: "files", sdk, connectTimeoutMs: 100 });
    await expect(mcp.connect()).rejects.toThrow(
      `The MCP server "files" at ${server.url} did not answer within 100 ms (connectTimeoutMs).`,
    );
  });

  it("says so of a program that is none", async () => {
    // Which revision it speaks is asked for a third of the time.
    await using mcp = mcpTools(echo, { name: "files", sdk, connectTimeoutMs: 9000 });
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

import { once } from "node:events";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import {
  Client as Sdk2Client,
  StreamableHTTPClientTransport as Sdk2Http,
} from "@modelcontextprotocol/client";
import { StdioClientTransport as Sdk2Stdio } from "@modelcontextprotocol/client/stdio";
import { Client as Sdk1Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Sdk1Stdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, it } from "vitest";
import { mcpTools } from "../src/index.js";
import { serveTools } from "../src/server.js";
import { readable, resultsOf, scripted, testLog } from "./support/agents.js";
import { answerOf, connected } from "./support/served.js";
import { add } from "./support/served-tools.js";

const child = {
  command: process.execPath,
  args: [
    "--conditions=@tunic/source",
    "--import=tsx",
    fileURLToPath(new URL("support/serve-process.ts", import.meta.url)),
  ],
};
const sum = { name: "add", arguments: { a: 2, b: 3 } };
describe("a server over stdio", () => {
  it("serves the first line of the SDK", async () => {
    const client = new Sdk1Client({ name: "test", version: "1" });
    await client.connect(new Sdk1Stdio(child));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["add", "wipe"]);
    expect(answerOf(await client.callTool(sum)).text).toBe("5");
    expect(answerOf(await client.callTool({ name: "wipe" })).isError).toBe(true);
    await client.close();
  });

  it.each(["auto", "legacy"] as const)(
    "serves the second line of the SDK, negotiating %s",
    async (mode) => {
      const client = new Sdk2Client(
        { name: "test", version: "1" },
        { versionNegotiation: { mode } },
      );
      await client.connect(new Sdk2Stdio(child));
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["add", "wipe"]);
      expect(answerOf(await client.callTool(sum)).text).toBe("5");
      await client.close();
    },
  );

  it("serves our own client, and ends when that goes", async () => {
    const log = testLog();
    const mcp = mcpTools(child, { name: "s", onLog: log.onLog });
    const { agent } = scripted([["s_add", sum.arguments], ["s_wipe"]], { contextProviders: [mcp] });
    const results = resultsOf((await agent.run("go")).messages);
    expect(results.map(readable)).toEqual(["5", expect.stringContaining("approval")]);
    expect(results.map(({ isError = false }) => isError)).toEqual([false, true]);
    await mcp.close();
    await log.seen("served");
  });

  it("goes on after a line that is no protocol, and ends with its input", async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const errors: unknown[] = [];
    const server = await serveTools(add, {
      transport: { stdio: { input, output } },
      onError: (error) => errors.push(error),
    });
    input.write("hello?\n");
    input.write(`${JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ping" })}\n`);
    const [line] = (await output.iterator({ destroyOnReturn: false }).next()).value
      .toString()
      .split("\n");
    expect(JSON.parse(line)).toEqual({ jsonrpc: "2.0", id: 7, result: {} });
    expect(errors).toHaveLength(1);
    input.end();
    await server.closed;
  });

  it("ends when nobody reads any more", async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const server = await serveTools(add, { transport: { stdio: { input, output } } });
    output.destroy(new Error("EPIPE"));
    await server.closed;
  });

  it("ends when what it writes to is closed", async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const server = await serveTools(add, { transport: { stdio: { input, output } } });
    output.destroy();
    await server.closed;
  });

  it.each([
    ["has ended", async (input: PassThrough) => void (await text(input.end()))],
    ["is closed", async (input: PassThrough) => void (await once(input.destroy(), "close"))],
  ])("ends at once where its input %s", async (_what, end) => {
    const input = new PassThrough();
    await end(input);
    const transport = { stdio: { input, output: new PassThrough() } };
    await (await serveTools(add, { transport })).closed;
  });

  it("has its streams for itself, until it ends", async () => {
    const transport = { stdio: { input: new PassThrough(), output: new PassThrough() } };
    const server = await serveTools(add, { transport });
    const others = { stdio: { ...transport.stdio, output: new PassThrough() } };
    for (const taken of [transport, others]) {
      await expect(serveTools(add, { transport: taken })).rejects.toMatchObject({
        name: "ConfigurationError",
        code: "invalid_option",
      });
    }
    await server.close();
    await (await serveTools(add, { transport })).close();
  });
});

describe("a server over HTTP", () => {
  it.each(["auto", "legacy"] as const)(
    "serves the second line of the SDK, negotiating %s",
    async (mode) => {
      await using server = await serveTools(add, { transport: { http: {} } });
      const client = new Sdk2Client(
        { name: "test", version: "1" },
        { versionNegotiation: { mode } },
      );
      await client.connect(new Sdk2Http(new URL(server.url ?? "")));
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["add"]);
      expect(answerOf(await client.callTool(sum)).text).toBe("5");
      await client.close();
    },
  );

  it.each([1, 2] as const)("serves our own client, over line %i of the SDK", async (sdk) => {
    const token = "a token of some length".replaceAll(" ", "-");
    await using server = await serveTools(add, {
      transport: { http: { auth: { bearer: token } } },
    });
    await using mcp = mcpTools(server.url ?? "", {
      name: "s",
      sdk,
      headers: { authorization: `Bearer ${token}` },
    });
    const { agent } = scripted([["s_add", sum.arguments]], { contextProviders: [mcp] });
    expect(resultsOf((await agent.run("go")).messages).map(readable)).toEqual(["5"]);
  });

  it.each([1, 2] as const)("has no prompts for our own client, over line %i", async (sdk) => {
    await using server = await serveTools(add, { transport: { http: {} } });
    await using mcp = mcpTools(server.url ?? "", { name: "s", sdk });
    await expect(mcp.prompt("greeting")).rejects.toMatchObject({
      code: "mcp_request_failed",
      rpcCode: -32601,
      message: "Method not found",
    });
  });

  it("keeps the answers of parallel clients and calls apart", async () => {
    await using server = await serveTools(add, { transport: { http: {} } });
    const clients = await Promise.all([0, 1, 2].map(() => connected(server.url ?? "")));
    const sums = Array.from({ length: 30 }, (_, index) => index);
    const answers = await Promise.all(
      sums.map(async (index) => {
        const client = clients[index % 3];
        const answer = await client?.callTool({ name: "add", arguments: { a: index, b: 1000 } });
        return answer && answerOf(answer).text;
      }),
    );
    expect(answers).toEqual(sums.map((index) => String(index + 1000)));
    for (const client of clients) await client.close();
  });
});

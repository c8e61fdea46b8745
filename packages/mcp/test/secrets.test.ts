import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { loadMcpServers, type McpTarget, type McpToolsOptions, mcpTools } from "../src/index.js";
import { linesAndModes, readable, resultsOf, runIn, scripted, testLog } from "./support/agents.js";
import { RawHttpServer } from "./support/raw-http-server.js";

const secret = "hunter2";

/** What is thrown, with everything that it was caused by. */
function thrown(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return told(error);
  }
  throw new Error("nothing was thrown");
}

function told(error: unknown): string {
  return error instanceof Error ? `${error.message}\n${told(error.cause)}` : `${error}`;
}

describe("errors of a configuration show no secret", () => {
  it.each<[string, McpTarget]>([
    ["a name and a password in an address", `https://mara:${secret}@s.test/mcp`],
    ["a name in an address", { url: new URL(`https://${secret}@s.test/mcp`) }],
    ["an address that is none", `https://s.test:99999/?token=${secret}`],
    ["an address that is none, in an object", { url: `s.test ${secret}` }],
    ["an address of another kind", `ftp://mara:${secret}@s.test/`],
    ["an address of another kind, in an object", { url: `ftp://mara:${secret}@s.test/` }],
    ["a variable before a command", `API_KEY=${secret} npx -y server`],
    ["a variable before a command, in an object", { command: `API_KEY=${secret} npx` }],
    ["a quote that is not closed", `npx server '--token=${secret}`],
    ["a character that no program takes, in an argument", { command: "x", args: [`${secret}\0`] }],
    [
      "a character that no program takes, in a variable",
      { command: "x", env: { T: `${secret}\0` } },
    ],
    ["a character that no program takes, in a path", { command: "x", cwd: `/${secret}\0` }],
    [
      "a header of two lines",
      { url: "https://s.test", headers: { Authorization: `Bearer\n${secret}` } },
    ],
    [
      "a header beyond Latin letters",
      { url: "https://s.test", headers: { "x-key": `${secret}…` } },
    ],
  ])("%s", (_what, target) => {
    const message = thrown(() => mcpTools(target));
    expect(message).toContain("mcpTools()");
    expect(message).not.toContain(secret);
  });

  it("a header among the options", () => {
    const headers = { authorization: `Bearer\n${secret}` };
    const message = thrown(() => mcpTools("https://s.test", { headers }));
    expect(message).toContain('"authorization"');
    expect(message).not.toContain(secret);
  });

  it("an address in a file", () => {
    const config = { mcpServers: { crm: { url: `https://mara:${secret}@s.test/mcp` } } };
    const message = thrown(() => loadMcpServers(config));
    expect(message).toContain('"crm"');
    expect(message).toContain("headers");
    expect(message).not.toContain(secret);
  });
});

describe.each([1, 2] as const)("an error of a failed connection, line %i of the SDK", (sdk) => {
  const headers = { authorization: `Bearer ${secret}` };
  const failing: readonly (readonly [string, (url: string) => McpTarget])[] = [
    ["no such program", () => ({ command: "/does/not/exist", args: ["--token", secret] })],
    ["a program that ends", () => ({ command: process.execPath, args: ["-e", `"${secret}"`] })],
    ["an answer that is none", (url) => ({ url: `${url}?key=${secret}`, headers })],
    [
      "a stream that is none",
      (url) => ({ url: `${url}?key=${secret}`, headers, transport: "sse" }),
    ],
    ["nobody there", () => ({ url: `http://127.0.0.1:1/mcp?key=${secret}`, headers })],
    [
      "nobody there, SSE",
      () => ({ url: `http://127.0.0.1:1/?key=${secret}`, headers, transport: "sse" }),
    ],
  ];

  it.each(failing)("shows no secret when it is printed: %s", async (_what, target) => {
    await using server = await RawHttpServer.start();
    server.onPost = (_request, response) => {
      response.writeHead(500).end("no");
      return true;
    };
    const log = testLog();
    await using mcp = mcpTools(target(server.url), { name: "s", sdk, onLog: log.onLog });
    const error = await mcp.connect().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "mcp_connect_failed" });
    expect(inspect([error, log.entries], { depth: 20, showHidden: true })).not.toContain(secret);
  });
});

describe.each(linesAndModes)(
  "headers that are made and cannot be sent, line $sdk, $mode",
  ({ sdk, mode }) => {
    it.each([true, false])("are shown nowhere (when connecting: %s)", async (connecting) => {
      await using server = await RawHttpServer.start();
      const log = testLog();
      await using mcp = mcpTools(server.url, {
        name: "s",
        sdk,
        onLog: log.onLog,
        headers: ({ tool }) =>
          connecting || tool !== undefined ? { authorization: `Bearer\n${secret}` } : {},
      });
      const notices: unknown[] = [];
      const { agent } = scripted([["s_go"]], {
        contextProviders: [mcp],
        invocation: { includeDetailedErrors: true },
      });
      agent.events.on("notice", (notice) => notices.push(notice));
      const said = connecting
        ? told(await runIn(mode, agent, "go").catch((error: unknown) => error))
        : resultsOf((await runIn(mode, agent, "go")).messages)
            .map(readable)
            .join();
      expect(said).toContain('"authorization"');
      expect(said + JSON.stringify([log.entries, notices])).not.toContain(secret);
      expect(server.posted.filter(({ method }) => method === "tools/call")).toEqual([]);
    });
  },
);

describe("options that would only show later", () => {
  it.each<[string, object]>([
    ["approvalMode", { approvalMode: "always" }],
    ["approvalMode", { approvalMode: null }],
    ["approvalMode.otherwise", { approvalMode: { otherwise: "never" } }],
    ["approvalMode", { approvalMode: ["write_file"] }],
    ["headers", { headers: { authorization: "Bearer x" } }],
    ["headers", { headers: () => ({}) }],
    ["allowedTools", { allowedTools: null }],
    ["allowedTools", { allowedTools: "" }],
  ])("%s is refused at once", (option, options) => {
    expect(() => mcpTools("npx s", options as McpToolsOptions)).toThrow(
      expect.objectContaining({
        code: "invalid_option",
        message: expect.stringContaining(`mcpTools(): ${option} must be`),
      }),
    );
  });
});

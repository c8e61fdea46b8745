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

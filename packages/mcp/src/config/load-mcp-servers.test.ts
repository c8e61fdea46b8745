import { mkdtempSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import type { McpToolsOptions } from "../options.js";
import { readConfiguredServer } from "./configured-server.js";
import { expandVariables } from "./expand-variables.js";
import { type McpInput, readInputs } from "./inputs.js";
import { type LoadMcpServersOptions, loadMcpServers } from "./load-mcp-servers.js";

const secret = "sk-very-secret";

function expand(text: string, environment: Record<string, string> = {}) {
  const problems: string[] = [];
  const variables = {
    environment,
    workspaceFolder: "/srv/harbor",
    input: (id: string) => (id === "known" ? secret : undefined),
  };
  const expanded = expandVariables(text, variables, (what) => problems.push(what));
  return { expanded, problems };
}

function read(entry: object, options: LoadMcpServersOptions & { folder?: string } = {}) {
  const problems: string[] = [];
  const ignored: string[] = [];
  const target = readConfiguredServer(entry as never, {
    variables: {
      environment: options.environment ?? {},
      workspaceFolder: undefined,
      input: readInputs(undefined, options.inputs),
    },
    folder: options.folder ?? "/",
    problem: (what) => problems.push(what),
    ignored: (member, meant) => ignored.push(meant ? `${member}, for ${meant}` : member),
  });
  return { target, problems, ignored };
}

const problemsOf = (config: object, options: LoadMcpServersOptions = {}): string => {
  try {
    loadMcpServers(config, { environment: {}, ...options });
  } catch (error) {
    expect(error).toMatchObject({ name: "ConfigurationError", code: "invalid_mcp_config" });
    return error instanceof Error ? error.message : "";
  }
  return "";
};

describe("variables in a file of servers", () => {
  it.each([
    ["plain", "plain"],
    ["${A}", "1"],
    ["x${A}y${env:A}", "x1y1"],
    ["${B:-two}", "two"],
    ["${EMPTY:-two}", "two"],
    ["${A:-two}", "1"],
    ["${B:-}", ""],
    ["${B:-https://a.example/:-x}", "https://a.example/:-x"],
    ["${env:B:-two}", "two"],
    ["${EMPTY}", ""],
    ["${input:known}", secret],
    ["${workspaceFolder}/x ${workspaceFolderBasename}", "/srv/harbor/x harbor"],
    ["${userHome}${/}${pathSeparator}", `${homedir()}${sep}${sep}`],
    ["$A $$ {A}", "$A $$ {A}"],
    ["${NESTED}", "${A}"],
    ["${DOLLAR}", "$& $1"],
  ])("%j becomes %j", (text, expected) => {
    const environment = { A: "1", EMPTY: "", NESTED: "${A}", DOLLAR: "$& $1" };
    expect(expand(text, environment)).toEqual({ expanded: expected, problems: [] });
  });

  it.each([
    ["${MISSING}", "needs the environment variable MISSING: set it, or write ${MISSING:-default}"],
    ["${env:MISSING}", "needs the environment variable MISSING"],
    ["${input:other}", 'needs the input "other": give loadMcpServers() `inputs: { "other": … }`'],
    ["${command:pick}", '"${command:pick}", which means nothing here'],
    ["${A:-${B}}", "means nothing here"],
    ["${open", "not closed"],
    ["${}", "means nothing here"],
    ["${toString}", "needs the environment variable toString"],
  ])("%j is a problem", (text, problem) => {
    const { problems } = expand(text);
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });
});

describe("a server of a file", () => {
  it("is a program, as Claude Desktop has it", () => {
    const entry = {
      command: "npx",
      args: ["-y", "server", "${ROOT:-.}"],
      env: { TOKEN: "${TOKEN}", PORT: 3000, UNSET: null },
      cwd: "${HOME}",
    };
    const environment = { TOKEN: secret, HOME: "/home/mara" };
    expect(read(entry, { environment })).toEqual({
      target: {
        command: "npx",
        args: ["-y", "server", "."],
        env: { TOKEN: secret, PORT: "3000" },
        cwd: "/home/mara",
      },
      problems: [],
      ignored: [],
    });
  });

  it.each([
    [{}, {}],
    [{ type: "http" }, {}],
    [{ type: "streamable-http" }, { transport: "http" }],
    [{ type: "sse" }, { transport: "sse" }],
  ])("is somewhere else: %j", (type, expected) => {
    const entry = { ...type, url: "https://${HOST}/mcp", headers: { "X-Key": "k" } };
    const { target, problems } = read(entry, { environment: { HOST: "a.example" } });
    expect({ target, problems }).toEqual({
      target: { url: "https://a.example/mcp", headers: { "X-Key": "k" }, ...expected },
      problems: [],
    });
  });

  it("is no SSE server by its address when its type says otherwise", () => {
    const { target } = read({ type: "http", url: "https://a.example/sse/" });
    expect(target).toMatchObject({ transport: "http" });
  });

  it("takes variables from a file of its own, which `env` wins over", () => {
    const folder = mkdtempSync(join(tmpdir(), "tunic-mcp-"));
    writeFileSync(join(folder, ".env"), "A=1\nB='two words' # not three\n");
    const { target } = read({ command: "x", envFile: ".env", env: { A: "own" } }, { folder });
    expect(target).toMatchObject({ env: { A: "own", B: "two words" } });
    const { problems } = read({ command: "x", envFile: "none" }, { folder });
    expect(problems).toEqual([expect.stringContaining("ENOENT")]);
  });

  it("tells what it does not take over", () => {
    const { ignored } = read({ command: "x", autoApprove: ["y"], dev: {}, disabled: false });
    expect(ignored).toEqual(["autoApprove", "dev"]);
  });

  it("tells what may be meant by it", () => {
    const { ignored } = read({ command: "x", envi: {}, tags: [] });
    expect(ignored).toEqual(["envi, for env", "tags"]);
    expect(read({ url: "https://a.example", haders: {} }).ignored).toEqual(["haders, for headers"]);
  });

  // As the settings of other programs have them, and of catalogues of servers.
  it.each([
    { command: "x", name: "tide", description: "Tides", id: "t", version: "1", icon: "x.png" },
    { command: "x", autoApprove: [], alwaysAllow: [], disabledTools: [], enabledTools: [] },
    { command: "x", timeout: 60, initTimeout: 9, trust: true, includeTools: [], excludeTools: [] },
    { command: "x", gallery: true, dev: {}, sandboxEnabled: true, sandbox: {}, transport: "stdio" },
    { command: "x", transportType: "stdio", tools: ["*"], tags: [], startup: 1, extensions: {} },
    { url: "https://a.example", oauth: {}, auth: {}, authProviderType: "x", requestInit: {} },
    { url: "https://a.example", httpUrl: "y", serverUrl: "z", command_timeout: 3, note: "" },
  ])("has no problem with what means something elsewhere: %j", (entry) => {
    expect(read(entry).problems).toEqual([]);
  });

  it.each([
    [{}, "neither `command` nor `url`"],
    ["npx", "is no object"],
    [{ command: "x", url: "https://a.example" }, "both"],
    [{ command: 1 }, "`command`, which is no text"],
    [{ command: "x", type: "http" }, 'another `type` than "stdio"'],
    [{ command: "x", args: "-y" }, "no list"],
    [{ command: "x", arg: ["-y"] }, "`arg`: write `args`"],
    [{ command: "x", env_file: ".env" }, "`env_file`: write `envFile`"],
    [{ command: "x", disable: true }, "`disable`: write `disabled`"],
    [{ url: "https://a.example", Header: {} }, "`Header`: write `headers`"],
    [{ command: "x", args: [1] }, "`args[0]`, which is no text"],
    [{ command: "x", env: ["A=1"] }, "`env` that is no object"],
    [{ command: "x", env: { A: true } }, "`env.A`, which is no text"],
    [{ url: secret }, "`url` that is none"],
    [{ url: `ftp://user:${secret}@a.example` }, "begins with none of"],
    [{ url: "https://a.example", type: "grpc" }, "`type` that is none"],
    [{ url: "https://a.example", type: 1 }, "`type` that is no text"],
    [{ url: "wss://a.example", type: "ws", headers: { A: "b" } }, "a WebSocket cannot send"],
    [{ url: "wss://a.example", headers: { A: "b" } }, "a WebSocket cannot send"],
    [{ url: "wss://a.example", type: "http", headers: { A: "b" } }, "a WebSocket cannot send"],
    [
      { url: "https://a.example", headers: { A: `${secret}\nB` } },
      '"A", whose value cannot be sent',
    ],
    [{ url: "https://a.example", headers: { "A B": secret } }, '"A B", whose name cannot be sent'],
    [{ command: "" }, "`command` that is empty"],
    [{ command: "${NONE:-}" }, "`command` that is empty"],
    [{ command: "${NONE}" }, "needs the environment variable NONE"],
    [{ command: "x", env: { A: `${secret}\0` } }, "U+0000"],
  ])("%j is a problem", (entry, problem) => {
    const { problems } = read(entry as object);
    expect(problems).toEqual([expect.stringContaining(problem)]);
    expect(problems.join()).not.toContain(secret);
  });
});

describe("loadMcpServers", () => {
  it.each([
    ["Claude's", { mcpServers: { tide: { command: "x" } } }],
    ["VS Code's", { servers: { tide: { type: "stdio", command: "x" } }, inputs: [] }],
    ["VS Code's settings", { mcp: { servers: { tide: { command: "x" } } } }],
  ])("reads %s form", (_whose, config) => {
    expect(loadMcpServers(config).map(({ name }) => name)).toEqual(["tide"]);
  });

  it("reads a file with comments, by path and by URL", () => {
    const folder = mkdtempSync(join(tmpdir(), "tunic-mcp-"));
    const path = join(folder, "mcp.json");
    writeFileSync(path, '{ // ours\n "servers": { "tide": { "url": "https://a.example/mcp" }, } }');
    for (const source of [path, pathToFileURL(path)]) {
      expect(loadMcpServers(source).map(({ name }) => name)).toEqual(["tide"]);
    }
    writeFileSync(path, `{ "mcpServers": { "tide": { "env": { "TOKEN": "${secret}" oops } } } }`);
    expect(() => loadMcpServers(path)).toThrow(/mcp\.json is no JSON: line 1, column \d+/);
    expect(() => loadMcpServers(path)).toThrow(/^(?!.*sk-very)/s);
    expect(() => loadMcpServers(join(folder, "none.json"))).toThrow("ENOENT");
  });

  it("reads what stands in a file, and shows none of it", () => {
    const text = '// ours\n{ "servers": { "tide": { "url": "https://a.example/mcp" } } }';
    const object = text.slice(text.indexOf("{"));
    for (const source of [text, object, `\ufeff ${object}`]) {
      expect(loadMcpServers(source).map(({ name }) => name)).toEqual(["tide"]);
    }
    for (const source of [`{"mcpServers": "${secret}"`, ` ["${secret}"]`, `\n${secret}`]) {
      expect(() => loadMcpServers(source)).toThrow(
        expect.objectContaining({
          code: "invalid_mcp_config",
          message: expect.not.stringContaining(secret),
        }),
      );
    }
  });

  it("wants options, or false, for each server", () => {
    const tools = () => undefined as never;
    expect(() => loadMcpServers({ mcpServers: { tide: { command: "x" } } }, { tools })).toThrow(
      expect.objectContaining({
        code: "invalid_option",
        message: expect.stringContaining('for each server; not so for "tide"'),
      }),
    );
  });

  it("may share headers, which only servers elsewhere get", () => {
    const config = { mcpServers: { a: { command: "x" }, b: { url: "https://b.example" } } };
    expect(loadMcpServers(config, { tools: { headers: { "x-key": "k" } } })).toHaveLength(2);
  });

  it("leaves out what is switched off, in the file or by the options", () => {
    const config = {
      mcpServers: {
        a: { command: "x", disabled: true, env: { TOKEN: "${MISSING}" } },
        b: { command: "x", enabled: false },
        c: { command: "${MISSING}" },
        d: { command: "x" },
      },
    };
    const tools = (name: string): McpToolsOptions | false => name !== "c" && {};
    expect(loadMcpServers(config, { tools }).map(({ name }) => name)).toEqual(["d"]);
  });

  it.each([{ disabled: "true" }, { enabled: 0 }, { disabled: null }])(
    "starts nothing where %j does not say whether it is switched off",
    (said) => {
      expect(problemsOf({ mcpServers: { a: { command: "x", ...said } } })).toMatch(
        /"a" has `(disabled|enabled)`, which is neither true nor false/,
      );
    },
  );

  it("takes no input that is no text, such as one that comes later", () => {
    const config = { servers: { a: { command: "x", env: { KEY: "${input:key}" } } } };
    const later = (() => Promise.resolve(secret)) as never;
    for (const inputs of [later, { key: 5 } as never]) {
      expect(problemsOf(config, { inputs })).toContain("for which `inputs` gives no text");
    }
  });

  it("tells everything that is wrong at once, by server, without any value", () => {
    const message = problemsOf({
      mcpServers: {
        weather: { command: "x", env: { TOKEN: "${WEATHER_TOKEN}", OTHER: secret } },
        mail: { url: `${secret}:`, headers: { Authorization: `Bearer ${secret}` } },
        "§": { command: "x" },
      },
    });
    expect(message.split("\n")).toEqual([
      "The configuration of MCP servers:",
      '- The server "weather" has `env.TOKEN`, which needs the environment variable WEATHER_TOKEN: set it, or write ${WEATHER_TOKEN:-default}.',
      '- The server "mail" has a `url` that begins with none of http:, https:, ws: and wss:.',
      '- The server "§" has a name without letters and digits: call it something else.',
    ]);
    expect(message).not.toContain(secret);
  });

  it("refuses two servers of one label, and a file without servers", () => {
    const two = { "my server": { command: "x" }, "my/server": { command: "y" } };
    expect(problemsOf({ mcpServers: two })).toContain(
      'The server "my/server" and "my server" would both be "my-server": rename one.',
    );
    expect(problemsOf({})).toContain("has no servers");
    expect(problemsOf({ mcpServers: [] })).toContain("no object, by name");
    expect(problemsOf([])).toContain("is no object");
    expect(() => loadMcpServers({}, { tool: {} } as never)).toThrow('no option "tool"');
  });

  it("asks for each input once, as the file describes it", () => {
    const asked: McpInput[] = [];
    const config = {
      inputs: [
        { type: "promptString", id: "key", description: "The key", password: true },
        { type: "pickString", id: "region", options: ["eu", "us"], default: "eu" },
      ],
      servers: {
        a: { command: "x", env: { KEY: "${input:key}", REGION: "${input:region}" } },
        b: { url: "https://a.example", headers: { Authorization: "Bearer ${input:key}" } },
      },
    };
    const inputs = (input: McpInput) => {
      asked.push(input);
      return secret;
    };
    expect(loadMcpServers(config, { inputs })).toHaveLength(2);
    expect(asked).toEqual([
      { id: "key", description: "The key", secret: true },
      { id: "region", options: ["eu", "us"], default: "eu", secret: false },
    ]);
    expect(problemsOf(config, { inputs: { key: "k" } })).toMatch(
      /"a" has `env\.REGION`, which needs the input "region"/,
    );
  });
});

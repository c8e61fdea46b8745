import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitCommand } from "./command-line.js";
import { type McpTransport, readTarget } from "./target.js";

describe("readTarget", () => {
  const kindOf = (target: string | { url: string }, transport?: McpTransport) => {
    const read = readTarget(target, transport);
    return read.kind === "http" ? read.transport : read.kind;
  };

  it.each([
    ["https://example.com/mcp", "auto"],
    ["HTTPS://EXAMPLE.COM/MCP", "auto"],
    ["https://example.com", "auto"],
    ["https://example.com/sse", "sse"],
    ["https://example.com/SSE/", "sse"],
    ["https://example.com/a/Sse//?key=1#x", "sse"],
    ["https://example.com/mcp?next=/sse", "auto"],
    ["https://example.com/messe", "auto"],
    ["https://example.com/sse/v2", "auto"],
    ["ws://example.com/sse", "websocket"],
    ["WSS://example.com/", "websocket"],
    ["npx -y some-server", "stdio"],
    ["  node ./https.js ", "stdio"],
  ])("takes %s for %s", (target, kind) => {
    expect(kindOf(target)).toBe(kind);
  });

  it.each([
    ["https://example.com/sse", "http", "http"],
    ["https://example.com/mcp", "sse", "sse"],
    ["https://example.com/mcp", "websocket", "websocket"],
    ["ws://example.com/mcp", "http", "http"],
  ] as const)("lets an explicit transport win: %s as %s", (url, transport, kind) => {
    expect(kindOf(url, transport)).toBe(kind);
    expect(kindOf({ url })).not.toBe(kind);
    expect(kindOf({ url, transport } as { url: string })).toBe(kind);
    // What is said where the target is used wins over what the target says.
    const other = transport === "http" ? "sse" : "http";
    expect(kindOf({ url, transport: other } as { url: string }, transport)).toBe(kind);
  });

  it("keeps a secure address secure, and its query", () => {
    expect(readTarget("https://example.com/a?b=c", "websocket")).toMatchObject({
      url: new URL("wss://example.com/a?b=c"),
    });
    expect(readTarget("ws://example.com:81/a", "sse")).toMatchObject({
      url: new URL("http://example.com:81/a"),
    });
  });

  it.each([
    [""],
    ["ftp://example.com"],
    ["file:///etc/passwd"],
    ["https://"],
    [{}],
    [null],
    [{ command: "" }],
    [{ command: "a", args: "b" }],
    [{ command: "a", env: { A: 1 } }],
    [{ url: "nowhere" }],
    [{ url: "https://example.com", headers: { a: 1 } }],
    [{ url: "https://example.com", headers: new Headers({ a: "1" }) }],
    ['npx "unclosed'],
  ])("refuses %j", (target) => {
    expect(() => readTarget(target as string)).toThrow(
      expect.objectContaining({ code: "invalid_target" }),
    );
  });

  it.each([
    [{ command: "npx", arg: ["-y", "some-server"] }, 'no option "arg"; did you mean "args"?'],
    [{ command: "npx", disable: true }, 'no option "disable". It takes: command, args, env, cwd'],
    [{ url: "https://example.com", header: {} }, 'no option "header"; did you mean "headers"?'],
    [{ url: "https://example.com", args: [] }, 'no option "args"'],
  ])("says what is not known of %j", (target, message) => {
    expect(() => readTarget(target as never)).toThrow(
      expect.objectContaining({
        code: "unknown_option",
        message: expect.stringContaining(message),
      }),
    );
  });

  it.each([
    ["localhost:3000/mcp", "without http://"],
    ["[::1]:80", "without http://"],
    [{ url: "https://example.com", headers: () => ({}) }, "mcpTools({ url }, { headers })"],
    [{ url: "https://example.com", headers: { a: "b", c: undefined } }, '`headers` whose "c" is'],
    [{ command: "npx", env: { A: "b", C: 1 } }, '`env` whose "C" is no text'],
  ])("says what to write instead of %j", (target, message) => {
    expect(() => readTarget(target as never)).toThrow(message);
  });

  it("takes a URL as it is, and a path for a command", () => {
    const url = new URL("https://example.com/sse");
    expect(readTarget(url)).toMatchObject({ kind: "http", url, transport: "sse" });
    for (const command of ["C:/tools/server.exe", "./server", "bin.d/server"]) {
      expect(readTarget(command)).toMatchObject({ kind: "stdio", command });
    }
  });

  it("refuses a command over a transport that needs an address", () => {
    expect(() => readTarget("npx server", "http")).toThrow(/write a URL/);
    expect(() => readTarget({ command: "npx" }, "sse")).toThrow(/write a URL/);
  });
});

describe("splitCommand", () => {
  it.each([
    ["npx -y  some-server\t--flag", ["npx", "-y", "some-server", "--flag"]],
    [`run "two words" 'and "these"' it''s`, ["run", "two words", 'and "these"', "its"]],
    [`a "" b`, ["a", "", "b"]],
    [
      String.raw`C:\tools\node.exe "C:\My Files\s.js"`,
      ["C:\\tools\\node.exe", "C:\\My Files\\s.js"],
    ],
    [String.raw`say "a \"b\"" c\ d`, ["say", 'a "b"', "c d"]],
    ["$HOME *", ["$HOME", "*"]],
  ])("parts %s", (line, words) => {
    expect(splitCommand(line)).toEqual(words);
  });

  it("gives back any words that were quoted", () => {
    const word = fc.string().filter((text) => !text.includes("'"));
    fc.assert(
      fc.property(fc.array(word), (words) => {
        expect(splitCommand(words.map((each) => `'${each}'`).join(" "))).toEqual(words);
      }),
    );
  });
});

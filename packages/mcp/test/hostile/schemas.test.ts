import type { JsonObject } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { mcpTools } from "../../src/index.js";
import { readable, resultsOf, scripted } from "../support/agents.js";
import { type RawServer, rawServer } from "../support/raw-server.js";

type Script = (server: RawServer) => void;

/** Calls a tool with a weapon for a schema, and one beside it. */
async function callBoth(script: Script, args: JsonObject) {
  await using mcp = mcpTools(rawServer(script), { name: "s" });
  const { agent, client } = scripted([["s_bad", args], ["s_good"]], { contextProviders: [mcp] });
  const notices: string[] = [];
  const { messages } = await agent.run("go", {
    onEvent(event) {
      if (event.type === "notice") notices.push(event.code);
    },
  });
  const [bad, good] = resultsOf(messages);
  if (bad === undefined || good === undefined) throw new Error("both calls have a result");
  expect(readable(good)).toBe("good");
  const offered = client.requests[0]?.options.tools?.find(({ name }) => name === "s_bad");
  return {
    bad,
    notices,
    parameters: offered?.type === "function" ? offered.parameters : undefined,
  };
}

describe("a server whose definitions are weapons", () => {
  it.each<[string, Script]>([
    [
      "nested deeply",
      (server) => {
        let properties = {};
        for (let level = 0; level < 50_000; level++) properties = { a: properties };
        // As text: whoever writes it by calling himself falls, too.
        const text = `${'{"a":'.repeat(50_000)}{}${"}".repeat(50_000)}`;
        server.on("tools/list", (_params, id) => {
          const bad = `{"name":"bad","inputSchema":{"type":"object","properties":${text}}}`;
          const good = '{"name":"good","inputSchema":{"type":"object"}}';
          server.write(`{"jsonrpc":"2.0","id":${id},"result":{"tools":[${bad},${good}]}}\n`);
        });
        server.on("tools/call", ({ name = "" }) => server.text(name));
      },
    ],
    [
      "doubling at each level (anyOf)",
      (server) => {
        const $defs: Record<string, unknown> = { a0: { type: "number" } };
        for (let level = 0; level < 40; level++) {
          const $ref = `#/$defs/a${level}`;
          $defs[`a${level + 1}`] = { anyOf: [{ $ref }, { $ref }] };
        }
        const properties = { x: { $ref: "#/$defs/a40" } };
        server.tools(
          { name: "bad", inputSchema: { type: "object", properties, $defs } },
          { name: "good" },
        );
        server.on("tools/call", ({ name = "" }) => server.text(name));
      },
    ],
    [
      "doubling at each level, behind addresses of its own (allOf)",
      (server) => {
        let x: object = { type: "number" };
        for (let level = 0; level < 30; level++) {
          const $ref = "#/$defs/n";
          x = { $id: `https://example.com/${level}`, allOf: [{ $ref }, { $ref }], $defs: { n: x } };
        }
        server.tools(
          { name: "bad", inputSchema: { type: "object", properties: { x } } },
          { name: "good" },
        );
        server.on("tools/call", ({ name = "" }) => server.text(name));
      },
    ],
    [
      "one large part, referred to a thousand times",
      (server) => {
        const big = {
          properties: Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`p${at}`, {}])),
        };
        const all = Array.from({ length: 1000 }, () => ({ $ref: "#/$defs/b" }));
        const inputSchema = {
          type: "object",
          properties: { x: { anyOf: all } },
          $defs: { b: big },
        };
        server.tools({ name: "bad", inputSchema }, { name: "good" });
        server.on("tools/call", ({ name = "" }) => server.text(name));
      },
    ],
    [
      "large",
      (server) => {
        const inputSchema = { type: "object", description: "x".repeat(100_000) };
        server.tools({ name: "bad", inputSchema }, { name: "good" });
        server.on("tools/call", ({ name = "" }) => server.text(name));
      },
    ],
    [
      "to be fetched",
      (server) => {
        const properties = { x: { $ref: "http://127.0.0.1:1/x" } };
        server.tools(
          { name: "bad", inputSchema: { type: "object", properties } },
          { name: "good" },
        );
        server.on("tools/call", ({ name = "" }) => server.text(name));
      },
    ],
    [
      "a file",
      (server) => {
        const properties = { x: { $dynamicRef: "file:///etc/passwd" } };
        server.tools(
          { name: "bad", inputSchema: { type: "object", properties } },
          { name: "good" },
        );
        server.on("tools/call", ({ name = "" }) => server.text(name));
      },
    ],
    [
      "no schema",
      (server) => {
        server.tools({ name: "bad", inputSchema: { type: "string" } }, { name: "good" });
        server.on("tools/call", ({ name = "" }) => server.text(name));
      },
    ],
  ])("loses the tool, and no other: %s", async (_what, script) => {
    const { bad, notices, parameters } = await callBoth(script, { x: "v" });
    expect(bad.isError).toBe(true);
    expect(parameters).toBeUndefined();
    expect(notices).toContainEqual(expect.stringMatching(/^mcp_tool_(too_large|unusable)$/));
  });

  it("has no pattern run that might never end; the model reads it all the same", async () => {
    const { bad, notices, parameters } = await callBoth(
      (server) => {
        const properties = { x: { type: "string", pattern: "^(a+)+$" }, y: { pattern: "^a$" } };
        const inputSchema = { type: "object", properties, patternProperties: { "(b|b)*$": {} } };
        server.tools({ name: "bad", inputSchema }, { name: "good" });
        server.on("tools/call", ({ name = "" }) => server.text(name));
      },
      { x: `${"a".repeat(100)}!`, y: "a", [`${"b".repeat(100)}!`]: 1 },
    );
    expect(readable(bad)).toBe("bad");
    expect(notices).toContain("mcp_pattern_unchecked");
    expect(parameters).toMatchObject({
      description: "Pattern: (b|b)*$",
      properties: { x: { description: "Pattern: ^(a+)+$" }, y: { pattern: "^a$" } },
    });
  });

  it("has patterns checked that are harmless", async () => {
    const { bad, notices } = await callBoth(
      (server) => {
        const properties = { x: { type: "string", pattern: "^[a-z]+(-[a-z]+)*$" } };
        server.tools(
          { name: "bad", inputSchema: { type: "object", properties } },
          { name: "good" },
        );
        server.on("tools/call", ({ name = "" }) => server.text(name));
      },
      { x: "No Slug" },
    );
    expect(bad.error?.code).toBe("invalid_arguments");
    expect(notices).toEqual([]);
  });

  it("has no check begun that would double with each level", async () => {
    let x: JsonObject = { kind: 3 };
    for (let level = 0; level < 60; level++) x = { kind: 3, a: x };
    const { bad } = await callBoth(
      (server) => {
        const form = (kind: number) => ({
          properties: { kind: { const: kind }, a: { $ref: "#/$defs/n" } },
        });
        const $defs = { n: { anyOf: [form(1), form(2)] } };
        const inputSchema = { type: "object", properties: { x: { $ref: "#/$defs/n" } }, $defs };
        server.tools({ name: "bad", inputSchema }, { name: "good" });
        server.on("tools/call", ({ name = "" }) => server.text(name));
      },
      { x },
    );
    expect(bad.error?.code).toBe("invalid_arguments");
    expect(readable(bad)).toContain("Use fewer levels");
  });
});

describe("a server that lists without end", () => {
  it.each<[string, Script]>([
    [
      "too many tools",
      (server) => server.tools(...Array.from({ length: 501 }, (_, at) => ({ name: `t${at}` }))),
    ],
    [
      "the same page again",
      (server) => server.on("tools/list", () => ({ tools: [], nextCursor: "again" })),
    ],
    [
      "empty pages, each with another cursor",
      (server) => {
        let page = 0;
        server.on("tools/list", () => ({ tools: [], nextCursor: `${page++}` }));
      },
    ],
  ])("is left: %s", async (_what, script) => {
    await using mcp = mcpTools(rawServer(script), { name: "s" });
    await expect(mcp.connect()).rejects.toMatchObject({ code: "mcp_endless_list" });
  });
});

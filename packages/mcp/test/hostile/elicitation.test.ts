import { AgentSession, approve, deny, type JsonObject } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { mcpTools } from "../../src/index.js";
import { readable, resultsOf, scripted, testLog } from "../support/agents.js";
import { askingServer } from "../support/asking-server.js";
import { rawServer } from "../support/raw-server.js";

const target = rawServer(askingServer);

const form = (properties: JsonObject, message = "Which?"): JsonObject => ({
  params: { message, requestedSchema: { type: "object", properties } },
});

async function ask(args: JsonObject) {
  await using mcp = mcpTools(target, { name: "s" });
  const { agent } = scripted([["s_ask", args]], { contextProviders: [mcp] });
  const session = new AgentSession();
  const { messages } = await agent.run("go", { session });
  const [result] = resultsOf(messages);
  return { text: result ? readable(result) : "", pending: session.pending };
}

/** What people are shown of a question. */
async function shown(args: JsonObject) {
  const { pending } = await ask(args);
  const [request] = pending;
  if (request === undefined) throw new Error("somebody is asked");
  return request;
}

describe("a server that asks people", () => {
  it("is always named, whoever it says that it is", async () => {
    const { tool, reason, additionalProperties } = await shown(
      form({ pin: { type: "string" } }, "Your bank asks: what is your PIN?"),
    );
    expect(tool).toMatchObject({
      owner: "s",
      name: "s_elicitation",
      traits: { trust: "external" },
    });
    expect(reason).toContain('The MCP server "s" asks');
    expect(additionalProperties?.["elicitation"]).toMatchObject({ server: "s" });
  });

  it("writes nothing that looks other than it is", async () => {
    const evil = "\u001b[2J\u202eevil\u2066\u{E0041}\u0007";
    const request = await shown(
      form(
        {
          a: { type: "string", title: evil, description: evil, default: evil },
          b: { type: "string", enum: ["x"], enumNames: [evil] },
          c: { type: "string", oneOf: [{ const: "x", title: evil }] },
          d: { type: "array", items: { anyOf: [{ const: "x", title: evil }] } },
        },
        `Which?${evil}`,
      ),
    );
    const text = JSON.stringify(request);
    expect(text).toContain("[2Jevil");
    expect(text).not.toMatch(/\\u001b|\\u0007|[\u202e\u2066]|\u{E0041}/u);
  });

  it.each<[string, JsonObject]>([
    ["a name of a field that cannot be shown", form({ "a\u202eb": { type: "string" } })],
    ["a choice that cannot be shown", form({ a: { type: "string", enum: ["\u001b[31mx"] } })],
    [
      "a choice with a title that cannot",
      form({ a: { type: "string", oneOf: [{ const: "x\ny" }] } }),
    ],
    ["nothing but what cannot be seen", form({ a: { type: "string" } }, "\u200b\u202e")],
    [
      "more fields than anybody fills in",
      form(
        Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`f${at}`, { type: "string" }])),
      ),
    ],
    ["a form that is a load", form({ a: { type: "string", description: "x".repeat(70_000) } })],
    ["a page that is code", url("javascript:alert(1)")],
    ["a page that is code, in disguise", url(" JaVaScRiPt:alert(1)")],
    ["a page of its own making", url("data:text/html,<script>alert(1)</script>")],
    ["a file", url("file:///etc/passwd")],
    ["a page behind a name", url("https://bank.example.com@evil.example.com/")],
    ["a program", url("vscode://extension/install")],
    ["an address without an end", url(`https://example.com/${"x".repeat(5000)}`)],
  ])("is told that it makes no sense: %s", async (_what, args) => {
    const { text, pending } = await ask(args);
    expect(JSON.parse(text)).toMatchObject([{ code: -32602 }]);
    expect(pending).toEqual([]);
  });

  it("shows where a page really is, look-alike letters included", async () => {
    const { reason, call } = await shown(url("https://\u0430pple.com/\u202emoc"));
    expect(reason).toContain("open xn--");
    expect(JSON.stringify(call.arguments)).not.toMatch(/[\u0430\u202e]/);
  });

  it("has no pattern run, and no field that a form does not have", async () => {
    const { tool } = await shown(
      form({
        a: { type: "string", pattern: "^(a+)+$", $ref: "#", "x-run": "rm" },
        constructor: { type: "boolean" },
      }),
    );
    expect(tool?.parameters).toEqual({
      type: "object",
      properties: { a: { type: "string" }, constructor: { type: "boolean" } },
      additionalProperties: false,
    });
  });

  it("is answered for long, and not for ever", async () => {
    const log = testLog();
    await using mcp = mcpTools(target, { name: "s", onLog: log.onLog });
    const { agent } = scripted([["s_again", form({ a: { type: "string" } })]], {
      contextProviders: [mcp],
    });
    const session = new AgentSession();
    let response = await agent.run("go", { session });
    let asked = 0;
    while (response.outcome === "paused" && asked < 100) {
      asked += 1;
      const [request] = session.pending;
      if (request === undefined) throw new Error("somebody is asked");
      const answer = asked % 2 === 0 ? deny(request) : approve(request, { arguments: { a: "x" } });
      response = await agent.run(answer, { session });
    }
    expect(asked).toBe(20);
    expect(response.outcome).toBe("completed");
    await log.seen("the call has asked too often");
  });

  it("after its call has ended, or without one, is answered by nobody", async () => {
    const log = testLog();
    await using mcp = mcpTools(target, { name: "s", onLog: log.onLog });
    const { agent } = scripted([["s_later", { ...form({ a: { type: "string" } }), later: true }]], {
      contextProviders: [mcp],
    });
    const session = new AgentSession();
    const { outcome } = await agent.run("go", { session });
    expect(outcome).toBe("completed");
    await mcp.list("resources");
    await log.seen("LATE ANSWER");
    expect(session.pending).toEqual([]);
    const second = scripted([["s_answers"]], { contextProviders: [mcp] });
    const [result] = resultsOf((await second.agent.run("go")).messages);
    expect(result && readable(result)).toBe('[{"action":"cancel"}]');
  });
});

describe("a server that wants to know where it is", () => {
  it("learns of no folder unless it is told of some", async () => {
    const roots = { method: "roots/list", params: {} };
    expect(JSON.parse((await ask(roots)).text)).toMatchObject([{ code: -32601 }]);
    await using mcp = mcpTools(target, { name: "s", roots: ["/srv/notes"] });
    const { agent } = scripted([["s_ask", { method: "roots/list", params: { path: "/" } }]], {
      contextProviders: [mcp],
    });
    const [result] = resultsOf((await agent.run("go")).messages);
    expect(result && readable(result)).toBe('[{"roots":[{"uri":"file:///srv/notes"}]}]');
  });

  it.each(["ping/../secrets", "completion/complete", "tools/call", "constructor", "__proto__"])(
    "gets no answer to what nobody offers: %s",
    async (method) => {
      expect(JSON.parse((await ask({ method, params: {} })).text)).toMatchObject([
        { code: -32601 },
      ]);
    },
  );
});

function url(address: string): JsonObject {
  return { params: { mode: "url", message: "Open this.", url: address, elicitationId: "1" } };
}

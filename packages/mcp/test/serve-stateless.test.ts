import { Client as Sdk2Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type JsonObject, tool } from "@tunic/core";
import { afterEach, describe, expect, it } from "vitest";
import { servedClient, serveTools } from "../src/server.js";
import { askedClient } from "./support/asked-client.js";
import { deferred } from "./support/deferred.js";
import { bearer, callers, serveHttp, stopServing, two } from "./support/http-served.js";
import { rawRequest } from "./support/raw-request.js";
import { add } from "./support/served-tools.js";
import { meta, stateless } from "./support/stateless-request.js";

afterEach(stopServing);

const serverInfo = { "io.modelcontextprotocol/serverInfo": { name: "tunic", version: "0.0.0" } };
const without = (key: string): JsonObject =>
  Object.fromEntries(Object.entries(meta).filter(([name]) => !name.endsWith(key)));

describe("a server over HTTP, without sessions,", () => {
  it("says what it is, and keeps nothing of who asks", async () => {
    const url = await serveHttp();
    const { status, result, headers } = await stateless(url, "server/discover");
    expect(status).toBe(200);
    expect(result).toEqual({
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: { listChanged: true } },
      ttlMs: 0,
      cacheScope: "private",
      _meta: serverInfo,
    });
    expect(headers["mcp-session-id"]).toBeUndefined();
  });

  it("lists tools, and calls them", async () => {
    const url = await serveHttp();
    const { result: list } = await stateless(url, "tools/list");
    expect(list).toMatchObject({ tools: [{ name: "who" }], ttlMs: 0, cacheScope: "private" });
    const { result } = await stateless(url, "tools/call", { name: "who" });
    expect(result).toEqual({
      content: [{ type: "text", text: "nobody" }],
      resultType: "complete",
      _meta: serverInfo,
    });
  });

  it("asks who it is at every request", async () => {
    const url = await serveHttp(two);
    callers.length = 0;
    const call = (headers: Readonly<Record<string, string>>) =>
      stateless(url, "tools/call", { name: "who" }, headers);
    expect((await call({})).status).toBe(401);
    expect((await call({ authorization: "Bearer wrong-but-long-enough" })).status).toBe(401);
    expect((await call(bearer("mara"))).result["content"]).toEqual([
      { type: "text", text: "mara" },
    ]);
    expect((await call(bearer("otto"))).result["content"]).toEqual([
      { type: "text", text: "otto" },
    ]);
    expect((await call({})).status).toBe(401);
    expect(callers.map((caller) => caller?.id)).toEqual(["mara", "otto"]);
  });

  it.each([
    ["no _meta", { _meta: {} }, {}, -32602],
    ["no version", { _meta: without("/protocolVersion") }, {}, -32602],
    ["no capabilities", { _meta: without("/clientCapabilities") }, {}, -32602],
    [
      "a client that is a text",
      { _meta: { ...meta, "io.modelcontextprotocol/clientInfo": "me" } },
      {},
      -32602,
    ],
    ["a name that is no text", { name: { toString: 1 } }, {}, -32602],
    ["answers that are none", { inputResponses: null }, {}, -32602],
    ["no header for the version", {}, { "mcp-protocol-version": "" }, -32020],
    ["another version as a header", {}, { "mcp-protocol-version": "2026-07-29" }, -32020],
    ["no header for the method", {}, { "mcp-method": "" }, -32020],
    ["another method as a header", {}, { "mcp-method": "tools/list" }, -32020],
    ["a method in capitals", {}, { "mcp-method": "TOOLS/CALL" }, -32020],
    ["no header for the name", {}, { "mcp-name": "" }, -32020],
    ["another name as a header", {}, { "mcp-name": "whom" }, -32020],
    ["a name that is no Base64", {}, { "mcp-name": "=?base64?d2h?=" }, -32020],
  ] as const)("refuses a call with %s", async (_what, params, headers, code) => {
    callers.length = 0;
    const url = await serveHttp();
    const answer = await stateless(url, "tools/call", { name: "who", ...params }, headers);
    expect(answer).toMatchObject({ code, messages: [{ id: 7 }] });
    expect(answer.status).toBe(code === -32602 && !("_meta" in params) ? 200 : 400);
    expect(callers).toEqual([]);
  });

  it("takes a name that is written as Base64, and spaces around", async () => {
    const url = await serveHttp();
    for (const name of ["=?base64?d2hv?=", "  who  "]) {
      expect(
        await stateless(url, "tools/call", { name: "who" }, { "mcp-name": name }),
      ).toMatchObject({
        status: 200,
      });
    }
  });

  it("says which revision it speaks, where another is wanted", async () => {
    const version = "2099-01-01";
    const _meta = { ...meta, "io.modelcontextprotocol/protocolVersion": version };
    const headers = { "mcp-protocol-version": version };
    const { status, messages } = await stateless(
      await serveHttp(),
      "tools/list",
      { _meta },
      headers,
    );
    expect(status).toBe(400);
    expect(messages).toMatchObject([
      { error: { code: -32022, data: { supported: ["2026-07-28"], requested: version } } },
    ]);
  });

  it.each(["initialize", "ping", "prompts/list", "toString"])("has no %s", async (method) => {
    expect(await stateless(await serveHttp(), method)).toMatchObject({ status: 404, code: -32601 });
  });

  it("answers a call of a tool that is not there", async () => {
    const answer = await stateless(await serveHttp(), "tools/call", { name: "whom" });
    expect(answer).toMatchObject({ status: 200, code: -32602 });
  });

  it("takes notifications, and does nothing", async () => {
    const url = await serveHttp();
    const { status, body } = await rawRequest(url, {
      body: { jsonrpc: "2.0", method: "notifications/cancelled", params: { _meta: meta } },
    });
    expect([status, body]).toEqual([202, ""]);
  });

  it("refuses what is no request", async () => {
    const url = await serveHttp();
    for (const id of [null, {}, true]) {
      const body = { jsonrpc: "2.0", id, method: "tools/list", params: { _meta: meta } };
      expect((await rawRequest(url, { body })).status).toBe(400);
    }
  });

  it("wants arguments as headers where the tool does, and the same", async () => {
    const at = tool({
      name: "at",
      parameters: {
        type: "object",
        properties: {
          region: { type: "string", "x-mcp-header": "Region" },
          deep: {
            type: "object",
            properties: { count: { type: "integer", "x-mcp-header": "Count" } },
          },
        },
      },
      execute: (input) => JSON.stringify(input),
    });
    await using server = await serveTools(at, { transport: { http: {} } });
    const call = (args: JsonObject, headers: Readonly<Record<string, string>>) =>
      stateless(server.url ?? "", "tools/call", { name: "at", arguments: args }, headers);
    expect((await call({ region: "eu" }, { "mcp-param-region": "eu" })).status).toBe(200);
    expect((await call({ region: "ä" }, { "mcp-param-region": "=?base64?w6Q=?=" })).status).toBe(
      200,
    );
    expect((await call({ deep: { count: 42 } }, { "mcp-param-count": "42.0" })).status).toBe(200);
    expect((await call({}, {})).status).toBe(200);
    for (const args of [{}, { region: null }, { region: ["us"] }, { deep: { region: "us" } }]) {
      expect(await call(args, { "mcp-param-region": "us" })).toMatchObject({ code: -32020 });
    }
    // A text that is read as the object that it stands for.
    expect(await call({ deep: '{"count":42}' }, {})).toMatchObject({ code: -32020 });
    expect(await call({ region: "eu" }, {})).toMatchObject({ status: 400, code: -32020 });
    expect(await call({ region: "eu" }, { "mcp-param-region": "us" })).toMatchObject({
      code: -32020,
    });
    expect(await call({ region: "eu" }, { "mcp-param-region": "=?base64?ZXU?=" })).toMatchObject({
      code: -32020,
    });
    expect(await call({ deep: { count: 42 } }, { "mcp-param-count": "43" })).toMatchObject({
      code: -32020,
    });
  });

  it("tells what a tool fails without that the client has not", async () => {
    const asks = tool({
      name: "asks",
      execute: async (_input, context) => {
        return (await servedClient(context)?.listRoots())?.length;
      },
    });
    await using server = await serveTools(asks, { transport: { http: {} } });
    const { status, messages } = await stateless(server.url ?? "", "tools/call", { name: "asks" });
    expect(status).toBe(400);
    expect(messages).toMatchObject([
      { error: { code: -32021, data: { requiredCapabilities: { roots: {} } } } },
    ]);
  });

  it("keeps to itself why a run has failed", async () => {
    const errors: unknown[] = [];
    const fails = () => {
      throw new Error("secret");
    };
    await using server = await serveTools(add, {
      transport: { http: {} },
      contextProviders: [{ name: "fails", provide: fails }],
      onError: (error) => errors.push(error),
    });
    const params = { name: "add", arguments: { a: 1, b: 2 } };
    const { code, body } = await stateless(server.url ?? "", "tools/call", params);
    expect(code).toBe(-32603);
    expect(body).not.toContain("secret");
    expect(errors).toHaveLength(1);
  });
});

describe("the second line of the SDK", () => {
  it("speaks the newest revision with it, and hears of progress", async () => {
    const steps = tool({
      name: "steps",
      execute: async (_input, context) => {
        await context.reportProgress("one");
        await context.reportProgress("two");
        return "done";
      },
    });
    await using server = await serveTools(steps, { transport: { http: {} } });
    await using client = await askedClient(2, server.url ?? "");
    const sdk2 = client.client as Sdk2Client;
    expect(sdk2.getNegotiatedProtocolVersion()).toBe("2026-07-28");
    const told: unknown[] = [];
    await sdk2.callTool(
      { name: "steps" },
      { onprogress: ({ progress, message }) => told.push([progress, message]) },
    );
    expect(told).toEqual([
      [1, "one"],
      [2, "two"],
    ]);
  });

  it("ends a call by going away", async () => {
    const stopped = deferred<unknown>();
    const began = deferred();
    const waits = tool({
      name: "waits",
      execute: (_input, { signal }) =>
        new Promise<string>((_resolve, reject) => {
          signal?.addEventListener("abort", () => {
            stopped.resolve(signal.reason);
            reject(signal.reason);
          });
          began.resolve();
        }),
    });
    const errors: unknown[] = [];
    await using server = await serveTools(waits, {
      transport: { http: {} },
      onError: (error) => errors.push(error),
    });
    await using client = await askedClient(2, server.url ?? "");
    const leaving = new AbortController();
    const call = client.call("waits", {}, leaving.signal).catch(() => "left");
    await began.promise;
    leaving.abort();
    expect(await call).toBe("left");
    await stopped.promise;
    await server.close();
    expect(errors).toEqual([]);
  });

  it("hears of other tools", async () => {
    const tools = [add];
    await using server = await serveTools(() => tools, { transport: { http: {} } });
    const heard = deferred<readonly string[]>();
    const client = new Sdk2Client(
      { name: "test", version: "1" },
      {
        versionNegotiation: { mode: "auto" },
        listChanged: {
          tools: {
            debounceMs: 0,
            onChanged: (_error, list) => heard.resolve((list ?? []).map(({ name }) => name)),
          },
        },
      },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url ?? "")));
    tools.push(tool({ name: "more", execute: () => "more" }) as never);
    await server.toolsChanged();
    expect(await heard.promise).toEqual(["add", "more"]);
    await client.close();
  });
});

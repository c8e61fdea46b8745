import { afterEach, describe, expect, it } from "vitest";
import { bearer, serveHttp, stopServing, two } from "./support/http-served.js";
import { initialize, ping, type RawRequest, rawRequest, rawStatus } from "./support/raw-request.js";

afterEach(stopServing);

describe("a server over HTTP", () => {
  it("listens at the loopback address unless told otherwise", async () => {
    expect(await serveHttp()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  });

  it.each(["0.0.0.0", "::", "192.168.7.7", "mcp.example"])(
    "does not listen at %s without authentication",
    async (host) => {
      await expect(serveHttp({ host, allowedHosts: ["mcp.example"] })).rejects.toMatchObject({
        name: "ConfigurationError",
        code: "public_server",
      });
    },
  );

  it.each(["0.0.0.0", "0", "0.0", "0x0", "::", "::0", "0:0:0:0:0:0:0:0", "::ffff:0:0"])(
    "does not listen at every address, written %s, without names that count",
    async (host) => {
      await expect(serveHttp({ ...two, host })).rejects.toThrow(/allowedHosts/);
    },
  );

  it.each(["127.1", "2130706433", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "::ffff:7f00:1"])(
    "is found where it says that it is, at %s",
    async (host) => {
      const url = await serveHttp({ ...two, host });
      const { status } = await fetch(url, {
        method: "POST",
        headers: {
          ...bearer("mara"),
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify(initialize),
      });
      expect(status).toBe(200);
    },
  );

  it.each(["/mcp-é", "/a/../mcp", "/mcp/", "//mcp", "/m\\x", "/%6dcp", "/a|b"])(
    "is found at the path %s",
    async (path) => {
      const url = await serveHttp({ path });
      // As a client of the web reads it.
      expect((await fetch(new URL(url))).status).toBe(400);
    },
  );

  it.each([
    "https://mcp.example",
    "mcp.example/",
    "*.mcp.example",
    "::1",
    "mara@mcp.example",
    "mcp.example:port",
    " mcp.example",
  ])("refuses the host name %j, which no request could have", async (name) => {
    await expect(serveHttp({ allowedHosts: [name] })).rejects.toMatchObject({
      code: "invalid_option",
      message: expect.stringContaining("http.allowedHosts"),
    });
  });

  it.each([
    ["bücher.example", "xn--bcher-kva.example"],
    ["MCP.example:443", "mcp.example:443"],
    ["[2001:DB8::0]:80", "[2001:db8::]:80"],
  ])("takes the host name %s", async (name, host) => {
    const url = await serveHttp({ allowedHosts: [name] });
    expect((await rawRequest(url, { body: initialize, headers: { host } })).status).toBe(200);
  });

  it("listens at every address with both", async () => {
    const url = await serveHttp({ ...two, host: "0.0.0.0", allowedHosts: ["MCP.example"] });
    const { port } = new URL(url);
    const local = `http://127.0.0.1:${port}/mcp`;
    const named = { host: "mcp.example", ...bearer("mara") };
    expect((await rawRequest(local, { body: initialize, headers: named })).status).toBe(200);
    expect((await rawRequest(local, { body: initialize, headers: bearer("mara") })).status).toBe(
      403,
    );
  });

  it.each([
    ["another name that leads here", "evil.example"],
    ["another name with the port", "evil.example:PORT"],
    ["another port", "127.0.0.1:1"],
    ["no port", "127.0.0.1"],
    ["a name that begins like ours", "localhost.evil.example:PORT"],
    ["a name before an @", "localhost:PORT@evil.example"],
    ["a dot at the end", "localhost.:PORT"],
  ])("refuses a host that is %s", async (_what, host) => {
    const url = await serveHttp();
    const headers = { host: host.replace("PORT", new URL(url).port) };
    expect((await rawRequest(url, { body: initialize, headers })).status).toBe(403);
  });

  it.each(["localhost:PORT", "LOCALHOST:PORT", "127.0.0.1:PORT", "[::1]:PORT"])(
    "takes %s as its host",
    async (host) => {
      const url = await serveHttp();
      const headers = { host: host.replace("PORT", new URL(url).port) };
      expect((await rawRequest(url, { body: initialize, headers })).status).toBe(200);
    },
  );

  it.each([
    ["two hosts", ["HOST", "evil.example"]],
    ["two hosts that are the same", ["HOST", "HOST"]],
    ["a host that is nothing", [""]],
    ["no host", []],
  ])("refuses a request with %s", async (_what, hosts) => {
    const url = await serveHttp();
    const lines = hosts.map((host) => `Host: ${host.replace("HOST", new URL(url).host)}`);
    expect(await rawStatus(url, lines)).toBeGreaterThanOrEqual(400);
  });

  it("refuses a request with two origins", async () => {
    const url = await serveHttp({ allowedOrigins: ["https://app.example"] });
    const origins = ["Origin: https://app.example", "Origin: https://evil.example"];
    const lines = [`Host: ${new URL(url).host}`, ...origins];
    expect(await rawStatus(url, lines)).toBe(403);
  });

  it("refuses a forwarded host in place of its own", async () => {
    const url = await serveHttp();
    const headers = { host: "evil.example", "x-forwarded-host": new URL(url).host };
    expect((await rawRequest(url, { body: initialize, headers })).status).toBe(403);
  });

  it.each([
    "http://evil.example",
    "null",
    "http://localhost:1",
    "https://app.example.evil.example",
    "",
  ])("refuses the origin %j", async (origin) => {
    const url = await serveHttp({ allowedOrigins: ["https://app.example"] });
    expect((await rawRequest(url, { body: initialize, headers: { origin } })).status).toBe(403);
  });

  it("takes an origin that is allowed, and tells its browser so", async () => {
    const url = await serveHttp({ allowedOrigins: ["https://app.example/"] });
    const headers = { origin: "https://app.example" };
    const asked = await rawRequest(url, { method: "OPTIONS", headers });
    expect(asked.status).toBe(204);
    expect(asked.headers["access-control-allow-origin"]).toBe("https://app.example");
    expect(asked.headers["access-control-allow-headers"]).toContain("mcp-session-id");
    const begun = await rawRequest(url, { body: initialize, headers });
    expect(begun.status).toBe(200);
    expect(begun.headers["access-control-expose-headers"]).toContain("mcp-session-id");
  });

  it("lets a page send the headers of the newest revision, and no others", async () => {
    const url = await serveHttp({ allowedOrigins: ["https://app.example"] });
    const wanted = "Mcp-Method, mcp-name,Mcp-Param-Region, cookie, mcp-param-a b, x-mcp-param-a";
    const headers = { origin: "https://app.example", "access-control-request-headers": wanted };
    const asked = await rawRequest(url, { method: "OPTIONS", headers });
    expect(String(asked.headers["access-control-allow-headers"]).split(", ")).toEqual([
      "authorization",
      "content-type",
      "mcp-session-id",
      "mcp-protocol-version",
      "last-event-id",
      "mcp-method",
      "mcp-name",
      "mcp-param-region",
    ]);
  });

  it("has no answer for a page's browser that asks from elsewhere", async () => {
    const url = await serveHttp();
    const headers = { origin: "https://app.example" };
    const asked = await rawRequest(url, { method: "OPTIONS", headers });
    expect(asked.status).toBe(403);
    expect(asked.headers["access-control-allow-origin"]).toBeUndefined();
  });

  it.each([
    ["another path", { path: "/other" }, 404],
    ["a whole address in place of the path", { path: "http://evil.example/mcp" }, 404],
    ["another method", { method: "PUT" }, 405],
    ["OPTIONS from no page", { method: "OPTIONS" }, 405],
    ["a form", { headers: { "content-type": "text/plain" } }, 415],
    [
      "what only begins like JSON's type",
      { headers: { "content-type": "application/jsonx" } },
      415,
    ],
    [
      "another charset",
      { headers: { "content-type": 'application/json; charset="iso-8859-1"' } },
      415,
    ],
    ["what says that it is packed", { headers: { "content-encoding": "gzip" } }, 415],
    ["what is no JSON", { body: "{" }, 400],
    ["a request before the handshake", { body: ping }, 400],
    ["a batch with a handshake", { body: JSON.stringify([initialize]) }, 400],
    ["a stream without a session", { method: "GET" }, 400],
    ["a session that there is not", { headers: { "mcp-session-id": "x" }, body: ping }, 404],
  ])("refuses %s", async (_what, raw: RawRequest, status) => {
    const url = await serveHttp();
    expect((await rawRequest(url, { body: initialize, ...raw })).status).toBe(status);
  });

  it.each([
    "application/json;charset=UTF-8",
    'application/json; charset="utf-8"',
    "Application/JSON",
  ])("takes a body of the type %s", async (type) => {
    const headers = { "content-type": type, "content-encoding": "identity" };
    expect((await rawRequest(await serveHttp(), { body: initialize, headers })).status).toBe(200);
  });

  it("refuses bytes that are no UTF-8, and calls nothing with what they might be", async () => {
    const answer = await fetch(await serveHttp(), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: Buffer.from(JSON.stringify({ ...initialize, more: "é" }), "latin1"),
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: -32700 } });
  });

  it.each([false, true])("refuses a body that is too long (chunked: %s)", async (chunked) => {
    const url = await serveHttp({ maxBodyBytes: 1000 });
    const body = { ...initialize, more: "x".repeat(1000) };
    expect((await rawRequest(url, { body, chunked })).status).toBe(413);
    expect((await rawRequest(url, { body: initialize, chunked })).status).toBe(200);
  });

  it("says in JSON-RPC why it refuses", async () => {
    const url = await serveHttp();
    const { body, headers } = await rawRequest(url, { path: "/other" });
    expect(headers["content-type"]).toBe("application/json");
    expect(JSON.parse(body)).toEqual({
      jsonrpc: "2.0",
      error: { code: -32000, message: "Not found" },
      id: null,
    });
  });
});

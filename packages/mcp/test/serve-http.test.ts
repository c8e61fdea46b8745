import { type Principal, type RunEnvironment, tool } from "@tunic/core";
import { afterEach, describe, expect, it } from "vitest";
import { type HttpServeOptions, serveTools, type ToolServer } from "../src/server.js";
import { initialize, ping, type RawRequest, rawRequest } from "./support/raw-request.js";
import { answerOf, connected } from "./support/served.js";

const callers: (Principal | undefined)[] = [];
const who = tool({
  name: "who",
  description: "",
  parameters: {},
  execute: (_input, { run }) => {
    callers.push(run.principal);
    return run.principal?.id ?? "nobody";
  },
});

let server: ToolServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(http: HttpServeOptions = {}, environment?: RunEnvironment): Promise<string> {
  server = await serveTools(who, { transport: { http }, environment, onError: () => {} });
  return server.url ?? "";
}

/** A session, and how its requests are made. */
async function begin(url: string, headers: RawRequest["headers"] = {}): Promise<string> {
  const response = await rawRequest(url, { body: initialize, headers });
  expect(response.status).toBe(200);
  return String(response.headers["mcp-session-id"]);
}

const tokenOf = (name: string): string => `${name}-${"x".repeat(16)}`;
const bearer = (name: string) => ({ authorization: `Bearer ${tokenOf(name)}` });
const two: HttpServeOptions = {
  auth: {
    bearer: ["mara", "otto"].map((id) => ({ secret: tokenOf(id), principal: { id } })),
  },
};

describe("a server over HTTP", () => {
  it("listens at the loopback address unless told otherwise", async () => {
    expect(await serve()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  });

  it.each(["0.0.0.0", "::", "192.168.7.7", "mcp.example"])(
    "does not listen at %s without authentication",
    async (host) => {
      await expect(serve({ host, allowedHosts: ["mcp.example"] })).rejects.toMatchObject({
        name: "ConfigurationError",
        code: "public_server",
      });
    },
  );

  it("does not listen at every address without names that count", async () => {
    await expect(serve({ ...two, host: "0.0.0.0" })).rejects.toThrow(/allowedHosts/);
  });

  it("listens at every address with both", async () => {
    const url = await serve({ ...two, host: "0.0.0.0", allowedHosts: ["MCP.example"] });
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
    ["nothing", ""],
  ])("refuses a host that is %s", async (_what, host) => {
    const url = await serve();
    const headers = { host: host.replace("PORT", new URL(url).port) };
    expect((await rawRequest(url, { body: initialize, headers })).status).toBe(403);
  });

  it.each(["localhost:PORT", "LOCALHOST:PORT", "127.0.0.1:PORT", "[::1]:PORT"])(
    "takes %s as its host",
    async (host) => {
      const url = await serve();
      const headers = { host: host.replace("PORT", new URL(url).port) };
      expect((await rawRequest(url, { body: initialize, headers })).status).toBe(200);
    },
  );

  it("refuses a request with two hosts", async () => {
    const url = await serve();
    const { host } = new URL(url);
    const headers = { host: [host, "evil.example"] };
    expect((await rawRequest(url, { body: initialize, headers })).status).toBeGreaterThanOrEqual(
      400,
    );
  });

  it("refuses a forwarded host in place of its own", async () => {
    const url = await serve();
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
    const url = await serve({ allowedOrigins: ["https://app.example"] });
    expect((await rawRequest(url, { body: initialize, headers: { origin } })).status).toBe(403);
  });

  it("takes an origin that is allowed, and tells its browser so", async () => {
    const url = await serve({ allowedOrigins: ["https://app.example/"] });
    const headers = { origin: "https://app.example" };
    const asked = await rawRequest(url, { method: "OPTIONS", headers });
    expect(asked.status).toBe(204);
    expect(asked.headers["access-control-allow-origin"]).toBe("https://app.example");
    expect(asked.headers["access-control-allow-headers"]).toContain("mcp-session-id");
    const begun = await rawRequest(url, { body: initialize, headers });
    expect(begun.status).toBe(200);
    expect(begun.headers["access-control-expose-headers"]).toContain("mcp-session-id");
  });

  it("has no answer for a page's browser that asks from elsewhere", async () => {
    const url = await serve();
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
    ["what is no JSON", { body: "{" }, 400],
    ["a request before the handshake", { body: ping }, 400],
    ["a batch with a handshake", { body: JSON.stringify([initialize]) }, 400],
    ["a stream without a session", { method: "GET" }, 400],
    ["a session that there is not", { headers: { "mcp-session-id": "x" }, body: ping }, 404],
  ])("refuses %s", async (_what, raw: RawRequest, status) => {
    const url = await serve();
    expect((await rawRequest(url, { body: initialize, ...raw })).status).toBe(status);
  });

  it.each([false, true])("refuses a body that is too long (chunked: %s)", async (chunked) => {
    const url = await serve({ maxBodyBytes: 1000 });
    const body = { ...initialize, more: "x".repeat(1000) };
    expect((await rawRequest(url, { body, chunked })).status).toBe(413);
    expect((await rawRequest(url, { body: initialize, chunked })).status).toBe(200);
  });

  it("says in JSON-RPC why it refuses", async () => {
    const url = await serve();
    const { body, headers } = await rawRequest(url, { path: "/other" });
    expect(headers["content-type"]).toBe("application/json");
    expect(JSON.parse(body)).toEqual({
      jsonrpc: "2.0",
      error: { code: -32000, message: "Not found" },
      id: null,
    });
  });
});

describe("authentication", () => {
  it.each([
    ["none", {}],
    ["a wrong token", { authorization: `Bearer ${tokenOf("otta")}` }],
    ["a token that is longer", { authorization: `Bearer ${tokenOf("otto")}x` }],
    ["a token that is shorter", { authorization: `Bearer ${tokenOf("otto").slice(0, -1)}` }],
    ["no token", { authorization: "Bearer " }],
    ["another scheme", { authorization: `Basic ${tokenOf("otto")}` }],
  ])("by bearer refuses %s", async (_what, headers) => {
    const url = await serve(two);
    const refused = await rawRequest(url, { body: initialize, headers });
    expect(refused.status).toBe(401);
    expect(refused.headers["www-authenticate"]).toBe("Bearer");
  });

  it("by bearer knows who has the token", async () => {
    const url = await serve(two);
    const client = await connected(url, bearer("otto"));
    expect(answerOf(await client.callTool({ name: "who" })).text).toBe("otto");
    await client.close();
  });

  it("by one bearer token", async () => {
    const url = await serve({ auth: { bearer: tokenOf("only") } });
    await begin(url, bearer("only"));
    await begin(url, { authorization: `bearer ${tokenOf("only")}` });
    expect((await rawRequest(url, { body: initialize })).status).toBe(401);
  });

  it("by basic knows the user", async () => {
    const url = await serve({ auth: { basic: { mara: "päss:word", otto: "other" } } });
    const basic = (text: string) => ({
      authorization: `Basic ${Buffer.from(text).toString("base64")}`,
    });
    const client = await connected(url, basic("mara:päss:word"));
    expect(answerOf(await client.callTool({ name: "who" })).text).toBe("mara");
    await client.close();
    for (const wrong of ["mara:other", "mara:", "otto:päss:word", ":", "mara"]) {
      const refused = await rawRequest(url, { body: initialize, headers: basic(wrong) });
      expect(refused.status).toBe(401);
      expect(refused.headers["www-authenticate"]).toContain("Basic");
    }
  });

  it("by a function, whose principal's roles are those of each request", async () => {
    let roles = ["admin"];
    const url = await serve({
      auth: async ({ headers }) =>
        headers["x-user"] === "mara" ? { id: "mara", roles: [...roles] } : undefined,
    });
    expect((await rawRequest(url, { body: initialize })).status).toBe(401);
    const client = await connected(url, { "x-user": "mara" });
    callers.length = 0;
    await client.callTool({ name: "who" });
    roles = [];
    await client.callTool({ name: "who" });
    await client.close();
    expect(callers).toEqual([
      { id: "mara", roles: ["admin"] },
      { id: "mara", roles: [] },
    ]);
  });

  it.each([
    ["throws", () => Promise.reject(new Error("down"))],
    ["returns no principal", async () => true as never],
  ])("by a function that %s lets nobody in", async (_what, auth) => {
    const url = await serve({ auth });
    const refused = await rawRequest(url, { body: initialize });
    expect(refused.status).toBe(401);
    expect(refused.body).not.toContain("down");
  });

  it.each([
    [{ bearer: "short" }],
    [{ bearer: [] }],
    [{ bearer: [{ secret: tokenOf("a") }] }],
    [{ basic: {} }],
    [{ basic: { "a:b": "secret" } }],
    [{}],
  ])("cannot be %j", async (auth) => {
    await expect(serve({ auth: auth as never })).rejects.toThrow(/http\.auth/);
  });

  it("never tells a secret in its errors", async () => {
    await expect(serve({ auth: { bearer: "hunter2" } })).rejects.not.toThrow(/hunter2/);
  });
});

describe("a session over HTTP", () => {
  it("has an id that cannot be guessed", async () => {
    const url = await serve();
    const ids = [await begin(url), await begin(url)];
    for (const id of ids) expect(Buffer.from(id, "base64url")).toHaveLength(32);
    expect(new Set(ids).size).toBe(2);
  });

  it("is of use to nobody but who has begun it", async () => {
    const url = await serve(two);
    const session = { "mcp-session-id": await begin(url, bearer("mara")) };
    const as = (name: string, raw: RawRequest) =>
      rawRequest(url, { body: ping, ...raw, headers: { ...session, ...bearer(name) } });
    for (const method of ["POST", "GET", "DELETE"]) {
      expect((await as("otto", { method })).status).toBe(404);
    }
    expect((await rawRequest(url, { body: ping, headers: session })).status).toBe(401);
    expect((await as("mara", {})).status).toBe(200);
  });

  it("ends when its client says so", async () => {
    const url = await serve();
    const headers = { "mcp-session-id": await begin(url) };
    expect((await rawRequest(url, { method: "DELETE", headers })).status).toBe(200);
    expect((await rawRequest(url, { body: ping, headers })).status).toBe(404);
  });

  it("ends after a while without requests", async () => {
    const clock = new TestClock();
    const url = await serve({ sessionIdleMs: 1000 }, clock);
    const headers = { "mcp-session-id": await begin(url) };
    clock.time += 999;
    expect((await rawRequest(url, { body: ping, headers })).status).toBe(200);
    clock.time += 999;
    expect((await rawRequest(url, { body: ping, headers })).status).toBe(200);
    clock.time += 1000;
    expect((await rawRequest(url, { body: ping, headers })).status).toBe(404);
  });

  it("ends at its age, however busy it is", async () => {
    const clock = new TestClock();
    const url = await serve({ sessionIdleMs: 1000, sessionMaxAgeMs: 1500 }, clock);
    const headers = { "mcp-session-id": await begin(url) };
    clock.time += 800;
    expect((await rawRequest(url, { body: ping, headers })).status).toBe(200);
    clock.time += 800;
    expect((await rawRequest(url, { body: ping, headers })).status).toBe(404);
  });

  it("has its streams closed when it ends without a request that reminds of it", async () => {
    const clock = new TestClock();
    const url = await serve({ sessionMaxAgeMs: 1000 }, clock);
    const headers = { "mcp-session-id": await begin(url) };
    const stream = rawRequest(url, { method: "GET", headers });
    // It has been taken once a second one is refused.
    while ((await rawRequest(url, { method: "GET", headers })).status !== 409);
    clock.time += 1000;
    clock.fire();
    expect((await stream).status).toBe(200);
  });

  it("is refused where there are too many, until others end", async () => {
    const url = await serve({ maxSessions: 1 });
    const headers = { "mcp-session-id": await begin(url) };
    expect((await rawRequest(url, { body: initialize })).status).toBe(503);
    await rawRequest(url, { method: "DELETE", headers });
    await begin(url);
  });

  it("is not kept when the handshake fails", async () => {
    const url = await serve({ maxSessions: 1 });
    const headers = { accept: "text/html" };
    for (let times = 0; times < 3; times++) {
      expect((await rawRequest(url, { body: initialize, headers })).status).toBe(406);
    }
    await begin(url);
  });
});

class TestClock implements RunEnvironment {
  time = 1_000_000;
  readonly #timers = new Set<() => void>();
  #ids = 0;

  now(): number {
    return this.time;
  }

  setTimer(callback: () => void): () => void {
    this.#timers.add(callback);
    return () => this.#timers.delete(callback);
  }

  fire(): void {
    const due = [...this.#timers];
    this.#timers.clear();
    for (const callback of due) callback();
  }

  randomId(): string {
    return `id${this.#ids++}`;
  }
}

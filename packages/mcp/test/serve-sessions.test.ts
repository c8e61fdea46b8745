import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { AuthRequest } from "../src/server.js";
import { deferred } from "./support/deferred.js";
import { bearer, begin, serveHttp, stopServing, TestClock, two } from "./support/http-served.js";
import { initialize, ping, type RawRequest, rawRequest } from "./support/raw-request.js";

afterEach(stopServing);

describe("a session over HTTP", () => {
  it("has an id that cannot be guessed", async () => {
    const url = await serveHttp();
    const ids = [await begin(url), await begin(url)];
    for (const id of ids) expect(Buffer.from(id, "base64url")).toHaveLength(32);
    expect(new Set(ids).size).toBe(2);
  });

  it("is of use to nobody but who has begun it", async () => {
    const url = await serveHttp(two);
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
    const url = await serveHttp();
    const headers = { "mcp-session-id": await begin(url) };
    expect((await rawRequest(url, { method: "DELETE", headers })).status).toBe(200);
    expect((await rawRequest(url, { body: ping, headers })).status).toBe(404);
  });

  it("ends after a while without requests", async () => {
    const clock = new TestClock();
    const url = await serveHttp({ sessionIdleMs: 1000 }, clock);
    const headers = { "mcp-session-id": await begin(url) };
    clock.time += 999;
    expect((await rawRequest(url, { body: ping, headers })).status).toBe(200);
    clock.time += 999;
    expect((await rawRequest(url, { body: ping, headers })).status).toBe(200);
    clock.time += 1000;
    expect((await rawRequest(url, { body: ping, headers })).status).toBe(404);
  });

  it("goes on for as long as one of its streams is open", async () => {
    const clock = new TestClock();
    const url = await serveHttp({ sessionIdleMs: 1000 }, clock);
    const headers = { "mcp-session-id": await begin(url) };
    const stream = rawRequest(url, { method: "GET", headers });
    while ((await rawRequest(url, { method: "GET", headers })).status !== 409);
    clock.time += 5000;
    expect((await rawRequest(url, { body: ping, headers })).status).toBe(200);
    await rawRequest(url, { method: "DELETE", headers });
    await stream;
  });

  it("is not in use by a request whose client went while it was asked who it is", async () => {
    const clock = new TestClock();
    const goOn = deferred();
    const asked = deferred<AuthRequest>();
    const auth = async (request: AuthRequest) => {
      if (request.headers["x-slow"] === undefined) return { id: "mara" };
      asked.resolve(request);
      await goOn.promise;
      return { id: "mara" };
    };
    const url = await serveHttp({ sessionIdleMs: 1000, auth }, clock);
    const headers = { "mcp-session-id": await begin(url) };
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    const lines = [
      "GET /mcp HTTP/1.1",
      `Host: ${new URL(url).host}`,
      "Accept: text/event-stream",
      `Mcp-Session-Id: ${headers["mcp-session-id"]}`,
      "X-Slow: 1",
    ];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    await asked.promise;
    socket.destroy();
    // The server has seen that it went once it has answered what came later.
    await rawRequest(url, { body: ping, headers });
    await rawRequest(url, { body: ping, headers });
    goOn.resolve();
    await rawRequest(url, { body: ping, headers });
    clock.time += 1000;
    expect((await rawRequest(url, { body: ping, headers })).status).toBe(404);
  });

  it("ends at its age, however busy it is", async () => {
    const clock = new TestClock();
    const url = await serveHttp({ sessionIdleMs: 1000, sessionMaxAgeMs: 1500 }, clock);
    const headers = { "mcp-session-id": await begin(url) };
    clock.time += 800;
    expect((await rawRequest(url, { body: ping, headers })).status).toBe(200);
    clock.time += 800;
    expect((await rawRequest(url, { body: ping, headers })).status).toBe(404);
  });

  it("has its streams closed when it ends without a request that reminds of it", async () => {
    const clock = new TestClock();
    const url = await serveHttp({ sessionMaxAgeMs: 1000 }, clock);
    const headers = { "mcp-session-id": await begin(url) };
    const stream = rawRequest(url, { method: "GET", headers });
    // It has been taken once a second one is refused.
    while ((await rawRequest(url, { method: "GET", headers })).status !== 409);
    clock.time += 1000;
    clock.fire();
    expect((await stream).status).toBe(200);
  });

  it("is refused where there are too many, until others end", async () => {
    const url = await serveHttp({ maxSessions: 1 });
    const headers = { "mcp-session-id": await begin(url) };
    expect((await rawRequest(url, { body: initialize })).status).toBe(503);
    await rawRequest(url, { method: "DELETE", headers });
    await begin(url);
  });

  it("is not kept when the handshake fails", async () => {
    const url = await serveHttp({ maxSessions: 1 });
    const headers = { accept: "text/html" };
    for (let times = 0; times < 3; times++) {
      expect((await rawRequest(url, { body: initialize, headers })).status).toBe(406);
    }
    await begin(url);
  });
});

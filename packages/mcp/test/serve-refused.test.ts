import { afterEach, describe, expect, it } from "vitest";
import type { RefusedRequest } from "../src/server.js";
import { bearer, begin, serveHttp, stopServing, two } from "./support/http-served.js";
import { initialize, rawRequest } from "./support/raw-request.js";

afterEach(stopServing);

describe("a request that is not let in", () => {
  it.each([
    [403, "a wrong host", { host: "mcp.example" }],
    [403, "a wrong origin", { origin: "https://app.example" }],
    [401, "no token", {}],
    [401, "a wrong token", bearer("otta")],
    [404, "no session of theirs", { ...bearer("otto"), "mcp-session-id": "1" }],
    [415, "another type", { ...bearer("otto"), "content-type": "text/plain" }],
  ])("is told to the operator: %i for %s", async (status, _what, headers) => {
    const told: RefusedRequest[] = [];
    const url = await serveHttp({ ...two, onRefused: (refused) => told.push(refused) });
    const { hostname, port } = new URL(url);
    const answer = await rawRequest(url, { path: "/mcp?key=k1", body: initialize, headers });
    expect(answer.status).toBe(status);
    const { host = `${hostname}:${port}`, origin } = headers as Partial<RefusedRequest>;
    const message = JSON.parse(answer.body).error.message;
    expect(told).toEqual([
      { status, message, method: "POST", path: "/mcp", host, origin, remoteAddress: "127.0.0.1" },
    ]);
    await begin(url, bearer("mara"));
    expect(told).toHaveLength(1);
  });

  it("does not fill a log by what it says itself", async () => {
    const told: RefusedRequest[] = [];
    const url = await serveHttp({ onRefused: (refused) => told.push(refused) });
    const long = "a".repeat(5000);
    await rawRequest(url, { path: `/${long}`, headers: { host: long, origin: long } });
    const [{ path = "", host, origin } = {}] = told;
    expect([path.length, host?.length, origin?.length]).toEqual([200, 200, 200]);
  });

  it("is refused all the same where telling it fails", async () => {
    const url = await serveHttp({
      onRefused: () => {
        throw new Error("the log is full");
      },
    });
    const headers = { host: "mcp.example" };
    expect((await rawRequest(url, { body: initialize, headers })).status).toBe(403);
    await begin(url);
  });
});

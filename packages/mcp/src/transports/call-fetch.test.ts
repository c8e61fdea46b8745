import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { type CallScope, callScope } from "../client/call-scope.js";
import { callFetch } from "./call-fetch.js";

const url = new URL("http://server.test/mcp");
const over = Symbol("connection");
const scope: CallScope = { connection: over, origin: undefined, lost: () => {}, resumable: false };

/** A request for a call, over a connection that can end. */
function setUp(answer: () => Promise<Response>) {
  const connection = new AbortController();
  const signals: (AbortSignal | null | undefined)[] = [];
  const fetchIt = callFetch({
    connection: over,
    url,
    headers: {},
    maxBytes: 100,
    fetch: (_input, init) => {
      signals.push(init?.signal);
      return answer();
    },
  });
  const ask = () =>
    callScope.run(scope, fetchIt, url, { method: "POST", signal: connection.signal });
  return {
    ask,
    connection,
    signals,
    listeners: () => getEventListeners(connection.signal, "abort"),
  };
}

describe("the signal of a connection", () => {
  it.each<[string, () => Promise<Response>, (response: Response) => Promise<unknown>]>([
    ["is read", async () => new Response("answer"), (response) => response.text()],
    ["is too long", async () => new Response("x".repeat(101)), (response) => response.text()],
    ["is dropped", async () => new Response("answer"), async ({ body }) => body?.cancel()],
    ["has no body", async () => new Response(null, { status: 204 }), async () => {}],
    ["does not come", () => Promise.reject(new TypeError("fetch failed")), async () => {}],
  ])("is listened to no longer when an answer %s", async (_how, answer, read) => {
    const { ask, listeners } = setUp(answer);
    await ask()
      .then(read)
      .catch(() => {});
    expect(listeners()).toEqual([]);
  });

  it("ends each request when it fires", async () => {
    const { ask, connection, signals } = setUp(() => new Promise(() => {}));
    for (let asked = 0; asked < 20; asked++) void ask();
    await Promise.resolve();
    connection.abort("over");
    expect(signals.map((signal) => signal?.reason)).toEqual(Array(20).fill("over"));
    void ask();
    await Promise.resolve();
    expect(signals.at(-1)?.aborted).toBe(true);
  });
});

describe("what is for a server", () => {
  it("is sent to its own origin, and nowhere else", async () => {
    const seen: [string, string | null][] = [];
    const fetchIt = callFetch({
      connection: over,
      url,
      headers: { "x-key": "fixed" },
      maxBytes: 100,
      fetch: async (input, init) => {
        seen.push([`${input}`, new Headers(init?.headers).get("x-key")]);
        return new Response(null, { status: 204 });
      },
    });
    const call: CallScope = { ...scope, headers: { "x-key": "of the call" } };
    const elsewhere = ["https://server.test/", "http://server.test:81/", "http://a.server.test/"];
    for (const address of [url.href, ...elsewhere]) {
      await fetchIt(address);
      await callScope.run(call, fetchIt, address, { method: "POST" });
    }
    const kept = elsewhere.flatMap((address) => [address, address]).map((each) => [each, null]);
    expect(seen).toEqual([[url.href, "fixed"], [url.href, "of the call"], ...kept]);
  });
});

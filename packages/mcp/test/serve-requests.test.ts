import { PassThrough, Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { isJsonObject, type JsonObject, tool } from "@tunic/core";
import { afterEach, describe, expect, it } from "vitest";
import { servedClient, serveTools, type ToolServer } from "../src/server.js";
import { deferred } from "./support/deferred.js";
import { begin } from "./support/http-served.js";
import { initialize, type RawResponse, rawRequest } from "./support/raw-request.js";
import { add } from "./support/served-tools.js";

const servers: ToolServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** A tool that never answers, and says how many calls of it have begun and ended. */
function hanging() {
  const signals: AbortSignal[] = [];
  const changes: { done: () => boolean; resolve: () => void }[] = [];
  const changed = (): void => {
    for (const { done, resolve } of changes) if (done()) resolve();
  };
  const until = (done: () => boolean): Promise<void> => {
    const change = deferred();
    changes.push({ done, resolve: change.resolve });
    changed();
    return change.promise;
  };
  const hangs = tool({
    name: "hangs",
    execute(_input, { signal }) {
      if (signal) {
        signals.push(signal);
        signal.addEventListener("abort", changed);
      }
      changed();
      return new Promise(() => {});
    },
  });
  return {
    hangs,
    signals,
    begun: (count: number) => until(() => signals.length === count),
    ended: (count: number) =>
      until(() => signals.filter(({ aborted }) => aborted).length === count),
  };
}

const callOf = (name: string, id: number | string): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: { a: 1, b: 2 } },
});
const cancel = (requestId: number | string): JsonObject => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId, reason: "why not" },
});

/** A server over HTTP, and a session with it. */
async function session(served: Parameters<typeof serveTools>[0], maxConcurrentCalls = 64) {
  const options = { transport: { http: {} }, maxConcurrentCalls, onError: () => {} };
  const server = await serveTools(served, options);
  servers.push(server);
  const url = server.url ?? "";
  const headers = { "mcp-session-id": await begin(url) };
  const post = (body: JsonObject | string): Promise<RawResponse> =>
    rawRequest(url, { body, headers });
  const end = () => rawRequest(url, { method: "DELETE", headers });
  return { server, url, headers, post, end };
}

/** A server over streams, what it has written, and what it reads. */
async function overStreams(served: Parameters<typeof serveTools>[0], capabilities: JsonObject) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const transport = { stdio: { input, output } };
  const server = await serveTools(served, { transport, onError: () => {} });
  servers.push(server);
  const told: JsonObject[] = [];
  const say = (message: JsonObject): void => void input.write(`${JSON.stringify(message)}\n`);
  let hear: (message: JsonObject) => void = () => {};
  output.on("data", (chunk: Buffer) => {
    for (const line of chunk.toString().split("\n").filter(Boolean)) {
      const message: unknown = JSON.parse(line);
      if (!isJsonObject(message)) continue;
      told.push(message);
      hear(message);
    }
  });
  const { params } = initialize;
  say({ ...initialize, params: { ...(isJsonObject(params) && params), capabilities } });
  const onMessage = (listener: typeof hear): void => {
    hear = listener;
  };
  return { told, say, onMessage };
}

describe("a request whose id another one still has", () => {
  it("is refused, and neither outlives the session", async () => {
    const { hangs, begun, ended } = hanging();
    const { post, end } = await session(hangs);
    void post(callOf("hangs", 5));
    await begun(1);
    expect((await post(callOf("hangs", 5))).body).toContain("-32600");
    await end();
    await ended(1);
  });

  it("is refused, and leaves the other one its answer", async () => {
    const begun = deferred();
    const asked = deferred();
    const waits = tool({
      name: "waits",
      async execute() {
        begun.resolve();
        await asked.promise;
        return "the only answer";
      },
    });
    const { post } = await session(waits);
    const first = post(callOf("waits", 5));
    await begun.promise;
    const [again, both] = [callOf("waits", 5), [callOf("waits", 6), callOf("waits", 6)]];
    for (const body of [again, JSON.stringify([again]), JSON.stringify(both)]) {
      expect(await post(body)).toMatchObject({
        status: 400,
        body: expect.stringContaining("-32600"),
      });
    }
    asked.resolve();
    expect((await first).body).toContain("the only answer");
    // Nothing of what was refused is in the way.
    expect((await post(callOf("waits", 6))).body).toContain("the only answer");
  });

  it("is refused over streams, too", async () => {
    const { hangs, begun, ended } = hanging();
    const { told, say, onMessage } = await overStreams(hangs, {});
    say(callOf("hangs", 5));
    await begun(1);
    const answered = deferred();
    onMessage(({ error }) => error && answered.resolve());
    say(callOf("hangs", 5));
    await answered.promise;
    expect(told.at(-1)).toMatchObject({ id: 5, error: { code: -32600 } });
    say(cancel(5));
    await ended(1);
  });
});

describe("a cancelled request", () => {
  it.each([0, 1, "", "a"])("with the id %j ends, and so does its stream", async (id) => {
    const { hangs, begun, ended, signals } = hanging();
    const { post } = await session([hangs, add], 1);
    const answer = post(callOf("hangs", id));
    await begun(1);
    await post(cancel(id));
    await ended(1);
    expect((await answer).body).not.toContain("data: {");
    // What a client writes is no error of this side.
    expect(signals[0]?.reason).toBeInstanceOf(DOMException);
    // Its id and its place are free again.
    expect((await post(callOf("add", id))).body).toContain('"text":"3"');
  });

  it("leaves the others of its batch their answers", async () => {
    const { hangs, begun } = hanging();
    const released = deferred();
    const waits = tool({
      name: "waits",
      async execute() {
        await released.promise;
        return "an answer";
      },
    });
    const { post } = await session([hangs, waits]);
    const answers = post(JSON.stringify([callOf("hangs", 1), callOf("waits", 2)]));
    await begun(1);
    await post(cancel(1));
    await post(callOf("unknown", 3));
    released.resolve();
    const { body } = await answers;
    expect(body).toContain("an answer");
    expect(body).not.toContain("The client has cancelled");
  });

  it("cancels no question that has been answered", async () => {
    const asked = deferred();
    const asks = tool({
      name: "asks",
      async execute(_input, context) {
        for (let times = 0; times < 12; times++) await servedClient(context)?.listRoots();
        asked.resolve();
        return new Promise(() => {});
      },
    });
    const warnings: Error[] = [];
    const hear = (warning: Error): void => void warnings.push(warning);
    process.on("warning", hear);
    const { told, say, onMessage } = await overStreams([asks, add], { roots: {} });
    onMessage(({ id, method }) => {
      if (method === "roots/list") say({ jsonrpc: "2.0", id: Number(id), result: { roots: [] } });
    });
    say(callOf("asks", 5));
    await asked.promise;
    const answered = deferred();
    onMessage(({ id }) => id === 6 && answered.resolve());
    say(cancel(5));
    say(callOf("add", 6));
    await answered.promise;
    process.off("warning", hear);
    expect(told.filter(({ method }) => method === "notifications/cancelled")).toEqual([]);
    expect(warnings).toEqual([]);
  });
});

describe("a client over streams", () => {
  it("that does not read has the newest progress kept for it, and its answer", async () => {
    const flooded = deferred();
    const answered = deferred();
    const flood = tool({
      name: "flood",
      async execute(_input, { reportProgress }) {
        for (let count = 0; count < 2000; count++) await reportProgress(`${count}`.padEnd(1000));
        flooded.resolve();
        return "done";
      },
    });
    let text = "";
    let read: (() => void) | undefined;
    let isReading = false;
    const output = new Writable({
      write(chunk, _encoding, next) {
        text += chunk;
        if (text.includes('"text":"done"')) answered.resolve();
        read = next;
        if (isReading) next();
      },
    });
    const input = new PassThrough();
    servers.push(await serveTools(flood, { transport: { stdio: { input, output } } }));
    const params = { name: "flood", arguments: {}, _meta: { progressToken: 1 } };
    input.write(`${JSON.stringify({ ...callOf("flood", 5), params })}\n`);
    await flooded.promise;
    expect(output.writableLength).toBeLessThan(100_000);
    expect(output.listenerCount("drain")).toBeLessThan(5);
    isReading = true;
    read?.();
    await answered.promise;
    expect(text.trim().split("\n").length).toBeLessThan(100);
  });

  it("over HTTP, too", async () => {
    const flooded = deferred();
    const flood = tool({
      name: "flood",
      async execute(_input, { reportProgress }) {
        for (let count = 0; count < 20_000; count++) {
          await reportProgress(`${count}`.padEnd(2000));
          if (count % 100 === 0) await setImmediate();
        }
        flooded.resolve();
        return "done";
      },
    });
    const { url, headers } = await session(flood);
    const params = { name: "flood", arguments: {}, _meta: { progressToken: 1 } };
    const response = await fetch(url, {
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ ...callOf("flood", 5), params }),
    });
    await flooded.promise;
    const text = await response.text();
    expect(text).toContain('"text":"done"');
    // What the system itself holds of a connection is some megabytes at most.
    expect(text.length).toBeLessThan(20_000_000);
  });

  it("that has gone is not told that tools have changed", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const server = await serveTools(add, { transport: { stdio: { input, output } } });
    input.end();
    await server.closed;
    await server.toolsChanged();
  });
});

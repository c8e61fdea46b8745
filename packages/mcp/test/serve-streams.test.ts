import { connect } from "node:net";
import { type JsonObject, tool } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { serveTools } from "../src/server.js";
import { deferred } from "./support/deferred.js";
import { TestClock } from "./support/http-served.js";
import { add } from "./support/served-tools.js";
import { meta, stateless } from "./support/stateless-request.js";

describe("an answer that takes long", () => {
  it("is waited for with signs of life", async () => {
    const clock = new TestClock();
    const began = deferred();
    const goOn = deferred();
    const waits = tool({
      name: "waits",
      async execute() {
        began.resolve();
        await goOn.promise;
        return "done";
      },
    });
    await using server = await serveTools(waits, { transport: { http: {} }, environment: clock });
    const answer = stateless(server.url ?? "", "tools/call", { name: "waits" });
    await began.promise;
    clock.fire();
    clock.fire();
    goOn.resolve();
    const { headers, body, messages } = await answer;
    expect(headers["content-type"]).toBe("text/event-stream");
    expect(body.startsWith(": waiting\n\n: waiting\n\nevent: message\n")).toBe(true);
    expect(messages).toMatchObject([{ id: 7, result: { content: [{ text: "done" }] } }]);
  });
});

describe("a client that listens", () => {
  const listen = (url: string, notifications: JsonObject, onText?: () => void) =>
    stateless(url, "subscriptions/listen", { notifications }, {}, onText);
  const _meta = { "io.modelcontextprotocol/subscriptionId": 7 };
  const end = { id: 7, result: { resultType: "complete", _meta } };

  it("hears of other tools until the server ends", async () => {
    const server = await serveTools(add, { transport: { http: {} } });
    const listens = deferred();
    const wanted = { toolsListChanged: true, promptsListChanged: true };
    const heard = listen(server.url ?? "", wanted, listens.resolve);
    await listens.promise;
    await server.toolsChanged();
    await server.close();
    const { messages } = await heard;
    expect(messages).toMatchObject([
      {
        method: "notifications/subscriptions/acknowledged",
        params: { notifications: { toolsListChanged: true }, _meta },
      },
      { method: "notifications/tools/list_changed", params: { _meta } },
      end,
    ]);
  });

  it("hears nothing that it has not asked for", async () => {
    await using server = await serveTools(add, { transport: { http: {} } });
    const { messages } = await listen(server.url ?? "", { promptsListChanged: true });
    expect(messages).toMatchObject([{ params: { notifications: {}, _meta } }, end]);
  });

  it("says what it wants to hear", async () => {
    await using server = await serveTools(add, { transport: { http: {} } });
    expect((await stateless(server.url ?? "", "subscriptions/listen")).code).toBe(-32602);
  });

  it("is one of so many, and not for ever", async () => {
    const clock = new TestClock();
    const transport = { http: { maxSessions: 1 } };
    await using server = await serveTools(add, { transport, environment: clock });
    const listens = deferred();
    const first = listen(server.url ?? "", { toolsListChanged: true }, listens.resolve);
    await listens.promise;
    expect((await listen(server.url ?? "", { toolsListChanged: true })).code).toBe(-32603);
    clock.fire();
    expect((await first).messages.at(-1)).toMatchObject(end);
  });
});

describe("a connection with several requests at once", () => {
  it("ends all of their calls with itself", async () => {
    const [begun, ended] = [deferred(), deferred()];
    const signals: AbortSignal[] = [];
    const hangs = tool({
      name: "hangs",
      execute(_input, { signal }) {
        if (signal) signals.push(signal);
        signal?.addEventListener("abort", () => {
          if (signals.every(({ aborted }) => aborted)) ended.resolve();
        });
        if (signals.length === 3) begun.resolve();
        return new Promise(() => {});
      },
    });
    await using server = await serveTools(hangs, { transport: { http: {} } });
    const { hostname, port, host } = new URL(server.url ?? "");
    const params = { name: "hangs", arguments: {}, _meta: meta };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params });
    const head = [
      "POST /mcp HTTP/1.1",
      `Host: ${host}`,
      "Mcp-Protocol-Version: 2026-07-28",
      "Mcp-Method: tools/call",
      "Mcp-Name: hangs",
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
    ];
    const socket = connect(Number(port), hostname);
    socket.write(`${head.join("\r\n")}\r\n\r\n${body}`.repeat(3));
    await begun.promise;
    socket.destroy();
    await ended.promise;
  });
});

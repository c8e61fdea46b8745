import { request } from "node:http";
import { tool } from "@tunic/core";
import { afterEach, describe, expect, it } from "vitest";
import { serveTools, type ToolServer } from "../src/server.js";
import { deferred } from "./support/deferred.js";
import { begin } from "./support/http-served.js";
import { rawRequest } from "./support/raw-request.js";

const servers: ToolServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** A call whose connection breaks as soon as its answer has begun; then its tool goes on. */
async function brokenCall(): Promise<{ url: string; session: string; lastId: string }> {
  const goOn = deferred();
  const waits = tool({
    name: "waits",
    async execute() {
      await goOn.promise;
      return "done";
    },
  });
  const server = await serveTools(waits, { transport: { http: {} }, onError: () => {} });
  servers.push(server);
  const url = server.url ?? "";
  const session = await begin(url);
  const lastId = await new Promise<string>((resolve) => {
    const sent = request(
      url,
      {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-session-id": session,
          "mcp-protocol-version": "2025-11-25",
        },
      },
      (response) => {
        response.once("data", (chunk) => {
          resolve(/^id: (.+)$/m.exec(String(chunk))?.[1] ?? "");
          sent.destroy();
        });
        response.on("error", () => {});
      },
    );
    sent.on("error", () => {});
    const params = { name: "waits", arguments: {} };
    sent.end(JSON.stringify({ jsonrpc: "2.0", id: 5, method: "tools/call", params }));
  });
  goOn.resolve();
  return { url, session, lastId };
}

function resume(
  url: string,
  session: string,
  lastId: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      accept: "text/event-stream",
      "mcp-session-id": session,
      "mcp-protocol-version": "2025-11-25",
      "last-event-id": lastId,
    };
    const sent = request(url, { headers }, (response) => {
      const { statusCode: status = 0 } = response;
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
        if (!text.includes('"id":5') && status === 200) return;
        resolve({ status, text });
        sent.destroy();
      });
      response.on("error", () => {});
    });
    sent.on("error", reject);
    sent.end();
  });
}

describe("a call whose connection breaks", () => {
  it("goes on, and its client can have the answer over another", async () => {
    const { url, session, lastId } = await brokenCall();
    expect(lastId).not.toBe("");
    const { text } = await resume(url, session, lastId);
    expect(text).toContain('"text":"done"');
  });

  it("is answered in its own session alone", async () => {
    const { url, lastId } = await brokenCall();
    const other = await begin(url);
    const headers = {
      "mcp-session-id": other,
      "last-event-id": lastId,
      accept: "text/event-stream",
    };
    expect((await rawRequest(url, { method: "GET", headers })).status).toBe(400);
  });
});

import { request } from "node:http";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type JsonObject, tool } from "@tunic/core";
import { afterEach, describe, expect, it } from "vitest";
import { type Served, serveTools, type ToolServer } from "../src/server.js";
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

/** A call of a session whose answer has come whole. Returns the ids of its events. */
async function answered(url: string, session: string, body: JsonObject | string) {
  const headers = { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
  const response = await rawRequest(url, { body, headers });
  const ids = [...response.body.matchAll(/^id: (.+)$/gm)].map(([, id = ""]) => id);
  const resume = (id: string) =>
    rawRequest(url, {
      method: "GET",
      headers: { ...headers, accept: "text/event-stream", "last-event-id": id },
    });
  return { ids, resume };
}

async function serving(served: Served): Promise<{ url: string; session: string }> {
  const server = await serveTools(served, { transport: { http: {} }, onError: () => {} });
  servers.push(server);
  const url = server.url ?? "";
  return { url, session: await begin(url) };
}

describe("an answer that is complete", () => {
  const call: JsonObject = {
    jsonrpc: "2.0",
    id: 5,
    method: "tools/call",
    params: { name: "nope" },
  };

  it("is sent again from where its client says, and then is over", async () => {
    const { url, session } = await serving([]);
    const { ids, resume } = await answered(url, session, call);
    const [first = "", last = ""] = ids;
    expect(ids).toHaveLength(2);
    const rest = await resume(first);
    expect(rest.headers["content-type"]).toBe("text/event-stream");
    expect(rest.body).toContain(`id: ${last}\ndata: {`);
    // What the standard of event streams has for: do not come back.
    expect(await resume(last)).toMatchObject({ status: 204, body: "" });
  });

  it("is not taken for over while another request of its stream is open", async () => {
    const goOn = deferred();
    const waits = tool({ name: "waits", execute: () => goOn.promise.then(() => "done") });
    const { url, session } = await serving(waits);
    const firstId = deferred<string>();
    const batch = JSON.stringify([
      call,
      { ...call, id: 6, params: { name: "waits", arguments: {} } },
    ]);
    const headers = { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
    const whole = rawRequest(url, {
      body: batch,
      headers,
      onText: (text) => {
        const id = /id: (\d+)\ndata: \{.*"id":5/.exec(text)?.[1];
        if (id !== undefined) firstId.resolve(id);
      },
    });
    const again = await rawRequest(url, {
      method: "GET",
      headers: { ...headers, accept: "text/event-stream", "last-event-id": await firstId.promise },
    });
    // It has its connection still.
    expect(again.status).toBe(409);
    goOn.resolve();
    expect((await whole).body).toContain('"text":"done"');
  });

  it("is left by the official client, which comes back after an error", async () => {
    const { url } = await serving([]);
    const left = deferred<number>();
    const watched: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (new Headers(init?.headers).has("last-event-id")) left.resolve(response.status);
      return response;
    };
    const client = new Client({ name: "test", version: "1" });
    const transport = new StreamableHTTPClientTransport(new URL(url), { fetch: watched });
    await client.connect(transport as Transport);
    await expect(client.callTool({ name: "nope" })).rejects.toThrow("-32602");
    expect(await left.promise).toBe(204);
    await client.close();
  });
});

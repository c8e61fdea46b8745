import type { ServerResponse } from "node:http";
import { createStateKey, type JsonObject } from "@tunic/core";
import { manualEnvironment } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { mcpTools } from "../src/index.js";
import {
  linesAndModes,
  onlyResult,
  readable,
  resultsOf,
  runIn,
  scripted,
} from "./support/agents.js";
import { events, type Posted, RawHttpServer, sseServer, text } from "./support/raw-http-server.js";

const isCall = ({ method }: { method: string }): boolean => method === "tools/call";

const number = createStateKey<number>("number", () => -1);

describe.each(linesAndModes)("a server over HTTP, line $sdk of the SDK, $mode", ({ sdk, mode }) => {
  async function called(server: RawHttpServer, options: object = {}) {
    await using mcp = mcpTools(server.url, { name: "s", sdk, ...options });
    const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
    return onlyResult(await runIn(mode, agent, "go"));
  }

  it("answers in JSON or in a stream", async () => {
    await using server = await RawHttpServer.start();
    server.on("tools/call", () => text("whole"));
    expect(readable(await called(server))).toBe("whole");
    server.on("tools/call", ({ id }, response) => {
      const send = events(response);
      send({ method: "notifications/message", params: { level: "info", data: "on it" } });
      send({ id: id ?? 0, result: text("streamed") });
      response.end();
      return undefined;
    });
    expect(readable(await called(server))).toBe("streamed");
  });

  it("says nothing of a call that is answered", async () => {
    await using server = await RawHttpServer.start();
    server.on("tools/call", ({ id }, response) => {
      events(response)({ id: id ?? 0, result: text("streamed") });
      response.end();
      return undefined;
    });
    await using mcp = mcpTools(server.url, { name: "s", sdk });
    const { agent } = scripted([["s_go"], ["s_go"], ["s_go"]], { contextProviders: [mcp] });
    await agent.run("go");
    const after = server.posted.slice(server.posted.findIndex(isCall));
    expect(after.map(({ method }) => method)).toEqual(["tools/call", "tools/call", "tools/call"]);
  });

  it.each(["end", "destroy"] as const)(
    "fails a call at once whose stream ends without an answer (%s)",
    async (end) => {
      await using server = await RawHttpServer.start();
      server.on("tools/call", (_posted, response) => {
        events(response)({ method: "notifications/message", params: { level: "info", data: 1 } });
        setImmediate(() => response[end]());
        return undefined;
      });
      const result = await called(server);
      expect(result.error?.code).toBe("mcp_connection_lost");
      expect(readable(result)).toContain("may or may not have");
    },
  );

  it("makes the call once more over a new session, when the old one has ended", async () => {
    await using server = await RawHttpServer.start();
    let sessions = 0;
    server.onGreeting = (response) => {
      sessions += 1;
      response.setHeader("mcp-session-id", `session-${sessions}`);
    };
    server.on("tools/call", ({ headers }, response) => {
      if (headers["mcp-session-id"] === "session-2") return text("second session");
      response.writeHead(404).end("Session not found");
      return undefined;
    });
    expect(readable(await called(server))).toBe("second session");
    expect(sessions).toBe(2);
  });

  it("says that nothing has run, when nobody is there any more", async () => {
    await using server = await RawHttpServer.start();
    await using mcp = mcpTools(server.url, { name: "s", sdk });
    const { tools } = await mcp.connect();
    await server.stop();
    // A connection that was kept may take the first one still, and nobody knows what became of it.
    await tools[0]?.invoke({});
    const result = await tools[0]?.invoke({});
    expect(result?.error?.code).toBe("mcp_unavailable");
    expect(JSON.stringify(result?.contents)).toContain("Not run");
  });

  it.each([false, true])(
    "hangs: the call ends in time, and the server hears of it (repeatable: %s)",
    async (repeatable) => {
      await using server = await RawHttpServer.start();
      const environment = manualEnvironment();
      const cancelled = new Promise<Posted>((resolve) => {
        server.on("notifications/cancelled", (posted) => void resolve(posted));
      });
      let hanging: number | undefined;
      server.on("tools/call", async ({ id }) => {
        hanging = id;
        await environment.advance(100);
        return undefined;
      });
      const repeatableTools = repeatable ? ["go"] : [];
      await using mcp = mcpTools(server.url, { name: "s", sdk, timeoutMs: 100, repeatableTools });
      const { agent } = scripted([["s_go"]], { contextProviders: [mcp], environment });
      const result = onlyResult(await runIn(mode, agent, "go"));
      // What may have had an effect is not for a retry.
      expect(result.error).toMatchObject({ code: "tool_timeout", retryable: repeatable });
      expect((await cancelled).params["requestId"]).toBe(hanging);
    },
  );

  it.each(["HTTP", "SSE"] as const)(
    "answers a call that was cancelled: nobody else gets that answer (%s)",
    async (transport) => {
      await using server = await (transport === "SSE" ? sseServer() : RawHttpServer.start());
      const controller = new AbortController();
      let hanging: { readonly id: number; readonly response: ServerResponse } | undefined;
      server.tools("hang", "go").on("tools/call", ({ id = -1, params }, response) => {
        if (params["name"] === "hang") {
          hanging = { id, response };
          controller.abort(new Error("enough"));
          return undefined;
        }
        if (hanging === undefined) throw new Error("a call hangs");
        const late = { id: hanging.id, result: text("late") };
        if (transport === "SSE") {
          server.answer({ jsonrpc: "2.0", ...late }, hanging.response);
          return text("in time");
        }
        const send = events(response);
        send(late);
        send({ id, result: text("in time") });
        response.end();
        return undefined;
      });
      const target = transport === "SSE" ? `${server.url}/sse` : server.url;
      await using mcp = mcpTools(target, { name: "s", sdk });
      const { agent } = scripted([["s_hang"]], { contextProviders: [mcp] });
      const running = runIn(mode, agent, "go", { signal: controller.signal });
      await expect(running).rejects.toThrow("enough");
      const { agent: next } = scripted([["s_go"]], { contextProviders: [mcp] });
      expect(readable(onlyResult(await runIn(mode, next, "go")))).toBe("in time");
      expect(server.posted.filter(({ method }) => method === "initialize")).toHaveLength(1);
    },
  );

  it.each(["HTTP", "SSE"] as const)(
    "changes its tools: from the next round on (%s)",
    async (transport) => {
      await using server = await (transport === "SSE" ? sseServer() : RawHttpServer.start());
      const changed: JsonObject = { method: "notifications/tools/list_changed" };
      server.tools("old").on("tools/call", ({ id = -1, params }, response) => {
        if (params["name"] === "new") return text("new ran");
        server.tools("new");
        if (transport === "SSE") {
          server.notify(changed);
          return text("old ran");
        }
        const send = events(response);
        send(changed);
        send({ id, result: text("old ran") });
        response.end();
        return undefined;
      });
      const target = transport === "SSE" ? `${server.url}/sse` : server.url;
      await using mcp = mcpTools(target, { name: "s", sdk });
      const { agent, client } = scripted([["s_old"], ["s_new"], ["s_old"]], {
        contextProviders: [mcp],
      });
      const results = resultsOf((await runIn(mode, agent, "go")).messages);
      expect(results.map(readable).slice(0, 2)).toEqual(["old ran", "new ran"]);
      expect(results[2]?.isError).toBe(true);
      expect(server.posted.filter(({ method }) => method === "tools/call")).toHaveLength(2);
      const offered = client.requests.map(({ options }) => options.tools?.map(({ name }) => name));
      expect(offered).toEqual([["s_old"], ["s_new"], ["s_new"], ["s_new"]]);
    },
  );

  it("tells an error of HTTP as a failure", async () => {
    await using server = await RawHttpServer.start();
    server.on("tools/call", (_posted, response) => {
      response.writeHead(500).end("out of berths");
      return undefined;
    });
    const result = await called(server);
    expect(result.error?.code).toBe("mcp_request_failed");
    expect(readable(result)).toContain("out of berths");
  });

  it("lets no answer in that is too large, and lives on", async () => {
    await using server = await RawHttpServer.start();
    const limits = { maxResultBytes: 100_000 };
    server.on("tools/call", () => text("x".repeat(5_000_000)));
    const result = await called(server, { limits });
    expect(result.isError).toBe(true);
    expect(readable(result)).toContain("too large");
    server.on("tools/call", () => text("x".repeat(200_000)));
    expect((await called(server, { limits })).error?.code).toBe("mcp_result_too_large");
  });

  it("falls back to SSE where nothing can be posted to the address", async () => {
    await using server = await sseServer();
    server.on("tools/call", () => text("over SSE"));
    expect(readable(await called(server))).toBe("over SSE");
  });

  it("fails a call at once when the SSE stream breaks, and connects again for the next", async () => {
    await using server = await sseServer();
    let calls = 0;
    server.on("tools/call", () => {
      calls += 1;
      if (calls > 1) return text("again");
      server.breakStreams();
      return undefined;
    });
    await using mcp = mcpTools(`${server.url}/SSE/?key=1`, { name: "s", sdk });
    const { agent } = scripted([["s_go"], ["s_go"]], { contextProviders: [mcp] });
    const [first, second] = resultsOf((await runIn(mode, agent, "go")).messages);
    expect(first?.error?.code).toBe("mcp_connection_lost");
    expect(second && readable(second)).toBe("again");
  });

  it("sends the headers of each call with that call, and the fixed ones with all", async () => {
    await using server = await RawHttpServer.start();
    server.on("tools/call", async ({ params, headers }) => {
      const { n } = params["arguments"] as { n: number };
      // Later calls are answered first.
      await new Promise((resolve) => setTimeout(resolve, 20 - n));
      return text(`${n}:${headers["x-call"]}:${headers["x-fixed"]}`);
    });
    await using mcp = mcpTools(
      { url: server.url, headers: { "X-Fixed": "yes" } },
      {
        name: "s",
        sdk,
        async headers({ tool, run }) {
          await Promise.resolve();
          const n: unknown = run?.state.get(number);
          return tool === undefined ? { "x-call": "ambient" } : { "x-call": `${n}` };
        },
      },
    );
    const { tools } = await mcp.connect();
    const results = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const { agent } = scripted([["s_go", { n }]], {
          tools,
          middleware: [
            {
              name: "number",
              agent(context, next) {
                context.run.state.set(number, n);
                return next();
              },
            },
          ],
        });
        const [result] = resultsOf((await runIn(mode, agent, "go")).messages);
        return result && readable(result);
      }),
    );
    expect(results).toEqual(Array.from({ length: 20 }, (_, n) => `${n}:${n}:yes`));
    const others = server.posted.filter(({ method }) => method !== "tools/call");
    expect(new Set(others.map(({ headers }) => headers["x-call"]))).toEqual(new Set(["ambient"]));
  });

  it("fails a call at once when its stream cannot be taken up again after all", async () => {
    await using server = await RawHttpServer.start();
    server.on("tools/call", (_posted, response) => {
      const notice = { method: "notifications/message", params: { level: "info", data: "x" } };
      events(response)(notice, "place");
      response.end();
      return undefined;
    });
    await using mcp = mcpTools(server.url, { name: "s", sdk, timeoutMs: 30_000 });
    const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
    const [result] = resultsOf((await runIn(mode, agent, "go")).messages);
    expect(result?.error?.code).toBe("mcp_connection_lost");
  });

  it("says no more of a page in place of an answer than an error is", async () => {
    await using server = await RawHttpServer.start();
    server.onPost = (_request, response) => {
      response.writeHead(500).end("\u001b[31m<p>".repeat(100_000));
      return true;
    };
    await using mcp = mcpTools(server.url, { name: "s", sdk });
    const { agent } = scripted([], { contextProviders: [mcp] });
    const { message } = (await runIn(mode, agent, "go").catch((error: Error) => error)) as Error;
    expect(message.length).toBeLessThan(5000);
    expect(message).not.toContain("\u001b");
  });

  it("does not send headers to another origin", async () => {
    await using other = await RawHttpServer.start();
    await using server = await RawHttpServer.start();
    const seen: unknown[] = [];
    for (const each of [other, server]) {
      each.onPost = (request, response) => {
        if (each === other) seen.push(request.headers["x-secret"]);
        response.writeHead(307, { location: other.url }).end();
        return true;
      };
    }
    await using mcp = mcpTools(server.url, { sdk, headers: { "x-secret": "tide" } });
    await expect(mcp.connect()).rejects.toThrow();
    expect(seen.filter((value) => value !== undefined)).toEqual([]);
  });
});

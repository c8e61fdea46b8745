import { createStateKey } from "@tunic/core";
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
import { events, RawHttpServer, sseServer, text } from "./support/raw-http-server.js";

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
    server.on("initialize", ({ params }, response) => {
      sessions += 1;
      response.setHeader("mcp-session-id", `session-${sessions}`);
      return {
        protocolVersion: params["protocolVersion"] ?? "",
        capabilities: { tools: {} },
        serverInfo: { name: "raw", version: "1" },
      };
    });
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

import type { Update } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { type McpHeaders, type McpHeadersContext, mcpTools } from "../src/index.js";
import { linesAndModes, onlyResult, readable, runIn, scripted } from "./support/agents.js";
import { deferred } from "./support/deferred.js";
import { events, RawHttpServer, text } from "./support/raw-http-server.js";

/** Of calls: who makes them. */
function of(name: string): McpHeaders {
  return ({ tool }) => ({
    "x-secret": tool === undefined ? `${name}'s own` : `${name}'s ${tool.name}`,
  });
}

/** Says that it is getting on with a call, and answers once it is let. */
async function slowServer(released: Promise<unknown>): Promise<RawHttpServer> {
  const server = await RawHttpServer.start();
  server.tools("go", "wait");
  server.on("tools/call", async ({ id, params }, response) => {
    const send = events(response);
    const { progressToken = 0 } = params["_meta"] as { progressToken?: number };
    send({ method: "notifications/progress", params: { progressToken, progress: 1 } });
    await released;
    send({ id: id as number, result: text("done") });
    response.end();
    return undefined;
  });
  return server;
}

describe.each(linesAndModes)("headers of a call, line $sdk of the SDK, $mode", ({ sdk, mode }) => {
  it("do not go along to another server that is connected to meanwhile", async () => {
    await using other = await RawHttpServer.start();
    const connected = deferred<void>();
    await using server = await slowServer(connected.promise);
    await using second = mcpTools(other.url, { name: "b", sdk });
    await using first = mcpTools(server.url, { name: "a", sdk, headers: of("a") });
    const { agent } = scripted([["a_go"]], { contextProviders: [first] });
    const onUpdate = ({ type }: Update): void => {
      if (type === "progress") void second.connect().then(() => connected.resolve());
    };
    const options = mode === "whole" ? { onUpdate } : {};
    await runIn(mode, agent, "go", options, onUpdate);
    expect(other.posted.length).toBeGreaterThan(1);
    expect(other.posted.map(({ headers }) => headers["x-secret"])).toEqual(
      other.posted.map(() => undefined),
    );
  });

  it("do not go along with the end of another call, which has its own", async () => {
    const ended = deferred<void>();
    await using server = await slowServer(ended.promise);
    server.on("notifications/cancelled", () => {
      ended.resolve();
      return undefined;
    });
    await using mcp = mcpTools(server.url, { name: "a", sdk, headers: of("a") });
    const { tools } = await mcp.connect();
    const controller = new AbortController();
    const { agent: waiting } = scripted([["a_wait"]], { tools });
    const started = deferred<void>();
    const waits = runIn("whole", waiting, "go", {
      signal: controller.signal,
      onUpdate: ({ type }) => void (type === "progress" && started.resolve()),
    });
    const aborted = expect(waits).rejects.toThrow("enough");
    await started.promise;
    const { agent } = scripted([["a_go"]], { tools });
    const onUpdate = ({ type }: Update): void => {
      if (type === "progress") controller.abort(new Error("enough"));
    };
    await runIn(mode, agent, "go", mode === "whole" ? { onUpdate } : {}, onUpdate);
    await aborted;
    const cancelled = server.posted.filter(({ method }) => method === "notifications/cancelled");
    expect(cancelled.map(({ headers }) => headers["x-secret"])).toEqual(["a's a_wait"]);
  });

  it.each([undefined, null, {}])(
    "are none where a function gives %j: not those of others",
    async (given) => {
      await using server = await RawHttpServer.start();
      server.on("tools/call", () => text("done"));
      const headers = (({ run }) => (run ? given : { "x-secret": "of all" })) as McpHeaders;
      await using mcp = mcpTools(server.url, { name: "a", sdk, headers });
      const { agent } = scripted([["a_go"]], { contextProviders: [mcp] });
      await runIn(mode, agent, "go");
      const sent = server.posted.map(({ method, headers: each }) => [method, each["x-secret"]]);
      expect(sent).toContainEqual(["tools/call", undefined]);
      expect(sent).toContainEqual(["tools/list", "of all"]);
    },
  );

  it.each([
    new Headers({ "x-secret": "s" }),
    new Map([["x-secret", "s"]]),
    { "x-secret": undefined },
    { "x-secret": 5 },
    "x-secret: s",
  ])("are an object of texts, or nothing is sent: %s", async (given) => {
    await using server = await RawHttpServer.start();
    const headers = (({ run }: McpHeadersContext) => (run ? given : {})) as unknown as McpHeaders;
    await using mcp = mcpTools(server.url, { name: "a", sdk, headers });
    const { agent } = scripted([["a_go"]], {
      contextProviders: [mcp],
      invocation: { includeDetailedErrors: true },
    });
    const result = onlyResult(await runIn(mode, agent, "go"));
    expect(readable(result)).toContain("`headers` returned something ");
    expect(server.posted.map(({ method }) => method)).not.toContain("tools/call");
  });
});

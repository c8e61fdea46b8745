import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { type McpTools, mcpTools } from "../src/index.js";
import { readable, resultsOf, scripted } from "./support/agents.js";
import { fastHttpServer } from "./support/fast-http-server.js";
import { RawHttpServer, text } from "./support/raw-http-server.js";
import { rawServer } from "./support/raw-server.js";

const stdioTarget = rawServer((server) => {
  server.tools({ name: "go" });
  const waiting: { readonly id: number; readonly n: unknown }[] = [];
  let isLate = false;
  server.on("tools/call", ({ arguments: args }, id) => {
    if (args["n"] === undefined) return server.text("one");
    waiting.push({ id, n: args["n"] });
    if (isLate) return undefined;
    isLate = true;
    // All that have come meanwhile, the last one first.
    setTimeout(() => {
      isLate = false;
      for (const each of waiting.splice(0).reverse()) {
        server.result(each.id, server.text(`${each.n}`));
      }
    }, 10);
    return undefined;
  });
});

describe.each([1, 2] as const)("a hundred calls at once, line %i of the SDK", (sdk) => {
  it("of two servers in one round: each has its own answer, and its own headers", async () => {
    await using server = await RawHttpServer.start();
    server.on("tools/call", async ({ params, headers }) => {
      const { n } = params["arguments"] as { n: number };
      await new Promise((resolve) => setTimeout(resolve, 50 - (n % 50)));
      return text(`${n}:${headers["x-call"]}`);
    });
    let made = 0;
    const headerOf = new Map<string, number>();
    await using http = mcpTools(server.url, {
      name: "far",
      sdk,
      async headers({ tool }) {
        if (tool === undefined) return { "x-call": "none" };
        const mine = `call-${made++}`;
        await new Promise((resolve) => setImmediate(resolve));
        return { "x-call": mine };
      },
    });
    await using stdio = mcpTools(stdioTarget, { name: "near", sdk });
    const calls = Array.from({ length: 200 }, (_, n) => ({
      name: n % 2 === 0 ? "far_go" : "near_go",
      arguments: { n },
    }));
    const { agent } = scripted([], { contextProviders: [http, stdio] }, [{ calls }, "done"]);
    const results = resultsOf((await agent.run("go")).messages).map(readable);
    expect(results).toHaveLength(200);
    results.forEach((result, n) => {
      const [answer, header] = result.split(":");
      expect(answer).toBe(`${n}`);
      if (n % 2 === 0) headerOf.set(header ?? "", n);
    });
    // No header twice: none is another call's.
    expect(headerOf.size).toBe(100);
    const heard = server.posted.filter(({ method }) => method === "tools/call");
    expect(new Set(heard.map(({ headers }) => headers["x-call"])).size).toBe(100);
    expect(heard.map(({ headers }) => headers["x-call"])).not.toContain("none");
  });
});

/**
 * Ten thousand calls of these tools, in rounds of fifty, after two thousand others: by how much the heap has grown
 * over a third of them, of which the middle one counts. What is left of each call is there after all three; what the
 * process itself does late, or gives back late, after one.
 */
async function heapGrowth(mcp: McpTools, names: readonly string[]): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const { signal } = new AbortController();
  const calls = Array.from({ length: 50 }, (_, at) => ({
    name: names[at % names.length] ?? "",
    arguments: {},
  }));
  const heapAfter = async (times: number): Promise<number> => {
    for (let made = 0; made < times; made += calls.length) {
      const { agent } = scripted([], { contextProviders: [mcp] }, [{ calls }, "done"]);
      const results = resultsOf((await agent.run("go", { signal })).messages);
      expect(results.map(readable)).toEqual(calls.map(() => "one"));
    }
    // What is told of garbage is told a turn later, and is garbage then.
    for (let turn = 0; turn < 5; turn++) {
      collect();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return process.memoryUsage().heapUsed;
  };
  const growths: number[] = [];
  let before = await heapAfter(2000);
  for (let third = 0; third < 3; third++) {
    const after = await heapAfter(callsInThird);
    growths.push(after - before);
    before = after;
  }
  expect(getEventListeners(signal, "abort")).toEqual([]);
  const [, middle = Number.NaN] = growths.sort((a, b) => a - b);
  return middle;
}

const callsInThird = 3350;
/** A hundred bytes for each call would be as much: no map keeps a call, no listener a signal. */
const little = 100 * callsInThird;

describe.each([1, 2] as const)("ten thousand calls, line %i of the SDK", (sdk) => {
  it("leave nothing behind", async () => {
    await using mcp = mcpTools(stdioTarget, { name: "s", sdk });
    expect(await heapGrowth(mcp, ["s_go"])).toBeLessThan(little);
  });

  it("leave nothing behind over HTTP, sockets included", async () => {
    await using server = await fastHttpServer();
    await using mcp = mcpTools(server.url, { name: "s", sdk, headers: () => ({ "x-call": "1" }) });
    const openSockets = () =>
      process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
    expect(await heapGrowth(mcp, ["s_go", "s_stream"])).toBeLessThan(little);
    const { agent } = scripted([["s_connections"]], { contextProviders: [mcp] });
    const [result] = resultsOf((await agent.run("go")).messages);
    // Those of one round, at most, kept for the next one.
    expect(Number(result && readable(result))).toBeLessThanOrEqual(60);
    expect(openSockets()).toBeLessThanOrEqual(60);
  });
});

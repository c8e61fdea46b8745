import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type McpTarget, mcpTools } from "../src/index.js";
import { readable, resultsOf, scripted, testLog } from "./support/agents.js";
import { type HttpServerProcess, serverProgram, startEverything } from "./support/everything.js";

let http: HttpServerProcess;
let sse: HttpServerProcess;

beforeAll(async () => {
  [http, sse] = await Promise.all([startEverything("streamableHttp"), startEverything("sse")]);
});

afterAll(async () => {
  await http[Symbol.asyncDispose]();
  await sse[Symbol.asyncDispose]();
});

const targets: Readonly<Record<string, () => McpTarget>> = {
  stdio: () => ({ command: process.execPath, args: [serverProgram("everything")] }),
  "streamable HTTP": () => http.url,
  SSE: () => sse.url,
};

describe.each(Object.keys(targets))("server-everything over %s", (transport) => {
  describe.each([1, 2] as const)("line %i of the SDK", (sdk) => {
    const open = (options = {}) => {
      const target = targets[transport]?.();
      if (target === undefined) throw new Error(transport);
      return mcpTools(target, { name: "all", sdk, ...options });
    };

    it.each([false, true])("runs tools in an agent (streaming: %s)", async (streaming) => {
      await using mcp = open();
      const { agent } = scripted(
        [
          ["all_echo", { message: "hello" }],
          ["all_get-sum", { a: 2, b: 5 }],
          ["all_get-tiny-image"],
          ["all_get-structured-content", { location: "Chicago" }],
          ["all_get-resource-links", { count: 2 }],
          ["all_get-resource-reference", { resourceType: "Text", resourceId: 1 }],
          ["all_get-sum", { a: "two" }],
        ],
        { contextProviders: [mcp] },
      );
      const run = streaming ? agent.stream("go").response : agent.run("go");
      const results = resultsOf((await run).messages);
      const texts = results.map(readable);
      expect(texts.slice(0, 2)).toEqual(["Echo: hello", "The sum of 2 and 5 is 7."]);
      expect(results[2]?.contents.map(({ type }) => type)).toEqual(["text", "data", "text"]);
      // Structured content is told once.
      expect(texts[3]?.match(/humidity/g)).toHaveLength(1);
      expect(results[4]?.contents.filter(({ type }) => type === "uri")).toHaveLength(2);
      expect(texts[5]).toContain("Resource 1");
      expect(results[6]?.error?.code).toBe("invalid_arguments");
    });

    it("shows progress, and takes a call back", async () => {
      const log = testLog();
      await using mcp = open({ onLog: log.onLog });
      const { agent } = scripted(
        [["all_trigger-long-running-operation", { duration: 1, steps: 4 }]],
        {
          contextProviders: [mcp],
        },
      );
      const shown: unknown[] = [];
      const first = await agent.run("go", {
        onUpdate(update) {
          if (update.type === "progress") shown.push(update.contents);
        },
      });
      expect(resultsOf(first.messages)[0]?.isError).toBeUndefined();
      expect(shown.length).toBeGreaterThanOrEqual(3);

      const controller = new AbortController();
      const { agent: second } = scripted(
        [["all_trigger-long-running-operation", { duration: 600, steps: 6000 }]],
        { contextProviders: [mcp] },
      );
      const running = second.run("go", {
        signal: controller.signal,
        onUpdate(update) {
          if (update.type === "progress") controller.abort(new Error("enough"));
        },
      });
      await expect(running).rejects.toThrow("enough");
      // The connection goes on.
      const { tools } = await mcp.connect();
      const echo = tools.find(({ name }) => name === "all_echo");
      expect(await echo?.invoke({ message: "still" })).not.toHaveProperty("isError");
    });

    it("answers many calls at once, each with its own answer", async () => {
      await using mcp = open();
      const { tools } = await mcp.connect();
      const echo = tools.find(({ name }) => name === "all_echo");
      const results = await Promise.all(
        Array.from({ length: 100 }, (_, n) => echo?.invoke({ message: `m${n}` })),
      );
      const texts = results.map((result) => result && readable(result));
      expect(texts).toEqual(Array.from({ length: 100 }, (_, n) => `Echo: m${n}`));
    });
  });
});

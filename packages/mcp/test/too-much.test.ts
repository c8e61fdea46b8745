import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { type McpTarget, type McpToolsOptions, mcpTools } from "../src/index.js";
import { linesAndModes, readable, resultsOf, runIn, scripted, testLog } from "./support/agents.js";
import { events, RawHttpServer, sseServer, text } from "./support/raw-http-server.js";
import { rawServer } from "./support/raw-server.js";

const megabyte = "x".repeat(1024 * 1024);
const big = megabyte.repeat(50);

describe.each(linesAndModes)(
  "a server that sends too much, line $sdk of the SDK, $mode",
  ({ sdk, mode }) => {
    /** The results of a call of `big`, and of one of `small` after it. */
    async function called(target: McpTarget, options: McpToolsOptions = {}) {
      await using mcp = mcpTools(target, { name: "s", sdk, ...options });
      const { agent } = scripted([["s_big"], ["s_small"]], { contextProviders: [mcp] });
      const { messages, text } = await runIn(mode, agent, "go");
      expect(text).toBe("done");
      const [first, second] = resultsOf(messages);
      if (first === undefined || second === undefined) throw new Error("there are two results");
      expect(second.isError).toBeUndefined();
      return { first, code: first.error?.code, second: readable(second) };
    }

    it("fails the call whose result has 50 MB, and no other: stdio", async () => {
      const target = rawServer((server) => {
        server.tools({ name: "big" }, { name: "small" });
        server.on("tools/call", ({ name }) => {
          if (name === "big") return server.text("x".repeat(50 * 1024 * 1024));
          return server.text("small");
        });
      });
      const { first, second } = await called(target);
      expect(first.isError).toBe(true);
      expect(readable(first)).toMatch(/has sent 5242\d+ bytes/);
      expect(second).toBe("small");
    });

    const answers: Readonly<Record<string, (id: number, response: ServerResponse) => void>> = {
      JSON: (id, response) => {
        const message = { jsonrpc: "2.0", id, result: text(big) };
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify(message));
      },
      "an event": (id, response) => {
        events(response)({ id, result: text(big) });
        response.end();
      },
    };

    it.each(Object.keys(answers))(
      "fails the call whose result has 50 MB, and no other: HTTP, as %s",
      async (how) => {
        await using server = await RawHttpServer.start();
        server.tools("big", "small").on("tools/call", ({ id = -1, params }, response) => {
          if (params["name"] === "small") return text("small");
          answers[how]?.(id, response);
          return undefined;
        });
        const { first, code, second } = await called(server.url);
        expect(code).toBe("mcp_wrong_answer");
        expect(readable(first)).toContain("too large");
        expect(second).toBe("small");
        // Over the same connection.
        expect(server.posted.filter(({ method }) => method === "initialize")).toHaveLength(1);
      },
    );

    it("loses the connection with a result of 50 MB where all answers come over one stream, and gets another: SSE", async () => {
      await using server = await sseServer();
      server
        .tools("big", "small")
        .on("tools/call", ({ params }) => text(params["name"] === "small" ? "small" : big));
      const { code, second } = await called(`${server.url}/sse`);
      expect(code).toBe("mcp_connection_lost");
      expect(second).toBe("small");
    });

    it("has its stream of notifications cut that never ends an event, and works", async () => {
      await using server = await RawHttpServer.start();
      const cut = new Promise<void>((resolve) => {
        server.onOther = (request, response) => {
          if (request.method !== "GET") return void response.writeHead(405).end();
          response.writeHead(200, { "content-type": "text/event-stream" });
          response.write("data: ");
          const goOn = (): void => {
            while (!response.closed && response.write(megabyte));
          };
          response.on("drain", goOn).once("close", resolve);
          goOn();
        };
      });
      server.tools("big", "small").on("tools/call", async ({ params }) => {
        if (params["name"] === "big") await cut;
        return text(`${params["name"]} went`);
      });
      const { first, second } = await called(server.url);
      expect(readable(first)).toBe("big went");
      expect(second).toBe("small went");
    });

    it("floods its output with lines that are no protocol, and works", async () => {
      const flood = rawServer((server) => {
        server.tools({ name: "big" }, { name: "small" });
        server.on("tools/call", ({ name }) => {
          for (let line = 0; line < 10_000; line++) server.write(`noise ${line}\n`);
          return server.text(`${name} went`);
        });
      });
      const log = testLog();
      const { first, second } = await called(flood, { onLog: log.onLog });
      expect(readable(first)).toBe("big went");
      expect(second).toBe("small went");
      expect(log.entries.filter(({ logger }) => logger === "stdout")).toHaveLength(101);
    });

    it("floods its output with one line of 50 MB that is no protocol, and works", async () => {
      const flood = rawServer((server) => {
        server.tools({ name: "big" }, { name: "small" });
        server.on("tools/call", ({ name }) => {
          if (name === "big") {
            for (let part = 0; part < 50; part++) server.write("x".repeat(1024 * 1024));
            server.write("\n");
          }
          return server.text(`${name} went`);
        });
      });
      const log = testLog();
      const { first, second } = await called(flood, { onLog: log.onLog });
      expect(readable(first)).toBe("big went");
      expect(second).toBe("small went");
      const noise = log.entries.filter(({ logger }) => logger === "stdout");
      expect(noise).toMatchObject([{ data: expect.stringMatching(/has sent 52428800 bytes/) }]);
    });
  },
);

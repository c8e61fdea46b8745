import { describe, expect, it } from "vitest";
import { mcpTools } from "../src/index.js";
import { linesAndModes, readable, resultsOf, runIn, scripted, testLog } from "./support/agents.js";
import { type RawServer, rawServer, rawServerWith } from "./support/raw-server.js";

/** What is written in place of `ID` is the id of the call. */
function answering(server: RawServer, { line }: { readonly line: string }): void {
  server.tools({ name: "go" });
  server.on("tools/call", (_params, id) => server.write(`${line.replaceAll("ID", `${id}`)}\n`));
}

describe.each(linesAndModes)("lines of a server, line $sdk of the SDK, $mode", ({ sdk, mode }) => {
  it.each([
    '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"said"}]},"error":null}',
    '{"jsonrpc":"2.0","id":ID,"method":null,"result":{"content":[{"type":"text","text":"said"}]},"more":1}',
    '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"said"}],"_meta":null}}',
    '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"said"}],"_meta":{"progressToken":{},"io.modelcontextprotocol/related-task":1}}}',
    '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"said"}],"structuredContent":null}}',
    '[{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"said"}]},"error":null}]\r',
    '\uFEFF{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"said"}]}}',
  ])("an answer with more in it than there should be is one: %s", async (line) => {
    await using mcp = mcpTools(rawServerWith({ line }, answering), { name: "s", sdk });
    const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
    const results = resultsOf((await runIn(mode, agent, "go")).messages);
    expect(results.map(readable)).toEqual(["said"]);
  });

  it("requests and notifications with more in them count, too", async () => {
    const target = rawServer((server) => {
      server.tools({ name: "go" });
      let call = -1;
      server.on("tools/call", (_params, id) => {
        call = id;
        server.send({
          id: null,
          method: "notifications/message",
          params: { level: "info", data: "heard", _meta: null },
        });
        server.send({ id: "p", method: "ping", params: null, more: true });
      });
      server.onAnswer((id) => server.result(call, server.text(`answered ${id}`)));
    });
    const log = testLog();
    await using mcp = mcpTools(target, { name: "s", sdk, onLog: log.onLog });
    const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
    const results = resultsOf((await runIn(mode, agent, "go")).messages);
    expect(results.map(readable)).toEqual(["answered p"]);
    await log.seen("heard");
  });

  it("nested so deeply that nobody can write them down, they bring nothing down", async () => {
    const target = rawServer((server) => {
      server.tools({ name: "go" });
      server.on("tools/call", (_params, id) => {
        const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
        const lines = [
          `{"jsonrpc":"2.0","id":99999,"result":{"a":${deep}}}`,
          `{"jsonrpc":"2.0","id":99999,"error":{"code":1,"message":"m","data":${deep}}}`,
          `{"jsonrpc":"2.0","id":{},"method":"x","params":{"a":${deep}}}`,
          `{"jsonrpc":"2.0","id":7,"method":"x","params":${deep}}`,
          `{"jsonrpc":"2.0","method":"x","params":{"_meta":{"progressToken":${deep}}}}`,
          `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${deep},"progress":1}}`,
          `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"said"}]}}`,
        ];
        server.write(`${lines.join("\n")}\n`);
      });
    });
    await using mcp = mcpTools(target, { name: "s", sdk, onLog: testLog().onLog });
    const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
    const results = resultsOf((await runIn(mode, agent, "go")).messages);
    expect(results.map(readable)).toEqual(["said"]);
  });
});

describe("a tool whose output schema is null", () => {
  it("promises nothing", async () => {
    const target = rawServer((server) => {
      server.tools({ name: "go", outputSchema: null });
      server.on("tools/call", () => server.text("said"));
    });
    await using mcp = mcpTools(target, { name: "s" });
    const { agent } = scripted([["s_go"]], { contextProviders: [mcp] });
    expect(resultsOf((await agent.run("go")).messages).map(readable)).toEqual(["said"]);
  });
});

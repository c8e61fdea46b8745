import { readFileSync } from "node:fs";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { mcpTools } from "../src/index.js";
import { readable, resultsOf, scripted } from "./support/agents.js";
import { newCountFile, rawServer } from "./support/raw-server.js";

describe("what a server may ask a model", () => {
  it("is a share of each run, also of a server that begins anew after each call", async () => {
    const countFile = newCountFile();
    const quitter = rawServer((server) => {
      server.tools({ name: "go" });
      server.on("tools/call", (_params, id) => {
        const messages = [{ role: "user", content: { type: "text", text: "Hi" } }];
        const params = { messages, maxTokens: 10 };
        server.onAnswer((_id, answer) => {
          server.result(id, server.text(JSON.stringify(answer)));
          process.exit(0);
        });
        server.send({ id: "q", method: "sampling/createMessage", params });
        return undefined;
      });
    }, countFile);
    await using mcp = mcpTools(quitter, {
      name: "s",
      // What was sent to a process that is about to end was not begun.
      repeatableTools: ["go"],
      maxSamplingRequests: 2,
      samplingApproval: () => true,
      samplingClient: new ScriptedChatClient(["one", "two", "three", "four"]),
    });
    for (const words of [
      ["one", "two"],
      ["three", "four"],
    ]) {
      const { agent } = scripted([["s_go"], ["s_go"], ["s_go"]], { contextProviders: [mcp] });
      const results = resultsOf((await agent.run("go")).messages).map(readable);
      expect(results.slice(0, 2)).toEqual(words.map((word) => expect.stringContaining(word)));
      expect(JSON.parse(results[2] ?? "")).toMatchObject({ code: -1 });
    }
    expect(Number(readFileSync(countFile, "utf8"))).toBeGreaterThanOrEqual(6);
  });
});

import { Agent, AgentSession, type JsonObject } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { type McpToolsOptions, mcpTools } from "../src/index.js";
import { readable, resultsOf, scripted } from "./support/agents.js";
import { deferred } from "./support/deferred.js";
import { events, type PostHandler, RawHttpServer, text } from "./support/raw-http-server.js";

/** Asks first, over the stream of a request, and answers that once it was told something. */
function asking(
  server: RawHttpServer,
  question: (params: JsonObject) => JsonObject,
  answer: JsonObject,
): PostHandler {
  return ({ id = 0, params }, response) => {
    const send = events(response);
    const { onAnswer } = server;
    server.onAnswer = (about, told) => {
      if (about !== `q${id}`) return onAnswer(about, told);
      send({ id, result: answer });
      response.end();
    };
    send({ id: `q${id}`, ...question(params) });
    return undefined;
  };
}

const form = () => ({
  method: "elicitation/create",
  params: { message: "Which?", requestedSchema: { type: "object", properties: {} } },
});
const sample = ({ name = "" }) => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: name } }], maxTokens: 5 },
});

describe.each([1, 2] as const)("over HTTP a server asks, line %i of the SDK", (sdk) => {
  const open = (server: RawHttpServer, options: McpToolsOptions = {}) =>
    mcpTools(server.url, { name: "s", sdk, ...options });

  it("while it lists for one person: the call of another is not asked", async () => {
    await using server = await RawHttpServer.start();
    const begun = deferred();
    const over = deferred();
    server.on("initialize", ({ params }) => ({
      protocolVersion: params["protocolVersion"] ?? "",
      capabilities: { tools: {}, resources: {} },
      serverInfo: { name: "raw", version: "1" },
    }));
    server.on("tools/call", async () => {
      begun.resolve();
      await over.promise;
      return text("done");
    });
    server.on("resources/list", asking(server, form, { resources: [] }));
    await using mcp = open(server, { resources: "tools" });
    const mara = scripted([["s_go"]], { contextProviders: [mcp] });
    const called = mara.agent.run("go", { session: new AgentSession() });
    await begun.promise;
    const otto = scripted([["s_list_resources"]], { contextProviders: [mcp] });
    const listed = await Promise.race([otto.agent.run("list"), called]);
    over.resolve();
    expect(listed.outcome).toBe("completed");
    expect(resultsOf(listed.messages).map(readable)).toEqual(['{"resources":[]}']);
    const { outcome, messages } = await called;
    expect(outcome).toBe("completed");
    expect(resultsOf(messages).map(readable)).toEqual(["done"]);
  });

  it("for each of several calls of a run: who decides is told of which", async () => {
    await using server = await RawHttpServer.start();
    server.tools("one", "two");
    server.on("tools/call", asking(server, sample, text("done")));
    const asked: unknown[] = [];
    await using mcp = open(server, {
      samplingApproval: ({ messages }, { tool }) => {
        asked.push([messages[0]?.contents[0], tool?.name]);
        return false;
      },
    });
    const calls = ["s_one", "s_two"].map((name) => ({ name }));
    const client = new ScriptedChatClient([{ calls }, "done"]);
    await new Agent({ client, contextProviders: [mcp] }).run("go");
    const of = (name: string) => [expect.objectContaining({ text: name }), `s_${name}`];
    expect(asked).toEqual(expect.arrayContaining([of("one"), of("two")]));
    expect(asked).toHaveLength(2);
  });
});

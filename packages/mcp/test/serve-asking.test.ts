import { Agent, type FunctionInvocationContext, type JsonObject, tool } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { McpError } from "../src/index.js";
import { type ServedClient, servedClient, serveTools } from "../src/server.js";
import { type Answers, askedClient, type Line, lines } from "./support/asked-client.js";
import type { Answer } from "./support/served.js";

/** A call of a tool that does this with its client. */
async function called(
  line: Line,
  work: (client: ServedClient) => Promise<unknown>,
  answers: Answers = {},
): Promise<Answer> {
  const asks = tool({
    name: "asks",
    async execute(_input, context) {
      try {
        return await work(clientOf(context));
      } catch (error) {
        return error instanceof McpError ? `${error.code}: ${error.message}` : String(error);
      }
    },
  });
  await using server = await serveTools(asks, { transport: { http: {} } });
  await using client = await askedClient(line, server.url ?? "", answers);
  return await client.call("asks");
}

function clientOf(context: FunctionInvocationContext): ServedClient {
  const client = servedClient(context);
  if (client === undefined) throw new Error("Nobody has called.");
  return client;
}

const requestedSchema: JsonObject = {
  type: "object",
  properties: { port: { type: "integer" }, host: { type: "string", default: "localhost" } },
  required: ["port"],
};
const where = { message: "Where?", requestedSchema };
const question = {
  messages: [{ role: "user", content: { type: "text", text: "Why?" } }],
  maxTokens: 9,
};

describe.each(lines)("a served tool, called in revision $revision,", ({ line }) => {
  it("asks the person at the client, and gets what fits the form", async () => {
    const asked: JsonObject[] = [];
    const answer = await called(line, (client) => client.elicit(where), {
      "elicitation/create": (params) => {
        asked.push(params);
        return { action: "accept", content: { port: 8080 } };
      },
    });
    expect(JSON.parse(answer.text)).toEqual({
      action: "accept",
      content: { port: 8080, host: "localhost" },
    });
    expect(asked).toEqual([expect.objectContaining({ message: "Where?", requestedSchema })]);
  });

  it("can ask nothing more once its call is answered", async () => {
    const later: { ask?: () => Promise<unknown>; left?: Promise<unknown> } = {};
    const answers = { "elicitation/create": () => new Promise<JsonObject>(() => {}) };
    await called(
      line,
      async (client) => {
        later.ask = () => client.elicit(where);
        later.left = client.elicit(where);
      },
      answers,
    );
    await expect(later.left).rejects.toMatchObject({ code: "mcp_closed" });
    await expect(later.ask?.()).rejects.toMatchObject({ code: "mcp_closed" });
  });

  it.each(["decline", "cancel"])("is told of a %s", async (action) => {
    const answer = await called(line, (client) => client.elicit(where), {
      "elicitation/create": () => ({ action }),
    });
    expect(JSON.parse(answer.text)).toEqual({ action });
  });

  it("does not get what the form does not have", async () => {
    const more = { port: 8080, approve: true, constructor: "x" };
    const answer = await called(line, (client) => client.elicit(where), {
      "elicitation/create": () => ({ action: "accept", content: more }),
    });
    expect(JSON.parse(answer.text)).toEqual({
      action: "accept",
      content: { port: 8080, host: "localhost" },
    });
  });

  it("does not get what does not fit", async () => {
    const answer = await called(line, (client) => client.elicit(where), {
      "elicitation/create": () => ({ action: "accept", content: { port: "none" } }),
    });
    expect(answer.text).toContain("mcp_wrong_answer");
  });

  it.each([
    ["question", { message: "Where?", schema: requestedSchema }, {}],
    ["option", where, { timeout: 5 }],
  ])("is told what no %s has", async (_what, asked, options) => {
    const answer = await called(line, (client) => client.elicit(asked as never, options as never));
    expect(answer.text).toContain("has no option");
  });

  it("sends the person to a page", async () => {
    const asked: JsonObject[] = [];
    const page = { message: "Sign in", url: "https://example.com/in" };
    const answer = await called(line, (client) => client.elicit(page), {
      "elicitation/create": (params) => {
        asked.push(params);
        return { action: "accept" };
      },
    });
    expect(JSON.parse(answer.text)).toEqual({ action: "accept" });
    expect(asked).toEqual([expect.objectContaining({ mode: "url", ...page })]);
  });

  it("asks the client's model", async () => {
    const answer = await called(
      line,
      async (client) => {
        const { text, model, stopReason } = await client.sample(question);
        return { text, model, stopReason };
      },
      {
        "sampling/createMessage": ({ maxTokens }) => ({
          role: "assistant",
          model: "some-model",
          stopReason: "endTurn",
          content: { type: "text", text: `Because of ${maxTokens}.` },
        }),
      },
    );
    expect(JSON.parse(answer.text)).toEqual({
      text: "Because of 9.",
      model: "some-model",
      stopReason: "endTurn",
    });
  });

  it("asks where to work", async () => {
    const roots = [{ uri: "file:///notes", name: "Notes" }];
    const answer = await called(line, (client) => client.listRoots(), {
      "roots/list": () => ({ roots }),
    });
    expect(JSON.parse(answer.text)).toEqual(roots);
  });

  it("asks one thing after the other, and several at once", async () => {
    const asked: unknown[] = [];
    const answer = await called(
      line,
      async (client) => {
        const [first, roots] = await Promise.all([client.elicit(where), client.listRoots()]);
        const second = await client.elicit({ ...where, message: "And then?" });
        return [first.action, roots.length, second.action].join();
      },
      {
        "roots/list": () => ({ roots: [{ uri: "file:///a" }] }),
        "elicitation/create": ({ message }) => {
          asked.push(message);
          return { action: asked.length === 1 ? "decline" : "cancel" };
        },
      },
    );
    expect(answer.text).toBe("decline,1,cancel");
    expect(asked).toEqual(["Where?", "And then?"]);
  });

  it("knows what the client can be asked", async () => {
    const can = async (answers: Answers) =>
      JSON.parse((await called(line, async (client) => client.can, answers)).text);
    const none = {
      forms: false,
      pages: false,
      sampling: false,
      samplingTools: false,
      roots: false,
    };
    expect(await can({})).toEqual(none);
    expect(await can({ "roots/list": () => ({ roots: [] }) })).toEqual({ ...none, roots: true });
    expect(await can({ "elicitation/create": () => ({ action: "cancel" }) })).toEqual({
      ...none,
      forms: true,
      pages: true,
    });
  });

  it("asks nothing that the client cannot answer", async () => {
    for (const work of [
      (client: ServedClient) => client.elicit(where),
      (client: ServedClient) => client.sample(question),
      (client: ServedClient) => client.listRoots(),
    ]) {
      expect((await called(line, work)).text).toContain("mcp_not_supported");
    }
  });

  it("is the only one to be asked: calls at the same time each ask their own client", async () => {
    const asks = tool({
      name: "asks",
      async execute(_input, context) {
        const answer = await clientOf(context).elicit(where);
        return answer.action === "accept" ? String(answer.content?.["port"]) : answer.action;
      },
    });
    await using server = await serveTools(asks, { transport: { http: {} } });
    const answers = await Promise.all(
      [1, 2, 3, 4, 5, 6].map(async (port) => {
        await using client = await askedClient(line, server.url ?? "", {
          "elicitation/create": () => ({ action: "accept", content: { port } }),
        });
        return (await client.call("asks")).text;
      }),
    );
    expect(answers).toEqual(["1", "2", "3", "4", "5", "6"]);
  });
});

describe("servedClient", () => {
  const asks = tool({
    name: "asks",
    execute: async (_input, context) => {
      const client = servedClient(context);
      return client === undefined ? "nobody" : (await client.elicit(where)).action;
    },
  });

  it("finds who has called an agent, from inside it", async () => {
    const client = new ScriptedChatClient([{ calls: [{ name: "asks" }] }, "Asked."]);
    const agent = new Agent({ client, name: "helper", tools: [asks] });
    await using server = await serveTools(agent, { transport: { http: {} } });
    const asked: unknown[] = [];
    await using caller = await askedClient(1, server.url ?? "", {
      "elicitation/create": ({ message }) => {
        asked.push(message);
        return { action: "decline" };
      },
    });
    expect(await caller.call("helper", { task: "Ask." })).toEqual({
      text: "Asked.",
      isError: false,
    });
    expect(asked).toEqual(["Where?"]);
  });

  it("finds nobody in a run that no client has asked for", async () => {
    const client = new ScriptedChatClient([{ calls: [{ name: "asks" }] }, "Done."]);
    const { messages } = await new Agent({ client, tools: [asks] }).run("Ask.");
    expect(JSON.stringify(messages)).toContain("nobody");
  });
});

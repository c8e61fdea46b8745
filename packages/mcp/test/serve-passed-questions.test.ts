import { Agent, type JsonObject, tool } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { mcpTools } from "../src/index.js";
import { servedClient, serveTools } from "../src/server.js";
import { type Answers, askedClient, type Line, lines } from "./support/asked-client.js";
import type { Answer } from "./support/served.js";

const requestedSchema: JsonObject = {
  type: "object",
  properties: { name: { type: "string" }, all: { type: "boolean", default: true } },
  required: ["name"],
};
const address = "https://pay.example/a";

const form = tool({
  name: "form",
  execute: async (_input, context) =>
    servedClient(context)?.elicit({ message: "Whose?", requestedSchema }),
});
const page = tool({
  name: "page",
  execute: async (_input, context) =>
    servedClient(context)?.elicit({ message: "Pay here.", url: address }),
});

/** What a client is answered that calls, through a server of ours, a tool of another one that asks. */
async function throughOurs(
  line: Line,
  called: string,
  answers: Answers = {},
  asAgent = false,
): Promise<Answer> {
  await using far = await serveTools([form, page], { transport: { http: {} } });
  await using mcp = mcpTools(far.url ?? "", { name: "far" });
  const tools = await mcp.connect();
  const calls = [{ name: called, arguments: {} }];
  const agent = new Agent({
    client: new ScriptedChatClient([{ calls }, ({ messages }) => JSON.stringify(messages.at(-1))]),
    name: "agent",
    tools,
  });
  await using near = await serveTools(asAgent ? agent : tools, {
    transport: { http: {} },
    approvals: "elicit",
  });
  await using client = await askedClient(line, near.url ?? "", answers);
  return await client.call(asAgent ? "agent" : called, asAgent ? { task: "Ask." } : {});
}

describe.each(lines)(
  "a question that a served tool passes on, in revision $revision,",
  ({ line }) => {
    it.each([false, true])(
      "is filled in as the form that it is (an agent's: %s)",
      async (asAgent) => {
        const asked: JsonObject[] = [];
        const { text } = await throughOurs(
          line,
          "far_form",
          {
            "elicitation/create": (params) => {
              asked.push(params);
              return { action: "accept", content: { name: "Ada", all: false } };
            },
          },
          asAgent,
        );
        expect(text.replaceAll("\\", "")).toContain('"content":{"all":false,"name":"Ada"}');
        expect(asked).toHaveLength(1);
        expect(asked[0]).toMatchObject({
          mode: "form",
          message: expect.stringMatching(/^Whose\?[\s\S]*"far" asks/),
          requestedSchema: { properties: requestedSchema["properties"], required: ["name"] },
        });
      },
    );

    it("leads to the page that it names", async () => {
      const asked: JsonObject[] = [];
      const { text } = await throughOurs(line, "far_page", {
        "elicitation/create": (params) => {
          asked.push(params);
          return { action: "accept" };
        },
      });
      expect(JSON.parse(text)).toEqual({ action: "accept" });
      expect(asked).toMatchObject([{ mode: "url", url: address }]);
    });

    it.each([
      ["declined", { action: "decline" }],
      ["called off", { action: "cancel" }],
      [
        "answered with what does not fit",
        { action: "accept", content: { name: "Ada", all: "perhaps" } },
      ],
      ["answered with nothing", { action: "accept" }],
      ["answered with a yes alone", { action: "accept", content: { approve: true } }],
    ])("is no yes where it is %s", async (_what, answer) => {
      const { text } = await throughOurs(line, "far_form", { "elicitation/create": () => answer });
      expect(JSON.parse(text)).toEqual({ action: "decline" });
    });

    it("is not asked of who cannot be", async () => {
      const { isError, text } = await throughOurs(line, "far_form");
      expect(isError).toBe(true);
      expect(text).toContain('"far" asks');
    });
  },
);

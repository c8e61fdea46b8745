import { Agent, AgentSession, ChatClientError } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { OpenAIChatClient, OpenAIResponsesClient } from "../src/index.js";
import { failureOf } from "./helpers.js";
import { ResponsesServer } from "./responses/responses-server.js";
import { WireServer } from "./wire-server.js";

const deep = `${'{"a":'.repeat(2e4)}1${"}".repeat(2e4)}`;
const call = `"id":"c","function":{"name":"f","arguments":"{}"}`;

const messages: readonly (readonly [string, string])[] = [
  ["annotations", `{"content":"t","annotations":[${deep}]}`],
  ["details of reasoning", `{"content":"t","reasoning_details":[{"type":"x","d":${deep}}]}`],
  ["what a call carries", `{"tool_calls":[{${call},"extra_content":${deep}}]}`],
];

const items: readonly (readonly [string, string])[] = [
  ["an item that nobody knows", `{"type":"weird","id":"w","x":${deep}}`],
  ["an item of the service's tools", `{"type":"mcp_call","id":"w","name":"f","output":${deep}}`],
  [
    "annotations",
    `{"type":"message","id":"w","content":[{"type":"output_text","text":"t","annotations":[${deep}]}]}`,
  ],
  [
    "a caller",
    `{"type":"function_call","id":"w","call_id":"c","name":"f","arguments":"{}","caller":${deep}}`,
  ],
];

describe("what is too deep to be written fails the answer, and no session holds it", () => {
  it.each(messages)("chat completions: %s", async (_what, message) => {
    const server = await WireServer.start();
    server.reply({ body: `{"choices":[{"message":${message},"finish_reason":"stop"}]}` });
    await expectRefused(new OpenAIChatClient({ model: "m", baseURL: server.url }));
    await server.stop();
  });

  it.each(items)("responses: %s", async (_what, item) => {
    await using server = await ResponsesServer.start();
    server.reply({ body: `{"object":"response","status":"completed","output":[${item}]}` });
    await expectRefused(new OpenAIResponsesClient({ model: "m", baseURL: server.url }));
  });
});

async function expectRefused(client: OpenAIChatClient | OpenAIResponsesClient): Promise<void> {
  const session = new AgentSession();
  const failure = await failureOf(new Agent({ client }).run("Go", { session }));
  expect(failure).toBeInstanceOf(ChatClientError);
  expect(failure).toMatchObject({ code: "malformed_response" });
  expect(() => JSON.stringify(session)).not.toThrow();
}

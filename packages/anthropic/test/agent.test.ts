import type Anthropic from "@anthropic-ai/sdk";
import { Agent, AgentSession, tool } from "@tunic/core";
import { expect, test } from "vitest";
import { AnthropicChatClient } from "../src/index.js";
import { asEvents, asText } from "./as-events.js";
import { answer, fixture, messageProblems, stored } from "./build.js";
import { streamed, whole, wireServer } from "./wire-server.js";

test("B12: an agent's turn with thinking and calls goes on after its session was stored and loaded", async () => {
  const wire: Anthropic.Message = JSON.parse(fixture("thinking-and-calls.json"));
  const done = answer([{ type: "text", text: "Both are on." }]);
  await using server = await wireServer(
    streamed(asText(asEvents(wire))),
    streamed(asText(asEvents(done))),
    whole(done),
  );
  const lamp = tool({
    name: "lamp",
    description: "Switches the lamp of a room on.",
    parameters: { type: "object", properties: { room: { type: "string" } }, required: ["room"] },
    execute: ({ room }) => `${room} is on`,
  });
  const client = new AnthropicChatClient({
    model: "claude-opus-4-8",
    apiKey: "key",
    baseURL: server.url,
  });
  const agent = new Agent({ client, instructions: "Be brief.", tools: [lamp] });
  const session = new AgentSession();

  const first = await agent.run("lights", { session, onUpdate: () => {} });
  expect(first.text).toBe("Both are on.");
  expect(first.usage).toMatchObject({ inputTokens: 25, outputTokens: 8, cachedInputTokens: 2 });

  const loaded = AgentSession.fromJSON(stored(session.toJSON()));
  await agent.run("thanks", { session: loaded });

  const requests = server.bodies.map((body) => body["messages"] as Anthropic.MessageParam[]);
  for (const messages of requests) expect(messageProblems(messages)).toEqual([]);
  const [, second, third] = requests;
  expect(second?.[1]?.content).toEqual(wire.content);
  expect(second?.[2]?.content).toMatchObject([
    { tool_use_id: "toolu_1", content: [{ text: "hall is on" }] },
    { tool_use_id: "toolu_2", is_error: true },
  ]);
  expect(third?.slice(0, 3)).toEqual(second);
});

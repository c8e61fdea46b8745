import Anthropic from "@anthropic-ai/sdk";
import { Agent, type ChatRequest, type JsonObject, type Message, tool } from "@tunic/core";
import { describe, expect, test } from "vitest";
import {
  AnthropicChatClient,
  type AnthropicChatClientOptions,
  toAnthropicMessages,
} from "../src/index.js";
import { answer, call, functionTool, message, result } from "./build.js";
import { either, type WireServer, wireServer } from "./wire-server.js";

const at = ({ url }: WireServer, more: Partial<AnthropicChatClientOptions> = {}) =>
  new AnthropicChatClient({ model: "claude-opus-4-8", apiKey: "key", baseURL: url, ...more });
const ask = (over: Partial<ChatRequest> = {}): ChatRequest => ({
  messages: [message("user", "hi")],
  options: {},
  ...over,
});
const hello = answer([{ type: "text", text: "hello" }]);

describe("beta features", () => {
  const betasOf = ({ headers }: WireServer) => headers.map((each) => each["anthropic-beta"]);

  test("of the client and of the request are named once each", async () => {
    await using server = await wireServer(either(hello));
    const client = at(server, {
      betas: ["a", "b"],
      defaultHeaders: { "Anthropic-Beta": "b, c" },
    });
    await client.getResponse(ask());
    const providerOptions = { anthropic: { betas: ["a", "d"] } };
    await client.getResponse(ask({ options: { providerOptions } }));
    expect(betasOf(server)).toEqual(["b,c,a", "b,c,a,d"]);
    for (const body of server.bodies) expect(body).not.toHaveProperty("betas");
  });

  test("go with a ready client", async () => {
    await using server = await wireServer(either(hello));
    const sdk = new Anthropic({ apiKey: "k", baseURL: server.url });
    const client = new AnthropicChatClient({ model: "m", client: sdk, betas: ["a"] });
    await client.getResponse(ask({ onUpdate: () => {} }));
    await new AnthropicChatClient({ model: "m", client: sdk }).getResponse(ask());
    expect(betasOf(server)).toEqual(["a", undefined]);
  });

  test("that are no names are refused", async () => {
    await using server = await wireServer(either(hello));
    const providerOptions = { anthropic: { betas: "a" } };
    await expect(
      at(server).getResponse(ask({ options: { providerOptions } })),
    ).rejects.toMatchObject({ code: "invalid_option" });
  });
});

test.each<[string, object]>([
  ["betas", { betas: "a" }],
  ["betas", { betas: [""] }],
  ["promptCaching", { promptCaching: { ttl: "2h" } }],
  ["promptCaching", { promptCaching: "yes" }],
  ["maxContinuations", { maxContinuations: -1 }],
  ["maxContinuations", { maxContinuations: 1.5 }],
  ["structuredOutputs", { structuredOutputs: "maybe" }],
  ['toolOptions["lamp"]', { toolOptions: { lamp: { name: "x" } } }],
  ['toolOptions["lamp"]', { toolOptions: { lamp: true } }],
])("a wrong option %s is refused at once", (name, options) => {
  expect(() =>
    Reflect.construct(AnthropicChatClient, [{ model: "m", apiKey: "k", ...options }]),
  ).toThrow(
    expect.objectContaining({ code: "invalid_option", message: expect.stringContaining(name) }),
  );
});

test("what the service says beside its answer: request id, limits, its own reason", async () => {
  const headers = {
    "request-id": "req_7",
    "anthropic-ratelimit-requests-limit": "50",
    "anthropic-ratelimit-requests-remaining": "49",
    "anthropic-ratelimit-requests-reset": "2026-01-01T00:00:00Z",
    "anthropic-ratelimit-input-tokens-remaining": "1000",
  };
  await using server = await wireServer(either(hello, headers));
  for (const more of [{}, { onUpdate: () => {} }]) {
    expect(await at(server).getResponse(ask(more))).toMatchObject({
      finishReason: "stop",
      rawFinishReason: "end_turn",
      model: "claude-sonnet-4-5",
      metadata: {
        requestId: "req_7",
        rateLimits: {
          requests: { limit: 50, remaining: 49, resetAt: Date.parse("2026-01-01T00:00:00Z") },
          "input-tokens": { remaining: 1000 },
        },
      },
    });
  }
});

test("what the service has changed in a request is told", async () => {
  const input_transformations = [{ type: "thinking_dropped", path: "messages.1.content.0" }];
  await using server = await wireServer(
    either(answer([{ type: "text", text: "hi" }], "end_turn", { input_transformations })),
  );
  const agent = new Agent({ client: at(server) });
  const seen: string[] = [];
  agent.events.on("notice", ({ code, message }) => void seen.push(`${code} ${message}`));
  await agent.run("go");
  await agent.run("go", { onUpdate: () => {} });
  const told = expect.stringMatching(/^input_transformed .*thinking_dropped/);
  expect(seen).toEqual([told, told]);
});

describe.each([
  { manner: "whole", streams: false },
  { manner: "streamed", streams: true },
])("names that the service refuses find their way back, $manner", ({ streams }) => {
  test("of tools and of arguments", async () => {
    const found: JsonObject[] = [];
    const parameters = {
      type: "object",
      properties: { $vectorSearch: { type: "object" }, "filter[id]": { type: "string" } },
      required: ["$vectorSearch"],
    };
    const aggregate = tool({
      name: "mongo.aggregate",
      description: "Searches.",
      parameters,
      execute: (args: unknown) => {
        found.push(args as JsonObject);
        return "1 document";
      },
    });
    await using server = await wireServer((response, body) => {
      const [offered] = body["tools"] as Anthropic.Tool[];
      const [search = "", filter = ""] = Object.keys(Object(offered?.input_schema.properties));
      const asked = Array.isArray(body["messages"]) && body["messages"].length === 1;
      const input = { [search]: { k: 1 }, [filter]: "x" };
      const block = { type: "tool_use", id: "c1", name: offered?.name, input };
      return either(asked ? answer([block], "tool_use") : hello)(response, body);
    });
    const agent = new Agent({ client: at(server), tools: aggregate });
    const options = { toolChoice: { name: "mongo.aggregate" } } as const;
    const { messages } = await agent.run("go", {
      options,
      ...(streams && { onUpdate: () => {} }),
    });
    const args = { $vectorSearch: { k: 1 }, "filter[id]": "x" };
    expect(found).toEqual([args]);
    expect(messages[0]?.contents).toMatchObject([
      { type: "function_call", name: "mongo.aggregate", arguments: args },
    ]);
    const [first, second] = server.bodies;
    const [offered] = (first?.["tools"] ?? []) as Anthropic.Tool[];
    expect(first?.["tool_choice"]).toEqual({ type: "tool", name: offered?.name });
    const [, asked] = (second?.["messages"] ?? []) as Anthropic.MessageParam[];
    const names = Object.keys(Object(offered?.input_schema.properties));
    expect(asked?.content).toEqual([
      {
        type: "tool_use",
        id: "c1",
        name: offered?.name,
        input: { [names[0] ?? ""]: { k: 1 }, [names[1] ?? ""]: "x" },
      },
    ]);
  });

  test("of arguments that were cut or are no JSON: the text stays, and never runs", async () => {
    const tools = [functionTool("find", { type: "object", properties: { $meta: {} } })];
    const block = { type: "tool_use", id: "c1", name: "find", input: '{"_meta_' };
    await using server = await wireServer(
      either(answer([block], "tool_use")),
      either(answer([{ ...block, input: "{}" }], "max_tokens")),
    );
    for (const argumentsText of ['{"_meta_', "{}"]) {
      const response = await at(server).getResponse(
        ask({ options: { tools }, ...(streams && { onUpdate: () => {} }) }),
      );
      const [content] = response.messages[0]?.contents ?? [];
      expect(content).toMatchObject({ argumentsText, parseError: expect.any(String) });
      expect(content).not.toHaveProperty("arguments");
    }
  });
});

describe("T9: a conversation that other services began", () => {
  const theirs = (vendor: string, own: JsonObject) => ({ providerData: { [vendor]: own } });
  const log: readonly Message[] = [
    message("user", "lights"),
    message(
      "assistant",
      { type: "text_reasoning", text: "hm", ...theirs("openai", { encrypted_content: "E" }) },
      { type: "text_reasoning", text: "hm", ...theirs("gemini", { thoughtSignature: "T" }) },
      { type: "text", text: "I do it.", ...theirs("gemini", { thoughtSignature: "T" }) },
      { ...call("call_abc|fc_1", "home.lamp"), ...theirs("openai", { id: "fc_1" }) },
      { type: "hosted_tool_call", callId: "ws_1", name: "search", ...theirs("openai", {}) },
    ),
    message("tool", result("call_abc|fc_1", "on")),
    message("assistant", "It is on."),
    message("user", "thanks"),
  ];

  test("goes on here: ids and names fit, and nothing of theirs is sent", async () => {
    await using server = await wireServer(either(hello));
    const tools = [functionTool("home.lamp")];
    await at(server).getResponse({ messages: log, options: { tools } });
    const [body] = server.bodies;
    const [, asked, answered] = (body?.["messages"] ?? []) as Anthropic.MessageParam[];
    const [offered] = (body?.["tools"] ?? []) as Anthropic.Tool[];
    const id = "call-x-call_5f_abc_7c_fc_5f_1";
    expect(asked?.content).toEqual([
      { type: "text", text: "I do it." },
      { type: "tool_use", id, name: offered?.name, input: {} },
    ]);
    expect(answered?.content).toMatchObject([{ type: "tool_result", tool_use_id: id }]);
    expect(JSON.stringify(body)).not.toMatch(/encrypted_content|thoughtSignature|fc_1"|ws_1|hm/);
  });
});

test("of 500 messages, 498 of them old, two are converted", () => {
  let reads = 0;
  const counted = (at: number): Message => {
    const { contents, ...rest } =
      at % 2 === 0 ? message("user", `q${at}`) : message("assistant", `a${at}`);
    return {
      ...rest,
      get contents() {
        reads++;
        return contents;
      },
    };
  };
  const log = Array.from({ length: 500 }, (_, at) => counted(at));
  toAnthropicMessages(log.slice(0, 498));
  expect(reads).toBe(498);
  reads = 0;
  expect(toAnthropicMessages(log).messages).toHaveLength(500);
  expect(reads).toBe(2);
});

import Anthropic from "@anthropic-ai/sdk";
import { type ChatRequest, ConfigurationError, foldUpdates, type Update } from "@tunic/core";
import { afterEach, describe, expect, test, vi } from "vitest";
import { AnthropicChatClient } from "../src/index.js";
import { asEvents, asText } from "./as-events.js";
import { answer, call, fixture, functionTool, message, result, stored } from "./build.js";
import {
  cut,
  failure,
  type Reply,
  streamed,
  type WireServer,
  whole,
  wireServer,
} from "./wire-server.js";

const model = "claude-opus-4-8";
const ask = (over: Partial<ChatRequest> = {}): ChatRequest => ({
  messages: [message("user", "hi")],
  options: {},
  ...over,
});
const at = ({ url }: WireServer) => new AnthropicChatClient({ model, apiKey: "key", baseURL: url });
const hello = answer([{ type: "text", text: "hello" }]);

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe("how a client is made", () => {
  test("it says who it is", () => {
    const client = new AnthropicChatClient({ model, apiKey: "key" });
    expect(client.metadata).toEqual({ provider: "anthropic", defaultModel: model });
    const foreign = { type: "hosted", provider: "openai", name: "files", definition: {} } as const;
    expect(() => client.checkTools([functionTool("a.b"), foreign])).toThrow(ConfigurationError);
  });

  test.each<[string, object, string]>([
    ["an unknown option", { model, apikey: "k" }, 'did you mean "apiKey"'],
    ["no model", { apiKey: "k" }, "model"],
    [
      "a client and a key",
      { model, client: new Anthropic({ apiKey: "k" }), apiKey: "k" },
      "apiKey",
    ],
    [
      "a client and an address",
      { model, client: new Anthropic({ apiKey: "k" }), baseURL: "http://x" },
      "baseURL",
    ],
    ["no key", { model }, "ANTHROPIC_API_KEY"],
  ])("%s is refused at once", (_, options, text) => {
    for (const name of ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"])
      vi.stubEnv(name, "");
    const refused = expect.objectContaining({ message: expect.stringContaining(text) });
    expect(() => Reflect.construct(AnthropicChatClient, [options])).toThrow(refused);
    expect(() => Reflect.construct(AnthropicChatClient, [options])).toThrow(ConfigurationError);
  });

  test("an address of one's own needs no key; headers go along", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "");
    await using server = await wireServer(whole(hello));
    const client = new AnthropicChatClient({
      model,
      baseURL: server.url,
      defaultHeaders: { "anthropic-beta": "x" },
    });
    await client.getResponse(ask());
    expect(server.headers[0]).toMatchObject({ "anthropic-beta": "x" });
  });

  test("a ready client is used as it is", async () => {
    await using server = await wireServer(whole(hello));
    const client = new AnthropicChatClient({
      model,
      client: new Anthropic({ apiKey: "mine", baseURL: server.url }),
    });
    expect(await client.getResponse(ask())).toMatchObject({ finishReason: "stop" });
  });
});

test("a whole answer", async () => {
  await using server = await wireServer(whole(hello));
  const response = await at(server).getResponse(ask());
  expect(response).toMatchObject({
    messages: [{ role: "assistant", contents: [{ type: "text", text: "hello" }] }],
    finishReason: "stop",
    responseId: "msg_1",
    model: "claude-sonnet-4-5",
    usage: { inputTokens: 10, outputTokens: 4, totalTokens: 14 },
  });
  expect(server.bodies).toMatchObject([{ model, max_tokens: 128_000, stream: false }]);
});

test.each<[string, Partial<ChatRequest>]>([
  ["a model that is to be retired", { options: { model: "claude-sonnet-4-5" } }],
  [
    "a kind of thinking that is to be retired",
    {
      options: {
        model: "claude-opus-4-6",
        providerOptions: { anthropic: { thinking: { type: "enabled", budget_tokens: 2048 } } },
      },
    },
  ],
])("nothing is printed about %s", async (_, over) => {
  const printed = (["debug", "info", "log", "warn", "error"] as const).map((level) =>
    vi.spyOn(console, level),
  );
  await using server = await wireServer(whole(hello), streamed(fixture("greeting.sse")));
  const client = at(server);
  await client.getResponse(ask(over));
  await client.getResponse(ask({ ...over, onUpdate: () => {} }));
  expect(server.bodies).toHaveLength(2);
  for (const print of printed) expect(print).not.toHaveBeenCalled();
});

test("the vendor's own words that are headers go out as headers", async () => {
  await using server = await wireServer(whole(hello));
  const anthropic = { user_profile_id: "u1", workspace_id: "w1" };
  await at(server).getResponse(ask({ options: { providerOptions: { anthropic } } }));
  expect(server.headers[0]).toMatchObject({
    "anthropic-user-profile-id": "u1",
    "anthropic-workspace-id": "w1",
  });
  expect(server.bodies[0]).not.toHaveProperty("workspace_id");
  expect(server.bodies[0]).not.toHaveProperty("user_profile_id");
});

test.each([1, 3, 7, 1000])(
  "B06: a stream in pieces of %d bytes keeps every character",
  async (size) => {
    await using server = await wireServer(streamed(fixture("greeting.sse"), size));
    const updates: Update[] = [];
    const response = await at(server).getResponse(
      ask({ onUpdate: (update) => void updates.push(update) }),
    );
    expect(response.messages).toMatchObject([{ contents: [{ type: "text", text: "naïve 🦊" }] }]);
    expect(foldUpdates(updates).messages).toEqual(response.messages);
    expect(updates.map(({ type }) => type)).toEqual(["delta", "delta", "finish"]);
    expect(server.bodies).toMatchObject([{ stream: true }]);
  },
);

test("B06: line ends of any kind, cut anywhere", async () => {
  await using server = await wireServer(
    streamed(fixture("greeting.sse").replaceAll("\n", "\r\n"), 1),
  );
  const response = await at(server).getResponse(ask({ onUpdate: () => {} }));
  expect(response.messages).toMatchObject([{ contents: [{ text: "naïve 🦊" }] }]);
});

test("B12: thinking, stored and loaded, goes back byte for byte before its calls", async () => {
  const wire: Anthropic.Message = JSON.parse(fixture("thinking-and-calls.json"));
  await using server = await wireServer(streamed(asText(asEvents(wire))), whole(hello));
  const client = at(server);
  const first = ask({ options: { tools: [functionTool("lamp")] } });
  const { messages } = await client.getResponse({ ...first, onUpdate: () => {} });
  const history = stored([
    ...first.messages,
    ...messages,
    message("tool", result("toolu_1", "on"), result("toolu_2", "on")),
  ]);
  await client.getResponse({ ...first, messages: history });
  const [, second] = server.bodies;
  expect(second?.["messages"]).toMatchObject([
    { role: "user" },
    { role: "assistant", content: wire.content },
    { role: "user" },
  ]);
});

test("additionalProperties and what other vendors keep are never sent", async () => {
  await using server = await wireServer(whole(hello));
  const secret = {
    additionalProperties: { label: "SECRET" },
    providerData: { openai: { id: "SECRET" } },
  };
  const messages = [
    {
      ...message("user", { type: "text", text: "go", ...secret }),
      additionalProperties: { label: "SECRET" },
    },
    message("assistant", { ...call("c1"), ...secret }),
    message("tool", { ...result("c1", "on"), ...secret }),
  ];
  await at(server).getResponse(ask({ messages }));
  expect(JSON.stringify(server.bodies)).not.toContain("SECRET");
});

describe("failures", () => {
  test("429: when to come back, and whose request it was; the client itself does not", async () => {
    await using server = await wireServer(failure(429, "rate_limit_error", { "retry-after": "2" }));
    await expect(at(server).getResponse(ask())).rejects.toMatchObject({
      name: "ChatClientError",
      code: "rate_limit",
      status: 429,
      retryable: true,
      retryAfterMs: 2000,
      requestId: "req_1",
      cause: expect.any(Anthropic.RateLimitError),
    });
    expect(server.bodies).toHaveLength(1);
  });

  test("maxRetries lets the SDK try again", async () => {
    await using server = await wireServer(
      failure(529, "overloaded_error", { "retry-after-ms": "1" }),
      whole(hello),
    );
    const client = new AnthropicChatClient({
      model,
      apiKey: "key",
      baseURL: server.url,
      maxRetries: 1,
    });
    await expect(client.getResponse(ask())).resolves.toMatchObject({ finishReason: "stop" });
    expect(server.bodies).toHaveLength(2);
  });

  test.each<[number, string, string]>([
    [401, "authentication_error", "authentication"],
    [400, "invalid_request_error", "bad_request"],
    [529, "overloaded_error", "overloaded"],
    [503, "api_error", "server_error"],
  ])("%d %s is %s, streamed or not", async (status, type, code) => {
    await using server = await wireServer(failure(status, type));
    await expect(at(server).getResponse(ask())).rejects.toMatchObject({ code, status });
    await expect(at(server).getResponse(ask({ onUpdate: () => {} }))).rejects.toMatchObject({
      code,
      status,
    });
  });

  test("an error inside a stream", async () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "busy" } };
    await using server = await wireServer(
      streamed(asText([...asEvents(hello).slice(0, 4), error])),
    );
    await expect(at(server).getResponse(ask({ onUpdate: () => {} }))).rejects.toMatchObject({
      code: "overloaded",
      retryable: true,
      requestId: "req_1",
    });
  });

  test.each<[string, (text: string) => Reply]>([
    ["ends early", streamed],
    ["breaks off", cut],
  ])("a stream that %s is no answer", async (_, reply) => {
    await using server = await wireServer(reply(asText(asEvents(hello).slice(0, -1))));
    await expect(at(server).getResponse(ask({ onUpdate: () => {} }))).rejects.toMatchObject({
      code: "cut_stream",
      retryable: true,
      requestId: "req_1",
    });
  });

  test("a whole answer that is none, or not readable", async () => {
    const broken: Reply = (response) => {
      response.writeHead(200, { "content-type": "application/json" }).end('{"id":');
    };
    const page: Reply = (response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<p>hi</p>");
    };
    await using server = await wireServer(whole({ ok: true }), broken, page);
    const client = at(server);
    for (let n = 0; n < 3; n++) {
      await expect(client.getResponse(ask())).rejects.toMatchObject({
        code: "malformed_response",
        retryable: false,
      });
    }
  });

  test("nobody listens there", async () => {
    const server = await wireServer();
    await server[Symbol.asyncDispose]();
    await expect(at(server).getResponse(ask())).rejects.toMatchObject({
      code: "connection",
      retryable: true,
      message: `Connection error: connect ECONNREFUSED ${new URL(server.url).host}`,
    });
  });

  test("what the consumer of the updates throws is theirs, and ends the request", async () => {
    await using server = await wireServer(streamed(fixture("greeting.sse")));
    const mine = new Error("mine");
    const thrown = ask({
      onUpdate: () => {
        throw mine;
      },
    });
    await expect(at(server).getResponse(thrown)).rejects.toBe(mine);
    await expect(
      at(server).getResponse(ask({ onUpdate: () => Promise.reject(mine) })),
    ).rejects.toBe(mine);
  });
});

describe("servers that answer otherwise than they were asked", () => {
  const both: Partial<ChatRequest>[] = [{}, { onUpdate: () => {} }];

  test.each(both)("an error with status 200 is that error: %o", async (over) => {
    const error = { type: "overloaded_error", message: "busy" };
    await using server = await wireServer(whole({ type: "error", error }));
    await expect(at(server).getResponse(ask(over))).rejects.toMatchObject({
      code: "overloaded",
      retryable: true,
    });
  });

  test("a whole answer to a request for a stream is read as one", async () => {
    await using server = await wireServer(whole(hello));
    const updates: Update[] = [];
    const onUpdate = (update: Update): void => void updates.push(update);
    const response = await at(server).getResponse(ask({ onUpdate }));
    expect(response.messages[0]?.contents).toMatchObject([{ type: "text", text: "hello" }]);
    expect(foldUpdates(updates).messages).toEqual(response.messages);
  });

  test("a connection that breaks behind the end has taken nothing with it", async () => {
    await using server = await wireServer(cut(asText(asEvents(hello))));
    const response = await at(server).getResponse(ask({ onUpdate: () => {} }));
    expect(response.finishReason).toBe("stop");
  });

  test("a body that is no answer is told as malformed", async () => {
    await using server = await wireServer(whole({}));
    await expect(at(server).getResponse(ask())).rejects.toMatchObject({
      code: "malformed_response",
      message: expect.stringContaining("no list of contents"),
    });
  });

  test("an onUpdate that returns no promise is not waited for", async () => {
    await using server = await wireServer(streamed(asText(asEvents(hello))));
    const updates: Update[] = [];
    const onUpdate = ((update: Update) => updates.push(update)) as unknown as () => void;
    await at(server).getResponse(ask({ onUpdate }));
    expect(updates.length).toBeGreaterThan(0);
  });
});

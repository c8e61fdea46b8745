import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OpenAIChatClient } from "../src/index.js";
import { chunk, completion, contentsOf, request, stream } from "./helpers.js";
import { WireServer } from "./wire-server.js";

let server: WireServer;
let client: OpenAIChatClient;

beforeAll(async () => {
  server = await WireServer.start();
  client = new OpenAIChatClient({ model: "test-model", baseURL: server.url });
});
afterAll(() => server.stop());

/** A chunk whose delta holds fragments of calls. */
function calls(...fragments: readonly object[]): object {
  return chunk({ tool_calls: fragments });
}

async function streamed(...chunks: readonly unknown[]) {
  server.reply({ chunks });
  return stream(client, request());
}

async function whole(body: unknown) {
  server.reply({ body });
  return client.getResponse(request());
}

describe("B42: finish reason and contents disagree", () => {
  const made = { index: 0, id: "c1", function: { name: "lamp", arguments: "{}" } };

  it.each(["stop", "other"])("keeps the calls of an answer that ended with %s", async (reason) => {
    const response = await streamed(calls(made), chunk({}, reason));
    expect(contentsOf(response)).toMatchObject([{ callId: "c1", arguments: {} }]);
    expect(response.finishReason).toBe(reason);
  });

  it("takes [DONE] for the end where no reason comes", async () => {
    const response = await streamed(calls(made), chunk({}));
    expect(contentsOf(response)).toMatchObject([{ callId: "c1", arguments: {} }]);
    expect(response.finishReason).toBeUndefined();
  });

  it("gives an empty message for a promise of calls without any", async () => {
    const response = await streamed(chunk({ content: "" }, "tool_calls"));
    expect(contentsOf(response)).toEqual([]);
    expect(response.finishReason).toBe("tool_calls");
    expect(contentsOf(await whole(completion({ content: null }, "tool_calls")))).toEqual([]);
  });
});

it("B48: usage counts what was cached and what was thought, and never NaN", async () => {
  const usage = {
    prompt_tokens: 10,
    completion_tokens: 4,
    total_tokens: null,
    prompt_tokens_details: { cached_tokens: 2 },
    completion_tokens_details: { reasoning_tokens: 3 },
  };
  const expected = { inputTokens: 10, outputTokens: 4, cachedInputTokens: 2, reasoningTokens: 3 };
  const body = { ...completion({ content: "ok" }), usage };
  expect((await whole(body)).usage).toEqual(expected);
  expect((await streamed(chunk({ content: "ok" }, "stop"), { choices: [], usage })).usage).toEqual(
    expected,
  );
  expect((await whole(completion({ content: "ok" }))).usage).toBeUndefined();
});

it("a call of a tool that takes free text is kept, and cannot run", async () => {
  const custom = { id: "t1", type: "custom", custom: { name: "shell", input: "ls" } };
  const response = await whole(completion({ content: null, tool_calls: [custom] }, "tool_calls"));
  expect(contentsOf(response)).toMatchObject([
    { callId: "t1", name: "shell", argumentsText: '"ls"', parseError: expect.any(String) },
  ]);
});

describe("B10: arguments that are an object, but one that nobody can write down", () => {
  const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
  const made = (args: string) =>
    `{"index":0,"id":"c1","function":{"name":"lamp","arguments":${args}}}`;

  it("are refused like any others that do not parse", async () => {
    const body = `{"choices":[{"index":0,"message":{"tool_calls":[${made(deep)}]}}]}`;
    server.reply({ body });
    const response = await client.getResponse(request());
    expect(contentsOf(response)).toMatchObject([{ callId: "c1", parseError: expect.any(String) }]);
  });
});

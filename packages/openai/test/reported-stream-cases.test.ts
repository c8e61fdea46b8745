import { foldUpdates, type Update } from "@tunic/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OpenAIChatClient, toOpenAIMessages } from "../src/index.js";
import {
  call,
  chunk,
  completion,
  contentsOf,
  message,
  request,
  result,
  stream,
} from "./helpers.js";
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

const stopped = chunk({}, "tool_calls");

async function streamed(...chunks: readonly unknown[]) {
  server.reply({ chunks });
  return stream(client, request());
}

async function whole(body: unknown) {
  server.reply({ body });
  return client.getResponse(request());
}

describe("B01: fragments of calls without index or id", () => {
  it("takes a new id for a new call where there is no index", async () => {
    const response = await streamed(
      calls({
        id: "k1",
        type: "function",
        function: { name: "lamp", arguments: '{"room":"hall"}' },
      }),
      calls({
        id: "k2",
        type: "function",
        function: { name: "lamp", arguments: '{"room":"attic"}' },
      }),
      stopped,
    );
    expect(contentsOf(response)).toEqual([
      { type: "function_call", callId: "k1", name: "lamp", arguments: { room: "hall" } },
      { type: "function_call", callId: "k2", name: "lamp", arguments: { room: "attic" } },
    ]);
  });

  it("makes up one id where none comes, and sends it back with the result", async () => {
    const response = await streamed(
      calls({ index: 0, function: { name: "lamp", arguments: '{"room"' } }),
      calls({ index: 0, function: { arguments: ':"hall"}' } }),
      stopped,
    );
    const [content] = contentsOf(response);
    expect(content).toMatchObject({ name: "lamp", arguments: { room: "hall" } });
    const callId = content?.type === "function_call" ? content.callId : "";
    expect(callId).not.toBe("");
    const sent = toOpenAIMessages([...response.messages, message("tool", result(callId, "on"))]);
    expect(sent).toMatchObject([
      { role: "assistant", tool_calls: [{ id: callId }] },
      { role: "tool", tool_call_id: callId },
    ]);
  });

  it("continues the last open call with a fragment that has neither", async () => {
    const response = await streamed(
      calls({ id: "k1", function: { name: "lamp", arguments: '{"room"' } }),
      calls({ function: { arguments: ':"hall"}' } }),
      calls({ id: "k2", function: { name: "lamp", arguments: "{" } }),
      calls({ function: { arguments: "}" } }),
      stopped,
    );
    expect(contentsOf(response)).toMatchObject([
      { callId: "k1", arguments: { room: "hall" } },
      { callId: "k2", arguments: {} },
    ]);
  });

  it("keeps calls of one index apart by their ids", async () => {
    const response = await streamed(
      calls({ index: 0, id: "k1", function: { name: "lamp", arguments: '{"a":1}' } }),
      calls({ index: 0, id: "k2", function: { name: "lamp", arguments: '{"a"' } }),
      calls({ index: 0, id: "k2", function: { arguments: ":2}" } }),
      stopped,
    );
    expect(contentsOf(response)).toMatchObject([
      { callId: "k1", arguments: { a: 1 } },
      { callId: "k2", arguments: { a: 2 } },
    ]);
  });

  it("keeps whole calls apart that have no id and no index", async () => {
    const lamp = (a: number) => ({ function: { name: "lamp", arguments: `{"a":${a}}` } });
    const response = await streamed(calls(lamp(1), lamp(2)), calls(lamp(3)), stopped);
    expect(contentsOf(response)).toMatchObject([
      { arguments: { a: 1 } },
      { arguments: { a: 2 } },
      { arguments: { a: 3 } },
    ]);
    const ids = contentsOf(response).map((each) =>
      each.type === "function_call" ? each.callId : "",
    );
    expect(new Set(ids).size).toBe(3);
  });

  it("tells calls apart by their names, or as entries of one list", async () => {
    const bare = (name: string) => ({ function: { name, arguments: "" } });
    const response = await streamed(
      calls(bare("lamp"), bare("lamp")),
      calls(bare("gauge")),
      calls({ function: { arguments: '{"u":1}' } }),
      stopped,
    );
    expect(contentsOf(response)).toMatchObject([
      { name: "lamp", arguments: {} },
      { name: "lamp", arguments: {} },
      { name: "gauge", arguments: { u: 1 } },
    ]);
  });

  it("renames a call whose id was used before, and keeps the vendor's", async () => {
    const same = { id: "call_0", type: "function", function: { name: "lamp", arguments: "{}" } };
    const response = await whole(completion({ content: null, tool_calls: [same, same] }));
    const [first, second] = contentsOf(response);
    expect(first).toMatchObject({ callId: "call_0" });
    expect(second).toMatchObject({ providerData: { openai: { callId: "call_0" } } });
    expect(second).not.toMatchObject({ callId: "call_0" });
  });
});

describe("B03: names and ids come whole, sometimes late", () => {
  const gauge = { type: "function_call", callId: "g1", name: "gauge" };

  it("takes an empty name or id for no change", async () => {
    const response = await streamed(
      calls({ index: 0, id: "g1", function: { name: "gauge", arguments: "" } }),
      calls({ index: 0, id: "", function: { name: "", arguments: "{}" } }),
      stopped,
    );
    expect(contentsOf(response)).toEqual([{ ...gauge, arguments: {} }]);
  });

  it("does not append a name that is repeated", async () => {
    const response = await streamed(
      calls({ index: 0, id: "g1", function: { name: "gauge", arguments: "" } }),
      calls({ index: 0, id: "g1", function: { name: "gauge", arguments: "{" } }),
      calls({ index: 0, id: "g1", function: { name: "gauge", arguments: "}" } }),
      stopped,
    );
    expect(contentsOf(response)).toEqual([{ ...gauge, arguments: {} }]);
  });

  it("holds arguments until the name is known", async () => {
    const updates: Update[] = [];
    server.reply({
      chunks: [
        calls({ index: 0, id: "g1", function: { name: "", arguments: '{"u"' } }),
        calls({ index: 0, function: { name: "gauge", arguments: ":1}" } }),
        stopped,
      ],
    });
    await client.getResponse({ ...request(), onUpdate: (update) => void updates.push(update) });
    expect(foldUpdates(updates).messages[0]?.contents).toEqual([{ ...gauge, arguments: { u: 1 } }]);
    for (const update of updates) {
      if (update.type !== "delta") continue;
      for (const content of update.contents) expect(content).toMatchObject({ name: "gauge" });
    }
  });

  it("keeps a call that never gets a name, as one that cannot run", async () => {
    const fragment = { index: 0, id: "g1", function: { arguments: '{"u":1}' } };
    const response = await streamed(calls(fragment), stopped);
    expect(contentsOf(response)).toEqual([
      {
        type: "function_call",
        callId: "g1",
        name: "unnamed",
        argumentsText: '{"u":1}',
        parseError: expect.stringContaining("without the name"),
      },
    ]);
  });
});

describe("B04: blank arguments mean none, broken ones are an error", () => {
  it.each(["", "  \n"])("reads %j as {}", async (text) => {
    const fragment = {
      id: "z1",
      type: "function",
      function: { name: "list_ports", arguments: text },
    };
    const expected = [{ type: "function_call", callId: "z1", name: "list_ports", arguments: {} }];
    expect(contentsOf(await streamed(calls({ index: 0, ...fragment }), stopped))).toEqual(expected);
    const body = completion({ content: null, tool_calls: [fragment] }, "tool_calls");
    expect(contentsOf(await whole(body))).toEqual(expected);
  });

  it("keeps a broken text with the reason, and sends back what parses", async () => {
    const fragment = {
      id: "z1",
      type: "function",
      function: { name: "list_ports", arguments: '{"a' },
    };
    const body = completion({ content: null, tool_calls: [fragment] }, "tool_calls");
    const response = await whole(body);
    expect(contentsOf(response)).toMatchObject([
      { callId: "z1", argumentsText: '{"a', parseError: expect.any(String) },
    ]);
    expect(contentsOf(await streamed(calls({ index: 0, ...fragment }), stopped))).toEqual(
      contentsOf(response),
    );
    expect(toOpenAIMessages(response.messages)).toMatchObject([
      { tool_calls: [{ function: { arguments: "{}" } }] },
    ]);
  });

  it("does not take arguments for none that the token limit cut off", async () => {
    const fragment = { index: 0, id: "z1", function: { name: "wipe", arguments: "" } };
    const response = await streamed(calls(fragment), chunk({}, "length"));
    expect(contentsOf(response)).toMatchObject([{ parseError: expect.stringContaining("limit") }]);
    expect(response.finishReason).toBe("length");
  });
});

describe("B05: usage in a chunk of its own", () => {
  const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 };
  const text = chunk({ role: "assistant", content: "ok" });
  const end = chunk({}, "stop");

  it.each([
    ["an empty list of choices", [text, end, { ...end, choices: [], usage }]],
    ["null choices", [text, end, { ...end, choices: null, usage }]],
    ["no choices", [text, end, { id: "chatcmpl-1", usage }]],
    ["the finish chunk", [text, { ...end, usage }]],
    [
      "null on every other chunk",
      [
        { ...text, usage: null },
        { ...end, usage: null },
        { choices: [], usage },
      ],
    ],
    ["a chunk before the last", [{ ...text, usage }, end]],
    [
      "counts that grow",
      [
        { ...text, usage: { prompt_tokens: 5 } },
        { ...end, usage },
      ],
    ],
  ])("reads it from %s", async (_, chunks) => {
    const response = await streamed(...chunks);
    expect(contentsOf(response)).toEqual([{ type: "text", text: "ok" }]);
    expect(response).toMatchObject({
      finishReason: "stop",
      usage: { inputTokens: 5, outputTokens: 1, totalTokens: 6 },
    });
    expect(server.lastBody).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    });
  });
});

it("B06: characters and events that the network cuts come out whole", async () => {
  server.reply({
    chunks: [chunk({ content: "naïve 🦊" }), chunk({ content: " 東京" }), chunk({}, "stop")],
    cut: (bytes) => Array.from(bytes, (byte) => Uint8Array.of(byte)),
  });
  expect(contentsOf(await stream(client, request()))).toEqual([
    { type: "text", text: "naïve 🦊 東京" },
  ]);
});

it("B09: calls that come in several updates are in one message", async () => {
  const response = await streamed(
    calls({ index: 0, id: "c1", function: { name: "lamp", arguments: "{}" } }),
    chunk({ content: "…" }),
    calls({ index: 1, id: "c2", function: { name: "lamp", arguments: "{}" } }),
    stopped,
  );
  expect(contentsOf(response)).toMatchObject([{ callId: "c1" }, { text: "…" }, { callId: "c2" }]);
});

describe("B10: arguments as an object, or encoded twice", () => {
  it.each([
    ["an object", { room: "hall" }, { arguments: { room: "hall" } }],
    ["encoded twice", JSON.stringify('{"room":"hall"}'), { arguments: { room: "hall" } }],
    ["a text inside", '{"payload":"{\\"x\\":1}"}', { arguments: { payload: '{"x":1}' } }],
    ["an array", "[1,2]", { argumentsText: "[1,2]", parseError: expect.any(String) }],
    ["an array as it is", [1, 2], { argumentsText: "[1,2]", parseError: expect.any(String) }],
    ["a number", "7", { argumentsText: "7", parseError: expect.any(String) }],
  ])("reads %s", async (_, given, expected) => {
    const fragment = { id: "o1", type: "function", function: { name: "lamp", arguments: given } };
    const content = { type: "function_call", callId: "o1", name: "lamp", ...expected };
    const body = completion({ content: null, tool_calls: [fragment] }, "tool_calls");
    expect(contentsOf(await whole(body))).toEqual([content]);
    expect(contentsOf(await streamed(calls({ index: 0, ...fragment }), stopped))).toEqual([
      content,
    ]);
  });

  it("sends an object back as one JSON text", () => {
    const sent = toOpenAIMessages([message("assistant", call("o1", "lamp", { room: "hall" }))]);
    expect(sent).toMatchObject([{ tool_calls: [{ function: { arguments: '{"room":"hall"}' } }] }]);
  });
});

it("B11: leaving a stream closes the connection", async () => {
  server.reply({ chunks: [chunk({ content: "one" })], end: "never" });
  const enough = new Error("enough");
  const asked = client.getResponse({
    ...request(),
    onUpdate: () => {
      throw enough;
    },
  });
  await expect(asked).rejects.toBe(enough);
  await server.closedByClient;
});

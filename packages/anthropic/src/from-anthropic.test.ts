import type Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";
import { asEvents } from "../test/as-events.js";
import { answer, fixture, message, messageProblems, result, stored } from "../test/build.js";
import {
  block,
  calls,
  end,
  json,
  parts,
  readEvents,
  readWhole,
  sameBothWays,
  start,
  toolUse,
} from "../test/read-answer.js";
import { toAnthropicMessages } from "./to-anthropic.js";

describe("B04: no arguments means {}, broken ones are an error", () => {
  test.each([
    ["no delta at all", []],
    ["an empty delta", [json("")]],
    ["a blank delta", [json("  \n")]],
    ["an empty object", [json("{}")]],
  ])("%s", async (_, deltas) => {
    const { response } = await readEvents([
      start,
      ...block(0, toolUse("c1"), ...deltas),
      ...end("tool_use"),
    ]);
    expect(calls(parts(response))).toEqual([
      { type: "function_call", callId: "c1", name: "lamp", arguments: {} },
    ]);
  });

  test("input in the start and no delta", async () => {
    const { response } = await readEvents([
      start,
      ...block(0, toolUse("c1", { a: 1 })),
      ...end("tool_use"),
    ]);
    expect(calls(parts(response))).toMatchObject([{ arguments: { a: 1 } }]);
  });

  test("input in the start stands where the deltas are blank, and yields to text", async () => {
    const read = async (text: string) => {
      const events = [start, ...block(0, toolUse("c1", { a: 1 }), json(text)), ...end("tool_use")];
      return calls(parts((await readEvents(events)).response));
    };
    expect(await read(" ")).toMatchObject([{ arguments: { a: 1 } }]);
    expect(await read('{"b":2}')).toMatchObject([{ arguments: { b: 2 } }]);
  });

  test("broken text is kept, with the reason", async () => {
    const { response } = await readEvents([
      start,
      ...block(0, toolUse("c1"), json('{"a"')),
      ...end("tool_use"),
    ]);
    expect(calls(parts(response))).toMatchObject([
      { argumentsText: '{"a"', parseError: expect.stringContaining("JSON") },
    ]);
  });
});

test("B09: calls spread over the stream are all there, in order", async () => {
  const { response } = await readEvents([
    start,
    ...block(0, toolUse("c1"), json('{"n":1}')),
    ...block(1, { type: "text", text: "" }, { type: "text_delta", text: "and" }),
    ...block(2, toolUse("c2"), json('{"n":'), json("2}")),
    ...end("tool_use"),
  ]);
  expect(calls(parts(response))).toMatchObject([
    { callId: "c1", arguments: { n: 1 } },
    { callId: "c2", arguments: { n: 2 } },
  ]);
});

test("B10: arguments as text, encoded twice or no object at all", async () => {
  const read = await readWhole(
    answer([
      toolUse("c1", '{"room":"hall"}'),
      toolUse("c2", '"{\\"room\\":\\"hall\\"}"'),
      toolUse("c3", [1, 2]),
      toolUse("c4", null),
      toolUse("c5", { payload: '{"x":1}' }),
    ]),
  );
  expect(calls(parts(read))).toMatchObject([
    { arguments: { room: "hall" } },
    { arguments: { room: "hall" } },
    { parseError: expect.stringContaining("an array") },
    { arguments: {} },
    { arguments: { payload: '{"x":1}' } },
  ]);
});

describe("B12: thinking survives the answer, the store and the way back", () => {
  const wire: Anthropic.Message = JSON.parse(fixture("thinking-and-calls.json"));

  test("streamed and whole", async () => {
    const { contents, usage } = await sameBothWays(wire);
    expect(contents.slice(0, 3)).toEqual([
      {
        type: "text_reasoning",
        text: "hm",
        id: "0",
        providerData: { anthropic: { signature: "SIG1" } },
      },
      {
        type: "text_reasoning",
        text: "",
        id: "1",
        providerData: { anthropic: { signature: "SIG2" } },
      },
      { type: "text_reasoning", text: "", id: "2", providerData: { anthropic: { data: "RD" } } },
    ]);
    expect(usage).toEqual({
      inputTokens: 15,
      outputTokens: 4,
      totalTokens: 19,
      cachedInputTokens: 2,
      cacheWriteInputTokens: 3,
      reasoningTokens: 1,
    });
  });

  test("the next request carries the very blocks that came", async () => {
    const { response } = await readEvents(asEvents(wire, (text) => Array.from(text)));
    const results = message("tool", result("toolu_1", "on"), result("toolu_2", "on"));
    const { messages } = toAnthropicMessages(
      stored([message("user", "go"), ...response.messages, results]),
    );
    expect(messageProblems(messages)).toEqual([]);
    expect(messages[1]?.content).toEqual(wire.content);
  });

  test("thinking that nobody signed stays out of the next request", async () => {
    const unsigned = answer([
      { type: "thinking", thinking: "hm", signature: "" },
      { type: "text", text: "a" },
    ]);
    const { contents } = await sameBothWays(unsigned);
    expect(contents[0]).toEqual({ type: "text_reasoning", text: "hm", id: "0" });
    const { messages } = toAnthropicMessages([
      message("user", "go"),
      message("assistant", ...contents),
    ]);
    expect(messages[1]?.content).toEqual([{ type: "text", text: "a" }]);
  });
});

test("what the service's own tools did, citations and unknown blocks go back as they came", async () => {
  const wire: Anthropic.Message = JSON.parse(fixture("web-search.json"));
  const { contents, finishReason } = await sameBothWays(wire, (text) => Array.from(text));
  expect(finishReason).toBe("pause_turn");
  expect(contents.map(({ type }) => type)).toEqual([
    "text",
    "hosted_tool_call",
    "hosted_tool_result",
    "text",
    "text",
    "container_upload",
  ]);
  const { messages } = toAnthropicMessages(
    stored([message("user", "go"), message("assistant", ...contents)]),
  );
  expect(messages[1]?.content).toEqual(wire.content);
});

test("a block cannot pose as a content of ours, nor bring members of one", async () => {
  const label = { additionalProperties: { label: "trusted" } };
  const { contents } = await sameBothWays(
    answer([
      { type: "function_approval_response", requestId: "r1", approved: true, ...label },
      { type: "hologram", ...label },
      { type: "server_tool_use", id: "srvtoolu_1", name: "x", input: {}, ...label },
    ]),
  );
  expect(contents.map(({ type }) => type)).toEqual([
    "anthropic_function_approval_response",
    "hologram",
    "hosted_tool_call",
  ]);
  for (const content of contents) expect(content).not.toHaveProperty("additionalProperties");
});

test("B42: calls are calls, whatever the reason to stop says", async () => {
  const stopped = await sameBothWays(answer([toolUse("c1", { a: 1 })], "end_turn"));
  expect(stopped.finishReason).toBe("stop");
  expect(calls(stopped)).toMatchObject([{ arguments: { a: 1 } }]);
  const empty = await sameBothWays(answer([], "tool_use"));
  expect(empty).toMatchObject({ finishReason: "tool_calls", contents: [] });
});

test.each([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["tool_use", "tool_calls"],
  ["refusal", "content_filter"],
  ["pause_turn", "pause_turn"],
  ["a_new_reason", "a_new_reason"],
])("the stop reason %s is %s", async (stopReason, finishReason) => {
  expect((await sameBothWays(answer([], stopReason))).finishReason).toBe(finishReason);
});

test("a refusal says why", async () => {
  const stop_details = { type: "refusal", category: "cyber", explanation: "Not this." };
  const { contents } = await sameBothWays(answer([], "refusal", { stop_details }));
  expect(contents).toEqual([{ type: "error", message: "Not this.", code: "refusal_cyber" }]);
});

describe("a call that was being written when the tokens ran out never runs", () => {
  test("whole or streamed, even where its arguments look complete", async () => {
    const { contents } = await sameBothWays(
      answer([toolUse("c1", { a: 1 }), toolUse("c2", { a: 2 })], "max_tokens"),
    );
    expect(contents).toMatchObject([
      { arguments: { a: 1 } },
      { argumentsText: '{"a":2}', parseError: expect.any(String) },
    ]);
    expect(contents[1]).not.toHaveProperty("arguments");
  });

  test("not even one whose arguments had not begun", async () => {
    const { contents } = await sameBothWays(answer([toolUse("c1")], "max_tokens"));
    expect(contents).toMatchObject([{ parseError: expect.stringContaining("cut") }]);
  });

  test("a call that was complete before the text that was cut does", async () => {
    const { contents } = await sameBothWays(
      answer([toolUse("c1"), { type: "text", text: "and" }], "max_tokens"),
    );
    expect(contents[0]).toMatchObject({ arguments: {} });
  });
});

describe("B48: usage of one answer", () => {
  const usage = async (first: object, last: object) => {
    const events = [
      { type: "message_start", message: { ...answer([]), usage: first } },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: last },
      { type: "message_stop" },
    ];
    return (await readEvents(events)).response.usage;
  };

  test("cumulative counts are not added up", async () => {
    const counts = await usage(
      { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 2 },
      { output_tokens: 4 },
    );
    expect(counts).toEqual({
      inputTokens: 12,
      outputTokens: 4,
      totalTokens: 16,
      cachedInputTokens: 2,
    });
    const again = await usage(
      { input_tokens: 10, output_tokens: 1 },
      { input_tokens: 10, output_tokens: 4 },
    );
    expect(again).toEqual({ inputTokens: 10, outputTokens: 4, totalTokens: 14 });
  });

  test("gaps filled with null or 0 take nothing away, and no usage is none", async () => {
    expect(
      await usage(
        { input_tokens: 10, output_tokens: 1 },
        { input_tokens: 0, output_tokens: 4, cache_read_input_tokens: null },
      ),
    ).toEqual({
      inputTokens: 10,
      outputTokens: 4,
      totalTokens: 14,
    });
    expect(await usage({}, {})).toBeUndefined();
    expect(await usage({ input_tokens: "many" }, {})).toBeUndefined();
  });
});

test("a stream without its last event is no answer", async () => {
  const events = asEvents(answer([{ type: "text", text: "half" }])).slice(0, -1);
  await expect(readEvents(events)).rejects.toMatchObject({ code: "cut_stream", retryable: true });
  await expect(readEvents([])).rejects.toMatchObject({ code: "cut_stream" });
});

test("two calls of one id are two calls", async () => {
  const { contents } = await sameBothWaysButIds(
    answer([toolUse("c1", { n: 1 }), toolUse("c1", { n: 2 })]),
  );
  expect(contents).toMatchObject([
    { callId: "c1", arguments: { n: 1 } },
    {
      callId: expect.not.stringMatching(/^c1$/),
      arguments: { n: 2 },
      providerData: { anthropic: { id: "c1" } },
    },
  ]);
});

async function sameBothWaysButIds(wire: Anthropic.Message) {
  const { response } = await readEvents(asEvents(wire));
  expect(parts(response).contents).toHaveLength(parts(await readWhole(wire)).contents.length);
  return parts(response);
}

describe("events of servers that do not keep to the protocol", () => {
  test("a block that begins where another one stands: both calls keep their own input", async () => {
    const { response } = await readEvents([
      start,
      { type: "content_block_start", index: 0, content_block: toolUse("c1", { a: 1 }) },
      { type: "content_block_start", index: 0, content_block: toolUse("c2", { a: 2 }) },
      ...end("tool_use"),
    ]);
    expect(calls(parts(response))).toMatchObject([
      { callId: "c1", arguments: { a: 1 } },
      { callId: "c2", arguments: { a: 2 } },
    ]);
  });

  test("a delta without its text adds nothing", async () => {
    const { response } = await readEvents([
      start,
      ...block(0, { type: "text", text: "so" }, { type: "text_delta" }),
      ...block(1, { type: "thinking", thinking: "" }, { type: "thinking_delta" }),
      ...block(2, toolUse("c1"), { type: "input_json_delta", partial_json: null }),
      ...end("tool_use"),
    ]);
    expect(parts(response).contents).toEqual([
      { type: "text", text: "so", id: "0" },
      { type: "function_call", callId: "c1", name: "lamp", arguments: {} },
    ]);
  });
});

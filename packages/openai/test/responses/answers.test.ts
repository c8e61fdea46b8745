import type { JsonObject } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { message, request, tool } from "../helpers.js";
import { asEvents } from "./as-events.js";
import { called, cutResponse, type Item, refused, response, said, thought } from "./build.js";
import { plainContents, readStream, readWhole } from "./read-answer.js";

const ways = [
  { way: "streamed", read: (answer: JsonObject) => readStream(asEvents(answer)) },
  { way: "whole", read: (answer: JsonObject) => readWhole(answer) },
];

describe.each(ways)("an answer, $way", ({ read }) => {
  it("keeps the order of its items, and parts of a text apart", async () => {
    const made = await read(
      response([
        thought("rs_1", "E1", "First.", "Then."),
        said("", {
          id: "msg_1",
          content: [
            { type: "output_text", text: "One.", annotations: [] },
            { type: "output_text", text: "Two.", annotations: [] },
          ],
        }),
        called("c1", "lamp"),
        said("Three.", { id: "msg_2" }),
      ]),
    );
    expect(plainContents(made)).toEqual([
      { type: "text_reasoning", text: "First." },
      { type: "text_reasoning", text: "Then." },
      { type: "text", text: "One." },
      { type: "text", text: "Two." },
      { type: "function_call", callId: "c1", name: "lamp", arguments: {} },
      { type: "text", text: "Three." },
    ]);
  });

  it("remembers what must go back, on the very part", async () => {
    const answer = await read(
      response([thought("rs_1", "E1", "Hm."), said("Yes.", { phase: "final_answer" })]),
    );
    const made = { origin: expect.stringContaining("127.0.0.1") };
    expect(answer.messages[0]?.contents.map((each) => each.providerData)).toEqual([
      { openai: { ...made, itemId: "rs_1", part: "summary", encryptedContent: "E1" } },
      { openai: { ...made, itemId: "msg_1", after: "rs_1", phase: "final_answer" } },
    ]);
  });

  it("keeps what a text cites", async () => {
    const annotations = [
      {
        type: "url_citation",
        start_index: 0,
        end_index: 4,
        url: "https://example.com",
        title: "X",
      },
      { type: "file_citation", file_id: "file_1", filename: "a.txt", index: 3 },
    ];
    const content = [{ type: "output_text", text: "Yes.", annotations }];
    const made = await read(response([said("", { content })]));
    expect(made.messages[0]?.contents).toMatchObject([
      { text: "Yes.", providerData: { openai: { annotations } } },
    ]);
  });

  it("tells a refusal as what it is", async () => {
    const made = await read(response([refused("I will not.")]));
    expect(plainContents(made)).toEqual([
      { type: "error", code: "refusal", message: "I will not." },
    ]);
    expect(made.finishReason).toBe("stop");
  });

  it("says how it ended, by whom, and what it cost", async () => {
    const usage = {
      input_tokens: 20,
      input_tokens_details: { cached_tokens: 8, cache_write_tokens: 2 },
      output_tokens: 9,
      output_tokens_details: { reasoning_tokens: 4 },
      total_tokens: 29,
    };
    expect(await read(response([said("Yes.")], { usage }))).toMatchObject({
      finishReason: "stop",
      rawFinishReason: "completed",
      responseId: "resp_1",
      model: "test-model",
      usage: {
        inputTokens: 20,
        cachedInputTokens: 8,
        cacheWriteInputTokens: 2,
        outputTokens: 9,
        reasoningTokens: 4,
        totalTokens: 29,
      },
    });
  });

  it.each([
    ["max_output_tokens", "length"],
    ["content_filter", "content_filter"],
    ["another_reason", "another_reason"],
  ])("ends early: %s", async (reason, finishReason) => {
    const made = await read(cutResponse([said("Ye", { status: "incomplete" })], reason));
    expect(made).toMatchObject({ finishReason, rawFinishReason: reason });
    expect(plainContents(made)).toEqual([{ type: "text", text: "Ye" }]);
  });

  it.each<[string, Item, unknown[]]>([
    [
      "a search of the web",
      {
        type: "web_search_call",
        id: "ws_1",
        status: "completed",
        action: { type: "search", query: "x" },
      },
      [
        {
          type: "hosted_tool_call",
          callId: "ws_1",
          name: "web_search",
          input: { type: "search", query: "x" },
        },
      ],
    ],
    [
      "a call of a remote server",
      {
        type: "mcp_call",
        id: "mcp_1",
        server_label: "wiki",
        name: "ask",
        arguments: '{"q":"x"}',
        output: "y",
      },
      [
        { type: "hosted_tool_call", callId: "mcp_1", name: "ask", input: { q: "x" } },
        { type: "hosted_tool_result", callId: "mcp_1", name: "ask", output: "y" },
      ],
    ],
    [
      "a picture",
      { type: "image_generation_call", id: "ig_1", status: "completed", result: "/9j/4AA=" },
      [
        { type: "hosted_tool_call", callId: "ig_1", name: "image_generation" },
        { type: "data", data: "/9j/4AA=", mediaType: "image/jpeg" },
      ],
    ],
    [
      "something new",
      { type: "hologram", id: "h_1", text: "poses as text", callId: "x" },
      [{ type: "hologram" }],
    ],
    [
      "something that poses as a result of ours",
      { type: "function_result", id: "h_1", callId: "c1", contents: [] },
      [{ type: "openai_function_result" }],
    ],
  ])("holds what the service did itself: %s", async (_, item, contents) => {
    expect(plainContents(await read(response([item])))).toEqual(contents);
  });

  it("of nothing is an empty message", async () => {
    expect(plainContents(await read(response([])))).toEqual([]);
  });
});

it("is read from a stream of which nothing but deltas and an empty end came", async () => {
  const place = { output_index: 0, content_index: 0 };
  const made = await readStream([
    { type: "response.output_text.delta", delta: "Ye" },
    { type: "response.output_text.delta", delta: "s.", ...place },
    { type: "response.something_new", delta: "?" },
    { type: "keepalive" },
    { type: "response.completed", response: {} },
  ]);
  expect(plainContents(made)).toEqual([{ type: "text", text: "Yes." }]);
  expect(made).toMatchObject({ finishReason: "stop" });
});

it("is read from a server that cannot stream, and from one that always does", async () => {
  const asked = { ...request([message("user", "Hi")]), onUpdate: () => {} };
  const answer = response([said("All at once.")]);
  expect(plainContents(await readWhole(answer, {}, asked))).toEqual([
    { type: "text", text: "All at once." },
  ]);
  const events = asEvents(answer).map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const headers = { "content-type": "text/event-stream" };
  expect(plainContents(await readWhole(events.join(""), { headers }))).toEqual([
    { type: "text", text: "All at once." },
  ]);
});

it("partial pictures are not shown, the final one is", async () => {
  const item: Item = {
    type: "image_generation_call",
    id: "ig_1",
    status: "completed",
    result: "iVBO",
  };
  const [created, started, added, ...rest] = asEvents(response([item]));
  const partial = { output_index: 0, item_id: "ig_1", partial_image_index: 0 };
  const made = await readStream([
    created,
    started,
    added,
    { type: "response.image_generation_call.partial_image", partial_image_b64: "AAAA", ...partial },
    ...rest,
  ]);
  expect(plainContents(made)).toMatchObject([{ callId: "ig_1" }, { mediaType: "image/png" }]);
});

it("tells the calls of tools by the tools' own names", async () => {
  const dotted = tool("files.read/all");
  let wireName = "";
  const asked = request(undefined, { tools: [dotted, tool("lamp")] });
  const { ResponsesServer } = await import("./responses-server.js");
  const { OpenAIResponsesClient } = await import("../../src/index.js");
  await using server = await ResponsesServer.start();
  server.always(({ body }) => {
    wireName = (body["tools"] as readonly { name: string }[])[0]?.name ?? "";
    return { body: response([called("c1", wireName), called("c2", "ghost")]) };
  });
  const client = new OpenAIResponsesClient({ model: "m", baseURL: server.url });
  const made = await client.getResponse(asked);
  expect(wireName).toMatch(/^files_read_all_[0-9a-f]{8}$/);
  expect(plainContents(made)).toMatchObject([{ name: "files.read/all" }, { name: "ghost" }]);
  server.always(() => ({ body: response([said("Done.")]) }));
  const results = message(
    "tool",
    ...["c1", "c2"].map((callId) => ({ type: "function_result" as const, callId, contents: [] })),
  );
  await client.getResponse(request([...asked.messages, ...made.messages, results], asked.options));
  expect(server.lastInput.map((item) => item["name"])).toEqual([
    undefined,
    wireName,
    "ghost",
    undefined,
    undefined,
  ]);
});

import type Anthropic from "@anthropic-ai/sdk";
import type { ChatRequest, JsonObject } from "@tunic/core";
import { describe, expect, test, vi } from "vitest";
import { AnthropicChatClient, toAnthropicMessages } from "../src/index.js";
import { answer, functionTool, message, result, stored } from "./build.js";
import { found, hosted, search, searching, text } from "./hosted.js";
import { block, end, readEvents, sameBothWays, start } from "./read-answer.js";
import { either, type WireServer, wireServer } from "./wire-server.js";

const code = hosted("code_execution", { type: "code_execution_20250825", name: "code_execution" });
const done = answer([text("A garment.")]);

const at = ({ url }: WireServer, more: object = {}) =>
  new AnthropicChatClient({ model: "claude-opus-4-8", apiKey: "key", baseURL: url, ...more });
const ask = (over: Partial<ChatRequest> = {}): ChatRequest => ({
  messages: [message("user", "What is a tunic?")],
  options: { tools: [search] },
  ...over,
});
describe("what the service's own tools bring", () => {
  const errors: readonly (readonly [string, object])[] = [
    ["web_search", { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" }],
    ["web_fetch", { type: "web_fetch_tool_result_error", error_code: "url_not_accessible" }],
    ["code_execution", { type: "code_execution_tool_result_error", error_code: "unavailable" }],
    [
      "bash_code_execution",
      { type: "bash_code_execution_tool_result_error", error_code: "unavailable" },
    ],
    [
      "text_editor_code_execution",
      {
        type: "text_editor_code_execution_tool_result_error",
        error_code: "file_not_found",
        error_message: "no",
      },
    ],
    [
      "tool_search_tool_regex",
      { type: "tool_search_tool_result_error", error_code: "unavailable", error_message: null },
    ],
  ];

  test.each(errors)("an error of %s is in its result, and goes back", async (name, content) => {
    const type = name.startsWith("tool_search") ? "tool_search_tool_result" : `${name}_tool_result`;
    const wire = answer([
      { type: "server_tool_use", id: "s1", name, input: {} },
      { type, tool_use_id: "s1", content },
      text("That did not work."),
    ]);
    const { contents } = await sameBothWays(wire);
    expect(contents[1]).toMatchObject({
      type: "hosted_tool_result",
      callId: "s1",
      output: content,
    });
    await using server = await wireServer(either(done));
    const messages = stored([
      message("user", "go"),
      message("assistant", ...contents),
      message("user", "and now?"),
    ]);
    await at(server).getResponse(ask({ messages }));
    expect(server.bodies[0]?.["messages"]).toMatchObject([{}, { content: wire.content }, {}]);
  });

  test("results keep what must go back with them", async () => {
    const document = {
      type: "document",
      source: { type: "text", media_type: "text/plain", data: "A tunic." },
      title: "T",
      citations: { enabled: true },
    };
    const wire = answer([
      { type: "server_tool_use", id: "f", name: "web_fetch", input: { url: "https://e.com" } },
      {
        type: "web_fetch_tool_result",
        tool_use_id: "f",
        content: {
          type: "web_fetch_result",
          url: "https://e.com",
          content: document,
          retrieved_at: "2026-01-01T00:00:00Z",
        },
      },
      { type: "server_tool_use", id: "c", name: "code_execution", input: { code: "1" } },
      {
        type: "code_execution_tool_result",
        tool_use_id: "c",
        content: {
          type: "encrypted_code_execution_result",
          encrypted_stdout: "ENC",
          stderr: "",
          return_code: 0,
          content: [{ type: "code_execution_output", file_id: "file_1" }],
        },
      },
      { type: "server_tool_use", id: "t", name: "tool_search_tool_bm25", input: { query: "x" } },
      {
        type: "tool_search_tool_result",
        tool_use_id: "t",
        content: {
          type: "tool_search_tool_search_result",
          tool_references: [{ type: "tool_reference", tool_name: "lamp" }],
        },
      },
      text("Done."),
    ]);
    const { contents } = await sameBothWays(wire, (whole) => Array.from(whole));
    await using server = await wireServer(either(done));
    const messages = stored([
      message("user", "go"),
      message("assistant", ...contents),
      message("user", "and?"),
    ]);
    await at(server).getResponse(ask({ messages }));
    expect(server.bodies[0]?.["messages"]).toMatchObject([{}, { content: wire.content }, {}]);
  });

  test("citations go back in the form that a request takes", async () => {
    const place = { cited_text: "a", document_index: 0, document_title: null };
    const citations = [
      {
        type: "char_location",
        ...place,
        start_char_index: 0,
        end_char_index: 1,
        file_id: "file_1",
      },
      { type: "page_location", ...place, start_page_number: 1, end_page_number: 2, file_id: null },
      {
        type: "content_block_location",
        ...place,
        start_block_index: 0,
        end_block_index: 1,
        file_id: null,
      },
      {
        type: "search_result_location",
        cited_text: "a",
        search_result_index: 0,
        source: "s",
        title: null,
        start_block_index: 0,
        end_block_index: 1,
      },
    ];
    const { contents } = await sameBothWays(answer([{ type: "text", text: "a", citations }]));
    expect(contents[0]).toMatchObject({ providerData: { anthropic: { citations } } });
    await using server = await wireServer(either(done));
    const log = [message("user", "go"), message("assistant", ...contents), message("user", "?")];
    await at(server).getResponse(ask({ messages: stored(log) }));
    const [, said] = (server.bodies[0]?.["messages"] ?? []) as Anthropic.MessageParam[];
    expect(said?.content).toEqual([
      {
        type: "text",
        text: "a",
        citations: citations.map(({ file_id: _, ...citation }: JsonObject) => citation),
      },
    ]);
  });

  test("MCP servers that the service calls: betas, servers and blocks", async () => {
    const listing = { type: "mcp_toolset", mcp_server_name: "docs" };
    const wire = answer([
      {
        type: "mcp_tool_use",
        id: "mcptoolu_1",
        name: "find",
        server_name: "docs",
        input: { q: "tunic" },
      },
      {
        type: "mcp_tool_result",
        tool_use_id: "mcptoolu_1",
        is_error: false,
        content: [{ type: "text", text: "A garment." }],
      },
      text("A garment."),
    ]);
    await using server = await wireServer(either(wire), either(done));
    const client = at(server, { betas: ["mcp-client-2025-11-20"] });
    const options = {
      tools: [hosted("docs", listing)],
      providerOptions: {
        anthropic: { mcp_servers: [{ type: "url", name: "docs", url: "https://e.com/mcp" }] },
      },
    };
    const question = message("user", "go");
    const first = await client.getResponse({ messages: [question], options, onUpdate: () => {} });
    expect(first.messages[0]?.contents).toMatchObject([
      { type: "hosted_tool_call", name: "find", input: { q: "tunic" } },
      { type: "hosted_tool_result", callId: "mcptoolu_1" },
      { type: "text" },
    ]);
    const messages = stored([question, ...first.messages, message("user", "and?")]);
    await client.getResponse({ messages, options });
    expect(server.headers[0]).toMatchObject({ "anthropic-beta": "mcp-client-2025-11-20" });
    expect(server.bodies[1]).toMatchObject({
      tools: [listing],
      mcp_servers: [{ name: "docs" }],
      messages: [{}, { content: wire.content }, {}],
    });
  });

  test("a call that code of the service's makes has its results, and the code's come later", async () => {
    const caller = { type: "code_execution_20250825", tool_id: "s1" };
    const calling = answer(
      [
        { type: "server_tool_use", id: "s1", name: "code_execution", input: { code: "lamp()" } },
        { type: "tool_use", id: "t1", name: "lamp", input: {}, caller },
      ],
      "tool_use",
      { container: { id: "container_1", expires_at: "2999-01-01T00:00:00Z" } },
    );
    await using server = await wireServer(either(calling), either(done));
    const options = { tools: [code, functionTool("lamp")] };
    const question = message("user", "go");
    const first = await at(server).getResponse({ messages: [question], options });
    const log = stored([question, ...first.messages, message("tool", result("t1", "on"))]);
    await at(server).getResponse({ messages: log, options });
    expect(server.bodies[1]).toMatchObject({
      container: "container_1",
      messages: [{}, { content: calling.content }, { content: [{ tool_use_id: "t1" }] }],
    });
  });
});

describe("the container of the service's code", () => {
  const expires_at = "2026-01-01T01:00:00Z";
  const ran = answer([text("1")], "end_turn", { container: { id: "container_1", expires_at } });
  const now = (time: string) => vi.useFakeTimers({ now: Date.parse(time), toFake: ["Date"] });

  test.each([
    ["while it lives", "2026-01-01T00:30:00Z", {}, "container_1"],
    ["not when it is gone", "2026-01-01T01:00:00Z", {}, undefined],
    ["not where the request names another", "2026-01-01T00:30:00Z", { container: "mine" }, "mine"],
    [
      "with the skills that the request names",
      "2026-01-01T00:30:00Z",
      { container: { skills: [{ type: "anthropic", skill_id: "pdf" }] } },
      { id: "container_1", skills: [{ type: "anthropic", skill_id: "pdf" }] },
    ],
  ])("is used again %s", async (_, time, anthropic, expected) => {
    await using server = await wireServer(either(ran), either(done));
    const client = at(server);
    const question = message("user", "go");
    const options = { tools: [code], providerOptions: { anthropic } };
    const first = await client.getResponse({
      messages: [question],
      options: { tools: [code] },
      onUpdate: () => {},
    });
    now(time);
    try {
      const messages = stored([question, ...first.messages, message("user", "and?")]);
      await client.getResponse({ messages, options });
      expect(server.bodies[1]?.["container"]).toEqual(expected);
      expect(server.bodies[1]?.["messages"]).toMatchObject([{}, { content: [text("1")] }, {}]);
      await client.getResponse({ messages, options: {} });
      expect(server.bodies[2]).not.toHaveProperty("container");
    } finally {
      vi.useRealTimers();
    }
  });

  test("goes along while an answer that paused goes on", async () => {
    const begun = answer([text("x"), searching("s1")], "pause_turn", {
      container: { id: "container_2", expires_at },
    });
    await using server = await wireServer(either(begun), either(answer([found("s1"), text("y")])));
    await at(server).getResponse(ask());
    expect(server.bodies[1]).toMatchObject({ container: "container_2" });
  });
});

test("a call of the service's own tool that was cut off is left out, with a notice", () => {
  const open = {
    type: "hosted_tool_call" as const,
    callId: "s9",
    name: "web_search",
    providerData: { anthropic: { type: "server_tool_use" } },
  };
  const notice = vi.fn();
  const log = [
    message("user", "go"),
    message("assistant", "I look.", open),
    message("user", "never mind"),
  ];
  const { messages } = toAnthropicMessages(log, notice);
  expect(messages[1]?.content).toEqual([text("I look.")]);
  expect(notice).toHaveBeenCalledExactlyOnceWith(
    "content_left_out",
    expect.stringContaining("server_tool_use"),
  );
});

test("a block that comes in one delta is whole, and goes back", async () => {
  const wire = [
    start,
    ...block(
      0,
      { type: "compaction", content: null, encrypted_content: null },
      { type: "compaction_delta", content: "So far: a tunic.", encrypted_content: "ENC" },
    ),
    ...block(1, { type: "text", text: "" }, { type: "text_delta", text: "And?" }),
    ...end("compaction"),
  ];
  const { response } = await readEvents(wire);
  expect(response).toMatchObject({ finishReason: "compaction", rawFinishReason: "compaction" });
  const { messages } = toAnthropicMessages(stored([message("user", "go"), ...response.messages]));
  expect(messages[1]?.content).toEqual([
    { type: "compaction", content: "So far: a tunic.", encrypted_content: "ENC" },
    text("And?"),
  ]);
});

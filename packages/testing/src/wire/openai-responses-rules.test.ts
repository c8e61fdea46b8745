import { describe, expect, it } from "vitest";
import { wireProblems } from "./wire-problems.js";

type Json = Readonly<Record<string, unknown>>;

const problems = (body: Json) => wireProblems("openai-responses", { model: "gpt-5", ...body });
const input = (...items: readonly Json[]) => problems({ input: items });
const held = (...items: readonly Json[]) =>
  problems({ input: items, previous_response_id: "resp_1" });
const unstored = (...items: readonly Json[]) => problems({ input: items, store: false });

const hello = { role: "user", content: "Hello" };
const said = (more: Json = {}) => ({
  type: "message",
  role: "assistant",
  id: "msg_1",
  status: "completed",
  content: [{ type: "output_text", text: "Hi", annotations: [], logprobs: [] }],
  ...more,
});
const call = (call_id: string, more: Json = {}) => ({
  type: "function_call",
  call_id,
  name: "lamp",
  arguments: "{}",
  ...more,
});
const output = (call_id: string, more: Json = {}) => ({
  type: "function_call_output",
  call_id,
  output: "on",
  ...more,
});
const thought = (id = "rs_1", more: Json = {}) => ({
  type: "reasoning",
  id,
  summary: [],
  ...more,
});
const asked = {
  type: "mcp_approval_request",
  id: "mcpr_1",
  server_label: "s",
  name: "n",
  arguments: "{}",
};
const approved = { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true };
const search = {
  type: "web_search_call",
  id: "ws_1",
  status: "completed",
  action: { type: "search", query: "x" },
};
const tool = (name: string, more: Json = {}) => ({
  type: "function",
  name,
  parameters: { type: "object" },
  strict: false,
  ...more,
});

describe("a responses request passes with", () => {
  it.each<[string, readonly string[]]>([
    ["a stored prompt alone", wireProblems("openai-responses", { prompt: { id: "pmpt_1" } })],
    ["nothing beside what is held", problems({ previous_response_id: "resp_1" })],
    ["nothing beside a conversation", problems({ conversation: "conv_1" })],
    ["a text", problems({ input: "Hello" })],
    ["a plain message", input(hello)],
    [
      "a message of parts",
      input({ type: "message", role: "user", content: [{ type: "input_text", text: "Hi" }] }),
    ],
    ["an answer", input(hello, said(), hello)],
    ["parallel calls", input(hello, call("a"), call("b"), output("b"), output("a"), hello)],
    [
      "reasoning before each call",
      input(
        hello,
        thought("rs_1"),
        call("a"),
        thought("rs_2"),
        call("b"),
        output("a"),
        output("b"),
      ),
    ],
    ["a row of reasoning", input(hello, thought("rs_1"), thought("rs_2"), said())],
    ["text beside a call", input(hello, call("a"), said(), output("a"))],
    ["a hosted call", input(hello, thought(), search, said())],
    ["outputs of calls that are held", held(output("a"), hello)],
    [
      "an output of a call that is referred to",
      input({ type: "item_reference", id: "fc_1" }, output("a")),
    ],
    ["an approval", input(hello, asked, approved)],
    ["an approval of what is held", held(approved)],
    [
      "kept reasoning",
      unstored(hello, thought("rs_1", { encrypted_content: "x" }), call("a"), output("a")),
    ],
    ["a reference", input(hello, { type: "item_reference", id: "msg_1" })],
    [
      "a choice of a tool",
      problems({
        input: "x",
        tools: [tool("lamp")],
        tool_choice: { type: "function", name: "lamp" },
      }),
    ],
    [
      "allowed tools",
      problems({
        input: "x",
        tools: [tool("lamp")],
        tool_choice: {
          type: "allowed_tools",
          mode: "auto",
          tools: [{ type: "function", name: "lamp" }],
        },
      }),
    ],
    [
      "a strict answer",
      problems({
        input: "x",
        text: {
          format: {
            type: "json_schema",
            name: "x",
            strict: true,
            schema: { type: "object", properties: {}, required: [], additionalProperties: false },
          },
        },
      }),
    ],
  ])("%s", (_, found) => {
    expect(found).toEqual([]);
  });
});

describe("a responses request fails with", () => {
  it.each<[string, readonly string[], string]>([
    ["nothing to answer", problems({}), "input: missing"],
    ["no model", wireProblems("openai-responses", { input: "Hello" }), "model: missing"],
    ["an unknown item", input({ type: "telegram" }), "input"],
    ["empty input", problems({ input: [] }), "input: empty"],
    ["a call without output", input(hello, call("a")), 'no output yet for the function_call "a"'],
    [
      "an output after the user",
      input(hello, call("a"), hello, output("a")),
      'input[2]: no output yet for the function_call "a"',
    ],
    [
      "an output after further items",
      input(hello, call("a"), call("b"), output("a"), said(), output("b")),
      'input[4]: no output yet for the function_call "b"',
    ],
    ["an output without call", input(hello, output("a")), 'input[1]: no function_call "a" is open'],
    [
      "two outputs",
      input(hello, call("a"), output("a"), output("a")),
      'input[3]: no function_call "a" is open',
    ],
    [
      "two outputs to what is held",
      held(output("a"), output("a")),
      'input[1]: no function_call "a" is open',
    ],
    [
      "two calls of one id",
      input(hello, call("a"), output("a"), call("a"), output("a")),
      'input[3]: a second function_call "a"',
    ],
    [
      "an output without call_id",
      input(hello, { type: "function_call_output", output: "x" }),
      "the call_id undefined",
    ],
    ["a long call_id", input(hello, call("a".repeat(65)), output("a".repeat(65))), "the call_id"],
    ["reasoning at the end", input(hello, thought()), "input[1]: reasoning without"],
    ["reasoning before the user", input(hello, thought(), hello), "input[1]: reasoning without"],
    [
      "reasoning before an output",
      input(hello, call("a"), thought(), output("a")),
      "input[2]: reasoning without",
    ],
    [
      "reasoning that is nowhere stored",
      unstored(hello, thought(), said()),
      "input[1]: reasoning that is not stored",
    ],
    [
      "a reference to nothing stored",
      unstored({ type: "item_reference", id: "msg_1" }),
      "input[0]: nothing can be referred to",
    ],
    [
      "a bare id of nothing stored",
      unstored({ id: "msg_1" }),
      "input[0]: nothing can be referred to",
    ],
    [
      "a foreign id of a message",
      input(hello, said({ id: "resp_1" })),
      'input[1]: the id "resp_1"',
    ],
    [
      "a foreign id of a call",
      input(hello, call("a", { id: "call_a" }), output("a")),
      'input[1]: the id "call_a"',
    ],
    ["a foreign id of reasoning", input(hello, thought("x1"), said()), 'input[1]: the id "x1"'],
    ["a long id", input(hello, said({ id: `msg_${"x".repeat(61)}` })), "input[1]: the id"],
    ["two items of one id", input(hello, said(), hello, said()), 'two items have the id "msg_1"'],
    ["an approval of nothing", input(hello, approved), 'input[1]: no request "mcpr_1"'],
    [
      "two approvals",
      input(hello, asked, approved, approved),
      'input[3]: a second answer to "mcpr_1"',
    ],
    [
      "an empty text",
      input({ role: "user", content: [{ type: "input_text", text: "" }] }),
      "input[0].content[0]: an empty text",
    ],
    ["an empty message", input({ role: "user", content: "" }), "input[0]: no content"],
    [
      "an empty text in an output",
      input(hello, call("a"), output("a", { output: [{ type: "input_text", text: "" }] })),
      "input[2].output[0]: an empty text",
    ],
    [
      "arguments that are no object",
      input(hello, call("a", { arguments: "1" }), output("a")),
      "input[1]: the arguments",
    ],
    [
      "a called name with a dot",
      input(hello, call("a", { name: "my.lamp" }), output("a")),
      'input[1]: the name "my.lamp"',
    ],
    [
      "two histories",
      problems({ input: "x", previous_response_id: "resp_1", conversation: "conv_1" }),
      "a conversation is given, too",
    ],
    [
      "two tools of one name",
      problems({ input: "x", tools: [tool("a"), tool("a")] }),
      'tools: two are named "a"',
    ],
    [
      "a strict tool that is open",
      problems({ input: "x", tools: [tool("a", { strict: true })] }),
      "tools[0].parameters: a strict object has",
    ],
    [
      "a choice of a tool that is not there",
      problems({ input: "x", tools: [tool("a")], tool_choice: { type: "function", name: "b" } }),
      'tool_choice: no tool is named "b"',
    ],
    [
      "an allowed tool that is not there",
      problems({
        input: "x",
        tools: [tool("a")],
        tool_choice: {
          type: "allowed_tools",
          mode: "auto",
          tools: [{ type: "function", name: "b" }],
        },
      }),
      'tool_choice: no tool is named "b"',
    ],
    [
      "a choice without tools",
      problems({ input: "x", tool_choice: "auto" }),
      "tool_choice: there are no tools",
    ],
    [
      "a strict answer that is open",
      problems({
        input: "x",
        text: {
          format: { type: "json_schema", name: "x", strict: true, schema: { type: "object" } },
        },
      }),
      "text.format.schema: a strict object has",
    ],
  ])("%s", (_, found, expected) => {
    expect(found.join("\n")).toContain(expected);
  });
});

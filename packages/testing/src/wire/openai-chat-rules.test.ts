import { describe, expect, it } from "vitest";
import { wireProblems } from "./wire-problems.js";

type Json = Readonly<Record<string, unknown>>;

const problems = (body: Json) => wireProblems("openai-chat", { model: "gpt-5", ...body });
const hello = { role: "user", content: "Hello" };
const call = (id: string, name = "lamp", text = "{}") => ({
  id,
  type: "function",
  function: { name, arguments: text },
});
const calls = (...list: readonly Json[]) => ({
  role: "assistant",
  content: null,
  tool_calls: list,
});
const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "on" });
const tool = (name: string, parameters: Json = { type: "object" }, more: Json = {}) => ({
  type: "function",
  function: { name, parameters, ...more },
});

describe("a chat completion request passes with", () => {
  it.each<[string, Json]>([
    ["a text", { messages: [hello] }],
    [
      "results in any order",
      { messages: [hello, calls(call("a"), call("b")), result("b"), result("a"), hello] },
    ],
    [
      "an id used again in a later message",
      { messages: [hello, calls(call("a")), result("a"), calls(call("a")), result("a")] },
    ],
    ["a refusal", { messages: [hello, { role: "assistant", content: null, refusal: "No." }] }],
    ["parts", { messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] }],
    [
      "a tool choice",
      {
        messages: [hello],
        tools: [tool("lamp")],
        tool_choice: { type: "function", function: { name: "lamp" } },
        parallel_tool_calls: false,
      },
    ],
    [
      "allowed tools",
      {
        messages: [hello],
        tools: [tool("lamp")],
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: {
            mode: "auto",
            tools: [{ type: "function", function: { name: "lamp" } }],
          },
        },
      },
    ],
  ])("%s", (_, body) => {
    expect(problems(body)).toEqual([]);
  });
});

describe("a chat completion request fails with", () => {
  it.each<[string, Json, string]>([
    [
      "a member that is not the vendor's",
      { messages: [{ role: "narrator", content: "x" }] },
      "messages[0]",
    ],
    ["no messages", {}, "required property 'messages'"],
    [
      "a call without result",
      { messages: [hello, calls(call("a")), hello] },
      'messages[2]: no tool message for the call "a"',
    ],
    [
      "a last call without result",
      { messages: [hello, calls(call("a"), call("b")), result("a")] },
      'messages[3]: no tool message for the call "b"',
    ],
    [
      "something between a call and its result",
      { messages: [hello, calls(call("a")), hello, result("a")] },
      'messages[3]: no call "a" is open',
    ],
    [
      "a result without call",
      { messages: [hello, result("a")] },
      'messages[1]: no call "a" is open',
    ],
    [
      "two results",
      { messages: [hello, calls(call("a")), result("a"), result("a")] },
      'messages[3]: no call "a" is open',
    ],
    [
      "two calls of one id",
      { messages: [hello, calls(call("a"), call("a")), result("a")] },
      'messages[1]: two calls have the id "a"',
    ],
    [
      "a long id",
      { messages: [hello, calls(call("a".repeat(41))), result("a".repeat(41))] },
      "messages[1].tool_calls[0]: the id",
    ],
    [
      "an empty id",
      { messages: [hello, calls(call("")), result("")] },
      "messages[1].tool_calls[0]: the id",
    ],
    [
      "a called name with a dot",
      { messages: [hello, calls(call("a", "my.lamp")), result("a")] },
      'the name "my.lamp"',
    ],
    [
      "arguments that are no JSON",
      { messages: [hello, calls(call("a", "lamp", "{")), result("a")] },
      "the arguments",
    ],
    [
      "arguments that are a list",
      { messages: [hello, calls(call("a", "lamp", "[]")), result("a")] },
      "the arguments",
    ],
    [
      "an empty list of calls",
      { messages: [hello, { role: "assistant", content: "x", tool_calls: [] }] },
      "tool_calls: an empty list",
    ],
    [
      "an assistant that says nothing",
      { messages: [hello, { role: "assistant", content: "" }] },
      "messages[1]: neither content",
    ],
    [
      "a user who says nothing",
      { messages: [{ role: "user", content: "" }] },
      "messages[0]: no content",
    ],
    [
      "an empty part",
      { messages: [{ role: "user", content: [{ type: "text", text: "" }] }] },
      "messages[0].content[0]: an empty text",
    ],
    [
      "a tool's name with a blank",
      { messages: [hello], tools: [tool("my lamp")] },
      'tools[0]: the name "my lamp"',
    ],
    [
      "a tool's name of 65 characters",
      { messages: [hello], tools: [tool("x".repeat(65))] },
      "tools[0]: the name",
    ],
    [
      "two tools of one name",
      { messages: [hello], tools: [tool("a"), tool("a")] },
      'tools: two are named "a"',
    ],
    ["an empty list of tools", { messages: [hello], tools: [] }, "tools: an empty list"],
    [
      "a tool choice without tools",
      { messages: [hello], tool_choice: "auto" },
      "tool_choice: there are no tools",
    ],
    [
      "parallel_tool_calls without tools",
      { messages: [hello], parallel_tool_calls: true },
      "parallel_tool_calls: there are no tools",
    ],
    [
      "a choice of a tool that is not there",
      {
        messages: [hello],
        tools: [tool("a")],
        tool_choice: { type: "function", function: { name: "b" } },
      },
      'tool_choice: no tool is named "b"',
    ],
    [
      "an allowed tool that is not there",
      {
        messages: [hello],
        tools: [tool("a")],
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "b" } }] },
        },
      },
      'tool_choice: no tool is named "b"',
    ],
    [
      "an empty list of allowed tools",
      {
        messages: [hello],
        tools: [tool("a")],
        tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [] } },
      },
      "tool_choice: allows nothing",
    ],
    [
      "a strict answer that is open",
      {
        messages: [hello],
        response_format: {
          type: "json_schema",
          json_schema: { name: "x", strict: true, schema: { type: "object" } },
        },
      },
      "response_format.json_schema.schema: a strict object has",
    ],
    [
      "a name of an answer with a blank",
      {
        messages: [hello],
        response_format: { type: "json_schema", json_schema: { name: "x y", schema: {} } },
      },
      "response_format.json_schema: the name",
    ],
  ])("%s", (_, body, expected) => {
    expect(problems(body).join("\n")).toContain(expected);
  });
});

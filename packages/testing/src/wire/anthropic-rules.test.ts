import { describe, expect, it } from "vitest";
import { wireProblems } from "./wire-problems.js";

type Json = Readonly<Record<string, unknown>>;

const problems = (body: Json) =>
  wireProblems("anthropic", { model: "claude-sonnet-4-5", max_tokens: 8, ...body });
const messages = (...list: readonly Json[]) => problems({ messages: list });
const user = (...content: readonly Json[]) => ({ role: "user", content });
const assistant = (...content: readonly Json[]) => ({ role: "assistant", content });
const text = (words: string, more: Json = {}) => ({ type: "text", text: words, ...more });
const hello = user(text("Hello"));
const call = (id: string, more: Json = {}) => ({
  type: "tool_use",
  id,
  name: "lamp",
  input: {},
  ...more,
});
const result = (tool_use_id: string, more: Json = {}) => ({
  type: "tool_result",
  tool_use_id,
  content: "on",
  ...more,
});
const thinking = (signature = "S") => ({ type: "thinking", thinking: "Hm.", signature });
const search = (id: string) => ({
  type: "server_tool_use",
  id,
  name: "web_search",
  input: { query: "x" },
});
const found = (tool_use_id: string) => ({
  type: "web_search_tool_result",
  tool_use_id,
  content: [],
});
const code = { ...search("s"), name: "code_execution" };
const byCode = { caller: { type: "code_execution_20250825", tool_id: "s" } };
const image = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "AAAA" },
};
const marked = { cache_control: { type: "ephemeral" } };
const tool = (name: string, input_schema: Json = { type: "object" }) => ({ name, input_schema });
const enabled = { thinking: { type: "enabled", budget_tokens: 1024 }, max_tokens: 2048 };

describe("a messages request passes with", () => {
  it.each<[string, readonly string[]]>([
    ["a text", messages({ role: "user", content: "Hello" })],
    ["turns", messages(hello, assistant(text("Hi")), hello)],
    [
      "results in any order, and text after them",
      messages(hello, assistant(call("a"), call("b")), user(result("b"), result("a"), text("ok"))),
    ],
    [
      "the call of a server and its result",
      messages(hello, assistant(search("s"), found("s"), text("x")), hello),
    ],
    ["a pause", messages(hello, assistant(search("s")))],
    [
      "code that waits for a tool",
      messages(
        hello,
        assistant(code, call("a", byCode)),
        user(result("a")),
        assistant(
          {
            type: "code_execution_tool_result",
            tool_use_id: "s",
            content: {
              type: "code_execution_result",
              content: [],
              return_code: 0,
              stderr: "",
              stdout: "",
            },
          },
          text("x"),
        ),
      ),
    ],
    [
      "thinking before a call",
      messages(hello, assistant(thinking(), call("a")), user(result("a"))),
    ],
    [
      "hidden thinking",
      messages(hello, assistant({ type: "redacted_thinking", data: "x" }, text("Hi")), hello),
    ],
    [
      "an error with text",
      messages(
        hello,
        assistant(call("a")),
        user(result("a", { is_error: true, content: [text("no")] })),
      ),
    ],
    [
      "an image as a result",
      messages(hello, assistant(call("a")), user(result("a", { content: [image] }))),
    ],
    [
      "four marks",
      problems({
        system: [text("a", marked)],
        tools: [{ ...tool("t"), ...marked }],
        messages: [user(text("a", marked), text("b", marked))],
      }),
    ],
    [
      "members of that name elsewhere",
      problems({
        tools: [tool("t", { type: "object", properties: { cache_control: { type: "string" } } })],
        messages: [
          user(text("a", marked), text("b", marked), text("c", marked), text("d", marked)),
          assistant(call("a", { input: marked })),
          user(result("a")),
        ],
      }),
    ],
    [
      "thinking and a budget",
      problems({
        messages: [hello, assistant(thinking(), text("x"), call("a")), user(result("a"))],
        ...enabled,
      }),
    ],
    ["a prefill", messages(hello, assistant(text("The answer is")))],
  ])("%s", (_, told) => {
    expect(told).toEqual([]);
  });
});

describe("a messages request fails with", () => {
  it.each<[string, readonly string[], string]>([
    ["a missing member", wireProblems("anthropic", { model: "m", messages: [] }), "max_tokens"],
    ["an unknown block", messages(user({ type: "hologram" })), "messages"],
    [
      "the assistant first",
      messages(assistant(text("Hi"))),
      "messages[0]: the first is no user message",
    ],
    ["a role twice", messages(hello, hello), "messages[1]: the role is repeated"],
    [
      "a system message",
      messages(hello, { role: "system", content: "x" }),
      "messages[1]: a system message",
    ],
    ["no blocks", messages(user()), "messages[0]: no blocks"],
    [
      "a blank text",
      messages(user(text(" \n"))),
      "messages[0].content[0]: a text without a visible character",
    ],
    [
      "a blank message",
      messages({ role: "user", content: " " }),
      "a text without a visible character",
    ],
    [
      "a blank instruction",
      problems({ messages: [hello], system: [text("")] }),
      "system[0]: a text without",
    ],
    [
      "a call without result",
      messages(hello, assistant(call("a")), hello),
      'messages[2]: no result for "a"',
    ],
    [
      "last calls without results",
      messages(hello, assistant(call("a"))),
      "the last calls have no results",
    ],
    [
      "a result without call",
      messages(user(result("a"))),
      'messages[0]: a result for "a", which is not open',
    ],
    [
      "two results",
      messages(hello, assistant(call("a")), user(result("a"), result("a"))),
      'messages[2]: a result for "a", which is not open',
    ],
    [
      "a result after text",
      messages(hello, assistant(call("a")), user(text("x"), result("a"))),
      "messages[2].content: a result after another block",
    ],
    [
      "a call of the user",
      messages(user(call("a")), assistant(text("x"))),
      'a tool_use in a message of role "user"',
    ],
    [
      "a result of the assistant",
      messages(hello, assistant(result("a"))),
      'a tool_result in a message of role "assistant"',
    ],
    [
      "an id twice",
      messages(
        hello,
        assistant(call("a")),
        user(result("a")),
        assistant(call("a")),
        user(result("a")),
      ),
      'messages: two calls have the id "a"',
    ],
    [
      "an id with a dot",
      messages(hello, assistant(call("a.b")), user(result("a.b"))),
      'messages[1].content[0]: the id "a.b"',
    ],
    [
      "a called name with a dot",
      messages(hello, assistant(call("a", { name: "x.y" })), user(result("a"))),
      'the name "x.y"',
    ],
    [
      "an input that is no object",
      messages(hello, assistant(call("a", { input: "{}" })), user(result("a"))),
      "is no object",
    ],
    [
      "an empty result",
      messages(hello, assistant(call("a")), user(result("a", { content: [] }))),
      "messages[2].content[0]: an empty result",
    ],
    [
      "a blank result",
      messages(hello, assistant(call("a")), user(result("a", { content: [text("")] }))),
      "messages[2].content[0].content[0]: a text without",
    ],
    [
      "an error with an image",
      messages(
        hello,
        assistant(call("a")),
        user(result("a", { is_error: true, content: [image] })),
      ),
      "an error result holds text only",
    ],
    [
      "a server's call without result",
      messages(hello, assistant(search("s")), hello),
      'messages[1]: no result for "s"',
    ],
    [
      "a server's result without call",
      messages(hello, assistant(found("s"))),
      'messages[1]: a web_search_tool_result for "s", which is not open',
    ],
    [
      "a server's result before its call",
      messages(hello, assistant(found("s"), search("s"), text("x")), hello),
      "which is not open",
    ],
    [
      "a server's result in a later turn",
      messages(hello, assistant(search("s")), hello, assistant(found("s"))),
      'messages[3]: a web_search_tool_result for "s"',
    ],
    [
      "unsigned thinking",
      messages(hello, assistant(thinking(""), text("x")), hello),
      "messages[1].content[0]: unsigned thinking",
    ],
    [
      "thinking at the end of a turn",
      messages(hello, assistant(text("x"), thinking()), hello),
      "messages[1]: thinking is the last block",
    ],
    [
      "thinking after a call",
      messages(hello, assistant(call("a"), thinking(), text("x")), user(result("a"))),
      "messages[1]: thinking after a call",
    ],
    [
      "thinking after text, before a call",
      problems({
        messages: [hello, assistant(text("x"), thinking(), call("a")), user(result("a"))],
        ...enabled,
      }),
      "does not begin with its thinking",
    ],
    [
      "a budget over max_tokens",
      problems({ messages: [hello], ...enabled, max_tokens: 1024 }),
      "max_tokens has to be more",
    ],
    [
      "a small budget",
      problems({ messages: [hello], ...enabled, thinking: { type: "enabled", budget_tokens: 10 } }),
      "less than 1024",
    ],
    [
      "thinking and a forced tool",
      problems({ messages: [hello], ...enabled, tools: [tool("a")], tool_choice: { type: "any" } }),
      "no tool can be forced",
    ],
    [
      "a prefill that ends with a blank",
      messages(hello, assistant(text("The answer is "))),
      "the last text ends with whitespace",
    ],
    [
      "five marks",
      problems({
        system: [text("a", marked)],
        messages: [user(...["b", "c", "d", "e"].map((each) => text(each, marked)))],
      }),
      "cache_control: 5 marks",
    ],
  ])("%s", (_, told, expected) => {
    expect(told.join("\n")).toContain(expected);
  });
});

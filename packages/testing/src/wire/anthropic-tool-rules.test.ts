import { describe, expect, it } from "vitest";
import { wireProblems } from "./wire-problems.js";

type Json = Readonly<Record<string, unknown>>;

const problems = (body: Json) =>
  wireProblems("anthropic", { model: "claude-sonnet-4-5", max_tokens: 8, ...body });
const hello = { role: "user", content: "Hello" };
const tool = (name: string, input_schema: Json = { type: "object" }) => ({ name, input_schema });

describe("a messages request passes with", () => {
  it.each<[string, readonly string[]]>([
    [
      "a choice of a tool",
      problems({ messages: [hello], tools: [tool("a")], tool_choice: { type: "tool", name: "a" } }),
    ],
    [
      "a tool of the service",
      problems({ messages: [hello], tools: [{ type: "web_search_20250305", name: "web_search" }] }),
    ],
  ])("%s", (_, told) => {
    expect(told).toEqual([]);
  });
});

describe("a messages request fails with", () => {
  it.each<[string, readonly string[], string]>([
    [
      "a tool's name with a dot",
      problems({ messages: [hello], tools: [tool("a.b")] }),
      'tools[0]: the name "a.b"',
    ],
    [
      "a tool's name of 129 characters",
      problems({ messages: [hello], tools: [tool("x".repeat(129))] }),
      "tools[0]: the name",
    ],
    [
      "two tools of one name",
      problems({ messages: [hello], tools: [tool("a"), tool("a")] }),
      'tools: two are named "a"',
    ],
    [
      "a schema that is no object",
      problems({ messages: [hello], tools: [tool("a", { type: "string" })] }),
      "tools[0].input_schema: the root is not of type object",
    ],
    [
      "a union at the root",
      problems({ messages: [hello], tools: [tool("a", { type: "object", oneOf: [] })] }),
      "tools[0].input_schema: oneOf at the root",
    ],
    [
      "a property's name with a blank",
      problems({
        messages: [hello],
        tools: [tool("a", { type: "object", properties: { "b c": {} } })],
      }),
      'the property "b c"',
    ],
    [
      "a choice of a tool that is not there",
      problems({ messages: [hello], tools: [tool("a")], tool_choice: { type: "tool", name: "b" } }),
      'tool_choice: no tool is named "b"',
    ],
    [
      "a choice without tools",
      problems({ messages: [hello], tool_choice: { type: "auto" } }),
      "tool_choice: there are no tools",
    ],
  ])("%s", (_, told, expected) => {
    expect(told.join("\n")).toContain(expected);
  });
});

import type { Content, Message } from "@tunic/core";
import { describe, expect, test, vi } from "vitest";
import { call, message, messageProblems, result, stored } from "../test/build.js";
import { openingText, toAnthropicMessages } from "./to-anthropic.js";

const wire = (...messages: readonly Message[]) => toAnthropicMessages(messages).messages;
const signed = (text: string, own: Record<string, string>): Content => ({
  type: "text_reasoning",
  text,
  providerData: { anthropic: own },
});

describe("B14: the user turn after calls", () => {
  test("one user message, results first, no empty texts", () => {
    const messages = wire(
      message("user", "weather today?"),
      message("assistant", "", call("c1"), call("c2")),
      message("user", "(a reminder)"),
      message("tool", result("c1", "sunny")),
      message("tool", result("c2", "", { isError: true })),
      message("user", "and tomorrow?"),
    );
    expect(messageProblems(messages)).toEqual([]);
    expect(messages).toHaveLength(3);
    expect(messages[1]?.content).toMatchObject([{ type: "tool_use" }, { type: "tool_use" }]);
    expect(messages[2]).toEqual({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "sunny" }] },
        {
          type: "tool_result",
          tool_use_id: "c2",
          content: [{ type: "text", text: "Error: the call failed and gave no reason." }],
          is_error: true,
        },
        { type: "text", text: "(a reminder)" },
        { type: "text", text: "and tomorrow?" },
      ],
    });
  });

  test("neighbours of one role become one message, empty ones none", () => {
    const messages = wire(
      message("user", "a"),
      message("user", "b"),
      message("assistant", " "),
      message("user", "c"),
      message("assistant", "d"),
      message("assistant", "e"),
    );
    expect(messages.map(({ content }) => (Array.isArray(content) ? content.length : 1))).toEqual([
      3, 2,
    ]);
  });
});

test("B79: a result without content says so, and values stay", () => {
  const messages = wire(
    message("user", "go"),
    message("assistant", call("c1"), call("c2"), call("c3")),
    message(
      "tool",
      result("c1", []),
      result("c2", "0"),
      result("c3", [], { isError: true, error: { code: "x", retryable: false, message: "no" } }),
    ),
  );
  const texts = JSON.stringify(messages[2]?.content);
  expect(texts).toContain("Done, no output.");
  expect(texts).toContain('"text":"0"');
  expect(texts).toContain('"text":"no"');
});

describe("B12: thinking goes back as it came", () => {
  const thought = message(
    "assistant",
    signed("hm", { signature: "SIG1" }),
    signed("", { signature: "SIG2" }),
    signed("", { data: "RD" }),
    call("c1"),
  );
  const rest = message("tool", result("c1", "done"));

  test("text and signature byte-equal, in place, before the call, after store and load", () => {
    const log = stored([message("user", "go"), thought, rest]);
    expect(wire(...log)[1]?.content).toEqual([
      { type: "thinking", thinking: "hm", signature: "SIG1" },
      { type: "thinking", thinking: "", signature: "SIG2" },
      { type: "redacted_thinking", data: "RD" },
      { type: "tool_use", id: "c1", name: "lamp", input: {} },
    ]);
  });

  test("unsigned thinking and that of other vendors is never replayed", () => {
    const messages = wire(
      message("user", "go"),
      message(
        "assistant",
        { type: "text_reasoning", text: "unsigned" },
        signed("empty", { signature: "" }),
        {
          type: "text_reasoning",
          text: "theirs",
          providerData: { openai: { encrypted_content: "E" } },
        },
        {
          type: "text",
          text: "yes",
          providerData: { gemini: { thoughtSignature: "T" } },
          additionalProperties: { label: "x" },
        },
      ),
    );
    expect(messages[1]?.content).toEqual([{ type: "text", text: "yes" }]);
  });
});

test("arguments that did not parse: an object goes out, and the result tells what was written", () => {
  const broken: Content = {
    type: "function_call",
    callId: "c1",
    name: "lamp",
    argumentsText: '{"room',
    parseError: "no",
  };
  const log = [
    message("user", "go"),
    message("assistant", broken),
    message("tool", result("c1", "not JSON", { isError: true })),
  ];
  const [, asked, answered] = wire(...log);
  expect(asked?.content).toEqual([{ type: "tool_use", id: "c1", name: "lamp", input: {} }]);
  expect(JSON.stringify(answered)).toContain(
    JSON.stringify('The arguments of the call were: {"room'),
  );
  const told = [
    ...log.slice(0, 2),
    message("tool", result("c1", 'not JSON: {"room', { isError: true })),
  ];
  expect(JSON.stringify(wire(...told))).not.toContain("The arguments of the call were");
});

test("ids and names of other vendors are made fit, for call and result alike", () => {
  const messages = wire(
    message("user", "go"),
    message("assistant", call("functions.lamp:0", "home.lamp")),
    message("tool", result("functions.lamp:0", "on")),
  );
  expect(messageProblems(messages)).toEqual([]);
  expect(messages[1]?.content).toMatchObject([
    {
      id: "call-x-functions_2e_lamp_3a_0",
      name: expect.stringMatching(/^home_lamp_[0-9a-f]{8}$/),
    },
  ]);
});

test("a conversation that begins with the assistant gets a user message before it", () => {
  const messages = wire(message("assistant", "Welcome!"), message("user", "hi"));
  expect(messages[0]).toEqual({ role: "user", content: [{ type: "text", text: openingText }] });
  expect(messageProblems(messages)).toEqual([]);
});

test("system messages are handed out apart", () => {
  const conversation = toAnthropicMessages([
    message("user", "a"),
    message("system", "be brief"),
    message("user", "b"),
  ]);
  expect(conversation.system).toBe("be brief");
  expect(conversation.messages).toHaveLength(1);
});

describe("thinking among other blocks", () => {
  const thought = (signature: string) => signed("hm", { signature });
  const types = (...contents: readonly Content[]) => {
    const messages = wire(
      message("user", "go"),
      message("assistant", ...contents),
      message("user", "?"),
    );
    expect(messageProblems(messages)).toEqual([]);
    const { content } = messages[1] ?? { content: [] };
    return Array.isArray(content) ? content.map(({ type }) => type) : [];
  };

  test("stays where it came, between texts too", () => {
    expect(
      types(thought("A"), { type: "text", text: "a" }, thought("B"), signed("", { data: "R" }), {
        type: "text",
        text: "b",
      }),
    ).toEqual(["thinking", "text", "thinking", "redacted_thinking", "text"]);
  });

  test("is left out where it would be the last of a turn, which the service refuses", () => {
    expect(types(thought("A"), { type: "text", text: "a" }, thought("B"))).toEqual([
      "thinking",
      "text",
    ]);
    const alone = wire(
      message("user", "a"),
      message("assistant", thought("A")),
      message("user", "b"),
    );
    expect(alone).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    ]);
  });

  test("of neighbours stays whole and in order, and stands before the calls that follow from it", () => {
    const messages = wire(
      message("user", "go"),
      message("assistant", thought("A"), call("c1")),
      message("assistant", thought("B"), call("c2")),
      message("tool", result("c1", "on"), result("c2", "on")),
    );
    expect(messageProblems(messages)).toEqual([]);
    expect(messages[1]?.content).toMatchObject([
      { type: "thinking", thinking: "hm", signature: "A" },
      { type: "thinking", thinking: "hm", signature: "B" },
      { type: "tool_use", id: "c1" },
      { type: "tool_use", id: "c2" },
    ]);
  });
});

test("a text that ends the conversation has no blank at its end, and the message stays as it is", () => {
  const said = message("assistant", "Well, ");
  const ends = wire(message("user", "go"), said);
  expect(ends[1]?.content).toEqual([{ type: "text", text: "Well," }]);
  const goesOn = wire(message("user", "go"), said, message("user", "yes?"));
  expect(goesOn[1]?.content).toEqual([{ type: "text", text: "Well, " }]);
});

test("the result of a call in one of the service's toolsets says which", () => {
  const scroll = {
    ...call("c1", "scroll"),
    providerData: { anthropic: { toolset_name: "browser" } },
  };
  const messages = wire(
    message("user", "go"),
    message("assistant", scroll),
    message("tool", result("c1", "ok")),
  );
  expect(messages[1]?.content).toMatchObject([{ name: "scroll", toolset_name: "browser" }]);
  expect(messages[2]?.content).toMatchObject([{ tool_use_id: "c1", toolset_name: "browser" }]);
});

test("unknown contents are left out with a notice; controls, hosted calls of others and errors are not sent", () => {
  const notice = vi.fn();
  const unknown: { readonly type: string } = {
    type: "hologram",
    ...{ providerData: { openai: { block: { type: "hologram" } } } },
  };
  const log: Message[] = [
    message("user", "go", unknown as Content),
    message(
      "assistant",
      "a",
      { type: "error", message: "refused" },
      {
        type: "hosted_tool_call",
        callId: "ws_1",
        name: "web_search",
        providerData: { openai: {} },
      },
      { ...call("c1"), informationalOnly: true },
    ),
  ];
  const { messages } = toAnthropicMessages(log, notice);
  expect(messages.map(({ content }) => content)).toEqual([
    [{ type: "text", text: "go" }],
    [{ type: "text", text: "a" }],
  ]);
  expect(notice).toHaveBeenCalledTimes(3);
});

test("a conversation of 300 messages converts each message once", () => {
  let reads = 0;
  const counted = (at: number): Message => {
    const { contents, ...rest } =
      at % 2 === 0 ? message("user", `q${at}`) : message("assistant", `a${at}`);
    return {
      ...rest,
      get contents() {
        reads++;
        return contents;
      },
    };
  };
  const log: Message[] = [];
  let last = wire();
  for (let at = 0; at < 300; at++) {
    log.push(counted(at));
    const next = wire(...log);
    // Not only converted once: what needs no neighbour goes out as the very same object.
    for (const [index, sent] of last.entries()) expect(next[index]).toBe(sent);
    last = next;
  }
  expect(last).toHaveLength(300);
  expect(reads).toBe(300);
});

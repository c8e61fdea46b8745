import { ChatClientError, type Content, type Message } from "@tunic/core";
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
    { id: "call-x-functions_2e_lamp_3a_0", name: "home_lamp" },
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
  expect(conversation.system).toEqual(["be brief"]);
  expect(conversation.messages).toHaveLength(1);
});

describe("media", () => {
  test("images, PDFs and text, in user messages and in results", () => {
    const pdf: Content = {
      type: "data",
      data: "UERG",
      mediaType: "application/pdf",
      name: "bill.pdf",
    };
    const image: Content = { type: "data", data: "UE5H", mediaType: "image/png" };
    const messages = wire(
      message(
        "user",
        { type: "data", data: "SlBH", mediaType: "image/jpg; x=y" },
        { type: "uri", uri: "https://example.com/a", mediaType: "image/*" },
        { type: "uri", uri: "https://example.com/a.pdf", mediaType: "application/pdf" },
        { type: "data", data: "aMOpbGxv", mediaType: "text/markdown" },
      ),
      message("assistant", call("c1")),
      message("tool", result("c1", [image, pdf])),
    );
    expect(messages[0]?.content).toEqual([
      { type: "image", source: { type: "base64", media_type: "image/jpeg", data: "SlBH" } },
      { type: "image", source: { type: "url", url: "https://example.com/a" } },
      { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } },
      { type: "document", source: { type: "text", media_type: "text/plain", data: "héllo" } },
    ]);
    expect(messages[2]?.content).toMatchObject([
      {
        content: [
          { type: "image", source: { media_type: "image/png", data: "UE5H" } },
          {
            type: "document",
            source: { media_type: "application/pdf", data: "UERG" },
            title: "bill.pdf",
          },
        ],
      },
    ]);
  });

  test.each<[string, Content]>([
    ["audio", { type: "data", data: "UE5H", mediaType: "audio/wav" }],
    ["HEIC", { type: "data", data: "UE5H", mediaType: "image/heic" }],
    ["another scheme", { type: "uri", uri: "s3://bucket/a.png", mediaType: "image/png" }],
    ["a video's address", { type: "uri", uri: "https://example.com/a", mediaType: "video/mp4" }],
  ])("%s is refused before the request", (_, content) => {
    const refused = expect.objectContaining({ code: "unsupported", retryable: false });
    expect(() => wire(message("user", content))).toThrow(refused);
    expect(() => wire(message("tool", result("c1", [content])))).toThrow(ChatClientError);
  });

  test("what the model is said to have shown is left out, with a notice", () => {
    const notice = vi.fn();
    const log = [
      message("user", "go"),
      message("assistant", "here", { type: "data", data: "UE5H", mediaType: "image/png" }),
    ];
    expect(toAnthropicMessages(log, notice).messages[1]?.content).toEqual([
      { type: "text", text: "here" },
    ]);
    expect(notice).toHaveBeenCalledExactlyOnceWith(
      "content_left_out",
      expect.stringContaining('"data"'),
    );
    toAnthropicMessages(log, notice);
    expect(notice).toHaveBeenCalledOnce();
  });
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

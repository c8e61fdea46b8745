import { ChatClientError, type Content, type Message } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { call, message, result } from "../../test/helpers.js";
import { toOpenAIMessages } from "./to-openai-messages.js";

const image: Content = { type: "data", data: "iVBORw==", mediaType: "image/png" };

/** What is sent for one user message. */
function userContent(...contents: readonly Content[]): unknown {
  return toOpenAIMessages([message("user", ...contents)])[0]?.content;
}

function leftOut(...messages: readonly Message[]): { sent: unknown[]; types: string[] } {
  const types: string[] = [];
  const sent = toOpenAIMessages(messages, { onLeftOut: (_, left) => types.push(...left) });
  return { sent, types };
}

describe("user messages", () => {
  it("are plain text where there is nothing else", () => {
    expect(userContent({ type: "text", text: "One." }, { type: "text", text: "Two." })).toBe(
      "One.\n\nTwo.",
    );
  });

  it.each<[string, Content, unknown]>([
    [
      "an image",
      image,
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw==" } },
    ],
    [
      "an image by address",
      { type: "uri", uri: "https://example.com/a.png", mediaType: "image/png" },
      { type: "image_url", image_url: { url: "https://example.com/a.png" } },
    ],
    [
      "sound",
      { type: "data", data: "AAAA", mediaType: "audio/mpeg" },
      { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
    ],
    [
      "a PDF",
      { type: "data", data: "JVBERg==", mediaType: "application/pdf", name: "a.pdf" },
      {
        type: "file",
        file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERg==" },
      },
    ],
  ])("take %s as a part", (_, content, part) => {
    expect(userContent({ type: "text", text: "See:" }, content)).toEqual([
      { type: "text", text: "See:" },
      part,
    ]);
  });

  it("take a text document as text", () => {
    expect(
      userContent({ type: "data", data: "bmHDr3Zl", mediaType: "text/csv; charset=utf-8" }),
    ).toBe("naïve");
  });

  it.each<Content>([
    { type: "data", data: "AAAA", mediaType: "video/mp4" },
    { type: "data", data: "AAAA", mediaType: "audio/ogg" },
    { type: "uri", uri: "https://example.com/a", mediaType: "application/octet-stream" },
    { type: "uri", uri: "gs://bucket/a.png", mediaType: "image/png" },
  ])("refuse what the service cannot take: %j", (content) => {
    const convert = () => userContent(content);
    expect(convert).toThrow(ChatClientError);
    expect(convert).toThrow(expect.objectContaining({ code: "unsupported", retryable: false }));
  });
});

describe("assistant messages", () => {
  it("have null for no text, and are left out when empty", () => {
    expect(
      toOpenAIMessages([
        message("user", "Hi"),
        message("assistant"),
        message("assistant", ""),
        message("assistant", { type: "text_reasoning", text: "hm" }),
        message("assistant", call("c", "lamp")),
      ]),
    ).toEqual([
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", type: "function", function: { name: "lamp", arguments: "{}" } }],
      },
    ]);
  });

  it("keep pieces of a text together and paragraphs apart", () => {
    const sent = toOpenAIMessages([message("assistant", "a", "b", call("c", "lamp"), "d")]);
    expect(sent).toMatchObject([{ content: "ab\n\nd" }]);
  });

  it("carry a refusal as one", () => {
    const refusal: Content = { type: "error", message: "I cannot.", code: "refusal" };
    expect(toOpenAIMessages([message("assistant", refusal)])).toEqual([
      { role: "assistant", content: null, refusal: "I cannot." },
    ]);
  });

  it("name calls as the service can take them", () => {
    const long = "x".repeat(50);
    const [sent, answer] = toOpenAIMessages([
      message("assistant", call(long, "look.up"), call("", "")),
      message("tool", result(long, "found")),
    ]);
    if (sent?.role !== "assistant" || answer?.role !== "tool") return expect.fail();
    expect(sent.tool_calls).toMatchObject([
      { id: expect.stringMatching(/^call_[0-9a-f]{32}$/), function: { name: "look_up_0993e9b5" } },
      { id: expect.stringMatching(/^call_/), function: { name: expect.stringMatching(/^_/) } },
    ]);
    expect(answer.tool_call_id).toBe(sent.tool_calls?.[0]?.id);
  });
});

describe("tool results", () => {
  it("send their files in one user message after the batch", () => {
    const sent = toOpenAIMessages([
      message("assistant", call("c1", "shot"), call("c2", "shot")),
      message("tool", result("c1", image)),
      message("tool", result("c2", "done", image)),
      message("user", "Compare them."),
    ]);
    const part = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw==" } };
    expect(sent.slice(1)).toEqual([
      { role: "tool", tool_call_id: "c1", content: "The result follows in the next message." },
      { role: "tool", tool_call_id: "c2", content: "done" },
      {
        role: "user",
        content: [
          { type: "text", text: "Returned by the tool call c1:" },
          part,
          { type: "text", text: "Returned by the tool call c2:" },
          part,
          { type: "text", text: "Compare them." },
        ],
      },
    ]);
  });

  it("of several messages stand together before their files", () => {
    const image_url = { type: "image_url" };
    const sent = toOpenAIMessages([
      message("assistant", call("c1", "shot"), call("c2", "shot")),
      message("tool", result("c1", image)),
      message("tool", result("c2", image)),
      message("assistant", "Two."),
      message("user", "And?"),
      message("assistant", call("c3", "shot")),
      message("tool", result("c3", image)),
    ]);
    expect(sent).toMatchObject([
      { role: "assistant" },
      { role: "tool", tool_call_id: "c1" },
      { role: "tool", tool_call_id: "c2" },
      { role: "user", content: [{ type: "text" }, image_url, { type: "text" }, image_url] },
      { role: "assistant", content: "Two." },
      { role: "user", content: "And?" },
      { role: "assistant" },
      { role: "tool", tool_call_id: "c3" },
      { role: "user", content: [{ type: "text" }, image_url] },
    ]);
    expect(sent).toHaveLength(9);
  });

  it("tell of what cannot be shown", () => {
    const sent = toOpenAIMessages([
      message(
        "tool",
        result(
          "c1",
          { type: "data", data: "AAAA", mediaType: "application/zip" },
          { type: "uri", uri: "https://example.com/a.pdf", mediaType: "application/pdf" },
          { type: "error", message: "half of it failed" },
        ),
      ),
    ]);
    expect(sent).toEqual([
      {
        role: "tool",
        tool_call_id: "c1",
        content:
          "[A file of type application/zip, which cannot be shown to this model.]\n" +
          "https://example.com/a.pdf (application/pdf)\nError: half of it failed",
      },
    ]);
  });
});

describe("the list", () => {
  it("joins instructions and neighbours of one role", () => {
    const messages = [
      message("system", "Second."),
      message("user", "a"),
      message("user", image),
      message("assistant", "b"),
      message("assistant", "c", call("c1", "lamp")),
      message("assistant", "d"),
    ];
    expect(toOpenAIMessages(messages, { instructions: "First." })).toMatchObject([
      { role: "system", content: "First.\n\nSecond." },
      { role: "user", content: [{ type: "text", text: "a" }, { type: "image_url" }] },
      { role: "assistant", content: "b\n\nc", tool_calls: [{ id: "c1" }] },
      { role: "assistant", content: "d" },
    ]);
  });

  it("never sends what belongs to the framework or to another service", () => {
    const extras = {
      additionalProperties: { label: "SECRET" },
      providerData: { anthropic: { signature: "SECRET" }, openai: { x: "SECRET" } },
    };
    const made = (content: Content): Content => ({ ...content, ...extras });
    const messages = [
      { ...message("user", made({ type: "text", text: "a" }), made(image)), ...extras },
      message("assistant", made({ type: "text", text: "b" }), made(call("c", "lamp"))),
      message("tool", made(result("c", made({ type: "text", text: "on" }), made(image)))),
    ];
    expect(JSON.stringify(toOpenAIMessages(messages))).not.toMatch(/SECRET|providerData|label/);
  });

  it("leaves out what it cannot say, and tells of it once", () => {
    const odd = { type: "hologram", beam: 1 } as unknown as Content;
    const hosted: Content = { type: "hosted_tool_call", callId: "h", name: "web_search" };
    const control: Content = { type: "function_approval_response", requestId: "r", approved: true };
    const log = [
      message("user", "a", odd, control),
      message("assistant", "b", hosted),
      message("tool", "stray", result("c", odd, "on")),
    ];
    const { sent, types } = leftOut(...log);
    expect(types).toEqual(["hologram", "hosted_tool_call", "hologram", "text"]);
    expect(sent).toEqual([
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
      { role: "tool", tool_call_id: "c", content: "on" },
    ]);
    expect(leftOut(...log).types).toEqual([]);
  });
});

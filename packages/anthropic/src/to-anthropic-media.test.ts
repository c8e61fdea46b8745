import type { Content, JsonObject, Message } from "@tunic/core";
import { describe, expect, test, vi } from "vitest";
import { call, message, messageProblems, result } from "../test/build.js";
import { toAnthropicMessages } from "./to-anthropic.js";

const wire = (...messages: readonly Message[]) => toAnthropicMessages(messages).messages;

test("blocks of the service's own go in as a content brings them", () => {
  const own = (block: JsonObject, type: string): Content => {
    const content: { readonly type: string } = {
      type,
      ...{ providerData: { anthropic: { block } } },
    };
    return content as Content;
  };
  const hit = {
    type: "search_result",
    source: "https://e.com",
    title: "T",
    content: [{ type: "text", text: "x" }],
    citations: { enabled: true },
  };
  const file = { type: "container_upload", file_id: "file_1" };
  const messages = wire(
    message("user", own(file, "container_upload"), "go"),
    message("assistant", call("c1")),
    message("tool", result("c1", [own(hit, "search_result")])),
  );
  expect(messageProblems(messages)).toEqual([]);
  expect(messages[0]?.content).toMatchObject([file, {}]);
  expect(messages[2]?.content).toMatchObject([{ content: [hit] }]);
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

  test("documents bring what the service knows of them", () => {
    const anthropic = { citations: { enabled: true }, context: "The bill.", other: 1 };
    const pdf: Content = {
      type: "data",
      data: "UERG",
      mediaType: "application/pdf",
      providerData: { anthropic },
    };
    expect(wire(message("user", pdf))[0]?.content).toEqual([
      {
        type: "document",
        source: { type: "base64", media_type: "application/pdf", data: "UERG" },
        citations: { enabled: true },
        context: "The bill.",
      },
    ]);
  });

  test("in a result that is an error, they follow behind all results", () => {
    const image: Content = { type: "data", data: "UE5H", mediaType: "image/png" };
    const messages = wire(
      message("user", "go"),
      message("assistant", call("c1"), call("c2")),
      message("tool", result("c1", [image], { isError: true }), result("c2", "on")),
    );
    expect(messageProblems(messages)).toEqual([]);
    expect(messages[2]?.content).toMatchObject([
      { tool_use_id: "c1", is_error: true, content: [{ type: "text" }] },
      { tool_use_id: "c2" },
      { type: "text", text: "Returned by the failed call c1:" },
      { type: "image" },
    ]);
  });

  test("an empty text file is told, and not sent as a document", () => {
    const empty: Content = { type: "data", data: "", mediaType: "text/csv" };
    expect(wire(message("user", empty))[0]?.content).toEqual([
      { type: "text", text: "[An empty file of type text/csv.]" },
    ]);
  });

  test.each<[string, Content]>([
    ["audio", { type: "data", data: "UE5H", mediaType: "audio/wav" }],
    ["HEIC", { type: "data", data: "UE5H", mediaType: "image/heic" }],
    ["another scheme", { type: "uri", uri: "s3://bucket/a.png", mediaType: "image/png" }],
    ["a video's address", { type: "uri", uri: "https://example.com/a", mediaType: "video/mp4" }],
  ])("%s is refused in a user's message; as a tool's result it is told", (_, content) => {
    const refused = expect.objectContaining({ code: "unsupported", retryable: false });
    expect(() => wire(message("user", content))).toThrow(refused);
    const [, , answered] = wire(
      message("user", "go"),
      message("assistant", call("c1")),
      message("tool", result("c1", [content, { type: "text", text: "Here." }])),
    );
    const told = content.type === "uri" ? content.uri : "cannot be shown to this model";
    expect(answered?.content).toMatchObject([
      { content: [{ type: "text", text: expect.stringContaining(told) }, { text: "Here." }] },
    ]);
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

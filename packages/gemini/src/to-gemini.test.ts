import {
  type Content,
  dataContent,
  errorContent,
  functionResultContent,
  type Message,
  type Role,
  textContent,
  uriContent,
} from "@tunic/core";
import { describe, expect, it } from "vitest";
import { openingText, toGeminiContents } from "./to-gemini.js";

const png = dataContent("aGk=", "image/png");
const pdf = dataContent("aGk=", "application/pdf", { name: "a.pdf" });
const gif = dataContent("aGk=", "image/gif");
const sound = dataContent("aGk=", "audio/wav");

let ids = 0;
function message(role: Role, ...contents: readonly (string | Content)[]): Message {
  const made = contents.map((each) => (typeof each === "string" ? textContent(each) : each));
  return { id: `m${++ids}`, role, createdAt: 0, contents: made };
}

const call: Content = { type: "function_call", callId: "c", name: "scan", arguments: {} };
const inline = (mimeType: string) => ({ inlineData: { mimeType, data: "aGk=" } });

/** What the last content is, after a call that had these contents as its result. */
function answered(model: string, ...contents: readonly Content[]) {
  const log = [
    message("user", "Scan."),
    message("assistant", call),
    message("tool", functionResultContent("c", contents)),
  ];
  return toGeminiContents(log, { model }).contents.at(-1)?.parts;
}

describe("turns", () => {
  it("neighbours of one role are one content, and what says nothing is not sent", () => {
    const log = [
      message("system", "Be brief."),
      message("user", "One.", " "),
      message("user", "Two."),
      message("assistant", ""),
      message("assistant", "Three."),
      message("system", "Be kind."),
      message("assistant", "Four."),
    ];
    expect(toGeminiContents(log)).toEqual({
      system: "Be brief.\n\nBe kind.",
      contents: [
        { role: "user", parts: [{ text: "One." }, { text: "Two." }] },
        { role: "model", parts: [{ text: "Three." }, { text: "Four." }] },
      ],
    });
  });

  it("the user begins", () => {
    const { contents } = toGeminiContents([message("assistant", "Hello.")]);
    expect(contents).toEqual([
      { role: "user", parts: [{ text: openingText }] },
      { role: "model", parts: [{ text: "Hello." }] },
    ]);
  });

  it("arguments that did not parse are told in the response", () => {
    const broken: Content = {
      type: "function_call",
      callId: "c",
      name: "scan",
      argumentsText: '{"a',
      parseError: "no JSON",
    };
    const log = [
      message("user", "Scan."),
      message("assistant", broken),
      message("tool", functionResultContent("c", "no JSON", { isError: true })),
    ];
    const { contents } = toGeminiContents(log, { model: "gemini-2.5-flash" });
    expect(contents.slice(1)).toMatchObject([
      { parts: [{ functionCall: { name: "scan", args: {} } }] },
      {
        parts: [
          {
            functionResponse: {
              response: { error: 'no JSON\nThe arguments of the call were: {"a' },
            },
          },
        ],
      },
    ]);
  });

  it("a result whose call is not right before it is left out, and told", () => {
    const notices: string[] = [];
    const log = [
      message("user", "Scan."),
      message("tool", functionResultContent("gone", "x")),
      message("assistant", "Well."),
      message("tool", functionResultContent("gone", "x")),
      message("assistant", "Then."),
    ];
    const notice = (code: string): void => void notices.push(code);
    expect(toGeminiContents(log, { notice }).contents).toEqual([
      { role: "user", parts: [{ text: "Scan." }] },
      { role: "model", parts: [{ text: "Well." }, { text: "Then." }] },
    ]);
    expect(notices).toEqual(["content_left_out", "content_left_out"]);
  });
});

describe("media of a user", () => {
  it("go as data or as an address", () => {
    const log = [
      message(
        "user",
        png,
        pdf,
        sound,
        dataContent("aGk=", "Image/JPG; q=1"),
        dataContent("aGk=", "text/csv"),
        uriContent("gs://bucket/film.mp4", "video/mp4"),
        uriContent("https://youtu.be/x"),
        uriContent("https://x.example/a.png", "image/*"),
      ),
    ];
    expect(toGeminiContents(log).contents[0]?.parts).toEqual([
      inline("image/png"),
      inline("application/pdf"),
      inline("audio/wav"),
      inline("image/jpeg"),
      inline("text/csv"),
      { fileData: { fileUri: "gs://bucket/film.mp4", mimeType: "video/mp4" } },
      { fileData: { fileUri: "https://youtu.be/x" } },
      { fileData: { fileUri: "https://x.example/a.png" } },
    ]);
  });

  it.each<[string, Content]>([
    ["image/gif", gif],
    ["application/zip", dataContent("aGk=", "application/zip")],
    ["ftp:", uriContent("ftp://x.example/a.png", "image/png")],
  ])("%s is refused", (text, content) => {
    const log = [message("user", content)];
    expect(() => toGeminiContents(log)).toThrow(
      expect.objectContaining({ code: "unsupported", message: expect.stringContaining(text) }),
    );
  });
});

describe("media in a result", () => {
  it("stand in the response for newer models", () => {
    expect(answered("gemini-3.5-flash", textContent("Here."), png, pdf)).toEqual([
      {
        functionResponse: {
          name: "scan",
          response: { output: "Here." },
          parts: [inline("image/png"), inline("application/pdf")],
        },
      },
    ]);
  });

  it("of kinds that may not stand there follow behind", () => {
    const film = uriContent("gs://bucket/film.mp4", "video/mp4");
    expect(answered("gemini-3.5-flash", png, sound, film)).toEqual([
      {
        functionResponse: {
          name: "scan",
          response: { output: "Done; the media are the output." },
          parts: [inline("image/png")],
        },
      },
      inline("audio/wav"),
      { fileData: { fileUri: "gs://bucket/film.mp4", mimeType: "video/mp4" } },
    ]);
  });

  it("follow behind all responses for older models", () => {
    const second: Content = { ...call, callId: "d" };
    const log = [
      message("user", "Scan."),
      message("assistant", call, second),
      message("tool", functionResultContent("c", [png])),
      message("tool", functionResultContent("d", "Nothing.")),
      message("user", "Well?"),
    ];
    const { contents } = toGeminiContents(log, { model: "gemini-2.5-flash" });
    expect(contents.at(-1)?.parts).toEqual([
      {
        functionResponse: { name: "scan", response: { output: "Done; the media are the output." } },
      },
      { functionResponse: { name: "scan", response: { output: "Nothing." } } },
      inline("image/png"),
      { text: "Well?" },
    ]);
  });

  it("that Gemini does not take are told as text", () => {
    expect(answered("gemini-3.5-flash", textContent("Here."), gif)).toEqual([
      {
        functionResponse: {
          name: "scan",
          response: {
            output:
              'Here.\n(The result also held data of type "image/gif", which cannot be shown.)',
          },
        },
      },
    ]);
  });

  it("one conversation can go to models of both kinds", () => {
    const log = [
      message("user", "Scan."),
      message("assistant", call),
      message("tool", functionResultContent("c", [png])),
    ];
    const parts = (generation: number) => toGeminiContents(log, { generation }).contents[2]?.parts;
    expect(parts(3)).toHaveLength(1);
    expect(parts(2)).toHaveLength(2);
    expect(parts(3)).toHaveLength(1);
  });
});

describe("B79: results", () => {
  it.each<[string, Content[], object, object]>([
    ["nothing", [], {}, { output: "Done, no output." }],
    ["a blank text", [textContent(" ")], {}, { output: "Done, no output." }],
    ["JSON", [textContent('{"error":"x"}')], {}, { output: '{"error":"x"}' }],
    ["several texts", [textContent("a"), textContent("b")], {}, { output: "a\nb" }],
    ["an error", [errorContent("bad")], { isError: true }, { error: "bad" }],
    [
      "an error without words",
      [],
      { isError: true, error: { code: "x", retryable: false, message: "No room." } },
      { error: "No room." },
    ],
  ])("%s", (_, contents, extras, response) => {
    const log = [
      message("user", "Scan."),
      message("assistant", call),
      message("tool", functionResultContent("c", contents, extras)),
    ];
    expect(toGeminiContents(log).contents[2]?.parts?.[0]?.functionResponse?.response).toEqual(
      response,
    );
  });
});

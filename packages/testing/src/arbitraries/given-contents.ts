import type { Content, FunctionResultContent } from "@tunic/core";
import fc, { type Arbitrary } from "fast-check";
import { oneOfWanted, type Wanted } from "./transcript-kinds.js";

/** What anybody may write. */
export function texts(wanted: Wanted): Arbitrary<string> {
  return oneOfWanted(
    wanted,
    fc.constantFrom("Hello.", "What is the weather?", "Two lines:\nhere."),
    ["empty_text", fc.constant("")],
    ["blank_text", fc.constantFrom(" ", "\n\t", "\u00a0")],
    [
      "unicode_text",
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }).map((s) => `é${s}.`),
    ],
    ["trailing_space", fc.constantFrom("Well, ", "So:\n")],
  );
}

function textContents(wanted: Wanted): Arbitrary<Content> {
  return texts(wanted).map((text) => ({ type: "text", text }));
}

const png = "iVBORw0KGgo=";
const image: Content = { type: "data", data: png, mediaType: "image/png" };
const namedImage: Content = { type: "data", data: png, mediaType: "image/webp", name: "cat.webp" };
const pdf: Content = { type: "data", data: "JVBERi0xLjQK", mediaType: "application/pdf" };
const textFile: Content = {
  type: "data",
  data: "YSxiCjEsMg==",
  mediaType: "text/csv",
  name: "t.csv",
};
const sound: Content = { type: "data", data: "AAECAw==", mediaType: "audio/ogg" };
const bytes: Content = { type: "data", data: "AAECAw==", mediaType: "application/octet-stream" };

function addressOf(path: string, mediaType: string): Content {
  return { type: "uri", uri: `https://example.com/${path}`, mediaType };
}

/** A part of a user's message. */
export function userContents(wanted: Wanted): Arbitrary<Content> {
  return oneOfWanted(
    wanted,
    textContents(wanted),
    ["image", fc.constantFrom(image, namedImage)],
    ["pdf", fc.constantFrom(pdf, { ...pdf, name: "a.pdf" })],
    ["text_file", fc.constant(textFile)],
    ["image_url", fc.constant(addressOf("cat.png", "image/png"))],
    ["pdf_url", fc.constant(addressOf("a.pdf", "application/pdf"))],
  );
}

/** What a tool gave back, but for the id of its call. */
export function results(wanted: Wanted): Arbitrary<Omit<FunctionResultContent, "callId">> {
  const made = (contents: readonly Content[], more: object = {}) =>
    fc.constant({ type: "function_result", contents, ...more } as const);
  const failed = (message: string, contents: readonly Content[] = []) =>
    made(contents, { isError: true, error: { code: "failed", retryable: false, message } });
  const said: Content = { type: "text", text: "It is on." };
  return oneOfWanted(
    wanted,
    made([said]),
    [
      "empty_result",
      fc.oneof(made([]), made([{ type: "text", text: "" }]), made([{ type: "text", text: " " }])),
    ],
    ["json_result", made([{ type: "text", text: '{"on":true,"type":"text"}' }])],
    [
      "several_contents",
      made([said, { type: "text", text: "And bright." }, { type: "error", message: "Dim." }]),
    ],
    [
      "media_result",
      fc.oneof(made([image]), made([said, image, pdf]), made([addressOf("cat.png", "image/png")])),
    ],
    [
      "odd_media_result",
      fc.oneof(
        made([sound]),
        made([said, bytes]),
        made([addressOf("a.bin", "application/octet-stream")]),
      ),
    ],
    [
      "error_result",
      fc.oneof(
        failed("It broke.", [{ type: "text", text: "It broke." }]),
        failed("It broke."),
        made([said], { isError: true }),
      ),
    ],
    ["wordless_error", fc.oneof(failed(""), failed(" "), made([], { isError: true }))],
    ["error_media", failed("It broke.", [{ type: "text", text: "It broke." }, image])],
  );
}

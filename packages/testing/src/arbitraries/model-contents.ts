import type { Content, JsonObject } from "@tunic/core";
import fc, { type Arbitrary } from "fast-check";
import { texts } from "./given-contents.js";
import { oneOfWanted, type TranscriptKind, type Wanted } from "./transcript-kinds.js";

/** Counts within one transcript, so that ids differ. */
export type Count = () => number;

/** Something that has ids, before they are known. */
export type Draft<Value> = (count: Count) => Value;

/** Some neighbouring parts of a model's message. */
export type Parts = Draft<readonly Content[]>;

function parts(draft: (id: number) => Content | readonly Content[]): Arbitrary<Parts> {
  return fc.constant((count) => [draft(count())].flat());
}

function by(vendor: string, own: JsonObject): Pick<Content, "providerData"> {
  return { providerData: { [vendor]: own } };
}

/** Signatures and what is encrypted are base64, which only their makers can read. */
const opaque = "c2lnbmF0dXJl";

/** What a model says and thinks, and what its service did; no calls that are answered here. */
export function modelParts(wanted: Wanted): Arbitrary<Parts> {
  return oneOfWanted(
    wanted,
    texts(wanted).map(
      (text): Parts =>
        () => [{ type: "text", text }],
    ),
    ["signed_text", signedTexts()],
    ...kindsOfReasoning(),
    ["refusal", parts(() => ({ type: "error", code: "refusal", message: "I cannot do that." }))],
    ["unknown_content", unknownContents()],
    [
      "informational_call",
      parts((id) => ({
        type: "function_call",
        callId: `ran_${id}`,
        name: "search",
        arguments: {},
        informationalOnly: true,
      })),
    ],
    ["anthropic_hosted", anthropicHosted()],
    ["openai_hosted", openaiHosted()],
    ["gemini_hosted", geminiHosted()],
    ["unknown_hosted", parts((id) => hosted(`h_${id}`, {}, {}))],
    [
      "hosted_open",
      parts((id) => ({
        type: "hosted_tool_call",
        callId: `srvtoolu_${id}`,
        name: "web_search",
        input: { query: "x" },
        ...by("anthropic", { type: "server_tool_use" }),
      })),
    ],
  );
}

/** What a model thinks; nothing where no kind of it is wanted. */
export function reasoning(wanted: Wanted): Arbitrary<Parts> {
  return oneOfWanted(
    wanted,
    parts(() => []),
    ...kindsOfReasoning(),
  );
}

function kindsOfReasoning(): readonly (readonly [TranscriptKind, Arbitrary<Parts>])[] {
  return [
    ["plain_reasoning", parts(() => ({ type: "text_reasoning", text: "Hm." }))],
    ["anthropic_reasoning", anthropicReasoning()],
    ["openai_reasoning", openaiReasoning()],
    ["gemini_reasoning", geminiReasoning()],
  ];
}

function signedTexts(): Arbitrary<Parts> {
  return fc.oneof(
    parts((id) => ({
      type: "text",
      text: "As said.",
      ...by("openai", { itemId: `msg_${id}`, responseId: `resp_${id}` }),
    })),
    parts(() => ({
      type: "text",
      text: "As said.",
      ...by("gemini", { thoughtSignature: opaque }),
    })),
    // The signature may come at the end, on an empty text.
    parts(() => ({ type: "text", text: "", ...by("gemini", { thoughtSignature: opaque }) })),
  );
}

function anthropicReasoning(): Arbitrary<Parts> {
  return fc.oneof(
    parts(() => ({
      type: "text_reasoning",
      text: "Hm.",
      ...by("anthropic", { signature: opaque }),
    })),
    // Thinking that is not shown has a signature, too.
    parts(() => ({ type: "text_reasoning", text: "", ...by("anthropic", { signature: opaque }) })),
    parts(() => ({ type: "text_reasoning", text: "", ...by("anthropic", { data: opaque }) })),
  );
}

/** Reasoning of OpenAI's may stand between calls, too. */
export function openaiReasoning(): Arbitrary<Parts> {
  const own = (id: number): JsonObject => ({ itemId: `rs_${id}`, responseId: `resp_${id}` });
  return fc.oneof(
    parts((id) => ({
      type: "text_reasoning",
      text: "Hm.",
      ...by("openai", { ...own(id), encryptedContent: opaque }),
    })),
    parts((id) => ({
      type: "text_reasoning",
      text: "",
      ...by("openai", { ...own(id), encryptedContent: opaque }),
    })),
    parts((id) => ({ type: "text_reasoning", text: "Hm.", ...by("openai", own(id)) })),
  );
}

function geminiReasoning(): Arbitrary<Parts> {
  return fc.oneof(
    parts(() => ({
      type: "text_reasoning",
      text: "Hm.",
      ...by("gemini", { thoughtSignature: opaque }),
    })),
    parts(() => ({
      type: "text_reasoning",
      text: "",
      ...by("gemini", { thoughtSignature: opaque }),
    })),
  );
}

function unknownContents(): Arbitrary<Parts> {
  // What services will say tomorrow has no type today.
  const unknown = (content: { readonly type: string }) => content as Content;
  const block = { type: "container_upload", file_id: "file_1" };
  return fc.oneof(
    parts(() => unknown({ type: "hologram", ...{ depth: 3 } })),
    parts(() => unknown({ type: "container_upload", ...by("anthropic", { block }) })),
  );
}

function hosted(
  callId: string,
  call: Pick<Content, "providerData">,
  result: Pick<Content, "providerData">,
  output: JsonObject | readonly JsonObject[] = [],
): readonly Content[] {
  return [
    { type: "hosted_tool_call", callId, name: "web_search", input: { query: "x" }, ...call },
    { type: "hosted_tool_result", callId, output, ...result },
  ];
}

function anthropicHosted(): Arbitrary<Parts> {
  const found = {
    type: "web_search_result",
    title: "X",
    url: "https://example.com",
    encrypted_content: opaque,
  };
  const failed = { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" };
  return fc
    .constantFrom<JsonObject | readonly JsonObject[]>([], [found], failed)
    .chain((output) =>
      parts((id) =>
        hosted(
          `srvtoolu_${id}`,
          by("anthropic", { type: "server_tool_use" }),
          by("anthropic", { type: "web_search_tool_result" }),
          output,
        ),
      ),
    );
}

function openaiHosted(): Arbitrary<Parts> {
  const own = (id: number) => by("openai", { itemId: `ws_${id}`, responseId: `resp_${id}` });
  return parts((id) => hosted(`ws_${id}`, own(id), own(id)));
}

function geminiHosted(): Arbitrary<Parts> {
  const own = by("gemini", { thoughtSignature: opaque });
  return parts((id): readonly Content[] => [
    {
      type: "hosted_tool_call",
      callId: `code_${id}`,
      name: "code_execution",
      input: { language: "PYTHON", code: "1" },
      ...own,
    },
    {
      type: "hosted_tool_result",
      callId: `code_${id}`,
      name: "code_execution",
      output: { outcome: "OUTCOME_OK", output: "1" },
      ...own,
    },
  ]);
}

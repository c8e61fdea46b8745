import fc, { type Arbitrary } from "fast-check";

/** What a transcript can hold beside plain turns; each of it can be left out. */
export type TranscriptKind = (typeof transcriptKinds)[number];

/** All of them, by where they stand. */
export const transcriptKinds = [
  // Texts of anybody.
  "empty_text",
  "blank_text",
  "unicode_text",
  "trailing_space",
  // What a user or a tool hands over.
  "image",
  "pdf",
  "text_file",
  "image_url",
  "pdf_url",
  // What a model says.
  "plain_reasoning",
  "anthropic_reasoning",
  "openai_reasoning",
  "gemini_reasoning",
  // Reasoning after which comes nothing that every service can see.
  "reasoning_only",
  "signed_text",
  "refusal",
  "unknown_content",
  "informational_call",
  // What a service does itself.
  "anthropic_hosted",
  "openai_hosted",
  "gemini_hosted",
  "unknown_hosted",
  "hosted_open",
  "code_calls_tool",
  "hosted_approval",
  // Calls.
  "parallel_calls",
  "odd_name",
  "long_name",
  "foreign_id",
  "long_id",
  "similar_ids",
  "parse_error",
  "text_after_call",
  // Results.
  "empty_result",
  "json_result",
  "several_contents",
  "media_result",
  "odd_media_result",
  "error_result",
  "wordless_error",
  "error_media",
  // How a log came about; what a model sees of it looks the same.
  "split_results",
  "late_results",
  "open_call",
  "approval",
  "paused_call",
  // The whole.
  "system",
  "assistant_first",
  "assistant_last",
] as const;

/** Whether a kind is wanted. */
export type Wanted = (kind: TranscriptKind) => boolean;

/** The first, or just as often one of the others whose kind is wanted. */
export function oneOfWanted<Value>(
  wanted: Wanted,
  first: Arbitrary<Value>,
  ...others: readonly (readonly [TranscriptKind, Arbitrary<Value>])[]
): Arbitrary<Value> {
  // Whatever fails is also tried with the plainest of all.
  const chosen = others.filter(([kind]) => wanted(kind)).map(([, arbitrary]) => arbitrary);
  return fc.oneof(
    { withCrossShrink: true },
    { arbitrary: first, weight: Math.max(1, chosen.length) },
    ...chosen,
  );
}

/** Whether something is done, in one of three cases; never where its kind is not wanted. */
export function sometimes(wanted: Wanted, kind: TranscriptKind): Arbitrary<boolean> {
  return wanted(kind) ? fc.constantFrom(false, false, true) : fc.constant(false);
}

import { type JsonValue, type ToolResult, textContent } from "@tunic/core";
import { spendOutcome } from "./outcome-bit.js";
import { hideValue, isVisible, type ResultTerms, remember, stamp } from "./result-terms.js";

/** What the loop says of a failure of which nothing is told. */
const saysNothing = "Error: Function failed.";

/**
 * What went wrong is told in somebody else's words: they are hidden like a result. That something went wrong
 * may be known, unless untrusted arguments could say too much by it.
 */
export function labelError(terms: ResultTerms, result: ToolResult): ToolResult {
  const { flow, base, callId, tool, record } = terms;
  const { lattice } = flow.settings;
  const label = lattice.joinAll([base, lattice.label("untrusted"), ...tool.result.values]);
  if (isVisible(terms, label)) {
    remember(terms, label, 0);
    const contents = result.contents.map((content) => stamp(flow, content, label, result));
    return { ...result, contents };
  }
  // A failure may be the doing of whoever makes the results, too.
  const cause = lattice.join(base, tool.result.root.value);
  const told = isVisible(terms, cause) || spendOutcome(flow, callId, tool.key);
  if (told && isQuiet(result)) {
    remember(terms, record.callLabel, 0);
    return errorOf(terms, result, saysNothing, "Function failed.");
  }
  const reference = JSON.stringify(hideValue(terms, said(result), label, "error"));
  remember(terms, record.callLabel, 1);
  if (!told) return { contents: [stamp(flow, textContent(reference), record.callLabel, {})] };
  const text = `Error: the tool failed. What it said: ${reference}`;
  return errorOf(terms, result, text, "the tool failed.");
}

function isQuiet({ contents }: ToolResult): boolean {
  const [only, other] = contents;
  return other === undefined && only?.type === "text" && only.text === saysNothing;
}

function said({ contents }: ToolResult): JsonValue {
  const parts = contents.map((content) => (content.type === "text" ? content.text : content));
  return (parts.length === 1 ? parts[0] : parts) as JsonValue;
}

/** A failure of ours, in words that say nothing of the data. */
export function constantError(terms: ResultTerms, result: ToolResult, message: string): ToolResult {
  remember(terms, terms.record.callLabel, 0);
  return errorOf(terms, result, `Error: ${message}`, message);
}

function errorOf(
  { flow, record }: ResultTerms,
  { error }: ToolResult,
  text: string,
  message: string,
): ToolResult {
  const { code = "tool_error", retryable = false } = error ?? {};
  // A code may come from elsewhere, too; words of the loop's own kind say little enough.
  const known = /^[a-z][a-z_]{0,39}$/.test(code) ? code : "tool_error";
  const failed = { isError: true, error: { code: known, retryable, message } };
  return { contents: [stamp(flow, textContent(text), record.callLabel, failed)], ...failed };
}

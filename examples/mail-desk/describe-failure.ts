import { AssertionError } from "node:assert";
import { ChatClientError } from "@tunic/core";

/** A failure in one line, for a person at a terminal. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AssertionError) {
    const { message, expected, actual } = error;
    return `mail-desk: the run did not do what it should: ${firstLine(message)} should be ${short(expected)}; got ${short(actual)}`;
  }
  if (!(error instanceof ChatClientError)) return `mail-desk: ${firstLine(error.message)}`;
  const status = error.status === undefined ? "" : `, status ${error.status}`;
  // The message has the innermost cause already.
  return `mail-desk: the model could not be asked (${error.code}${status}): ${firstLine(error.message)}`;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? text;
}

function short(value: unknown): string {
  const text = value instanceof RegExp ? String(value) : (JSON.stringify(value) ?? "nothing");
  return text.length <= 300 ? text : `${text.slice(0, 299)}…`;
}

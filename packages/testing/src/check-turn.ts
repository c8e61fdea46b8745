import { ConfigurationError, checkOptionNames, isJsonObject } from "@tunic/core";
import type { ScriptedAnswer, ScriptedCall } from "./scripted-turn.js";

const answers: Readonly<Record<keyof ScriptedAnswer, true>> = {
  reasoning: true,
  text: true,
  contents: true,
  calls: true,
  finishReason: true,
  usage: true,
  responseId: true,
  conversationId: true,
  model: true,
  chunkSize: true,
  interleave: true,
  delayMs: true,
  error: true,
  errorAfter: true,
  beforePiece: true,
};
const answerNames: ReadonlySet<string> = new Set(Object.keys(answers));
const callNames: ReadonlySet<string> = new Set<keyof ScriptedCall>(["name", "arguments", "id"]);

/**
 * Checks an answer of a script: a misspelt member would be an empty answer, and the test about
 * something else.
 *
 * @param what Names the turn in error messages.
 * @throws ConfigurationError `unknown_option` or `invalid_option`.
 */
export function checkAnswer(answer: unknown, what: string): void {
  if (typeof answer === "string") return;
  if (!isJsonObject(answer)) throw invalid(`${what} must be a text or an answer such as { text }.`);
  checkOptionNames(what, answer, answerNames);
  const { calls, contents } = answer;
  if (contents !== undefined && !Array.isArray(contents)) {
    throw invalid(`${what}: contents must be a list.`);
  }
  if (calls === undefined) return;
  if (!Array.isArray(calls)) throw invalid(`${what}: calls must be a list.`);
  for (const [index, call] of calls.entries()) checkCall(call, `${what}, calls[${index}]`);
}

function checkCall(call: unknown, what: string): void {
  if (!isJsonObject(call) || typeof call["name"] !== "string") {
    throw invalid(`${what} must be a call such as { name, arguments }.`);
  }
  checkOptionNames(what, call, callNames);
}

function invalid(message: string): ConfigurationError {
  return new ConfigurationError("invalid_option", message);
}

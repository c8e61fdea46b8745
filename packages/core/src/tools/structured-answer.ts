/**
 * Reads values out of answers. Loaded with what checks arguments, and like that it needs nothing that
 * is loaded at once: what comes out is data, of which `read-value.ts` makes an error where it is one.
 */

import type { StructuredOutputErrorCode } from "../errors/run-errors.js";
import type { Content } from "../messages/content.js";
import { isJsonObject, type JsonValue } from "../messages/json.js";
import type { CheckableTool, CheckedArguments, CompiledSchema } from "./checked-arguments.js";
import { shortJson } from "./schema-words.js";

/** An answer, and how it came about. */
export interface GivenAnswer {
  /** Of the last message, where the model wrote that. */
  readonly contents: readonly Content[];
  readonly text: string;
  readonly finishReason: string | undefined;
  readonly outcome: string | undefined;
}

/** What an answer is read by. */
export interface AnswerForm {
  /** The format's name and schemas, which are checked as those of a tool are. */
  readonly checkable: CheckableTool;
  readonly compiled: CompiledSchema;
}

/** A value, or why there is none. */
export type ReadAnswer =
  | { readonly value: unknown; readonly code?: undefined }
  | {
      readonly code: StructuredOutputErrorCode;
      readonly message: string;
      readonly cause?: unknown;
    };

/** The value of an answer; a promise where the schema is checked asynchronously. */
export function readAnswer(
  answer: GivenAnswer,
  { checkable, compiled }: AnswerForm,
): ReadAnswer | Promise<ReadAnswer> {
  const found = jsonIn(answer);
  if ("code" in found) return found;
  // Said here, not by what checks arguments: its words are about a tool, and for a model.
  if (compiled.broken) {
    const { reason, cause } = compiled.broken;
    return unfit(`the schema itself does not compile: ${reason}`, cause);
  }
  const { json } = found;
  if (!isJsonObject(json)) return unfit(`it must be a JSON object; got ${shortJson(json)}.`);
  const checked = compiled.check(checkable, json);
  return "then" in checked ? checked.then(readChecked) : readChecked(checked);
}

function readChecked(checked: CheckedArguments): ReadAnswer {
  return checked.ok ? { value: checked.input } : unfit(checked.message, checked.cause);
}

function unfit(details: string, cause?: unknown): ReadAnswer {
  return {
    code: "invalid_value",
    message: `The answer does not fit the schema of the responseFormat: ${details}`,
    ...(cause !== undefined && { cause }),
  };
}

function jsonIn(answer: GivenAnswer): { readonly json: JsonValue } | Failure {
  const { contents } = answer;
  const refused = contents.find(isRefusal);
  if (refused) return { code: "refused", message: `The model refused: ${refused.message}` };
  const text = answer.text.trim();
  const found =
    text === "" ? undefined : (parsed(text) ?? parsed(lastBlock(contents)) ?? parsed(fenced(text)));
  return found ?? whyNoJson(answer, text);
}

type Failure = Extract<ReadAnswer, { readonly message: string }>;

function whyNoJson({ finishReason, outcome }: GivenAnswer, text: string): Failure {
  if (finishReason === "length") {
    return { code: "cut_off", message: "The answer was cut at its token limit: raise maxTokens." };
  }
  if (finishReason === "content_filter") {
    return { code: "refused", message: "A filter of the service withheld the answer." };
  }
  if (text !== "") return { code: "not_json", message: "The answer is no JSON." };
  const why = outcome === undefined || outcome === "completed" ? "" : ` The run is "${outcome}".`;
  return { code: "no_answer", message: `There is no answer.${why}` };
}

/** An emulated format puts its answer into a block of its own, behind what else the model said. */
function lastBlock(contents: readonly Content[]): string {
  const last = contents.findLast((content) => content.type === "text");
  return last?.type === "text" ? last.text : "";
}

/** Models without a native format like to put JSON into a Markdown fence. */
function fenced(text: string): string {
  return /^```(?:json)?\s*\n([\s\S]*)\n```$/.exec(text)?.[1] ?? "";
}

function parsed(text: string): { readonly json: JsonValue } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function isRefusal(content: Content): content is Extract<Content, { type: "error" }> {
  return content.type === "error" && String(content.code).startsWith("refusal");
}

import { ToolError, ToolInvalidArgumentsError } from "../errors/tool-errors.js";
import type { Content, FunctionResultError } from "../messages/content.js";
import { isMadeContent, textContent } from "../messages/make-content.js";
import { isThenable } from "../onion/is-thenable.js";
import { resultText } from "./result-text.js";
import type { ToolResult } from "./tool.js";

/** What {@link toolResult} makes a result of. */
export interface ToolResultInit {
  /** A string becomes one text content. */
  readonly contents: string | readonly Content[];
  readonly isError?: boolean;
  readonly error?: FunctionResultError;
  /** For code; the model never sees it. */
  readonly value?: unknown;
}

/** Told where a conversion failed and another was taken; has the shape of `run.notice`. */
export type ConversionNotice = (code: string, message: string, error?: unknown) => void;

/** What {@link toolResult} made; data that merely looks like a result did not come from there. */
const made = new WeakSet<object>();

/**
 * A result in full, for tools and handlers that say more than a value: several contents, or an
 * error without throwing. A result with an `error` is an error, whatever `isError` says.
 *
 * @throws TypeError when `contents` holds something that no content maker made.
 */
export function toolResult(init: ToolResultInit): ToolResult {
  const { contents, error } = init;
  if (typeof contents !== "string" && !contents.every(isMadeContent)) {
    throw new TypeError(
      "toolResult takes contents made by textContent(), dataContent() and the like; wrap data in textContent(JSON.stringify(…)).",
    );
  }
  const isError = error !== undefined || init.isError === true;
  const result: ToolResult = Object.freeze({
    contents: typeof contents === "string" ? [text(contents)] : readable(contents),
    ...(isError && { isError }),
    ...(error && { error }),
    ...("value" in init && { value: init.value }),
  });
  made.add(result);
  return result;
}

/** Whether a value came out of {@link toolResult}. */
export function isToolResult(value: unknown): value is ToolResult {
  return typeof value === "object" && value !== null && made.has(value);
}

/**
 * Turns what a tool's function returned (settled, if it was a promise) into a result. Never throws,
 * and never says nothing: the work is done, a model that does not see it would do it again.
 *
 * @param parseResult The tool's own conversion. Where it fails, the usual one is taken.
 * @param notice Told of such a failure, as `parse_result_failed`.
 */
export function toToolResult(
  value: unknown,
  parseResult?: (value: unknown) => string | readonly Content[],
  notice?: ConversionNotice,
): ToolResult {
  if (isToolResult(value)) return value;
  if (isError(value)) return returnedError(value);
  const parsed = parseResult && parsedContents(value, parseResult, notice);
  return { contents: parsed ?? anyContentsOf(value), value };
}

/**
 * The same result as one that {@link toolResult} made, so that a tool which invokes another one can
 * return what came out of it, or its contents.
 */
export function returnable(result: ToolResult): ToolResult {
  if (made.has(result)) return result;
  const contents = result.contents.map((content) => {
    const taken: boolean = isMadeContent(content);
    return content.type === "text" && !taken ? textContent(content.text) : content;
  });
  const copy: ToolResult = Object.freeze({ ...result, contents });
  made.add(copy);
  return copy;
}

/**
 * An error result: the model sees `Error: `, the message and the fix, and nothing else.
 */
export function errorResult(
  error: Pick<FunctionResultError, "code" | "message"> & Partial<FunctionResultError>,
): ToolResult {
  const { code, retryable = false, fix } = error;
  const message = error.message.replace(/^Error: /, "");
  return {
    contents: [textPart(`Error: ${message}${fix === undefined ? "" : ` ${fix}`}`)],
    isError: true,
    error: { code, retryable, message, ...(fix !== undefined && { fix }) },
  };
}

/**
 * The error result of arguments that do not fit; its details are always told.
 *
 * @param details From `checkArguments`: one line for each thing that is wrong.
 */
export function argumentErrorResult(details: string): ToolResult {
  const gap = details.includes("\n") ? "\n" : " ";
  const message = `Argument parsing failed.${gap}${details}`;
  return errorResult({ code: "invalid_arguments", message });
}

/**
 * The error result of what a tool's function threw. A `ToolError` gives its code, whether a retry
 * may help, and its fix; of the message the model sees nothing unless `includeDetailedErrors`
 * (except that of a `ToolInvalidArgumentsError`, which is meant for it). Never a stack.
 */
export function failureResult(thrown: unknown, includeDetailedErrors: boolean): ToolResult {
  const known = toolErrorOf(thrown);
  return errorResult({
    code: known?.code ?? "function_failed",
    retryable: known?.retryable ?? false,
    message: failureMessage(thrown, includeDetailedErrors),
    ...(known?.fix !== undefined && { fix: known.fix }),
  });
}

function failureMessage(thrown: unknown, includeDetailedErrors: boolean): string {
  if (toolErrorOf(thrown) instanceof ToolInvalidArgumentsError) return messageOf(thrown);
  return includeDetailedErrors ? `Function failed. ${messageOf(thrown)}` : "Function failed.";
}

/** A returned error was meant to be seen, so its message is. */
function returnedError(value: Error): ToolResult {
  const known = toolErrorOf(value);
  const result = errorResult({
    code: known?.code ?? "tool_error",
    retryable: known?.retryable ?? false,
    message: messageOf(value),
    ...(known?.fix !== undefined && { fix: known.fix }),
  });
  return { ...result, value };
}

function parsedContents(
  value: unknown,
  parseResult: (value: unknown) => string | readonly Content[],
  notice: ConversionNotice | undefined,
): readonly Content[] | undefined {
  try {
    const parsed: unknown = parseResult(value);
    if (isThenable(parsed)) {
      // Its outcome comes too late, and its rejection would be nobody's.
      parsed.then(undefined, () => {});
      throw new TypeError("parseResult must return a string or contents, not a promise.");
    }
    return contentsOf(parsed);
  } catch (error) {
    notice?.(
      "parse_result_failed",
      `parseResult failed, so the result was converted as usual: ${messageOf(error)}`,
      error,
    );
    return undefined;
  }
}

function anyContentsOf(value: unknown): readonly Content[] {
  try {
    return contentsOf(value);
  } catch {
    // A list that throws when it is read.
    return [text(resultText(value))];
  }
}

function contentsOf(value: unknown): readonly Content[] {
  if (typeof value === "string") return [text(value)];
  if (value === undefined) return [textPart("Done. The tool returned no output.")];
  if (isMadeContent(value)) return readable([value]);
  if (!isList(value) || !holdsContents(value)) return [text(resultText(value))];
  return readable(
    value.map((member) => {
      if (isMadeContent(member)) return member;
      return typeof member === "string" ? text(member) : text(resultText(member));
    }),
  );
}

/** Whether one of a list is a content. Nobody makes millions; a list that claims to have them is data. */
function holdsContents(list: readonly unknown[]): boolean {
  return list.length <= mostContents && list.some(isMadeContent);
}

const mostContents = 1_000_000;

/** Contents of which a model gets to see something. */
function readable(contents: readonly Content[]): readonly Content[] {
  const silent = contents.every((content) => content.type === "text" && content.text === "");
  if (!silent) return [...contents];
  return [textPart(contents.length === 0 ? "(no contents)" : "(empty text)"), ...contents.slice(1)];
}

function text(value: string): Content {
  return textPart(value === "" ? "(empty text)" : value);
}

function isList(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    // A revoked proxy.
    return false;
  }
}

function toolErrorOf(thrown: unknown): ToolError | undefined {
  return isError(thrown) && thrown instanceof ToolError ? thrown : undefined;
}

function isError(value: unknown): value is Error {
  if (typeof value !== "object" || value === null) return false;
  try {
    return value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
  } catch {
    return false;
  }
}

function messageOf(thrown: unknown): string {
  try {
    if (typeof thrown === "string") return thrown || "unknown error";
    if (!isError(thrown)) return resultText(thrown);
    return String(thrown.message || thrown.name || "unknown error");
  } catch {
    return "unknown error";
  }
}

/** A plain literal, not a maker's: results are made on a hot path, where nobody returns them again. */
function textPart(value: string): Content {
  return { type: "text", text: value };
}

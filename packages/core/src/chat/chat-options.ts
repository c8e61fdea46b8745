import { ConfigurationError, checkOptionNames } from "../errors/configuration-error.js";
import type { JsonObject } from "../messages/json.js";
import type { Tool } from "../tools/tool.js";

/** Which tools the model may or must call in the next step. */
export type ToolChoice =
  | "auto"
  | "none"
  | "required"
  | { readonly name: string }
  | { readonly allowed: readonly string[] };

/** A piece of instructions and who wrote it (`agent`, `run`, a provider's name). */
export interface Instruction {
  readonly source: string;
  readonly text: string;
}

/** The form the answer must have. */
export interface ResponseFormat {
  readonly type: "json_schema";
  /** Letters, digits, `_` and `-`. Default `response`. */
  readonly name?: string;
  readonly schema: JsonObject;
  /** Whether the service must hold the schema exactly. Default true. */
  readonly strict?: boolean;
}

/** How the model is asked. Every member is optional; what is absent is left to the service. */
export interface ChatOptions {
  readonly instructions?: string | readonly Instruction[];
  readonly model?: string;
  readonly temperature?: number;
  readonly topP?: number;
  /** The most tokens of one answer. */
  readonly maxTokens?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly tools?: readonly Tool[];
  /** `required`, a name and a list of allowed names hold for the first round, then `auto`. */
  readonly toolChoice?: ToolChoice;
  /** Whether the model may make several calls in one answer. */
  readonly parallelToolCalls?: boolean;
  readonly responseFormat?: ResponseFormat;
  /** Tags that a service stores with the request. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** The id under which the service holds the conversation so far. */
  readonly conversationId?: string;
  /** Options of one service, by provider name, put into its request as they are. */
  readonly providerOptions?: Readonly<Record<string, JsonObject>>;
}

const optionNames: ReadonlySet<string> = new Set<keyof ChatOptions>([
  "instructions",
  "model",
  "temperature",
  "topP",
  "maxTokens",
  "stop",
  "seed",
  "frequencyPenalty",
  "presencePenalty",
  "tools",
  "toolChoice",
  "parallelToolCalls",
  "responseFormat",
  "metadata",
  "conversationId",
  "providerOptions",
]);

/**
 * Checks what needs no service to be known: names of options, kinds of values, a tool choice that
 * the tools can meet.
 *
 * @throws ConfigurationError `unknown_option` or `invalid_option`, saying what to write.
 */
export function checkChatOptions(options: ChatOptions, what = "ChatOptions"): void {
  checkOptionNames(what, options, optionNames);
  const numbers = ["temperature", "topP", "seed", "frequencyPenalty", "presencePenalty"] as const;
  for (const name of numbers) {
    const value = options[name];
    if (value !== undefined && !Number.isFinite(value)) {
      throw invalid(what, name, "a finite number", value);
    }
  }
  const { maxTokens, stop, toolChoice } = options;
  if (maxTokens !== undefined && !(Number.isInteger(maxTokens) && maxTokens > 0)) {
    throw invalid(what, "maxTokens", "a whole number above 0", maxTokens);
  }
  if (
    stop !== undefined &&
    !(Array.isArray(stop) && stop.every((each) => typeof each === "string"))
  ) {
    throw invalid(what, "stop", "a list of strings", stop);
  }
  if (toolChoice !== undefined && !isToolChoice(toolChoice)) {
    throw invalid(
      what,
      "toolChoice",
      '"auto", "none", "required", { name } or { allowed }',
      toolChoice,
    );
  }
}

/**
 * Checks a tool choice against the tools that are there.
 *
 * @throws ConfigurationError `invalid_option` when it names a tool that is not.
 */
export function checkToolChoice(choice: ToolChoice | undefined, tools: readonly Tool[]): void {
  if (choice === undefined || choice === "auto" || choice === "none") return;
  if (choice === "required") {
    if (tools.length > 0) return;
    throw new ConfigurationError(
      "invalid_option",
      'toolChoice is "required", but there are no tools.',
    );
  }
  for (const name of "name" in choice ? [choice.name] : choice.allowed) {
    if (tools.some((tool) => tool.name === name)) continue;
    throw new ConfigurationError(
      "invalid_option",
      `toolChoice names "${name}"; the tools are: ${tools.map((tool) => tool.name).join(", ") || "none"}.`,
    );
  }
}

/** The text of all instructions, one paragraph each. */
export function joinInstructions(instructions: ChatOptions["instructions"]): string | undefined {
  if (instructions === undefined) return undefined;
  if (typeof instructions === "string") return instructions || undefined;
  const texts = instructions.map((each) => each.text).filter((text) => text !== "");
  return texts.length > 0 ? texts.join("\n\n") : undefined;
}

function isToolChoice(choice: unknown): boolean {
  if (choice === "auto" || choice === "none" || choice === "required") return true;
  if (typeof choice !== "object" || choice === null) return false;
  const { name, allowed } = choice as { name?: unknown; allowed?: unknown };
  if (typeof name === "string") return allowed === undefined;
  return (
    name === undefined &&
    Array.isArray(allowed) &&
    allowed.length > 0 &&
    allowed.every((each) => typeof each === "string")
  );
}

function invalid(what: string, name: string, expected: string, got: unknown): ConfigurationError {
  return new ConfigurationError(
    "invalid_option",
    `${what}: ${name} must be ${expected}; got ${JSON.stringify(got) ?? String(got)}.`,
  );
}

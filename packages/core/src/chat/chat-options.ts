import { ConfigurationError, checkOptionNames } from "../errors/configuration-error.js";
import { isJsonObject, type JsonObject } from "../messages/json.js";
import type { SchemaInput } from "../tools/schema.js";
import type { Tool } from "../tools/tool.js";
import { type ResponseFormat, responseSchema } from "./response-format.js";

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
  /** Set on what a context provider has brought for one run: it is not part of the configuration. */
  readonly provided?: true;
}

/** How the model is asked. Every member is optional; what is absent is left to the service. */
export interface ChatOptions<Schema extends SchemaInput = SchemaInput> {
  readonly instructions?: string | readonly Instruction[] | undefined;
  /** As the service calls it. Default: the client's. */
  readonly model?: string | undefined;
  /** How much chance decides; the range is the service's. Anthropic takes none. */
  readonly temperature?: number | undefined;
  /** The share of likely tokens to choose from, 0 to 1. Anthropic takes none. */
  readonly topP?: number | undefined;
  /** The most tokens of one answer. */
  readonly maxTokens?: number | undefined;
  /** Texts at which the answer ends. The Responses API takes none. */
  readonly stop?: readonly string[] | undefined;
  /** For answers that repeat as well as the service can make them. Chat completions and Gemini only. */
  readonly seed?: number | undefined;
  /** Against words that have come often. Chat completions and Gemini only. */
  readonly frequencyPenalty?: number | undefined;
  /** Against words that have come at all. Chat completions and Gemini only. */
  readonly presencePenalty?: number | undefined;
  readonly tools?: readonly Tool[] | undefined;
  /** `required`, a name and a list of allowed names hold for the first round, then `auto`. */
  readonly toolChoice?: ToolChoice | undefined;
  /** Whether the model may make several calls in one answer. */
  readonly parallelToolCalls?: boolean | undefined;
  /** The form of the answer; `response.value` then reads it. */
  readonly responseFormat?: ResponseFormat<Schema> | undefined;
  /** Tags that a service stores with the request. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** The id under which the service holds the conversation so far. */
  readonly conversationId?: string | undefined;
  /**
   * Options of one service, by provider name, put into its request as they are. A client takes those
   * under its own provider and skips the others.
   */
  readonly providerOptions?: Readonly<Record<string, JsonObject>> | undefined;
}

/** What each option must be, in words and as a test. */
const rules: {
  readonly [Name in keyof ChatOptions]-?: readonly [string, (value: unknown) => boolean];
} = {
  instructions: ["a string or a list of { source, text }", isInstructions],
  model: ["a name", isText],
  temperature: ["a finite number", Number.isFinite],
  topP: ["a finite number", Number.isFinite],
  maxTokens: ["a whole number above 0", (value) => Number.isInteger(value) && Number(value) > 0],
  stop: ["a list of strings", (value) => Array.isArray(value) && value.every(isString)],
  seed: ["a finite number", Number.isFinite],
  frequencyPenalty: ["a finite number", Number.isFinite],
  presencePenalty: ["a finite number", Number.isFinite],
  tools: ["a list of tools", Array.isArray],
  toolChoice: ['"auto", "none", "required", { name } or { allowed }', isToolChoice],
  parallelToolCalls: ["true or false", (value) => typeof value === "boolean"],
  responseFormat: [
    '{ type: "json_schema", schema }, with a TypeBox schema, a Standard Schema or a JSON Schema',
    isResponseFormat,
  ],
  metadata: ["an object of strings", (value) => isObjectOf(value, isString)],
  conversationId: ["an id", isText],
  providerOptions: [
    "an object of objects, by provider",
    (value) => isObjectOf(value, isJsonObject),
  ],
};

/** The names of all chat options. */
export const chatOptionNames: ReadonlySet<string> = new Set(Object.keys(rules));

/**
 * Checks what needs no service to be known: names of options, kinds of values, a tool choice that
 * the tools can meet.
 *
 * @throws ConfigurationError `unknown_option` or `invalid_option`, saying what to write.
 */
export function checkChatOptions(options: ChatOptions, what = "ChatOptions"): void {
  checkOptionNames(what, options, chatOptionNames);
  for (const name of Object.keys(options) as (keyof ChatOptions)[]) {
    const value = options[name];
    const [expected, holds] = rules[name];
    if (value === undefined || holds(value)) continue;
    throw new ConfigurationError(
      "invalid_option",
      `${what}: ${name} must be ${expected}; got ${shown(value)}.`,
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

function isInstructions(value: unknown): boolean {
  if (typeof value === "string") return true;
  return (
    Array.isArray(value) &&
    value.every(
      (each: unknown) => isJsonObject(each) && isString(each["text"]) && isString(each["source"]),
    )
  );
}

/** @throws ConfigurationError for a schema that no service can be given. */
function isResponseFormat(value: unknown): boolean {
  if (!isJsonObject(value) || value["type"] !== "json_schema") return false;
  const { schema } = value;
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return false;
  responseSchema({ type: "json_schema", schema: schema as SchemaInput });
  return true;
}

function isObjectOf(value: unknown, holds: (member: unknown) => boolean): boolean {
  return isJsonObject(value) && Object.values(value).every(holds);
}

function isText(value: unknown): boolean {
  return isString(value) && value !== "";
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

/** A whole schema would bury what the message says. */
function shortened(text: string): string {
  return text.length <= longestShown ? text : `${text.slice(0, longestShown - 1)}…`;
}

/** In characters. */
const longestShown = 200;

function shown(value: unknown): string {
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" && typeof value !== "string") return String(value);
  try {
    return shortened(JSON.stringify(value));
  } catch {
    return "an object";
  }
}

import {
  ConfigurationError,
  type FunctionTool,
  type JsonObject,
  type Tool,
  type ToolChoice,
  toObjectSchema,
} from "@tunic/core";
import type {
  ChatCompletionFunctionTool,
  ChatCompletionTool,
  ChatCompletionToolChoiceOption,
} from "openai/resources/chat/completions";
import { toStrictSchema } from "../strict/to-strict-schema.js";
import { namesOnWire, toWireName } from "../tool-names.js";

/** How tools are said. */
export interface ToOpenAIToolsOptions {
  /** Whether the service has strict mode, so that tools that can be said strictly are. Default false. */
  readonly strict?: boolean | undefined;
  /** Told of a tool that could not be said strictly, and why. */
  readonly onNotStrict?: ((tool: FunctionTool, reason: string) => void) | undefined;
}

/** Tools never change, so what one comes to holds as long as it lives. */
const plain = new WeakMap<Tool, ChatCompletionTool>();
const strict = new WeakMap<Tool, ChatCompletionTool>();

/**
 * Tools as the service takes them. The same tool gives the same object every time.
 *
 * @throws ConfigurationError naming the tool that the service would refuse, and what to write.
 */
export function toOpenAITools(
  tools: readonly Tool[],
  options: ToOpenAIToolsOptions = {},
): ChatCompletionTool[] {
  namesOnWire(tools);
  return tools.map((tool) => toOpenAITool(tool, options));
}

function toOpenAITool(tool: Tool, options: ToOpenAIToolsOptions): ChatCompletionTool {
  if (tool.type === "hosted") return remembered(plain, tool, () => hostedTool(tool));
  const { strict: mode = "auto" } = tool;
  if (mode === false || (mode === "auto" && !options.strict)) {
    return remembered(plain, tool, () => functionTool(tool, plainParameters(tool)));
  }
  const { schema, reason } = toStrictSchema(tool.parameters);
  if (schema !== undefined) {
    return remembered(strict, tool, () => functionTool(tool, schema, true));
  }
  if (mode === true) {
    throw new ConfigurationError(
      "tool_not_strict",
      `The tool "${tool.name}" says strict: true, and its schema has no strict form: ${reason}. ` +
        'Change the schema, or say strict: "auto".',
    );
  }
  options.onNotStrict?.(tool, reason);
  return remembered(plain, tool, () => functionTool(tool, plainParameters(tool)));
}

function remembered(
  known: WeakMap<Tool, ChatCompletionTool>,
  tool: Tool,
  make: () => ChatCompletionTool,
): ChatCompletionTool {
  let made = known.get(tool);
  if (made === undefined) {
    made = make();
    known.set(tool, made);
  }
  return made;
}

function plainParameters({ name, parameters }: FunctionTool): JsonObject {
  return toObjectSchema(parameters, `The schema of tool "${name}"`);
}

function functionTool(
  { name, description }: FunctionTool,
  parameters: JsonObject,
  isStrict = false,
): ChatCompletionFunctionTool {
  return {
    type: "function",
    function: {
      name: toWireName(name),
      ...(description !== "" && { description }),
      parameters,
      ...(isStrict && { strict: true }),
    },
  };
}

function hostedTool(tool: Extract<Tool, { type: "hosted" }>): ChatCompletionTool {
  const { name, provider, definition } = tool;
  if (provider !== "openai") {
    throw new ConfigurationError(
      "foreign_tool",
      `The tool "${name}" is run by ${provider} and unknown to OpenAI. Leave it out here, or write ` +
        `a tool() that does the same.`,
    );
  }
  if (definition["type"] === "custom") {
    throw new ConfigurationError(
      "unsupported_tool",
      `The custom tool "${name}" takes free text. Write it as a tool() with one string parameter.`,
    );
  }
  // What a service hosts is open-ended: whoever wrote the definition knows its form.
  return definition as unknown as ChatCompletionTool;
}

/**
 * The tool choice as the service takes it; undefined where it says nothing because there are no
 * tools.
 *
 * @throws ConfigurationError `invalid_option` where it asks for a tool that is not there.
 */
export function toOpenAIToolChoice(
  choice: ToolChoice | undefined,
  tools: readonly Tool[],
): ChatCompletionToolChoiceOption | undefined {
  if (choice === undefined) return undefined;
  if (choice === "auto" || choice === "none") return tools.length > 0 ? choice : undefined;
  if (choice === "required") {
    if (tools.length > 0) return choice;
    throw new ConfigurationError(
      "invalid_option",
      'toolChoice is "required", but there are no tools.',
    );
  }
  const names = "name" in choice ? [choice.name] : choice.allowed;
  const references = names.map((name) => toolReference(name, tools));
  const [only] = references;
  if ("name" in choice && only !== undefined) return only;
  return { type: "allowed_tools", allowed_tools: { mode: "auto", tools: references } };
}

function toolReference(
  name: string,
  tools: readonly Tool[],
): { type: "function"; function: { name: string } } {
  if (tools.some((tool) => tool.type === "function" && tool.name === name)) {
    return { type: "function", function: { name: toWireName(name) } };
  }
  const names = tools.flatMap((tool) => (tool.type === "function" ? tool.name : []));
  throw new ConfigurationError(
    "invalid_option",
    `toolChoice names "${name}"; the tools it can name are: ${names.join(", ") || "none"}.`,
  );
}

import { ConfigurationError, type FunctionTool, type Tool, type ToolChoice } from "@tunic/core";
import type {
  ChatCompletionFunctionTool,
  ChatCompletionTool,
  ChatCompletionToolChoiceOption,
} from "openai/resources/chat/completions";
import { type SchemaForm, type StrictTerms, toolMemo } from "../strict/strict-mode.js";
import { namesOnWire, toWireName } from "../tool-names.js";

/** How tools are said. */
export interface ToOpenAIToolsOptions extends StrictTerms {}

const remembered = toolMemo<ChatCompletionFunctionTool>();

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
  return tools.map((tool) =>
    tool.type === "hosted"
      ? hostedTool(tool)
      : remembered(tool, options, (form) => functionTool(tool, form)),
  );
}

/**
 * OpenAI's own tools run through the Responses API; servers that speak the protocol may have others.
 *
 * @throws ConfigurationError `unsupported_tool`
 */
export function refuseHostedTools(tools: readonly Tool[]): void {
  const hosted = tools.find((tool) => tool.type === "hosted" && tool.provider === "openai");
  if (hosted === undefined) return;
  throw new ConfigurationError(
    "unsupported_tool",
    `OpenAI's chat completions run no tools, and "${hosted.name}" is one. Ask through OpenAIResponsesClient.`,
  );
}

function functionTool(
  { name, description }: FunctionTool,
  { schema, strict }: SchemaForm,
): ChatCompletionFunctionTool {
  return {
    type: "function",
    function: {
      name: toWireName(name),
      ...(description !== "" && { description }),
      parameters: schema,
      ...(strict && { strict: true }),
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

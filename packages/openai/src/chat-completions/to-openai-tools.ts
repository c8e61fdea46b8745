import {
  ConfigurationError,
  checkToolChoice,
  type FunctionTool,
  type HostedTool,
  ownDefinition,
  type Tool,
  type ToolChoice,
} from "@tunic/core";
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

function hostedTool(tool: HostedTool): ChatCompletionTool {
  const definition = ownDefinition(tool, "openai", "OpenAI");
  if (definition["type"] === "custom") {
    throw new ConfigurationError(
      "unsupported_tool",
      `The custom tool "${tool.name}" takes free text. Write it as a tool() with one string parameter.`,
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
  const functions = tools.filter((tool) => tool.type === "function");
  const isWord = typeof choice === "string";
  checkToolChoice(choice, isWord ? tools : functions);
  if (choice === undefined || (isWord && tools.length === 0)) return undefined;
  if (isWord) return choice;
  if ("name" in choice) return reference(choice.name);
  const allowed = choice.allowed.map(reference);
  return { type: "allowed_tools", allowed_tools: { mode: "auto", tools: allowed } };
}

function reference(name: string): { type: "function"; function: { name: string } } {
  return { type: "function", function: { name: toWireName(name) } };
}

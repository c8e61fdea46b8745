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
  ResponseCreateParams,
  FunctionTool as ResponsesFunctionTool,
  Tool as ResponsesTool,
  ToolChoiceTypes,
} from "openai/resources/responses/responses";
import { type SchemaForm, type StrictTerms, toolMemo } from "../strict/strict-mode.js";
import { namesOnWire, toWireName } from "../tool-names.js";

/** How tools are said. */
export interface ToOpenAIResponsesToolsOptions extends StrictTerms {}

const remembered = toolMemo<ResponsesFunctionTool>();

/**
 * Tools as the Responses API takes them. The same tool gives the same object every time.
 *
 * @throws ConfigurationError naming the tool that the service would refuse, and what to write.
 */
export function toOpenAIResponsesTools(
  tools: readonly Tool[],
  options: ToOpenAIResponsesToolsOptions = {},
): ResponsesTool[] {
  namesOnWire(tools);
  return tools.map((tool) =>
    tool.type === "hosted"
      ? hostedTool(tool)
      : remembered(tool, options, (form) => functionTool(tool, form)),
  );
}

function functionTool(
  { name, description }: FunctionTool,
  { schema, strict }: SchemaForm,
): ResponsesFunctionTool {
  return {
    type: "function",
    name: toWireName(name),
    ...(description !== "" && { description }),
    parameters: schema,
    // Said explicitly: here a tool is strict unless it says otherwise.
    strict,
  };
}

/** Tools of the service that somebody else has to run. */
const runElsewhere: ReadonlySet<unknown> = new Set([
  "function",
  "custom",
  "computer",
  "computer_use_preview",
  "local_shell",
  "apply_patch",
]);

function hostedTool(tool: HostedTool): ResponsesTool {
  const definition = ownDefinition(tool, "openai", "OpenAI");
  if (runElsewhere.has(definition["type"])) {
    throw new ConfigurationError(
      "unsupported_tool",
      `OpenAI does not run the tool "${tool.name}" of type ${JSON.stringify(definition["type"])}: its ` +
        `calls would wait for an answer. Write it as a tool().`,
    );
  }
  // What a service hosts is open-ended: whoever wrote the definition knows its form.
  return definition as unknown as ResponsesTool;
}

type WireChoice = NonNullable<ResponseCreateParams["tool_choice"]>;

/**
 * The tool choice as the service takes it; undefined where it says nothing because there are no
 * tools.
 *
 * @throws ConfigurationError `invalid_option` where it asks for a tool that is not there.
 */
export function toResponsesToolChoice(
  choice: ToolChoice | undefined,
  tools: readonly Tool[],
): WireChoice | undefined {
  checkToolChoice(choice, tools);
  if (choice === undefined) return undefined;
  if (typeof choice === "string") return tools.length > 0 ? choice : undefined;
  const chosen = (names: readonly string[]) =>
    names.flatMap((name) => tools.find((tool) => tool.name === name) ?? []);
  if ("allowed" in choice) {
    return { type: "allowed_tools", mode: "auto", tools: chosen(choice.allowed).map(reference) };
  }
  const [only] = chosen([choice.name]);
  return only && oneTool(only);
}

/** The types of hosted tools that a choice can name. */
const choosable: readonly string[] = [
  "file_search",
  "web_search_preview",
  "web_search_preview_2025_03_11",
  "image_generation",
  "code_interpreter",
] satisfies readonly ToolChoiceTypes["type"][];

function oneTool(tool: Tool): WireChoice {
  if (tool.type === "function") {
    return { type: "function", name: toWireName(tool.name) };
  }
  const { type, server_label } = tool.definition;
  if (type === "mcp" && typeof server_label === "string") return { type, server_label };
  const chosen = choosable.find((each) => each === type);
  if (chosen !== undefined) return { type: chosen as ToolChoiceTypes["type"] };
  // A tool that has no choice of its own is the only one that is allowed.
  return { type: "allowed_tools", mode: "required", tools: [reference(tool)] };
}

function reference(tool: Tool): Record<string, unknown> {
  if (tool.type === "function") {
    return { type: "function", name: toWireName(tool.name) };
  }
  const { type, server_label } = tool.definition;
  return { type, ...(server_label !== undefined && { server_label }) };
}

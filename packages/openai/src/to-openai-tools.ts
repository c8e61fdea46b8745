import {
  ConfigurationError,
  type FunctionTool,
  type Tool,
  type ToolChoice,
  toObjectSchema,
} from "@tunic/core";
import type {
  ChatCompletionFunctionTool,
  ChatCompletionTool,
  ChatCompletionToolChoiceOption,
} from "openai/resources/chat/completions";

/** Tools never change, so what one comes to holds as long as it lives. */
const converted = new WeakMap<Tool, ChatCompletionTool>();

/**
 * Tools as the service takes them. The same tool gives the same object every time.
 *
 * @throws ConfigurationError naming the tool that the service would refuse, and what to write.
 */
export function toOpenAITools(tools: readonly Tool[]): ChatCompletionTool[] {
  return tools.map(toOpenAITool);
}

function toOpenAITool(tool: Tool): ChatCompletionTool {
  const known = converted.get(tool);
  if (known) return known;
  const made = tool.type === "hosted" ? hostedTool(tool) : functionTool(tool);
  converted.set(tool, made);
  return made;
}

function functionTool(tool: FunctionTool): ChatCompletionFunctionTool {
  const { name, description } = tool;
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    throw new ConfigurationError(
      "invalid_tool_name",
      `OpenAI refuses the tool name "${name}". Write 1 to 64 letters, digits, "_" and "-", such ` +
        `as "${name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "my_tool"}".`,
    );
  }
  const parameters = toObjectSchema(tool.parameters, `The schema of tool "${name}"`);
  return {
    type: "function",
    function: { name, ...(description !== "" && { description }), parameters },
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
    return { type: "function", function: { name } };
  }
  const names = tools.flatMap((tool) => (tool.type === "function" ? tool.name : []));
  throw new ConfigurationError(
    "invalid_option",
    `toolChoice names "${name}"; the tools it can name are: ${names.join(", ") || "none"}.`,
  );
}

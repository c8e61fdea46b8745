import { ConfigurationError, checkOptionNames } from "../errors/configuration-error.js";
import { ToolError, ToolInvalidArgumentsError } from "../errors/tool-errors.js";
import { standaloneContext } from "./standalone-context.js";
import type { FunctionInvocationContext, FunctionTool, InvokeOptions, ToolResult } from "./tool.js";
import { argumentErrorResult, failureResult, returnable, toToolResult } from "./tool-result.js";
import { checkArguments } from "./validate-arguments.js";

/**
 * A call of a tool by code, outside the loop.
 *
 * @throws ConfigurationError for an unknown option, and for `services` or `session` beside `context`.
 * @throws ToolInvalidArgumentsError with `skipParsing`, when the arguments do not fit.
 * @throws ToolError `declaration_only` on a tool without a function.
 */
export async function invokeTool(
  self: FunctionTool,
  args: unknown,
  options: InvokeOptions = {},
): Promise<unknown> {
  checkInvokeOptions(self, options);
  const { context, skipParsing = false } = options;
  if (self.execute === undefined) {
    throw new ToolError(
      `The tool "${self.name}" is declaration-only: it has no execute function to invoke.`,
      { code: "declaration_only" },
    );
  }
  const checked = await checkArguments(self, args);
  if (!checked.ok) {
    if (!skipParsing) return returnable(argumentErrorResult(checked.message));
    const cause = checked.cause === undefined ? {} : { cause: checked.cause };
    throw new ToolInvalidArgumentsError(checked.message, cause);
  }
  const surroundings = context ?? standaloneContext(self, checked.arguments, options);
  if (skipParsing) return self.execute(checked.input, surroundings);
  return returnable(await runAndConvert(self, checked.input, surroundings));
}

const invokeOptionNames: ReadonlySet<string> = new Set<keyof InvokeOptions>([
  "context",
  "services",
  "session",
  "skipParsing",
]);

function checkInvokeOptions({ name }: FunctionTool, options: InvokeOptions): void {
  checkOptionNames(`invoke() of the tool "${name}"`, options, invokeOptionNames);
  const { context, services, session } = options;
  if (context === undefined || (services === undefined && session === undefined)) return;
  throw new ConfigurationError(
    "two_sources",
    `invoke() of the tool "${name}" was given a context, which has its own services and session.`,
  );
}

async function runAndConvert(
  self: FunctionTool,
  input: unknown,
  context: FunctionInvocationContext,
): Promise<ToolResult> {
  try {
    const value = await self.execute?.(input, context);
    return toToolResult(value, self.parseResult, (code, message, error) => {
      context.run.notice(code, `Tool "${self.name}": ${message}`, error);
    });
  } catch (error) {
    return failureResult(error, false);
  }
}

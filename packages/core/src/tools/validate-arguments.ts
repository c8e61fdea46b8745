import { ConfigurationError } from "../errors/configuration-error.js";
import type { CheckableTool, CheckedArguments } from "./checked-arguments.js";
import { compiledSchema, compileSchema } from "./compiled-schema.js";

export type { CheckedArguments } from "./checked-arguments.js";

/**
 * Checks the arguments of a call: as they are, and where that fails once more with coerced values.
 * The result comes at once when the tool's schema is compiled and its Standard Schema (if any) is
 * not asynchronous.
 */
export function checkArguments(
  tool: CheckableTool,
  args: unknown,
): CheckedArguments | Promise<CheckedArguments> {
  const compiled = compiledSchema(tool.parameters);
  if (compiled !== undefined) return compiled.check(tool, args);
  return compileSchema(tool.parameters).then((schema) => schema.check(tool, args));
}

/**
 * Compiles the schema of a tool ahead of its first call.
 *
 * @throws ConfigurationError `schema_does_not_compile`
 */
export async function prepareSchema(tool: CheckableTool): Promise<void> {
  const { broken } = await compileSchema(tool.parameters);
  if (broken === undefined) return;
  throw new ConfigurationError(
    "schema_does_not_compile",
    `The parameters of the tool "${tool.name}" do not compile: ${broken.reason}`,
    { cause: broken.cause },
  );
}

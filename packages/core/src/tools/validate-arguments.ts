import { ConfigurationError } from "../errors/configuration-error.js";
import { copyJson, isJsonObject, type JsonObject } from "../messages/json.js";
import { isThenable } from "../onion/is-thenable.js";
import { coerceArguments } from "./coerce-arguments.js";
import { type CompiledSchema, compiledSchema, compileSchema } from "./compiled-schema.js";
import { describeViolations, firstLines } from "./describe-violations.js";
import { escapePointer } from "./json-copy.js";
import type { SchemaViolation } from "./schema-violation.js";
import { shortJson } from "./schema-words.js";
import type { StandardResult, StandardSchema } from "./standard-schema.js";

/** What of a tool the check of its arguments needs. */
export interface CheckableTool {
  readonly name: string;
  readonly parameters: JsonObject;
  readonly schema?: StandardSchema;
}

/** Arguments that fit, or why they do not. */
export type CheckedArguments =
  | {
      readonly ok: true;
      /** The JSON input; with values of the wrong type coerced, where that was needed. */
      readonly arguments: JsonObject;
      /** What `execute` receives: with defaults, or as a Standard Schema put it out. */
      readonly input: unknown;
    }
  | {
      readonly ok: false;
      /** In words for the model. */
      readonly message: string;
      /** Set when not the arguments are to blame but the schema or its validator. */
      readonly cause?: unknown;
    };

/** Values inside coerced text may need it themselves; nobody encodes deeper than this. */
const maximumCoercions = 4;

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
  if (compiled !== undefined) return checkWith(compiled, tool, args);
  return compileSchema(tool.parameters).then((schema) => checkWith(schema, tool, args));
}

/**
 * Compiles the schema of a tool ahead of its first call.
 *
 * @throws ConfigurationError `schema_does_not_compile`
 */
export async function prepareSchema(tool: CheckableTool): Promise<void> {
  const compiled = await compileSchema(tool.parameters);
  if (compiled.broken === undefined) return;
  throw new ConfigurationError(
    "schema_does_not_compile",
    `The parameters of the tool "${tool.name}" do not compile: ${compiled.broken.reason}`,
    { cause: compiled.broken.cause },
  );
}

function checkWith(
  compiled: CompiledSchema,
  tool: CheckableTool,
  args: unknown,
): CheckedArguments | Promise<CheckedArguments> {
  if (compiled.broken !== undefined) {
    const message = `The tool "${tool.name}" cannot be called: its schema is broken (${compiled.broken.reason}). Other arguments will not help.`;
    return { ok: false, message, cause: compiled.broken.cause };
  }
  if (!isJsonObject(args)) {
    return { ok: false, message: `The arguments must be a JSON object; got ${shortJson(args)}.` };
  }
  try {
    const violations = compiled.check(args);
    if (violations.length > 0) return checkRepaired(compiled, tool, args, violations);
    return accept(tool, args, compiled.fill === undefined ? args : compiled.fill(args));
  } catch (cause) {
    // Such as a stack that is too short for very deep arguments.
    return uncheckable(tool, cause);
  }
}

function checkRepaired(
  compiled: CompiledSchema,
  tool: CheckableTool,
  args: JsonObject,
  found: readonly SchemaViolation[],
): CheckedArguments | Promise<CheckedArguments> {
  let repaired = args;
  let violations = found;
  for (let round = 0; round < maximumCoercions && violations.length > 0; round++) {
    const coerced = coerceArguments(repaired, violations);
    if (coerced === undefined) break;
    repaired = coerced;
    violations = compiled.check(repaired);
  }
  if (violations.length === 0) {
    return accept(tool, repaired, compiled.fill === undefined ? repaired : compiled.fill(repaired));
  }
  // A required property with a default may be left out: the author has said what it is then.
  if (compiled.fill !== undefined && tool.schema === undefined) {
    const filled = compiled.fill(repaired);
    violations = compiled.check(filled);
    if (violations.length === 0) return accept(tool, repaired, filled);
  }
  return { ok: false, message: describeViolations(violations, repaired) };
}

function accept(
  tool: CheckableTool,
  args: JsonObject,
  filled: JsonObject,
): CheckedArguments | Promise<CheckedArguments> {
  // The function gets a copy: what it does to its input must not change the log.
  const input = copyJson(filled);
  if (tool.schema === undefined) return { ok: true, arguments: args, input };
  try {
    const result = tool.schema["~standard"].validate(input);
    if (!isThenable(result)) return standardOutcome(args, result);
    return Promise.resolve(result).then(
      (settled) => standardOutcome(args, settled),
      (cause: unknown) => uncheckable(tool, cause),
    );
  } catch (cause) {
    return uncheckable(tool, cause);
  }
}

function standardOutcome(args: JsonObject, result: StandardResult<unknown>): CheckedArguments {
  if (result.issues === undefined) return { ok: true, arguments: args, input: result.value };
  const lines = result.issues.map(({ message, path = [] }) => {
    const steps = path.map((step) => String(typeof step === "object" ? step.key : step));
    return (
      steps.map((step) => `/${escapePointer(step)}`).join("") + (steps.length ? ": " : "") + message
    );
  });
  return { ok: false, message: firstLines([...new Set(lines)]) };
}

function uncheckable(tool: CheckableTool, cause: unknown): CheckedArguments {
  return {
    ok: false,
    message: `The arguments of the tool "${tool.name}" could not be checked: its validator failed.`,
    cause,
  };
}

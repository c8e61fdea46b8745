/**
 * All that is needed only once arguments are really checked, and by what comes after that. It is
 * loaded with `import()` when that happens, so that programs whose agents call no tool do without it: nothing else may import it, or
 * what it imports, at once.
 */
import { copyJson, isJsonObject, type JsonObject } from "../messages/json.js";
import { affordable, UncheckableValue } from "./check-cost.js";
import type { CheckableTool, CheckedArguments, CompiledSchema } from "./checked-arguments.js";
import { coerceArguments, withoutNulls, withTakenNulls } from "./coerce-arguments.js";
import { describeViolations, firstLines } from "./describe-violations.js";
import { defaultsOf } from "./fill-defaults.js";
import { escapePointer } from "./json-copy.js";
import { dialectOf } from "./schema-dialect.js";
import {
  noViolations,
  type SchemaCheck,
  type SchemaCompiler,
  type SchemaViolation,
} from "./schema-violation.js";
import { shortJson } from "./schema-words.js";
import type { StandardResult } from "./standard-schema.js";
import { forValidator } from "./validator-schema.js";

export { ajvCompiler } from "./ajv-compiler.js";
export { oddValueText } from "./odd-values.js";
export { readAnswer } from "./structured-answer.js";

/** What a check works with. */
interface Means {
  readonly check: SchemaCheck;
  /** Fills in defaults; undefined when the schema has none. */
  readonly fill?: (value: JsonObject) => JsonObject;
}

/** Values inside coerced text may need it themselves; nobody encodes deeper than this. */
const maximumCoercions = 4;

/** The compiled form of a schema. Never throws for what is wrong with the schema. */
export function compileWith(compile: SchemaCompiler, parameters: JsonObject): CompiledSchema {
  const { dialect, known } = dialectOf(parameters);
  try {
    const check = affordable(parameters, compile(forValidator(parameters, dialect), dialect));
    const fill = defaultsOf(parameters);
    return compiled(fill === undefined ? { check } : { check, fill });
  } catch (cause) {
    // Words of a dialect that nobody here knows may well mean something else.
    if (!known && !(cause instanceof EvalError)) return compiled({ check: () => noViolations });
    return brokenBy(cause);
  }
}

function compiled(means: Means): CompiledSchema {
  return { check: (tool, args) => checkWith(means, tool, args) };
}

function brokenBy(cause: unknown): CompiledSchema {
  const reason = reasonOf(cause);
  const check = ({ name }: CheckableTool): CheckedArguments => {
    const message = `The tool "${name}" cannot be called: its schema is broken (${reason}). Other arguments will not help.`;
    return { ok: false, message, cause };
  };
  return { check, broken: { reason, cause } };
}

function reasonOf(cause: unknown): string {
  if (cause instanceof EvalError) {
    return (
      "code generation is forbidden here, and the usual validator needs it. Call " +
      "setSchemaValidator(interpretedValidator) with what @tunic/core/interpreted exports"
    );
  }
  return cause instanceof Error ? cause.message : String(cause);
}

function checkWith(
  means: Means,
  tool: CheckableTool,
  args: unknown,
): CheckedArguments | Promise<CheckedArguments> {
  if (!isJsonObject(args)) {
    return { ok: false, message: `The arguments must be a JSON object; got ${shortJson(args)}.` };
  }
  try {
    const violations = means.check(args);
    if (violations.length > 0) return checkRepaired(means, tool, args, violations);
    return accept(tool, args, means.fill === undefined ? args : means.fill(args));
  } catch (cause) {
    if (cause instanceof UncheckableValue) return { ok: false, message: cause.message, cause };
    // Such as a stack that is too short for very deep arguments.
    return uncheckable(tool, cause);
  }
}

function checkRepaired(
  means: Means,
  tool: CheckableTool,
  args: JsonObject,
  found: readonly SchemaViolation[],
): CheckedArguments | Promise<CheckedArguments> {
  let repaired = args;
  let violations = found;
  const doubtful: (readonly string[])[] = [];
  for (let round = 0; round < maximumCoercions && violations.length > 0; round++) {
    const without = withoutNulls(repaired, violations, means.check);
    const coerced = without?.args ?? coerceArguments(repaired, violations);
    if (coerced === undefined) break;
    if (without !== undefined) doubtful.push(...without.doubtful);
    repaired = coerced;
    violations = means.check(repaired);
  }
  if (violations.length === 0) {
    repaired = withTakenNulls(repaired, doubtful, means.check);
    return accept(tool, repaired, means.fill === undefined ? repaired : means.fill(repaired));
  }
  // A required property with a default may be left out: the author has said what it is then.
  const { fill } = means;
  if (fill !== undefined && tool.schema === undefined) {
    const check = (given: JsonObject) => means.check(fill(given));
    violations = check(repaired);
    if (violations.length === 0) {
      repaired = withTakenNulls(repaired, doubtful, check);
      return accept(tool, repaired, fill(repaired));
    }
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
    if (!("then" in result)) return standardOutcome(args, result);
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

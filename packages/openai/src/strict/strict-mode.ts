import {
  ConfigurationError,
  type FunctionTool,
  type JsonObject,
  type ResponseFormat,
  type RunContext,
  responseSchema,
  toObjectSchema,
} from "@tunic/core";
import { toStrictSchema } from "./to-strict-schema.js";

/** How a converter is to use strict mode. */
export interface StrictTerms {
  /** Whether the service has strict mode, so that tools that can be said strictly are. Default false. */
  readonly strict?: boolean | undefined;
  /** Told of a tool that could not be said strictly, and why. */
  readonly onNotStrict?: ((tool: FunctionTool, reason: string) => void) | undefined;
}

/** Told what could not be said strictly, and why; `run` is the one that wants to know. */
export type NotStrictListener = (
  of: object,
  code: "tool_not_strict" | "response_format_not_strict",
  message: string,
  run: RunContext | undefined,
) => void;

/** Notices of one client: once for each tool and each schema of a format. */
export function notStrictNotices(): NotStrictListener {
  const told = new WeakSet<object>();
  return (of, code, message, run) => {
    if (run === undefined || told.has(of)) return;
    told.add(of);
    run.notice(code, message);
  };
}

/** The terms for the tools of one request. */
export function strictTerms(
  strict: boolean,
  listener: NotStrictListener | undefined,
  run: RunContext | undefined,
): StrictTerms {
  return {
    strict,
    onNotStrict: (tool, reason) =>
      listener?.(tool, "tool_not_strict", `The tool "${tool.name}" is not strict: ${reason}.`, run),
  };
}

/** A schema as it is sent, and whether the service is to hold it exactly. */
export interface SchemaForm {
  readonly schema: JsonObject;
  readonly strict: boolean;
}

/**
 * The parameters of a tool as they are sent.
 *
 * @throws ConfigurationError `tool_not_strict` where the tool demands what its schema has not.
 */
function toolForm(tool: FunctionTool, terms: StrictTerms): SchemaForm {
  const { strict: mode = "auto", name, parameters } = tool;
  if (mode === true || (mode === "auto" && terms.strict)) {
    const { schema, reason } = toStrictSchema(parameters);
    if (schema !== undefined) return { schema, strict: true };
    if (mode === true) {
      throw new ConfigurationError(
        "tool_not_strict",
        `The tool "${name}" says strict: true, and its schema has no strict form: ${reason}. ` +
          'Change the schema, or say strict: "auto".',
      );
    }
    terms.onNotStrict?.(tool, reason);
  }
  return { schema: toObjectSchema(parameters, `The schema of tool "${name}"`), strict: false };
}

/** A response format as it is sent; `strict` is absent where nobody has said anything of it. */
export interface FormatForm {
  readonly name: string;
  readonly schema: JsonObject;
  readonly strict?: boolean;
}

/**
 * A response format as it is sent.
 *
 * @param strict Whether the service has strict mode.
 * @throws ConfigurationError `invalid_option` for a name that the service refuses,
 * `response_format_not_strict` where the format demands what its schema has not.
 */
export function formatForm(
  format: ResponseFormat,
  strict: boolean,
  listener: NotStrictListener | undefined,
  run: RunContext | undefined,
): FormatForm {
  const { name = "response" } = format;
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    throw new ConfigurationError(
      "invalid_option",
      `responseFormat.name "${name}" must be 1 to 64 letters, digits, "_" and "-".`,
    );
  }
  const given = responseSchema(format);
  if (format.strict === false) return { name, schema: given, strict: false };
  if (format.strict === undefined && !strict) return { name, schema: given };
  const { schema, reason } = toStrictSchema(given);
  if (schema !== undefined) return { name, schema, strict: true };
  if (format.strict) {
    throw new ConfigurationError(
      "response_format_not_strict",
      `The responseFormat "${name}" says strict: true, and its schema has no strict form: ` +
        `${reason}. Change the schema, or leave strict out.`,
    );
  }
  const message = `The response format "${name}" is not strict: ${reason}.`;
  listener?.(given, "response_format_not_strict", message, run);
  return { name, schema: given, strict: false };
}

/**
 * Remembers what tools come to, for tools never change: the same tool gives the same object, in its
 * strict and in its plain form.
 */
export function toolMemo<Made>(): (
  tool: FunctionTool,
  terms: StrictTerms,
  make: (form: SchemaForm) => Made,
) => Made {
  const strict = new WeakMap<FunctionTool, Made>();
  const plain = new WeakMap<FunctionTool, Made>();
  return (tool, terms, make) => {
    const form = toolForm(tool, terms);
    const known = form.strict ? strict : plain;
    let made = known.get(tool);
    if (made === undefined) {
      made = make(form);
      known.set(tool, made);
    }
    return made;
  };
}

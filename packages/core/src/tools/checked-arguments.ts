import type { JsonObject } from "../messages/json.js";
import type { StandardSchema } from "./standard-schema.js";

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
      /** Set when not the arguments are to blame but the schema or its validator, or that a check would take too long. */
      readonly cause?: unknown;
    };

/** What a schema has been made into, once for all calls. */
export interface CompiledSchema {
  /** Checks the arguments of a call; at once, unless the tool's Standard Schema is asynchronous. */
  readonly check: (
    tool: CheckableTool,
    args: unknown,
  ) => CheckedArguments | Promise<CheckedArguments>;
  /** Set when the schema could not be compiled: every check fails. */
  readonly broken?: { readonly reason: string; readonly cause: unknown };
}

import type { JsonObject } from "../messages/json.js";
import { loadAjvCompiler } from "./ajv-compiler.js";
import { defaultsOf } from "./fill-defaults.js";
import { dialectOf } from "./schema-dialect.js";
import { noViolations, type SchemaCheck, type SchemaCompiler } from "./schema-violation.js";
import { forValidator } from "./validator-schema.js";

/** What a schema has been made into, once for all calls. */
export interface CompiledSchema {
  readonly check: SchemaCheck;
  /** Fills in defaults; undefined when the schema has none. */
  readonly fill?: (value: JsonObject) => JsonObject;
  /** Set when the schema could not be compiled: nothing can be checked with it. */
  readonly broken?: { readonly reason: string; readonly cause: unknown };
}

let compiler: SchemaCompiler | undefined;
let loading: Promise<SchemaCompiler> | undefined;
/** By the `parameters` object of a tool; gone with it. */
let compiledSchemas = new WeakMap<JsonObject, CompiledSchema>();

/**
 * Replaces the validator of all tools, the ones in use included. Where code generation is forbidden
 * (a strict content security policy, edge workers), give it `interpretedValidator` of
 * `@tunic/core/interpreted`.
 *
 * @param compile Default (undefined): back to ajv.
 */
export function setSchemaValidator(compile: SchemaCompiler | undefined): void {
  compiler = compile;
  loading = undefined;
  compiledSchemas = new WeakMap();
}

/** The compiled form of a schema, if it has one already or gets it without waiting. */
export function compiledSchema(parameters: JsonObject): CompiledSchema | undefined {
  const known = compiledSchemas.get(parameters);
  if (known !== undefined || compiler === undefined) return known;
  const compiled = compileWith(compiler, parameters);
  compiledSchemas.set(parameters, compiled);
  return compiled;
}

/** The compiled form of a schema. Never rejects for what is wrong with the schema. */
export async function compileSchema(parameters: JsonObject): Promise<CompiledSchema> {
  while (compiler === undefined) await loadCompiler();
  // Never undefined with a compiler; two first uses at once meet here one after the other.
  return compiledSchema(parameters) ?? compileWith(compiler, parameters);
}

async function loadCompiler(): Promise<void> {
  loading ??= loadAjvCompiler();
  const mine = loading;
  try {
    const loaded = await mine;
    // Another validator may have been set meanwhile.
    if (loading === mine) compiler = loaded;
  } catch (error) {
    if (loading === mine) loading = undefined;
    throw error;
  }
}

function compileWith(compile: SchemaCompiler, parameters: JsonObject): CompiledSchema {
  const { dialect, known } = dialectOf(parameters);
  try {
    const check = compile(forValidator(parameters, dialect), dialect);
    const fill = defaultsOf(parameters);
    return fill === undefined ? { check } : { check, fill };
  } catch (cause) {
    const check = (): typeof noViolations => noViolations;
    // Words of a dialect that nobody here knows may well mean something else.
    if (!known && !(cause instanceof EvalError)) return { check };
    return { check, broken: { reason: reasonOf(cause), cause } };
  }
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

import type { JsonObject } from "../messages/json.js";
import type { CompiledSchema } from "./checked-arguments.js";
import { loadAjvCompiler } from "./load-ajv.js";
import type { SchemaCompiler } from "./schema-violation.js";

type Checks = typeof import("./check-arguments.js");

let compiler: SchemaCompiler | undefined;
/** Kept, whichever validator is set. */
let checks: Checks | undefined;
let loading: Promise<readonly [SchemaCompiler, Checks]> | undefined;
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
  if (known !== undefined || compiler === undefined || checks === undefined) return known;
  const compiled = checks.compileWith(compiler, parameters);
  compiledSchemas.set(parameters, compiled);
  return compiled;
}

/** What checks arguments, once the first arguments have been checked. */
export function loadedChecks(): Checks | undefined {
  return checks;
}

/** The compiled form of a schema. Never rejects for what is wrong with the schema. */
export async function compileSchema(parameters: JsonObject): Promise<CompiledSchema> {
  return (await compiledChecks(parameters)).compiled;
}

/** The same, and all that was loaded for it. */
export async function compiledChecks(
  parameters: JsonObject,
): Promise<{ readonly compiled: CompiledSchema; readonly checks: Checks }> {
  for (;;) {
    // Two first uses at once meet here one after the other.
    const compiled = compiledSchema(parameters);
    if (compiled !== undefined && checks !== undefined) return { compiled, checks };
    await load();
  }
}

/** Loads what is missing, at the same time: a validator, and what checks with it. */
async function load(): Promise<void> {
  loading ??= Promise.all([compiler ?? loadAjvCompiler(), import("./check-arguments.js")]);
  const mine = loading;
  try {
    const [loaded, module] = await mine;
    checks = module;
    // Another validator may have been set meanwhile.
    if (loading === mine) compiler = loaded;
  } catch (error) {
    if (loading === mine) loading = undefined;
    throw error;
  }
}

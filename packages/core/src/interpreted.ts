import { type OutputUnit, type SchemaDraft, Validator } from "@cfworker/json-schema";
import { copyJson, isJsonObject, type JsonObject, type JsonValue } from "./messages/json.js";
import { escapePointer, unescapePointer } from "./tools/json-copy.js";
import type { SchemaDialect } from "./tools/schema-dialect.js";
import { SchemaReferences } from "./tools/schema-references.js";
import {
  noViolations,
  type SchemaCompiler,
  type SchemaViolation,
} from "./tools/schema-violation.js";
import { forEachSubschema } from "./tools/subschemas.js";

export type { SchemaDialect } from "./tools/schema-dialect.js";
export type { SchemaCheck, SchemaCompiler, SchemaViolation } from "./tools/schema-violation.js";

const drafts: Readonly<Record<SchemaDialect, SchemaDraft>> = {
  "draft-07": "7",
  "2019-09": "2019-09",
  "2020-12": "2020-12",
};

/**
 * A validator that generates no code, for `setSchemaValidator`: built on `@cfworker/json-schema`,
 * which the program has to install. Slower than the usual one by far, and without `$dynamicRef`.
 */
export const interpretedValidator: SchemaCompiler = (schema, dialect) => {
  checkPatterns(schema);
  // The library marks what it has seen on the schema itself, on data inside it too.
  const validator = new Validator(copyJson(schema), drafts[dialect], false);
  const reader = new OutputReader(schema);
  return (value) => {
    const { valid, errors } = validator.validate(value);
    return valid ? noViolations : reader.violations(errors);
  };
};

/** The library would find a broken pattern only when a value meets it. */
function checkPatterns(schema: JsonValue): void {
  if (!isJsonObject(schema)) return;
  const { pattern, patternProperties } = schema;
  const patterns = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
  if (typeof pattern === "string") patterns.push(pattern);
  for (const each of patterns) new RegExp(each, "u");
  forEachSubschema(schema, checkPatterns);
}

/** Keywords whose errors only say that there are others inside. */
const wrappers = new Set([
  "$ref",
  "$recursiveRef",
  "allOf",
  "if",
  "properties",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "dependentSchemas",
  "prefixItems",
  "items",
  "additionalItems",
  "unevaluatedItems",
]);

const closed = new Set(["additionalProperties", "unevaluatedProperties"]);

/** Translates what the library puts out into violations. */
class OutputReader {
  readonly #root: JsonObject;
  readonly #references: SchemaReferences;

  constructor(root: JsonObject) {
    this.#root = root;
    this.#references = new SchemaReferences(root);
  }

  violations(errors: readonly OutputUnit[]): readonly SchemaViolation[] {
    const found: SchemaViolation[] = [];
    let names: string | undefined;
    errors.forEach((error, at) => {
      // What is wrong with a name is told by the error about `propertyNames`.
      if (names !== undefined && error.keywordLocation.startsWith(`${names}/`)) return;
      names = error.keyword === "propertyNames" ? error.keywordLocation : undefined;
      if (error.keyword === "false") found.push(this.#forbidden(error, errors[at - 1]));
      else if (!isWrapper(error)) found.push(this.#violation(error));
    });
    return found;
  }

  /** A schema `false` has no place of its own; the error before it tells where it stands. */
  #forbidden(error: OutputUnit, around: OutputUnit | undefined): SchemaViolation {
    const path = pathOf(error.instanceLocation);
    if (around === undefined || !wrappers.has(around.keyword)) {
      return { path, keyword: "false", schema: none, schemaPath: "#" };
    }
    const schema = this.#schemaAt(around.keywordLocation);
    const schemaPath = around.keywordLocation;
    if (!closed.has(around.keyword)) return { path, keyword: "false", schema, schemaPath };
    const last = path.lastIndexOf("/");
    const property = unescapePointer(path.slice(last + 1));
    return { path: path.slice(0, last), keyword: around.keyword, schema, schemaPath, property };
  }

  #violation(error: OutputUnit): SchemaViolation {
    const { keyword, keywordLocation: schemaPath } = error;
    const property = propertyOf(error);
    const matches = keyword === "oneOf" ? Number(/\((\d+) matches\)/.exec(error.error)?.[1]) : 0;
    return {
      path: pathOf(error.instanceLocation),
      keyword,
      schema: this.#schemaAt(schemaPath),
      schemaPath,
      ...(property !== undefined && { property }),
      ...(matches > 1 && { matches }),
    };
  }

  /** The schema in which the keyword at the end of a location stands. */
  #schemaAt(location: string): JsonObject {
    let value: JsonValue | undefined = this.#root;
    for (const step of location.split("/").slice(1, -1).map(decodeStep)) {
      if (!isJsonObject(value) && !Array.isArray(value)) return none;
      const around: JsonValue = value;
      if (step === "$ref" && isJsonObject(around) && typeof around["$ref"] === "string") {
        value = this.#references.targetOf(around);
      } else value = Object.hasOwn(around, step) ? (around as JsonObject)[step] : undefined;
    }
    return isJsonObject(value) ? value : none;
  }
}

const none: JsonObject = {};

function isWrapper(error: OutputUnit): boolean {
  if (error.keyword === "dependencies") return propertyOf(error) === undefined;
  return wrappers.has(error.keyword);
}

/** The library says only in words which property an error is about. */
function propertyOf({ keyword, error }: OutputUnit): string | undefined {
  switch (keyword) {
    case "required":
      return /property "(.*)"\.$/s.exec(error)?.[1];
    case "dependentRequired":
    case "dependencies":
      return /does not have "(.*)"\.$/s.exec(error)?.[1];
    case "propertyNames":
      return /^Property name "(.*)" does not match schema\.$/s.exec(error)?.[1];
    default:
      return undefined;
  }
}

/** A location such as `#/a%20b/0` as a JSON pointer. */
function pathOf(location: string): string {
  const steps = location.split("/").slice(1).map(decodeStep);
  return steps.map((step) => `/${escapePointer(step)}`).join("");
}

function decodeStep(step: string): string {
  return unescapePointer(decodeURIComponent(step));
}

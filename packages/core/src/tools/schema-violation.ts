import type { JsonObject } from "../messages/json.js";
import type { SchemaDialect } from "./schema-dialect.js";

/** One way in which a value does not fit a schema. */
export interface SchemaViolation {
  /** JSON pointer of what does not fit; `""` is the value as a whole. */
  readonly path: string;
  /** The keyword that is broken, such as `required`. */
  readonly keyword: string;
  /** The schema in which the keyword stands. */
  readonly schema: JsonObject;
  /** JSON pointer of the keyword in the whole schema, with `#` before it. */
  readonly schemaPath: string;
  /** The property that is missing or not allowed, for keywords about one. */
  readonly property?: string;
  /** How many members of a `oneOf` fit, where that is more than one. */
  readonly matches?: number;
}

/** Checks a value: nothing in the list means that it fits. */
export type SchemaCheck = (value: unknown) => readonly SchemaViolation[];

/**
 * Makes the check of a schema, once for each schema. The schema is a copy of the tool's own that
 * the compiler may keep; unknown keywords in it are to be ignored.
 *
 * @throws whatever is wrong with the schema.
 */
export type SchemaCompiler = (schema: JsonObject, dialect: SchemaDialect) => SchemaCheck;

/** What every check returns for a value that fits. */
export const noViolations: readonly SchemaViolation[] = Object.freeze([]);

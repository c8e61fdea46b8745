import type { Ajv, ErrorObject, Options } from "ajv";
import { isJsonObject, type JsonObject, type JsonValue } from "../messages/json.js";
import { escapePointer } from "./json-copy.js";
import type { SchemaDialect } from "./schema-dialect.js";
import { noViolations, type SchemaCompiler, type SchemaViolation } from "./schema-violation.js";
import { forEachSubschema } from "./subschemas.js";

/** Formats are not checked; everything a lenient reader would let pass is let pass silently. */
const options: Options = {
  strict: false,
  logger: false,
  allErrors: true,
  verbose: true,
  messages: false,
  validateFormats: false,
  // The meta schemas cost more to compile than most tools; broken keywords are found without.
  validateSchema: false,
  meta: false,
};

/** Members that every object has without owning them: asking for one needs a closer look. */
const inherited =
  /"(?:constructor|__proto__|toString|toLocaleString|valueOf|hasOwnProperty|isPrototypeOf|propertyIsEnumerable|__(?:define|lookup)[GS]etter__)"/;

/** What of ajv's classes is used here. */
type AjvClass = new (options: Options) => Pick<Ajv, "compile" | "removeKeyword">;

/** The compiler that is built on ajv, which has a class for each dialect. */
export function ajvCompiler(classes: Readonly<Record<SchemaDialect, AjvClass>>): SchemaCompiler {
  return (schema, dialect) => {
    // A new one each time: ajv never forgets an $id it has seen, nor the code it has made. So a
    // check takes its ajv along when its tool is gone.
    const ajv = new classes[dialect]({
      ...options,
      ownProperties: inherited.test(JSON.stringify(schema)),
    });
    ajv.removeKeyword("id");
    const validate = ajv.compile(schema);
    let places: ReadonlyMap<JsonValue, string> | undefined;
    return (value) => {
      if (validate(value)) return noViolations;
      places ??= placesIn(schema);
      const known = places;
      return (validate.errors ?? []).flatMap((error) => violation(error, known));
    };
  };
}

/** The schemas inside one, with the pointers to them. */
function placesIn(root: JsonObject): ReadonlyMap<JsonValue, string> {
  const places = new Map<JsonValue, string>();
  const visit = (schema: JsonValue, place: string): void => {
    if (!isJsonObject(schema)) return;
    places.set(schema, `#${encodeURI(place).replaceAll("#", "%23")}`);
    forEachSubschema(schema, (member, steps) => {
      visit(member, [place, ...steps.map(escapePointer)].join("/"));
    });
  };
  visit(root, "");
  return places;
}

function violation(
  error: ErrorObject,
  places: ReadonlyMap<JsonValue, string>,
): SchemaViolation | readonly SchemaViolation[] {
  // What is wrong with a name is told by the error about `propertyNames`.
  if (error.propertyName !== undefined) return [];
  const { params } = error;
  const property: unknown =
    params["missingProperty"] ??
    params["additionalProperty"] ??
    params["unevaluatedProperty"] ??
    params["propertyName"];
  const matches: unknown = params["passingSchemas"];
  return {
    path: error.instancePath,
    keyword: error.keyword === "false schema" ? "false" : error.keyword,
    schema: isJsonObject(error.parentSchema) ? error.parentSchema : none,
    schemaPath: schemaPathOf(error, places),
    ...(typeof property === "string" && { property }),
    ...(Array.isArray(matches) && { matches: matches.length }),
  };
}

/** Schemas that ajv compiles apart, such as those that hold themselves, have places of their own there. */
function schemaPathOf(error: ErrorObject, places: ReadonlyMap<JsonValue, string>): string {
  const schema: unknown = error.parentSchema;
  const place = isJsonObject(schema) ? places.get(schema) : undefined;
  if (place === undefined || error.schemaPath.startsWith(`${place}/`)) return error.schemaPath;
  return `${place}/${error.keyword}`;
}

const none: JsonObject = {};

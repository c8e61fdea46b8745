import { isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";
import { isDeeperThan } from "../json-depth.js";
import { McpError } from "../mcp-error.js";
import { isPlainText, plainText } from "../plain-text.js";
import { fits } from "./fits-field.js";

/**
 * What may be said of a field, by its type. Patterns are not among it: a server's own could take for ever.
 */
const fieldKeywords: Readonly<Record<string, readonly string[]>> = {
  string: ["minLength", "maxLength", "format", "enum", "enumNames"],
  number: ["minimum", "maximum"],
  integer: ["minimum", "maximum"],
  boolean: [],
  array: ["minItems", "maxItems"],
};

/** Formats that are shown; nothing checks them. Of a field with another one only the text is taken. */
const formats: ReadonlySet<unknown> = new Set(["email", "uri", "date", "date-time"]);

/** What nobody would fill in. */
const mostFields = 100;
const mostLevels = 20;

/**
 * The fields that a server asks for, as a schema of our own: an object of texts, numbers, yes or no, and choices,
 * as the specification has them, and nothing else that the server may have written.
 *
 * @param maxBytes Of the schema as it came.
 * @throws McpError with rpcCode -32602.
 */
export function readFormSchema(schema: unknown, maxBytes: number): JsonObject {
  if (!isJsonObject(schema)) throw invalid("requestedSchema must be an object.");
  if (isDeeperThan(schema, mostLevels)) throw invalid("requestedSchema is nested too deeply.");
  if (JSON.stringify(schema).length > maxBytes) throw invalid("requestedSchema is too large.");
  const { type, properties, required } = schema;
  if (type !== "object" || !isJsonObject(properties)) {
    throw invalid('requestedSchema must have the type "object", and properties.');
  }
  if (Object.keys(properties).length > mostFields) {
    throw invalid(`requestedSchema has more than ${mostFields} fields.`);
  }
  const fields = Object.entries(properties).map(([name, field]) => [name, readField(name, field)]);
  const needed = Array.isArray(required)
    ? required.filter(
        (name): name is string => typeof name === "string" && Object.hasOwn(properties, name),
      )
    : [];
  return {
    type: "object",
    properties: Object.fromEntries(fields),
    ...(needed.length > 0 && { required: needed }),
    additionalProperties: false,
  };
}

/** The values that the fields have before anybody has filled them in. */
export function formDefaults({ properties }: JsonObject): JsonObject {
  const fields = isJsonObject(properties) ? Object.entries(properties) : [];
  const defaults = fields.flatMap(([name, field]) =>
    isJsonObject(field) && "default" in field ? [[name, field["default"]]] : [],
  );
  return Object.fromEntries(defaults);
}

function readField(name: string, field: unknown): JsonObject {
  const shown = JSON.stringify(name);
  const keywords = isJsonObject(field) ? keywordsOf(field["type"]) : undefined;
  if (!isJsonObject(field) || keywords === undefined) {
    throw invalid(`The field ${shown} must be a string, a number, a boolean or a list of choices.`);
  }
  // The name, which is shown and goes back, cannot be mended.
  if (!isPlainText(name)) throw invalid(`The field ${shown} has a name that cannot be shown.`);
  // No validator checks what stands under it.
  if (name === "__proto__") throw invalid(`The field ${shown} cannot be filled in.`);
  const { type, items, oneOf, format } = field;
  const own = plainMembers(field, keywords);
  if (format !== undefined && !formats.has(format)) delete own["format"];
  if (type === "string" && oneOf !== undefined) own["oneOf"] = readChoices(shown, oneOf);
  if (type === "array") own["items"] = readItems(shown, items);
  if (own["enum"] !== undefined) own["enum"] = readTexts(shown, own["enum"]);
  // A title would stand beside another choice than its own.
  if (lengthOf(own["enumNames"]) !== lengthOf(own["enum"])) delete own["enumNames"];
  return withDefault(own as JsonObject, field["default"]);
}

function readItems(shown: string, items: unknown): JsonObject {
  if (!isJsonObject(items)) throw invalid(`The field ${shown} must say what may be chosen.`);
  const { anyOf, enum: choices } = items;
  return anyOf === undefined
    ? { type: "string", enum: readTexts(shown, choices) }
    : { anyOf: readChoices(shown, anyOf) };
}

function withDefault(own: JsonObject, proposed: JsonValue | undefined): JsonObject {
  const shown = typeof proposed === "string" ? plainText(proposed) : proposed;
  return shown !== undefined && fits(shown, own) ? { ...own, default: shown } : own;
}

function keywordsOf(type: unknown): readonly string[] | undefined {
  return typeof type === "string" && Object.hasOwn(fieldKeywords, type)
    ? fieldKeywords[type]
    : undefined;
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}

function readChoices(shown: string, choices: unknown): JsonObject[] {
  const read = Array.isArray(choices) ? choices : [];
  if (read.length === 0) throw invalid(`The field ${shown} has nothing to choose from.`);
  const seen = new Set<string>();
  return read.flatMap((choice: unknown) => {
    const { const: value, title } = isJsonObject(choice) ? choice : {};
    if (typeof value !== "string") throw invalid(`The choices of ${shown} must be texts.`);
    // What fits two choices would fit not exactly one.
    if (seen.size === seen.add(value).size) return [];
    return {
      const: readChoice(shown, value),
      ...(typeof title === "string" && { title: plainText(title) }),
    };
  });
}

/** What may be said of a field, with texts as they can be shown. A limit that is none is left out. */
function plainMembers(field: JsonObject, keywords: readonly string[]): Record<string, unknown> {
  const own: Record<string, unknown> = { type: field["type"] };
  for (const keyword of ["title", "description", ...keywords]) {
    const said = field[keyword];
    if (said === undefined) continue;
    if (isForPeople(keyword)) own[keyword] = shownText(said);
    else if (!isLimit(keyword) || isAmount(keyword, said)) own[keyword] = said;
  }
  return own;
}

function isLimit(keyword: string): boolean {
  return /^(min|max)/.test(keyword);
}

function isAmount(keyword: string, said: unknown): boolean {
  if (keyword === "minimum" || keyword === "maximum") return Number.isFinite(said);
  return Number.isSafeInteger(said) && Number(said) >= 0;
}

function isForPeople(keyword: string): boolean {
  return keyword === "title" || keyword === "description" || keyword === "enumNames";
}

function shownText(said: unknown): unknown {
  if (Array.isArray(said)) return said.map(shownText);
  return typeof said === "string" ? plainText(said) : "";
}

/** It goes back as it is. */
function readChoice(shown: string, value: string): string {
  if (isPlainText(value)) return value;
  throw invalid(`The field ${shown} has a choice that cannot be shown.`);
}

function readTexts(shown: string, texts: unknown): string[] {
  const read = Array.isArray(texts) ? texts.filter((text) => typeof text === "string") : [];
  if (read.length === 0) throw invalid(`The choices of ${shown} must be texts.`);
  return [...new Set(read)].map((text) => readChoice(shown, text));
}

function invalid(message: string): McpError {
  return new McpError("mcp_wrong_answer", message, { rpcCode: -32602 });
}

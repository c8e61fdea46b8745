import type { FunctionApprovalRequestContent } from "../messages/content.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../messages/json.js";

/** What a request wants of a person beside a yes. */
export type RequestedInput = RequestedForm | RequestedPage;

/** Fields to be filled in: the arguments of the answer. */
export interface RequestedForm {
  readonly mode: "form";
  readonly fields: readonly FormField[];
  /** Arguments that no field is for; they go along as they are. */
  readonly rest: JsonObject;
}

/** A page to be opened. */
interface RequestedPage {
  readonly mode: "url";
  readonly url: string;
  /** Undefined where the address is none. */
  readonly host: string | undefined;
  /** Arguments beside the address. */
  readonly rest: JsonObject;
}

/** `one`, `many`: of the choices. `json`: whatever is none of the others. */
export type FieldKind = "text" | "number" | "integer" | "boolean" | "one" | "many" | "json";

/** One field of a form. All texts in it are a stranger's. */
export interface FormField {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly kind: FieldKind;
  readonly format: string | undefined;
  readonly required: boolean;
  /** It says of itself that it is a password or the like. */
  readonly secret: boolean;
  readonly choices: readonly FieldChoice[];
  /** Of a number, of the characters of a text, or of how many choices. */
  readonly least: number | undefined;
  readonly most: number | undefined;
  /** What it has before anybody fills it in: the request's argument, else the schema's default. */
  readonly preset: JsonValue | undefined;
}

export interface FieldChoice {
  readonly value: JsonValue;
  readonly title: string | undefined;
}

/**
 * Reads what a request asks a person for. It says so itself, in `additionalProperties.elicitation`: a `mode`,
 * and `requestedSchema` (else the parameters of its tool are the form) or `url`. Any other request is about a
 * call that is to run, also where its arguments may be edited.
 */
export function requestedInput(
  request: FunctionApprovalRequestContent,
): RequestedInput | undefined {
  const { additionalProperties, call, editable, tool } = request;
  const elicitation = additionalProperties?.["elicitation"];
  if (!isJsonObject(elicitation)) return undefined;
  const { mode, url, requestedSchema } = elicitation;
  const proposed = call.arguments ?? {};
  if (mode === "url" && typeof url === "string") {
    const host = URL.canParse(url) ? new URL(url).host : undefined;
    const rest = without(proposed, (name, value) => name === "url" && value === url);
    return { mode, url, host, rest };
  }
  const schema = isJsonObject(requestedSchema) ? requestedSchema : tool?.parameters;
  if (mode !== "form" || editable === undefined || !isJsonObject(schema)) return undefined;
  const fields = readFields(schema, proposed).filter(
    ({ name }) => editable === true || editable.includes(name),
  );
  const names = new Set(fields.map(({ name }) => name));
  return { mode, fields, rest: without(proposed, (name) => names.has(name)) };
}

function without(
  members: JsonObject,
  left: (name: string, value: JsonValue) => boolean,
): JsonObject {
  return Object.fromEntries(Object.entries(members).filter((member) => !left(...member)));
}

function readFields(schema: JsonObject, proposed: JsonObject): readonly FormField[] {
  const { properties, required } = schema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(isJsonObject(properties) ? properties : {}).map(([name, said]) => {
    const field = isJsonObject(said) ? said : {};
    const preset = Object.hasOwn(proposed, name) ? proposed[name] : field["default"];
    return { name, ...readField(field), required: needed.includes(name), preset };
  });
}

function readField(field: JsonObject): Omit<FormField, "name" | "required" | "preset"> {
  const { title, description, type, format, writeOnly } = field;
  const choices = choicesOf(isJsonObject(field["items"]) ? field["items"] : field);
  const kind = kindOf(type, choices.length > 0);
  const [least, most] = bounds.get(kind) ?? [];
  return {
    title: textIn(title),
    description: textIn(description),
    kind,
    format: textIn(format),
    secret: format === "password" || writeOnly === true,
    choices: kind === "one" || kind === "many" ? choices : [],
    least: numberIn(field, least),
    most: numberIn(field, most),
  };
}

const kinds: ReadonlyMap<unknown, FieldKind> = new Map([
  ["string", "text"],
  ["number", "number"],
  ["integer", "integer"],
  ["boolean", "boolean"],
]);

const bounds: ReadonlyMap<FieldKind, readonly [least: string, most: string]> = new Map([
  ["text", ["minLength", "maxLength"]],
  ["number", ["minimum", "maximum"]],
  ["integer", ["minimum", "maximum"]],
  ["many", ["minItems", "maxItems"]],
]);

function kindOf(type: JsonValue | undefined, hasChoices: boolean): FieldKind {
  if (type === "array") return hasChoices ? "many" : "json";
  return hasChoices ? "one" : (kinds.get(type) ?? "json");
}

/** `oneOf` and `anyOf` with titles, or `enum`, whose titles older forms have in `enumNames`. */
function choicesOf({ oneOf, anyOf, enum: values, enumNames }: JsonObject): readonly FieldChoice[] {
  const listed = oneOf ?? anyOf;
  if (Array.isArray(listed)) {
    const choices = listed.flatMap((each: JsonValue) => {
      const { const: value, title } = isJsonObject(each) ? each : {};
      return value === undefined ? [] : [{ value, title: textIn(title) }];
    });
    return choices.length === listed.length ? choices : [];
  }
  const titles: readonly JsonValue[] = Array.isArray(enumNames) ? enumNames : [];
  return Array.isArray(values)
    ? values.map((value: JsonValue, at) => ({ value, title: textIn(titles[at]) }))
    : [];
}

function textIn(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function numberIn(field: JsonObject, keyword: string | undefined): number | undefined {
  const value = keyword === undefined ? undefined : field[keyword];
  return typeof value === "number" ? value : undefined;
}

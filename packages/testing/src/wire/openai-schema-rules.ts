import {
  asRecord,
  asText,
  entriesOf,
  isGiven,
  isRecord,
  type Problems,
  shown,
  under,
} from "./wire-values.js";

/**
 * What OpenAI says of the parameters of any function. The service's own words for it: "schema must
 * have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level", and "array
 * schema missing items".
 */
export function parametersProblems(schema: unknown, strict: boolean): Problems {
  const root = asRecord(schema);
  const problems: string[] = [];
  if (root["type"] !== "object") problems.push("the root is not of type object");
  for (const keyword of ["oneOf", "anyOf", "allOf", "enum", "not"]) {
    if (keyword in root) problems.push(`${keyword} at the root`);
  }
  return [...problems, ...(strict ? strictProblems(schema) : walk(schema, itemsProblems))];
}

/**
 * The subset of JSON Schema that strict mode takes, by the "Supported schemas" of
 * https://platform.openai.com/docs/guides/structured-outputs.
 */
export function strictProblems(schema: unknown): Problems {
  const root = asRecord(schema);
  const problems: string[] = [];
  if (root["type"] !== "object") problems.push("a strict schema has an object at its root");
  if ("anyOf" in root) problems.push("a strict schema has no anyOf at its root");
  const levels = nesting(schema);
  if (levels > 10) problems.push(`${levels} levels of nesting, where 10 are allowed`);
  const size = sizeOf(schema);
  if (size.properties > 5000) problems.push(`${size.properties} properties; 5000 are allowed`);
  if (size.enumValues > 1000) problems.push(`${size.enumValues} enum values; 1000 are allowed`);
  return [...new Set([...problems, ...walk(schema, strictNodeProblems)])];
}

/** Refused by strict mode in any schema. */
const unsupported = [
  ...["allOf", "oneOf", "not", "if", "then", "else"],
  ...["dependentRequired", "dependentSchemas", "patternProperties", "propertyNames"],
  ...["unevaluatedProperties", "unevaluatedItems", "contains", "minContains", "maxContains"],
  ...["uniqueItems", "minProperties", "maxProperties", "prefixItems", "default"],
] as const;

const formats: ReadonlySet<unknown> = new Set([
  ...["date-time", "time", "date", "duration"],
  ...["email", "hostname", "ipv4", "ipv6", "uuid"],
]);

function strictNodeProblems(schema: unknown): Problems {
  if (!isRecord(schema)) return [`a schema has to be an object, not ${shown(schema)}`];
  const problems: string[] = [];
  for (const keyword of unsupported) {
    if (keyword in schema) problems.push(`strict schemas have no ${keyword}`);
  }
  if (!["type", "$ref", "anyOf", "enum", "const"].some((keyword) => keyword in schema)) {
    problems.push("a strict schema says its type");
  }
  if (isGiven(schema["format"]) && !formats.has(schema["format"])) {
    problems.push(`strict schemas do not know the format ${shown(schema["format"])}`);
  }
  if (hasType(schema, "object")) problems.push(...strictObjectProblems(schema));
  return [...problems, ...itemsProblems(schema)];
}

function strictObjectProblems(schema: Readonly<Record<string, unknown>>): Problems {
  const problems: string[] = [];
  if (schema["additionalProperties"] !== false) {
    problems.push("a strict object has additionalProperties: false");
  }
  const names = Object.keys(asRecord(schema["properties"]));
  const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  for (const name of names) {
    if (!required.includes(name)) problems.push(`strict mode requires every property: ${name}`);
  }
  for (const name of required) {
    if (!names.some((each) => each === name))
      problems.push(`required, but unknown: ${shown(name)}`);
  }
  return problems;
}

function itemsProblems(schema: unknown): Problems {
  const node = asRecord(schema);
  return hasType(node, "array") && !("items" in node) ? ["an array without items"] : [];
}

function hasType({ type }: Readonly<Record<string, unknown>>, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name));
}

/** Keywords that hold one schema, a list of them, or schemas by name. */
const single = ["items", "additionalProperties", "not", "if", "then", "else", "contains"] as const;
const lists = ["anyOf", "oneOf", "allOf", "prefixItems"] as const;
const named = ["properties", "$defs", "definitions", "patternProperties"] as const;

/** The schemas directly below one, each with the way to it. */
function below(schema: unknown): readonly (readonly [path: string, schema: unknown])[] {
  const node = asRecord(schema);
  return [
    ...single.flatMap((key) => (isRecord(node[key]) ? [[`.${key}`, node[key]] as const] : [])),
    ...lists.flatMap((key) => {
      const list: unknown = node[key];
      return Array.isArray(list) ? list.map((each, at) => [`.${key}[${at}]`, each] as const) : [];
    }),
    ...named.flatMap((key) =>
      entriesOf(node[key]).map(([name, each]) => [`.${key}.${name}`, each] as const),
    ),
  ];
}

/** What is wrong with each schema within one. */
function walk(schema: unknown, check: (schema: unknown) => Problems): Problems {
  const inside = below(schema).flatMap(([path, each]) => under(path, walk(each, check)));
  return [...check(schema), ...inside];
}

/** Objects within objects; what stands under `$defs` counts from there. */
function nesting(schema: unknown): number {
  const deepest = Math.max(0, ...below(schema).map(([, each]) => nesting(each)));
  return deepest + (hasType(asRecord(schema), "object") ? 1 : 0);
}

function sizeOf(schema: unknown): { readonly properties: number; readonly enumValues: number } {
  const node = asRecord(schema);
  let properties = entriesOf(node["properties"]).length;
  let enumValues = Array.isArray(node["enum"]) ? node["enum"].length : 0;
  for (const [, each] of below(schema)) {
    const size = sizeOf(each);
    properties += size.properties;
    enumValues += size.enumValues;
  }
  return { properties, enumValues };
}

/** What both of OpenAI's APIs say of a name. */
export function nameProblems(name: unknown): Problems {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(asText(name)) ? [] : [`the name ${shown(name)}`];
}

/** The arguments of a call: JSON text of an object. */
export function argumentsProblems(text: unknown): Problems {
  try {
    if (isRecord(JSON.parse(asText(text)))) return [];
  } catch {
    // No JSON at all.
  }
  return [`the arguments ${shown(text)} are not the JSON of an object`];
}

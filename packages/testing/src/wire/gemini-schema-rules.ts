import {
  asRecord,
  asText,
  eachWith,
  entriesOf,
  isGiven,
  isRecord,
  type Problems,
  shown,
  under,
  type WireRecord,
} from "./wire-values.js";

/**
 * Gemini's own `Schema`, a subset of OpenAPI 3.0 (https://ai.google.dev/api/caching#Schema). Which
 * members it has and what its types are called is in the SDK's types; what they do not say are the
 * service's own words: "items: missing field", "required[0]: property is not defined", "enum[0]: cannot
 * be empty", "properties: should be non-empty for OBJECT type", and "type: must be specified when not
 * using one_of, any_of or all_of fields".
 */
export function openApiProblems(schema: unknown): Problems {
  const node = asRecord(schema);
  const { type, anyOf, properties, items, required, enum: values } = node;
  const names = entriesOf(properties);
  const problems: string[] = [];
  if (!isGiven(type) && !isGiven(anyOf)) problems.push("a schema without a type");
  if (type === "ARRAY" && !isGiven(items)) problems.push("an ARRAY without items");
  if (type === "OBJECT" && names.length === 0) problems.push("an OBJECT without properties");
  problems.push(...unknownNames(required, names));
  if (Array.isArray(values) && values.includes("")) problems.push("an empty text in enum");
  return [
    ...problems,
    ...names.flatMap(([name, each]) => under(`.properties.${name}`, openApiProblems(each))),
    ...(isGiven(items) ? under(".items", openApiProblems(items)) : []),
    ...eachWith(".anyOf", Array.isArray(anyOf) ? anyOf : [], openApiProblems),
  ];
}

function unknownNames(
  required: unknown,
  properties: readonly (readonly [string, unknown])[],
): Problems {
  const list: readonly unknown[] = Array.isArray(required) ? required : [];
  return list
    .filter((name) => !properties.some(([known]) => known === name))
    .map((name) => `required, but unknown: ${shown(name)}`);
}

/**
 * JSON Schema as Gemini takes it, by the comment on `responseJsonSchema` in the types of
 * `@google/genai` 2.32.0: any keyword may be sent and the usual ones are kept, but beside a `$ref`
 * there is nothing that does not begin with `$`, and a cycle of references runs through a property that
 * is not required.
 */
export function jsonSchemaProblems(schema: unknown): Problems {
  return [...nodeProblems(schema, schema), ...cycleProblems(schema)];
}

const types: ReadonlySet<unknown> = new Set([
  ...["string", "number", "integer", "boolean", "array", "object", "null"],
]);

function nodeProblems(schema: unknown, root: unknown): Problems {
  if (typeof schema === "boolean") return [];
  if (!isRecord(schema)) return [`a schema has to be an object, not ${shown(schema)}`];
  const { type, $ref } = schema;
  const problems: string[] = [];
  const written: readonly unknown[] = Array.isArray(type) ? type : [type];
  for (const each of written) {
    if (isGiven(each) && !types.has(each)) problems.push(`the type ${shown(each)}`);
  }
  if (isGiven($ref)) problems.push(...referenceProblems(schema, root));
  return [
    ...problems,
    ...below(schema).flatMap(([path, each]) => under(path, nodeProblems(each, root))),
  ];
}

function referenceProblems(schema: WireRecord, root: unknown): Problems {
  const beside = Object.keys(schema).filter((member) => !member.startsWith("$"));
  const { $ref } = schema;
  return [
    ...(beside.length > 0 ? [`beside a $ref: ${beside.join(", ")}`] : []),
    ...(resolve(root, $ref) === undefined ? [`${shown($ref)} leads nowhere`] : []),
  ];
}

function resolve(root: unknown, reference: unknown): unknown {
  const text = asText(reference);
  if (!text.startsWith("#")) return undefined;
  let found: unknown = root;
  for (const step of text.slice(1).split("/").slice(1)) {
    const name = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name))
      return undefined;
    found = Array.isArray(found) ? found[Number(name)] : asRecord(found)[name];
  }
  return found;
}

/** What is no percent-encoding means itself. */
function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** The schemas directly below one, each with the way to it. */
function below(schema: WireRecord): readonly (readonly [path: string, schema: unknown])[] {
  const single = ["items", "additionalProperties"].flatMap((key) =>
    isGiven(schema[key]) ? [[`.${key}`, schema[key]] as const] : [],
  );
  const lists = ["anyOf", "oneOf", "prefixItems"].flatMap((key) => {
    const list: unknown = schema[key];
    return Array.isArray(list) ? list.map((each, at) => [`.${key}[${at}]`, each] as const) : [];
  });
  const named = ["properties", "$defs"].flatMap((key) =>
    entriesOf(schema[key]).map(([name, each]) => [`.${key}.${name}`, each] as const),
  );
  return [...single, ...lists, ...named];
}

/**
 * Whether a value of the root would have to hold itself: a walk along what cannot be left out, through
 * each schema once, however many references lead to it.
 */
function cycleProblems(root: unknown): Problems {
  const path = new Set<unknown>();
  const finite = new Set<unknown>();
  const isEndless = (schema: unknown): boolean => {
    if (!isRecord(schema) || finite.has(schema)) return false;
    if (path.has(schema)) return true;
    path.add(schema);
    const next = [
      ...(isGiven(schema["$ref"]) ? [resolve(root, schema["$ref"])] : []),
      ...requiredBelow(schema),
    ];
    if (next.some(isEndless)) return true;
    path.delete(schema);
    finite.add(schema);
    return false;
  };
  return isEndless(root) ? ["a cycle of references through required properties"] : [];
}

function requiredBelow(schema: WireRecord): readonly unknown[] {
  const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  return below(schema).flatMap(([path, each]) => {
    if (path.startsWith(".$defs.")) return [];
    const isOptional =
      path.startsWith(".properties.") && !required.includes(path.slice(".properties.".length));
    return isOptional ? [] : [each];
  });
}

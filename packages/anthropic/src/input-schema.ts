import type Anthropic from "@anthropic-ai/sdk";
import type { JsonObject, JsonValue } from "@tunic/core";

type Properties = Readonly<Record<string, JsonValue>>;

/**
 * A tool's parameters as Anthropic takes them: an object at the root that has `properties` and no
 * `anyOf`, `oneOf` or `allOf`. Alternatives at the root are merged into one object that allows them
 * all; what this loses is still enforced when the arguments are validated here.
 */
export function toInputSchema(parameters: JsonObject | undefined): Anthropic.Tool.InputSchema {
  const { properties, required, ...rest } = mergedRoot(parameters ?? {}, {
    document: parameters ?? {},
    left: mostBranches,
  });
  return {
    ...rest,
    type: "object",
    properties,
    ...(required.length > 0 && { required: [...required] }),
  };
}

interface Root extends JsonObject {
  readonly properties: Properties;
  readonly required: readonly string[];
}

/** Enough for any real schema. One that refers to itself at the root has no end of them. */
const mostBranches = 256;

interface Reading {
  /** What references point into. */
  readonly document: JsonObject;
  /** How many more branches may be read. */
  left: number;
}

function mergedRoot(schema: JsonObject, reading: Reading): Root {
  const { $schema, $id, $ref, anyOf, oneOf, allOf, properties, required, type, ...rest } = schema;
  let root: Root = {
    ...rest,
    properties: isObject(properties) ? properties : {},
    required: strings(required),
  };
  const read = (branch: JsonValue): Root[] => {
    return isObject(branch) && reading.left-- > 0 ? [mergedRoot(branch, reading)] : [];
  };
  if (typeof $ref === "string") root = withAll(root, read(resolved($ref, reading.document)));
  root = withAll(root, list(allOf).flatMap(read));
  root = withOneOf(root, list(anyOf).flatMap(read));
  return withOneOf(root, list(oneOf).flatMap(read));
}

/** Everything that every part demands holds. */
function withAll(root: Root, parts: readonly Root[]): Root {
  if (parts.length === 0) return root;
  return {
    ...described(root, parts),
    properties: joined([root, ...parts], "allOf"),
    required: [...new Set([root, ...parts].flatMap((part) => part.required))],
  };
}

/** Only what all alternatives demand holds; what one of them knows may be there. */
function withOneOf(root: Root, parts: readonly Root[]): Root {
  const [first, ...others] = parts;
  if (first === undefined) return root;
  const shared = first.required.filter((name) =>
    others.every((part) => part.required.includes(name)),
  );
  const alternatives: Root = { ...first, properties: joined(parts, "anyOf"), required: shared };
  return {
    ...described(root, parts),
    properties: joined([root, alternatives], "allOf"),
    required: [...new Set([...root.required, ...shared])],
  };
}

/** Definitions of the parts are needed by what was taken from them. */
function described(root: Root, parts: readonly Root[]): Root {
  let merged = root;
  for (const { $defs, definitions, description } of parts) {
    merged = {
      ...merged,
      ...(isObject($defs) && { $defs: { ...$defs, ...asObject(merged["$defs"]) } }),
      ...(isObject(definitions) && {
        definitions: { ...definitions, ...asObject(merged["definitions"]) },
      }),
      ...(parts.length === 1 &&
        description !== undefined && { description: merged["description"] ?? description }),
    };
  }
  return merged;
}

function joined(parts: readonly Root[], how: "allOf" | "anyOf"): Properties {
  const found = new Map<string, JsonValue[]>();
  for (const { properties } of parts) {
    for (const [name, schema] of Object.entries(properties)) {
      const known = found.get(name) ?? [];
      if (!known.some((each) => JSON.stringify(each) === JSON.stringify(schema)))
        known.push(schema);
      found.set(name, known);
    }
  }
  return Object.fromEntries(
    Array.from(found, ([name, schemas]) => {
      const [only] = schemas;
      return [name, schemas.length === 1 && only !== undefined ? only : { [how]: schemas }];
    }),
  );
}

/** The target of `#/…`; what cannot be found allows anything. */
function resolved(reference: string, document: JsonObject): JsonValue {
  if (!reference.startsWith("#/")) return {};
  let value: JsonValue | undefined = document;
  for (const step of reference.slice(2).split("/")) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value ?? {};
}

function strings(value: JsonValue | undefined): readonly string[] {
  return list(value).filter((each): each is string => typeof each === "string");
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

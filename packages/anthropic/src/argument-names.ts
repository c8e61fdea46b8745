import {
  ConfigurationError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseArguments,
  type ToolNameRules,
  toWireToolName,
} from "@tunic/core";

/** Which names of arguments the service takes. It checks the members of the root only. */
const rules: ToolNameRules = { service: "Anthropic", refused: /[^a-zA-Z0-9_.-]/g, longest: 64 };

/** The way back: our names of arguments by the names that the service sees. */
export type ArgumentNames = ReadonlyMap<string, string>;

/** A schema with names that the service takes. */
export interface NamedSchema {
  readonly schema: JsonObject;
  /** Absent where every name was taken as it is. */
  readonly names?: ArgumentNames;
}

/** Rules of the root about members by name: whoever validates the arguments keeps them. */
const rulesByName: ReadonlySet<string> = new Set([
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "propertyNames",
  "if",
  "then",
  "else",
]);

/**
 * The schema of a tool with its arguments (`$meta`, `filter[id]`) renamed where the service would
 * refuse the whole request for them. A new name depends on the old one alone, so that old calls fit.
 *
 * @throws ConfigurationError `invalid_tool` where two arguments would have one name.
 */
export function withWireNames(schema: JsonObject, what: string): NamedSchema {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const names = new Map<string, string>();
  for (const name of Object.keys(properties)) {
    const wireName = toWireToolName(name, rules);
    if (names.has(wireName)) {
      throw new ConfigurationError(
        "invalid_tool",
        `${what}: two arguments would both be called "${wireName}" at Anthropic. Rename "${name}".`,
      );
    }
    names.set(wireName, name);
  }
  const renamed = [...names].filter(([wireName, name]) => wireName !== name);
  if (renamed.length === 0) return { schema };
  const kept = Object.entries(schema).filter(([member]) => !rulesByName.has(member));
  const { required } = schema;
  const named: JsonObject = {
    ...Object.fromEntries(kept),
    properties: withWireKeys(properties),
    ...(Array.isArray(required) && { required: required.map(wireText) }),
  };
  return { schema: withPointers(named) as JsonObject, names: new Map(renamed) };
}

/**
 * The arguments of an old call as the model wrote them, byte for byte but for blanks.
 *
 * @param names What the call itself keeps of the names it was written with.
 */
export function toWireArguments(given: JsonObject, names: JsonValue | undefined): JsonObject {
  if (!isJsonObject(names)) return given;
  const written = new Map(Object.entries(names).map(([wireName, name]) => [name, wireName]));
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [written.get(name) ?? name, value]),
  );
}

/** The text of a call's arguments with our names; text that holds no object stays as it is. */
export function withOwnNames(text: string, names: ArgumentNames): string {
  const parsed = parseArguments(text);
  if (!("arguments" in parsed)) return text;
  const members = Object.entries(parsed.arguments);
  return JSON.stringify(
    Object.fromEntries(members.map(([name, value]) => [names.get(name) ?? name, value])),
  );
}

function withWireKeys(object: JsonObject): JsonObject {
  const members = Object.entries(object);
  return Object.fromEntries(members.map(([name, value]) => [toWireToolName(name, rules), value]));
}

function wireText(name: JsonValue): JsonValue {
  return typeof name === "string" ? toWireToolName(name, rules) : name;
}

const intoProperties = "#/properties/";

/** Pointers into the root's properties lead to the new names. */
function withPointers(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withPointers);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([member, each]) => {
    const isPointer = member === "$ref" && typeof each === "string";
    return [member, isPointer ? wirePointer(each) : withPointers(each)] as const;
  });
  return Object.fromEntries(members);
}

function wirePointer(pointer: string): string {
  if (!pointer.startsWith(intoProperties)) return pointer;
  const [first = "", ...others] = pointer.slice(intoProperties.length).split("/");
  const name = decoded(first).replaceAll("~1", "/").replaceAll("~0", "~");
  const wireName = toWireToolName(name, rules);
  return wireName === name ? pointer : intoProperties + [wireName, ...others].join("/");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

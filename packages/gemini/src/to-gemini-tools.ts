import type { FunctionDeclaration, Tool as WireTool } from "@google/genai";
import {
  type FunctionTool,
  type HostedTool,
  isJsonObject,
  type JsonObject,
  ownDefinition,
  type Tool,
  toObjectSchema,
} from "@tunic/core";
import { toPlainSchema } from "./plain-schema.js";
import { toGeminiSchema } from "./to-gemini-schema.js";
import type { Notice } from "./to-gemini-turn.js";
import { namesOnWire, toWireName } from "./wire-names.js";

interface Declared {
  readonly declaration: FunctionDeclaration;
  /** What there is to be told of the schema, once. */
  cut?: string | undefined;
}

/** Tools never change, so each is checked and converted once. */
const converted = new WeakMap<FunctionTool, Declared>();

/**
 * Our tools as the `tools` of a request: all functions in one entry, then Gemini's own tools
 * (`hostedTool({ provider: "gemini", name: "google_search", definition: { googleSearch: {} } })`) as
 * their `definition` is. A schema goes out in the form of OpenAPI that `parameters` takes; as
 * `parametersJsonSchema` where an argument has a name that is refused there.
 *
 * @param notice Told where a schema holds itself and was cut.
 * @throws ConfigurationError `foreign_tool` for a hosted tool that is not Gemini's, `invalid_schema` for
 * a reference that leads nowhere, `tool_name_collision` for two tools that have one name there.
 */
export function toGeminiTools(tools: readonly Tool[], notice?: Notice): WireTool[] {
  const functions = tools.filter((tool) => tool.type === "function");
  namesOnWire(functions.map(({ name }) => name));
  const functionDeclarations = functions.map((tool) => {
    const declared = declare(tool);
    if (notice && declared.cut !== undefined) {
      notice("schema_cut", declared.cut);
      declared.cut = undefined;
    }
    return declared.declaration;
  });
  const hosted = tools.filter((tool) => tool.type === "hosted").map(toHosted);
  return [...(functionDeclarations.length > 0 ? [{ functionDeclarations }] : []), ...hosted];
}

/** The same tool gives the same object every time. */
function declare(tool: FunctionTool): Declared {
  const known = converted.get(tool);
  if (known) return known;
  const { name, description } = tool;
  const what = `Tool "${name}"`;
  const { schema, cuts } = toPlainSchema(
    toObjectSchema(tool.parameters, `The schema of tool "${name}"`),
    what,
  );
  const made: Declared = {
    declaration: {
      name: toWireName(name),
      ...(description !== "" && { description }),
      ...toParameters(schema),
    },
    ...(cuts.length > 0 && {
      cut: `${what}: the schema holds itself at ${cuts.join(", ")}. Gemini is told of an object of any form there; the arguments are checked against the whole schema.`,
    }),
  };
  converted.set(tool, made);
  return made;
}

/** By the comment on `FunctionDeclaration.parameters` in the SDK. */
const parameterName = /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/;

function toParameters(
  schema: JsonObject,
): Pick<FunctionDeclaration, "parameters" | "parametersJsonSchema"> {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const names = Object.keys(properties);
  // Which names an open object may have, `parameters` cannot say.
  if (isOpen(schema)) return { parametersJsonSchema: schema };
  // "properties: should be non-empty for OBJECT type"
  if (names.length === 0) return {};
  // The SDK copies `parameters` and loses a "__proto__" on the way, though not out of `required`.
  const isLost = JSON.stringify(schema).includes('"__proto__"');
  if (isLost || !names.every((name) => parameterName.test(name))) {
    return { parametersJsonSchema: schema };
  }
  // The SDK's type has an enum for what is a word on the wire.
  return { parameters: toGeminiSchema(schema) as NonNullable<FunctionDeclaration["parameters"]> };
}

/** Whether arguments may have other names than the ones that are listed, and the schema means it. */
function isOpen({ additionalProperties }: JsonObject): boolean {
  return additionalProperties === true || isJsonObject(additionalProperties);
}

function toHosted(tool: HostedTool): WireTool {
  // The vendor's own words: a newer kind of tool needs no newer version of this package.
  return ownDefinition(tool, "gemini", "Gemini") as WireTool;
}

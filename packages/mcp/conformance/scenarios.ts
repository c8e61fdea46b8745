import type { FunctionTool } from "@tunic/core";
import { isJsonObject, type JsonObject, type JsonValue } from "@tunic/core";

/** A call, by the server's own name of the tool. */
export interface ScenarioCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** Scenarios whose servers answer nothing but the list. */
const listOnly: ReadonlySet<string> = new Set(["initialize", "json-schema-ref-no-deref"]);

/**
 * What a scenario wants to be called: what it names itself, or every tool that it lists, with arguments that
 * its schema takes.
 *
 * @param tools By the server's own names.
 * @param context What the suite says beside the scenario's name.
 */
export function callsOf(
  scenario: string,
  tools: ReadonlyMap<string, FunctionTool>,
  context: JsonObject,
): readonly ScenarioCall[] {
  const { toolCalls } = context;
  if (Array.isArray(toolCalls)) return toolCalls.filter(isCall);
  if (listOnly.has(scenario)) return [];
  if (scenario === "json-schema-2020-12-preservation") {
    // The suite compares what comes back with what it has listed.
    const { parameters = {} } = tools.get("json_schema_2020_12_tool") ?? {};
    return [{ name: "json_schema_echo", arguments: { schema: parameters as JsonObject } }];
  }
  return [...tools].map(([name, { parameters }]) => ({ name, arguments: sample(parameters) }));
}

function isCall(value: unknown): value is ScenarioCall {
  return (
    isJsonObject(value) && typeof value["name"] === "string" && isJsonObject(value["arguments"])
  );
}

/** Arguments for what the schema lists. */
function sample({ properties }: { readonly properties?: unknown }): JsonObject {
  if (!isJsonObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      value(isJsonObject(schema) ? schema : {}),
    ]),
  );
}

function value({ type }: JsonObject): JsonValue {
  switch (type) {
    case "number":
    case "integer":
      return 2;
    case "boolean":
      return true;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return "text";
  }
}

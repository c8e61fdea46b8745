import {
  asRecord,
  asText,
  eachWith,
  entriesOf,
  isGiven,
  type Problems,
  recordsOf,
  repeated,
  shown,
  under,
  type WireRecord,
} from "./wire-values.js";

/**
 * What Anthropic says of tools, in the service's own words: "tools.0.custom.name: String should match
 * pattern '^[a-zA-Z0-9_-]{1,128}$'", "tools: Tool names must be unique", "input_schema does not support
 * oneOf, allOf, or anyOf at the top level", "Property keys should match pattern
 * '^[a-zA-Z0-9_.-]{1,64}$'", and that a tool choice needs tools and names one of them.
 */
export function anthropicToolProblems(body: WireRecord): Problems {
  const tools = recordsOf(body["tools"]);
  const names = tools.flatMap(({ name }) => (typeof name === "string" ? [name] : []));
  return [
    ...eachWith("tools", tools, toolProblems),
    ...repeated(names).map((name) => `tools: two are named ${shown(name)}`),
    ...choiceProblems(body["tool_choice"], tools.length > 0, names),
  ];
}

function toolProblems(tool: WireRecord): Problems {
  const { type, name } = tool;
  // Anything else is the service's own tool, which says of itself what it is.
  if (isGiven(type) && type !== "custom") return [];
  return [
    ...(/^[a-zA-Z0-9_-]{1,128}$/.test(asText(name)) ? [] : [`the name ${shown(name)}`]),
    ...under(".input_schema", schemaProblems(asRecord(tool["input_schema"]))),
  ];
}

function schemaProblems(schema: WireRecord): Problems {
  const problems: string[] = [];
  if (schema["type"] !== "object") problems.push("the root is not of type object");
  for (const keyword of ["oneOf", "allOf", "anyOf"]) {
    if (keyword in schema) problems.push(`${keyword} at the root`);
  }
  for (const [name] of entriesOf(schema["properties"])) {
    if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(name)) problems.push(`the property ${shown(name)}`);
  }
  return problems;
}

function choiceProblems(choice: unknown, hasTools: boolean, names: readonly string[]): Problems {
  if (!isGiven(choice)) return [];
  if (!hasTools) return ["tool_choice: there are no tools"];
  const { type, name } = asRecord(choice);
  if (type !== "tool" || names.includes(asText(name))) return [];
  return [`tool_choice: no tool is named ${shown(name)}`];
}

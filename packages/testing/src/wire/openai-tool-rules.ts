import { nameProblems, parametersProblems, strictProblems } from "./openai-schema-rules.js";
import {
  asRecord,
  asText,
  eachWith,
  isGiven,
  isRecord,
  type Problems,
  recordsOf,
  repeated,
  shown,
  under,
  type WireRecord,
} from "./wire-values.js";

/** A function tool, wherever an API keeps its definition; undefined for tools of other kinds. */
export type FunctionOf = (tool: WireRecord) => WireRecord | undefined;

/** What OpenAI says of the tools of a request and of what is said about them. */
export function toolProblems(body: WireRecord, functionOf: FunctionOf): Problems {
  const tools = recordsOf(body["tools"]);
  const functions = tools.map(functionOf).filter((each) => each !== undefined);
  const names = functions.map((each) => asText(each["name"]));
  const problems = eachWith("tools", tools, (tool) => {
    const definition = functionOf(tool);
    return definition === undefined ? [] : functionProblems(definition);
  });
  return [
    ...problems,
    ...repeated(names).map((name) => `tools: two are named ${shown(name)}`),
    ...withoutToolsProblems(body),
    ...choiceProblems(body["tool_choice"], names, functionOf),
  ];
}

function functionProblems(definition: WireRecord): Problems {
  const { name, parameters, strict } = definition;
  return [
    ...nameProblems(name),
    ...(isGiven(parameters)
      ? under(".parameters", parametersProblems(parameters, strict === true))
      : []),
  ];
}

/** The service: "'tool_choice' is only allowed when 'tools' are specified", and no empty list. */
function withoutToolsProblems(body: WireRecord): Problems {
  const { tools } = body;
  if (Array.isArray(tools) && tools.length > 0) return [];
  const about = ["tool_choice", "parallel_tool_calls"].filter((member) => isGiven(body[member]));
  const empty = isGiven(tools) ? ["tools: an empty list"] : [];
  return [...empty, ...about.map((member) => `${member}: there are no tools`)];
}

/** A tool choice names tools that are there: one, or a list of those that are allowed. */
function choiceProblems(
  choice: unknown,
  names: readonly string[],
  functionOf: FunctionOf,
): Problems {
  if (!isRecord(choice)) return [];
  // Chat completions keep the list one level down, responses do not.
  const { tools } = { ...choice, ...asRecord(choice["allowed_tools"]) };
  const isList = choice["type"] === "allowed_tools";
  const named = (isList ? recordsOf(tools) : [choice])
    .map(functionOf)
    .filter((each) => each !== undefined);
  const empty = isList && recordsOf(tools).length === 0 ? ["tool_choice: allows nothing"] : [];
  return [
    ...empty,
    ...named.flatMap(({ name }) => [
      ...under("tool_choice", nameProblems(name)),
      ...(names.includes(asText(name)) ? [] : [`tool_choice: no tool is named ${shown(name)}`]),
    ]),
  ];
}

/** The format that an answer is to have: `response_format.json_schema`, or `text.format`. */
export function formatProblems(path: string, format: WireRecord): Problems {
  const { name, schema, strict } = format;
  return under(path, [
    ...nameProblems(name),
    ...(strict === true ? under(".schema", strictProblems(schema)) : []),
  ]);
}

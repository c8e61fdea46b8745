import { jsonSchemaProblems, openApiProblems } from "./gemini-schema-rules.js";
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

/** `FunctionDeclaration.name` in the types of `@google/genai` 2.32.0. */
export function geminiNameProblems(name: unknown): Problems {
  return /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/.test(asText(name)) ? [] : [`the name ${shown(name)}`];
}

/**
 * What Gemini says of tools, by the comments on `Tool`, `FunctionDeclaration` and
 * `FunctionCallingConfig` in the types of `@google/genai` 2.32.0: at most 512 declarations,
 * `parameters` or `parametersJsonSchema`, and names to choose from only where a call is forced.
 */
export function geminiToolProblems(body: WireRecord): Problems {
  const tools = recordsOf(body["tools"]);
  const declarations = tools.flatMap((tool) => recordsOf(tool["functionDeclarations"]));
  const names = declarations.map(({ name }) => asText(name));
  return [
    ...(Array.isArray(body["tools"]) && tools.length === 0 ? ["tools: an empty list"] : []),
    ...eachWith("tools", tools, toolProblems),
    ...repeated(names).map((name) => `tools: two are named ${shown(name)}`),
    ...(names.length > 512 ? [`tools: ${names.length} functions; 512 are allowed`] : []),
    ...choiceProblems(asRecord(body["toolConfig"])["functionCallingConfig"], names),
  ];
}

function toolProblems(tool: WireRecord): Problems {
  const { functionDeclarations } = tool;
  const declarations = recordsOf(functionDeclarations);
  const kinds = Object.keys(tool).filter((member) => isGiven(tool[member]));
  return [
    ...(kinds.length === 0 ? ["an empty tool"] : []),
    ...(isGiven(functionDeclarations) && declarations.length === 0 ? ["no declarations"] : []),
    ...eachWith(".functionDeclarations", declarations, declarationProblems),
  ];
}

function declarationProblems(declaration: WireRecord): Problems {
  const { name, parameters, parametersJsonSchema, response, responseJsonSchema } = declaration;
  const problems: string[] = [...geminiNameProblems(name)];
  if (isGiven(parameters) && isGiven(parametersJsonSchema)) {
    problems.push("parameters and parametersJsonSchema");
  }
  if (isGiven(response) && isGiven(responseJsonSchema)) {
    problems.push("response and responseJsonSchema");
  }
  if (isGiven(parameters)) problems.push(...under(".parameters", parametersProblems(parameters)));
  if (isGiven(parametersJsonSchema)) {
    const { type } = asRecord(parametersJsonSchema);
    problems.push(
      ...under(".parametersJsonSchema", [
        ...(type === "object" ? [] : ["the root is not of type object"]),
        ...jsonSchemaProblems(parametersJsonSchema),
      ]),
    );
  }
  return problems;
}

function parametersProblems(parameters: unknown): Problems {
  const { type, properties } = asRecord(parameters);
  const wrongNames = entriesOf(properties)
    .map(([name]) => name)
    .filter((name) => !/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/.test(name));
  return [
    ...(type === "OBJECT" ? [] : ["the root is not of type OBJECT"]),
    ...wrongNames.map((name) => `the parameter ${shown(name)}`),
    ...openApiProblems(parameters),
  ];
}

function choiceProblems(config: unknown, names: readonly string[]): Problems {
  const { mode, allowedFunctionNames } = asRecord(config);
  const path = "toolConfig.functionCallingConfig";
  const allowed: readonly unknown[] = Array.isArray(allowedFunctionNames)
    ? allowedFunctionNames
    : [];
  const forced = mode === "ANY" || mode === "VALIDATED";
  return under(path, [
    ...(isGiven(config) && names.length === 0 ? ["there are no functions"] : []),
    ...(allowed.length > 0 && !forced ? [`names are allowed, but the mode is ${shown(mode)}`] : []),
    ...allowed
      .filter((name) => !names.includes(asText(name)))
      .map((name) => `no function is named ${shown(name)}`),
  ]);
}

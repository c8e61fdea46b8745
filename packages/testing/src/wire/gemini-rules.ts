import { jsonSchemaProblems, openApiProblems } from "./gemini-schema-rules.js";
import { geminiNameProblems, geminiToolProblems } from "./gemini-tool-rules.js";
import {
  asRecord,
  asText,
  eachWith,
  isGiven,
  isRecord,
  type Problems,
  recordsOf,
  shown,
  under,
  type WireRecord,
} from "./wire-values.js";

/**
 * The rules of Gemini's `generateContent` that the SDK's types do not say, by
 * https://ai.google.dev/api/caching#Content, https://ai.google.dev/gemini-api/docs/function-calling,
 * https://ai.google.dev/gemini-api/docs/thought-signatures, the comments in the types of
 * `@google/genai` 2.32.0, and the service's own error texts:
 *
 * - Roles are `user` and `model`; the user begins and the roles alternate. "Please ensure that multiturn
 *   requests alternate between user and model", and "Please ensure that function call turn comes
 *   immediately after a user turn or after a function response turn": two neighbours of one role make
 *   the service lose count, so each turn is one content.
 * - "contents.parts must not be empty"; a part has exactly one field of data.
 * - "Please ensure that the number of function response parts is equal to the number of function call
 *   parts of the function call turn": the responses are the first parts of the content right after, with
 *   the names and (where the calls have them) the ids of the calls.
 * - Bytes (`inlineData.data`, `thoughtSignature`) are base64.
 * - "CachedContent can not be used with GenerateContent request setting system_instruction, tools or
 *   tool_config".
 */
export function geminiProblems(body: unknown): Problems {
  if (!isRecord(body)) return [];
  const contents = recordsOf(body["contents"]);
  const cached = ["systemInstruction", "tools", "toolConfig"].filter(
    (member) => isGiven(body["cachedContent"]) && isGiven(body[member]),
  );
  const instruction = recordsOf(asRecord(body["systemInstruction"])["parts"]);
  return [
    ...(contents.length === 0 ? ["contents: empty"] : []),
    ...eachWith("contents", contents, (content, at) => contentProblems(content, contents[at - 1])),
    ...(callsOf(contents.at(-1)).length > 0 ? ["contents: the last calls have no responses"] : []),
    ...under("systemInstruction", eachWith(".parts", instruction, instructionProblems)),
    ...cached.map((member) => `${member}: belongs into the cached content`),
    ...configProblems(asRecord(body["generationConfig"])),
    ...geminiToolProblems(body),
  ];
}

function instructionProblems(part: WireRecord): Problems {
  return asText(part["text"]) === "" ? ["an instruction is text"] : [];
}

/** "responseMimeType is required", and one of the two schemas, by the SDK's comments on them. */
function configProblems(config: WireRecord): Problems {
  const { responseSchema, responseJsonSchema, responseMimeType } = config;
  const problems: string[] = [];
  if (isGiven(responseSchema) && isGiven(responseJsonSchema)) problems.push("two response schemas");
  if ((isGiven(responseSchema) || isGiven(responseJsonSchema)) && !isGiven(responseMimeType)) {
    problems.push("a response schema without responseMimeType");
  }
  return under("generationConfig", [
    ...problems,
    ...(isGiven(responseSchema) ? under(".responseSchema", openApiProblems(responseSchema)) : []),
    ...(isGiven(responseJsonSchema)
      ? under(".responseJsonSchema", jsonSchemaProblems(responseJsonSchema))
      : []),
  ]);
}

function partsOf(content: WireRecord | undefined): readonly WireRecord[] {
  return recordsOf(content?.["parts"]);
}

function callsOf(content: WireRecord | undefined): readonly WireRecord[] {
  return partsOf(content).flatMap(({ functionCall }) =>
    isRecord(functionCall) ? [functionCall] : [],
  );
}

function contentProblems(content: WireRecord, before: WireRecord | undefined): Problems {
  const { role } = content;
  const parts = partsOf(content);
  const problems: string[] = [];
  if (role !== "user" && role !== "model") problems.push(`the role ${shown(role)}`);
  if (before === undefined && role !== "user") problems.push("the first content is not the user's");
  if (before?.["role"] === role) problems.push("the role is repeated");
  if (parts.length === 0) problems.push("no parts");
  const wrongSide = role === "user" ? "functionCall" : "functionResponse";
  if (parts.some((part) => isGiven(part[wrongSide]))) {
    problems.push(`a ${wrongSide} in a content of role ${shown(role)}`);
  }
  return [
    ...problems,
    ...pairProblems(callsOf(before), parts),
    ...eachWith(".parts", parts, partProblems),
  ];
}

/** The responses stand first, and are those of the calls right before. */
function pairProblems(calls: readonly WireRecord[], parts: readonly WireRecord[]): Problems {
  const responses = parts.flatMap(({ functionResponse }) =>
    isRecord(functionResponse) ? [functionResponse] : [],
  );
  const problems: string[] = [];
  if (parts.slice(0, responses.length).some((part) => !isRecord(part["functionResponse"]))) {
    problems.push("a functionResponse after another part");
  }
  if (responses.length !== calls.length) {
    problems.push(`${responses.length} function responses to ${calls.length} calls`);
  }
  const open = [...calls];
  for (const response of responses) {
    const at = open.findIndex((call) => answers(response, call));
    if (at >= 0) open.splice(at, 1);
    else problems.push(`no call for the response ${shown(response["name"])}`);
  }
  return problems;
}

function answers(response: WireRecord, call: WireRecord): boolean {
  if (response["name"] !== call["name"]) return false;
  return isGiven(call["id"]) ? response["id"] === call["id"] : !isGiven(response["id"]);
}

/** The union field `data` of a part. */
const dataFields = [
  ...["text", "inlineData", "fileData", "functionCall", "functionResponse"],
  ...["executableCode", "codeExecutionResult", "toolCall", "toolResponse"],
] as const;

function partProblems(part: WireRecord): Problems {
  const fields = dataFields.filter((field) => isGiven(part[field]));
  const { text, thoughtSignature, inlineData, functionCall, functionResponse } = part;
  const problems: string[] = [];
  if (fields.length !== 1) problems.push(`${fields.length} fields of data: ${fields.join(", ")}`);
  // A stream may end with a signature on an empty text, which goes back as it came.
  if (text === "" && !isGiven(thoughtSignature)) problems.push("an empty text");
  if (isGiven(thoughtSignature) && !isBase64(thoughtSignature)) {
    problems.push(`the signature ${shown(thoughtSignature)} is no base64`);
  }
  const { data, mimeType } = asRecord(inlineData);
  if (isGiven(inlineData) && !isBase64(data)) problems.push("inlineData.data is no base64");
  if (isGiven(inlineData) && asText(mimeType) === "") problems.push("inlineData without mimeType");
  for (const named of [functionCall, functionResponse]) {
    if (isRecord(named)) problems.push(...geminiNameProblems(named["name"]));
  }
  if (isRecord(functionResponse)) problems.push(...responseProblems(functionResponse));
  return problems;
}

function responseProblems({ response, parts }: WireRecord): Problems {
  return [
    ...(isRecord(response) ? [] : ["functionResponse.response is no object"]),
    ...eachWith("functionResponse.parts", recordsOf(parts), ({ inlineData }) =>
      isGiven(inlineData) && !isBase64(asRecord(inlineData)["data"]) ? ["no base64"] : [],
    ),
  ];
}

/** With or without padding, of either alphabet: JSON for protocol buffers takes them all. */
function isBase64(value: unknown): boolean {
  const text = asText(value);
  return (
    text !== "" && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) && text.replace(/=+$/, "").length % 4 !== 1
  );
}

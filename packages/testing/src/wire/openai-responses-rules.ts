import { argumentsProblems, nameProblems } from "./openai-schema-rules.js";
import { formatProblems, toolProblems } from "./openai-tool-rules.js";
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
  type WireRecord,
} from "./wire-values.js";

/**
 * The rules of OpenAI's responses that their schema does not say, by
 * https://platform.openai.com/docs/api-reference/responses/create,
 * https://platform.openai.com/docs/guides/reasoning (keeping reasoning items in context),
 * https://platform.openai.com/docs/guides/conversation-state and the service's own error texts:
 *
 * - "No tool output found for function call ...", and "No tool call found for function call output
 *   with call_id ...". The outputs of a batch stand together, after the last of its calls.
 * - "Item 'rs_...' of type 'reasoning' was provided without its required following item."
 * - "Item with id 'rs_...' not found. Items are not persisted when `store` is set to false."
 * - "Invalid 'input[0].id': ... Expected an ID that begins with 'fc'" (`msg`, `rs`), of at most 64
 *   characters; "Duplicate item found with id ...".
 * - "Missing required parameter: 'model'", and one of `input`, `previous_response_id`, `prompt` and
 *   `conversation` has to be there.
 *
 * What a `previous_response_id`, a `conversation` or a reference to an item stands for is not seen here:
 * an output may belong to it.
 */
export function openaiResponsesProblems(body: unknown): Problems {
  if (!isRecord(body)) return [];
  const { input, previous_response_id, conversation } = body;
  const items = recordsOf(input);
  const held =
    isGiven(previous_response_id) ||
    isGiven(conversation) ||
    items.some((item) => typeOf(item) === "item_reference");
  const twice = isGiven(previous_response_id) && isGiven(conversation);
  const format = asRecord(asRecord(body["text"])["format"]);
  return [
    ...missingProblems(body),
    ...(twice ? ["previous_response_id: a conversation is given, too"] : []),
    ...(input === "" || (Array.isArray(input) && items.length === 0) ? ["input: empty"] : []),
    ...eachWith("input", items, (item) => itemProblems(item, body["store"] === false)),
    ...repeatedIds(items),
    ...pairProblems(items, held),
    ...reasoningProblems(items),
    ...approvalProblems(items, held),
    ...toolProblems(body, (tool) => (tool["type"] === "function" ? tool : undefined)),
    ...(format["type"] === "json_schema" ? formatProblems("text.format", format) : []),
  ];
}

/** Its schema requires nothing, since a stored prompt may bring all of it. */
function missingProblems(body: WireRecord): Problems {
  if (isGiven(body["prompt"])) return [];
  const said = ["input", "previous_response_id", "conversation"].some((from) =>
    isGiven(body[from]),
  );
  return [
    ...(isGiven(body["model"]) ? [] : ["model: missing"]),
    ...(said ? [] : ["input: missing"]),
  ];
}

/** What an id of each kind of item begins with. */
const idPrefixes: Readonly<Record<string, string>> = {
  message: "msg_",
  function_call: "fc_",
  reasoning: "rs_",
};

/** Kinds of calls that are answered from here, with the kinds of their answers. */
const outputs: Readonly<Record<string, string>> = {
  function_call: "function_call_output",
  custom_tool_call: "custom_tool_call_output",
  computer_call: "computer_call_output",
  apply_patch_call: "apply_patch_call_output",
};
const outputTypes: ReadonlySet<string> = new Set(Object.values(outputs));

function typeOf(item: WireRecord): string {
  const { type, role, id } = item;
  if (typeof type === "string") return type;
  if (typeof role === "string") return "message";
  return typeof id === "string" ? "item_reference" : "";
}

function itemProblems(item: WireRecord, unstored: boolean): Problems {
  const type = typeOf(item);
  const problems: string[] = [...idProblems(item, type)];
  if (type === "function_call") {
    problems.push(...callIdProblems(item), ...nameProblems(item["name"]));
    problems.push(...argumentsProblems(item["arguments"]));
  }
  if (outputTypes.has(type)) {
    problems.push(...callIdProblems(item));
    problems.push(...eachWith(".output", recordsOf(item["output"]), emptyPart));
  }
  if (type === "message") problems.push(...contentProblems(item["content"]));
  if (unstored && type === "item_reference") {
    problems.push("nothing can be referred to where nothing is stored");
  }
  if (unstored && type === "reasoning" && asText(item["encrypted_content"]) === "") {
    problems.push("reasoning that is not stored needs its encrypted_content");
  }
  return problems;
}

function idProblems({ id }: WireRecord, type: string): Problems {
  if (!isGiven(id)) return [];
  const prefix = idPrefixes[type] ?? "";
  const fits = asText(id).startsWith(prefix) && asText(id).length <= 64;
  return fits && id !== "" ? [] : [`the id ${shown(id)} of a ${type}`];
}

function callIdProblems({ call_id }: WireRecord): Problems {
  const length = asText(call_id).length;
  return length > 0 && length <= 64 ? [] : [`the call_id ${shown(call_id)}`];
}

function contentProblems(content: unknown): Problems {
  if (content === "" || (Array.isArray(content) && content.length === 0)) return ["no content"];
  return eachWith(".content", recordsOf(content), emptyPart);
}

function emptyPart({ text }: WireRecord): Problems {
  return text === "" ? ["an empty text"] : [];
}

function repeatedIds(items: readonly WireRecord[]): Problems {
  const ids = items.flatMap(({ id }) => (typeof id === "string" ? [id] : []));
  return repeated(ids).map((id) => `input: two items have the id ${shown(id)}`);
}

/** Items that end the turn of the model: nothing of its batch may be open then. */
function endsTurn(item: WireRecord): boolean {
  return typeOf(item) === "message" && item["role"] !== "assistant";
}

function pairProblems(items: readonly WireRecord[], held: boolean): Problems {
  const problems: string[] = [];
  const called = new Set<string>();
  const open = new Set<string>();
  let answering = false;
  const close = (at: number): void => {
    for (const key of open) problems.push(`input[${at}]: no output yet for the ${key}`);
    open.clear();
  };
  items.forEach((item, at) => {
    const type = typeOf(item);
    const key = (call: string): string => `${call} ${shown(item["call_id"])}`;
    if (outputTypes.has(type)) {
      answering = true;
      const own = key(type.slice(0, -"_output".length));
      const inside = open.delete(own);
      if (!inside && (!held || called.has(own))) problems.push(`input[${at}]: no ${own} is open`);
      called.add(own);
      return;
    }
    if (answering || endsTurn(item)) close(at);
    answering = false;
    if (outputs[type] === undefined) return;
    if (called.has(key(type))) problems.push(`input[${at}]: a second ${key(type)}`);
    called.add(key(type));
    open.add(key(type));
  });
  close(items.length);
  return problems;
}

/** What reasoning can lead to: what the model says, and every kind of call. */
function isModelItem(item: WireRecord): boolean {
  const type = typeOf(item);
  if (type === "message") return item["role"] === "assistant";
  return /_call$|^reasoning$|^mcp_approval_request$|^mcp_list_tools$|^item_reference$/.test(type);
}

/** Reasoning comes in rows; the last of a row stands before what it led to. */
function reasoningProblems(items: readonly WireRecord[]): Problems {
  return eachWith("input", items, (item, at) => {
    if (typeOf(item) !== "reasoning") return [];
    const next = items[at + 1];
    return next !== undefined && isModelItem(next)
      ? []
      : ["reasoning without the item that follows from it"];
  });
}

/** An approval is answered once, after it was asked for. */
function approvalProblems(items: readonly WireRecord[], held: boolean): Problems {
  const asked = new Set<unknown>();
  const answered = new Set<unknown>();
  return eachWith("input", items, (item) => {
    const type = typeOf(item);
    if (type === "mcp_approval_request") asked.add(item["id"]);
    if (type !== "mcp_approval_response") return [];
    const id = item["approval_request_id"];
    const problems: string[] = [];
    if (!held && !asked.has(id)) problems.push(`no request ${shown(id)} stands before`);
    if (answered.has(id)) problems.push(`a second answer to ${shown(id)}`);
    answered.add(id);
    return problems;
  });
}

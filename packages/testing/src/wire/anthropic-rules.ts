import { serverToolProblems } from "./anthropic-server-tool-rules.js";
import { anthropicToolProblems } from "./anthropic-tool-rules.js";
import {
  asRecord,
  asText,
  eachWith,
  entriesOf,
  isGiven,
  isRecord,
  type Problems,
  recordsOf,
  repeated,
  shown,
  under,
  type WireRecord,
} from "./wire-values.js";

/**
 * The rules of Anthropic's Messages API that its types do not say, by
 * https://platform.claude.com/docs/en/api/messages,
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls,
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking (and `prompt-caching`),
 * the comments in the types of `@anthropic-ai/sdk`, and the service's own error texts:
 *
 * - The user begins, roles alternate, no turn is empty; `system` stands apart.
 * - "`tool_use` ids were found without `tool_result` blocks immediately after": the calls of a turn are
 *   answered, each once, by the first blocks of the user message right after it. "`tool_use` ids must be
 *   unique", and match `^[a-zA-Z0-9_-]+$`.
 * - "all content must be type `text` if `is_error` is true".
 * - "text content blocks must contain non-whitespace text", and "final assistant content cannot end
 *   with trailing whitespace".
 * - "The final block in an assistant message cannot be `thinking`"; thinking is signed, stands before the
 *   calls that it led to, and where thinking is on, a turn with calls begins with it if it has any.
 * - "A maximum of 4 blocks with cache_control may be provided".
 */
export function anthropicProblems(body: unknown): Problems {
  if (!isRecord(body)) return [];
  const messages = recordsOf(body["messages"]);
  const last = messages.at(-1);
  const marks = cacheMarks(body);
  return [
    ...orderProblems(messages),
    ...(callsOf(last).length > 0 ? ["messages: the last calls have no results"] : []),
    ...eachWith("messages", messages, (message) => under(".content", blockProblems(message))),
    ...repeatedCalls(messages),
    ...serverToolProblems(messages.map(blocksWithRole)),
    ...prefillProblems(last),
    ...thinkingProblems(body, messages),
    ...under("system", eachWith("", recordsOf(body["system"]), textProblems)),
    ...(marks > 4 ? [`cache_control: ${marks} marks, where 4 are allowed`] : []),
    ...anthropicToolProblems(body),
  ];
}

function blocksOf(message: WireRecord | undefined): readonly WireRecord[] {
  const content = message?.["content"];
  return typeof content === "string" ? [{ type: "text", text: content }] : recordsOf(content);
}

function blocksWithRole(message: WireRecord) {
  return { role: message["role"], blocks: blocksOf(message) };
}

function callsOf(message: WireRecord | undefined): readonly WireRecord[] {
  return blocksOf(message).filter((block) => block["type"] === "tool_use");
}

function orderProblems(messages: readonly WireRecord[]): Problems {
  return eachWith("messages", messages, (message, at) => {
    const problems: string[] = [];
    const { role } = message;
    if (at === 0 && role !== "user") problems.push("the first is no user message");
    if (role === "system") problems.push("a system message");
    if (messages[at - 1]?.["role"] === role) problems.push("the role is repeated");
    if (blocksOf(message).length === 0) problems.push("no blocks");
    return [...problems, ...pairProblems(messages[at - 1], message)];
  });
}

function pairProblems(before: WireRecord | undefined, message: WireRecord): Problems {
  const open = new Set(callsOf(before).map((call) => call["id"]));
  const problems: string[] = [];
  for (const block of blocksOf(message)) {
    if (block["type"] !== "tool_result") continue;
    const id = block["tool_use_id"];
    if (!open.delete(id)) problems.push(`a result for ${shown(id)}, which is not open`);
  }
  return [...problems, ...Array.from(open, (id) => `no result for ${shown(id)}`)];
}

function repeatedCalls(messages: readonly WireRecord[]): Problems {
  const ids = messages.flatMap((message) => callsOf(message).map((call) => asText(call["id"])));
  return repeated(ids).map((id) => `messages: two calls have the id ${shown(id)}`);
}

function blockProblems(message: WireRecord): Problems {
  const blocks = blocksOf(message);
  const firstOther = blocks.findIndex((block) => block["type"] !== "tool_result");
  const lastResult = blocks.findLastIndex((block) => block["type"] === "tool_result");
  const late = firstOther >= 0 && lastResult > firstOther;
  const wrongSide = message["role"] === "user" ? "tool_use" : "tool_result";
  return [
    ...(late ? ["a result after another block"] : []),
    ...(blocks.some((block) => block["type"] === wrongSide)
      ? [`a ${wrongSide} in a message of role ${shown(message["role"])}`]
      : []),
    ...eachWith("", blocks, problemsOf),
  ];
}

function problemsOf(block: WireRecord): Problems {
  switch (block["type"]) {
    case "text":
      return textProblems(block);
    case "thinking":
      return asText(block["signature"]) === "" ? ["unsigned thinking"] : [];
    case "tool_use":
      return callProblems(block);
    case "tool_result":
      return resultProblems(block);
    default:
      return [];
  }
}

function textProblems({ text }: WireRecord): Problems {
  return typeof text === "string" && text.trim() === ""
    ? ["a text without a visible character"]
    : [];
}

function callProblems({ id, name, input }: WireRecord): Problems {
  return [
    ...(/^[a-zA-Z0-9_-]+$/.test(asText(id)) ? [] : [`the id ${shown(id)}`]),
    ...(/^[a-zA-Z0-9_-]{1,128}$/.test(asText(name)) ? [] : [`the name ${shown(name)}`]),
    ...(isRecord(input) ? [] : [`the input ${shown(input)} is no object`]),
  ];
}

function resultProblems({ content, is_error }: WireRecord): Problems {
  if (!isGiven(content) || content === "") return ["an empty result"];
  if (typeof content === "string") return textProblems({ text: content });
  const blocks = recordsOf(content);
  if (blocks.length === 0) return ["an empty result"];
  return under(
    ".content",
    eachWith("", blocks, (block) => [
      ...textProblems(block),
      ...(is_error === true && block["type"] !== "text" ? ["an error result holds text only"] : []),
    ]),
  );
}

/** A conversation that ends with the assistant has the model go on with that very text. */
function prefillProblems(last: WireRecord | undefined): Problems {
  if (last?.["role"] !== "assistant") return [];
  const text = asText(blocksOf(last).at(-1)?.["text"]);
  return text === text.trimEnd() ? [] : ["messages: the last text ends with whitespace"];
}

function thinkingProblems(body: WireRecord, messages: readonly WireRecord[]): Problems {
  const thinking = asRecord(body["thinking"]);
  const { type, budget_tokens } = thinking;
  const problems: string[] = [];
  if (typeof budget_tokens === "number") {
    if (budget_tokens < 1024) problems.push("thinking.budget_tokens: less than 1024");
    if (!(Number(body["max_tokens"]) > budget_tokens))
      problems.push("thinking.budget_tokens: max_tokens has to be more");
    const { type: choice } = asRecord(body["tool_choice"]);
    if (choice === "any" || choice === "tool")
      problems.push("tool_choice: with thinking, no tool can be forced");
  }
  const isOn = isGiven(type) && type !== "disabled";
  return [
    ...problems,
    ...eachWith("messages", messages, (message) =>
      message["role"] === "assistant" ? placeProblems(blocksOf(message), isOn) : [],
    ),
  ];
}

function placeProblems(blocks: readonly WireRecord[], isOn: boolean): Problems {
  const firstCall = blocks.findIndex((block) => block["type"] === "tool_use");
  const firstThought = blocks.findIndex(isThinking);
  const problems: string[] = [];
  const last = blocks.at(-1);
  if (last && isThinking(last)) problems.push("thinking is the last block");
  if (firstCall >= 0 && blocks.findLastIndex(isThinking) > firstCall)
    problems.push("thinking after a call");
  if (isOn && firstCall >= 0 && firstThought > 0)
    problems.push("thinking is on, and the turn does not begin with its thinking");
  return problems;
}

function isThinking({ type }: WireRecord): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

/** What is not the API's: schemas and arguments may have members of that name. */
const notOurs: ReadonlySet<string> = new Set(["input_schema", "input", "input_examples"]);

function cacheMarks(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + cacheMarks(each), 0);
  let marks = 0;
  for (const [member, each] of entriesOf(value)) {
    if (member === "cache_control") marks += isGiven(each) ? 1 : 0;
    else if (!notOurs.has(member)) marks += cacheMarks(each);
  }
  return marks;
}

import type Anthropic from "@anthropic-ai/sdk";

type Block = Anthropic.ContentBlockParam;

/**
 * The rules of the Messages API that its types do not say: the user begins, roles alternate, no turn
 * and no text is empty, and the calls of a turn are answered, each once, by the first blocks of the
 * user message right after it.
 */
export function orderProblems(messages: readonly Anthropic.MessageParam[]): readonly string[] {
  const problems: string[] = [];
  if (messages.length > 0 && messages[0]?.role !== "user")
    problems.push("the first is no user message");
  messages.forEach((message, at) => {
    const blocks = blocksOf(message);
    if (message.role === "system") problems.push(`${at}: a system message`);
    if (messages[at - 1]?.role === message.role) problems.push(`${at}: the role is repeated`);
    if (blocks.length === 0) problems.push(`${at}: no blocks`);
    for (const problem of blockProblems(blocks)) problems.push(`${at}: ${problem}`);
    for (const problem of pairProblems(blocksOf(messages[at - 1]), blocks))
      problems.push(`${at}: ${problem}`);
  });
  if (callsOf(blocksOf(messages.at(-1))).length > 0)
    problems.push("the last calls have no results");
  return problems;
}

function blockProblems(blocks: readonly Block[]): readonly string[] {
  const firstOther = blocks.findIndex((block) => block.type !== "tool_result");
  const lastResult = blocks.findLastIndex((block) => block.type === "tool_result");
  const late = firstOther >= 0 && lastResult > firstOther ? ["a result after another block"] : [];
  return [...late, ...blocks.flatMap(problemOf)];
}

function problemOf(block: Block): readonly string[] {
  switch (block.type) {
    case "text":
      return block.text.trim() === "" ? ["an empty text"] : [];
    case "thinking":
      return block.signature === "" ? ["unsigned thinking"] : [];
    case "tool_use":
      return /^[a-zA-Z0-9_-]+$/.test(block.id) ? [] : [`the id ${block.id}`];
    case "tool_result":
      return !block.content || block.content.length === 0 ? ["an empty result"] : [];
    default:
      return [];
  }
}

function pairProblems(before: readonly Block[], blocks: readonly Block[]): readonly string[] {
  const open = new Set(callsOf(before));
  const problems: string[] = [];
  for (const block of blocks) {
    if (block.type === "tool_result" && !open.delete(block.tool_use_id)) {
      problems.push(`a result for ${block.tool_use_id}, which is not open`);
    }
  }
  return [...problems, ...Array.from(open, (id) => `no result for ${id}`)];
}

function callsOf(blocks: readonly Block[]): readonly string[] {
  return blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
}

function blocksOf(message: Anthropic.MessageParam | undefined): readonly Block[] {
  if (message === undefined) return [];
  const { content } = message;
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

import type Anthropic from "@anthropic-ai/sdk";
import { unpairedBlocks } from "./server-tool-pairs.js";
import type { CallNote, WireTurn } from "./to-anthropic-blocks.js";
import type { Block, Notice } from "./wire-block.js";

/** Stands in where a conversation begins with the assistant, which Anthropic does not take. */
export const openingText = "(The conversation begins with the assistant.)";

/** Neighbours of one role. */
interface Group {
  readonly role: "user" | "assistant";
  readonly turns: readonly WireTurn[];
  /** Of an assistant: what is sent of it. */
  readonly blocks: readonly Block[];
}

/** Turns as messages. A turn that needs no neighbour and no change goes out as the object it is. */
export function joinTurns(turns: readonly WireTurn[], notice?: Notice): Anthropic.MessageParam[] {
  const groups = withoutUnpaired(grouped(turns.map(groupOf)), notice);
  const messages: Anthropic.MessageParam[] = [];
  let notes = noNotes;
  groups.forEach((group, at) => {
    if (group.role === "user") messages.push(userMessage(group.turns, notes));
    else {
      if (at === 0) messages.push({ role: "user", content: [{ type: "text", text: openingText }] });
      messages.push(assistantMessage(group, at === groups.length - 1));
      notes = notesOf(group.turns);
    }
  });
  return messages;
}

/** The blocks of a message of the model that ends a request: the model goes on with its very text. */
export function lastBlocks(blocks: readonly Block[]): readonly Block[] {
  const last = blocks.at(-1);
  if (last?.type !== "text") return blocks;
  const text = last.text.trimEnd();
  return text === last.text ? blocks : [...blocks.slice(0, -1), { ...last, text }];
}

function groupOf(turn: WireTurn): Group {
  const role = turn.role === "assistant" ? "assistant" : "user";
  return { role, turns: [turn], blocks: turn.blocks };
}

function grouped(groups: readonly Group[]): Group[] {
  const joined: Group[] = [];
  for (const group of groups) {
    const last = joined.at(-1);
    if (last?.role !== group.role) joined.push(group);
    else {
      const turns = [...last.turns, ...group.turns];
      joined[joined.length - 1] = {
        role: last.role,
        turns,
        blocks: [...last.blocks, ...group.blocks],
      };
    }
  }
  return joined;
}

const reported = new WeakSet<Block>();

/** What is left of the assistant's groups; one that nothing is left of is gone. */
function withoutUnpaired(groups: readonly Group[], notice?: Notice): readonly Group[] {
  const unpaired = unpairedBlocks(groups);
  for (const block of unpaired) {
    if (notice === undefined || reported.has(block)) continue;
    reported.add(block);
    notice(
      "content_left_out",
      `A block of type "${block.type}" has no counterpart in the conversation and was left out of the request.`,
    );
  }
  let gone = false;
  const kept = groups.flatMap((group): Group[] => {
    if (group.role === "user") return [group];
    const blocks = inOrder(group.blocks.filter((block) => !unpaired.has(block)));
    gone ||= blocks.length === 0;
    return blocks.length === 0 ? [] : [{ ...group, blocks }];
  });
  return gone ? grouped(kept) : kept;
}

/** Thinking must not be the last block of a turn, and stands before the calls that it led to. */
function inOrder(blocks: readonly Block[]): readonly Block[] {
  const end = blocks.findLastIndex((block) => !isThinking(block)) + 1;
  const kept = end === blocks.length ? blocks : blocks.slice(0, end);
  const firstCall = kept.findIndex(isCall);
  const lastThought = kept.findLastIndex(isThinking);
  if (firstCall < 0 || lastThought < firstCall) return kept;
  const before = kept.slice(0, lastThought + 1);
  const calls = before.filter(isCall);
  return [...before.filter((block) => !isCall(block)), ...calls, ...kept.slice(lastThought + 1)];
}

function assistantMessage({ turns, blocks }: Group, last: boolean): Anthropic.MessageParam {
  const content = last ? lastBlocks(blocks) : blocks;
  const [only, ...others] = turns;
  if (only && others.length === 0 && sameBlocks(content, only.blocks)) return only.param;
  return { role: "assistant", content: [...content] };
}

function sameBlocks(a: readonly Block[], b: readonly Block[]): boolean {
  return a.length === b.length && a.every((block, at) => block === b[at]);
}

function userMessage(turns: readonly WireTurn[], notes: WireTurn["notes"]): Anthropic.MessageParam {
  const [only, ...others] = turns;
  if (only && others.length === 0 && notes.size === 0) return only.param;
  const results = turns.flatMap((turn) => turn.results.map((result) => withNote(result, notes)));
  return { role: "user", content: [...results, ...turns.flatMap((turn) => turn.blocks)] };
}

const noNotes: WireTurn["notes"] = new Map();

function notesOf(turns: readonly WireTurn[]): WireTurn["notes"] {
  if (turns.every((turn) => turn.notes.size === 0)) return noNotes;
  return new Map(turns.flatMap((turn) => [...turn.notes]));
}

const noted = new WeakMap<Anthropic.ToolResultBlockParam, Anthropic.ToolResultBlockParam>();

function withNote(
  result: Anthropic.ToolResultBlockParam,
  notes: WireTurn["notes"],
): Anthropic.ToolResultBlockParam {
  const note = notes.get(result.tool_use_id);
  if (note === undefined) return result;
  let block = noted.get(result);
  if (block === undefined) {
    block = noteDown(result, note);
    noted.set(result, block);
  }
  return block;
}

/** The call could not carry text that is no JSON object, so its result says what the model wrote. */
function noteDown(
  result: Anthropic.ToolResultBlockParam,
  { written, toolset }: CallNote,
): Anthropic.ToolResultBlockParam {
  const content = Array.isArray(result.content) ? result.content : [];
  const told =
    !written || content.some((block) => block.type === "text" && block.text.includes(written));
  const text = `The arguments of the call were: ${written}`;
  return {
    ...result,
    ...(!told && { content: [...content, { type: "text" as const, text }] }),
    ...(toolset !== undefined && { toolset_name: toolset }),
  };
}

function isThinking({ type }: Block): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function isCall({ type }: Block): boolean {
  return type === "tool_use";
}

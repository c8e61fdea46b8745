import type {
  Content,
  ErrorContent,
  FunctionCallContent,
  JsonObject,
  JsonValue,
  TextContent,
  TextReasoningContent,
} from "@tunic/core";
import type {
  ResponseInputItem,
  ResponseOutputMessage,
  ResponseReasoningItem,
} from "openai/resources/responses/responses";
import { toWireName } from "../tool-names.js";
import { type ItemData, itemData, withoutForeignData } from "./item-data.js";
import { toCallId } from "./to-responses-content.js";

/** An item of an old answer before it is known whether it may bring its id. */
interface Draft {
  readonly data: ItemData;
  readonly reasoning?: boolean;
  /** Undefined where nothing of it can be sent. */
  build(withId: boolean): ResponseInputItem | undefined;
}

/** The service that old answers are given back to. */
export interface AnswerHome {
  /** Whether it knows items of stored answers by their ids. */
  readonly store: boolean;
  /** Its host, with its port: nobody else can read what it has encrypted. Default: whoever wrote it. */
  readonly origin?: string | undefined;
}

/**
 * What the model said, as the items it was. A reasoning item stands before the very item that followed
 * it, or is left out: the service refuses either of the two without the other.
 *
 */
export function toResponsesAnswer(
  contents: readonly Content[],
  { store, origin }: AnswerHome,
): { readonly items: readonly ResponseInputItem[]; readonly leftOut: readonly string[] } {
  const leftOut: string[] = [];
  const own = contents.map((content) => withoutForeignData(content, origin));
  const drafts = toDrafts(own, leftOut);
  const items: ResponseInputItem[] = [];
  let next: ItemData | undefined;
  // From the end, since what follows decides about reasoning.
  for (const [at, draft] of [...drafts.entries()].reverse()) {
    const { data } = draft;
    if (draft.reasoning) {
      if (next?.after !== data.itemId || !canBeRead(data, store)) continue;
    }
    const item = draft.build(mayHaveId(drafts, at, store));
    if (item === undefined) continue;
    items.unshift(item);
    next = data;
  }
  return { items, leftOut };
}

/** Without its encrypted content, reasoning is an id only, which means nothing but to who stored it. */
function canBeRead({ encryptedContent, responseId }: ItemData, store: boolean): boolean {
  return encryptedContent !== undefined || (store && responseId !== undefined);
}

/** An item that is known by its id is taken together with the reasoning that led to it only. */
function mayHaveId(drafts: readonly Draft[], at: number, store: boolean): boolean {
  const after = drafts[at]?.data.after;
  if (after === undefined) return true;
  const before = drafts[at - 1];
  return (
    before?.reasoning === true && before.data.itemId === after && canBeRead(before.data, store)
  );
}

type Said = TextContent | ErrorContent;

function toDrafts(contents: readonly Content[], leftOut: string[]): Draft[] {
  const drafts: Draft[] = [];
  for (let at = 0; at < contents.length; ) {
    const first = contents[at] as Content;
    // Neighbours of one item are one item again.
    let end = at + 1;
    while (end < contents.length && isSameItem(first, contents[end] as Content)) end++;
    const draft = toDraft(contents.slice(at, end), contents);
    if (draft === undefined && !notForTheModel(first)) leftOut.push(first.type);
    if (draft) drafts.push(draft);
    at = end;
  }
  return drafts;
}

function isSameItem(a: Content, b: Content): boolean {
  const both = isSaid(a) ? isSaid(b) : a.type === "text_reasoning" && b.type === a.type;
  return both && itemData(a).itemId === itemData(b).itemId;
}

function isSaid(content: Content): content is Said {
  return content.type === "text" || (content.type === "error" && content.code === "refusal");
}

/** @param group The contents of one item. @param all Those of the message, where its other parts are. */
function toDraft(group: readonly Content[], all: readonly Content[]): Draft | undefined {
  const [first] = group;
  if (first === undefined) return undefined;
  const data = itemData(first);
  if (isSaid(first)) {
    return { data, build: (withId) => message(group.filter(isSaid), data, withId) };
  }
  if (first.type === "text_reasoning") {
    if (data.itemId === undefined) return undefined;
    return { data: joined(group), reasoning: true, build: () => reasoning(group) };
  }
  if (first.type === "function_call") {
    if (first.informationalOnly) return undefined;
    return { data, build: (withId) => functionCall(first, data, withId) };
  }
  const { item } = data;
  if (item === undefined || !isReplayed(item)) return undefined;
  return { data, build: () => wireItem(withParts(item, data, all)) };
}

/** What all contents of an item remember of it. */
function joined(group: readonly Content[]): ItemData {
  return Object.assign({}, ...group.map(itemData)) as ItemData;
}

function message(
  said: readonly Said[],
  { itemId = "", phase }: ItemData,
  withId: boolean,
): ResponseInputItem | undefined {
  const visible = said.filter((each) => wordsOf(each) !== "");
  if (visible.length === 0) return undefined;
  const about = phaseOf(phase);
  if (withId && isIdOf("msg_", itemId)) {
    const content = visible.map(outputPart);
    return {
      type: "message",
      id: itemId,
      role: "assistant",
      status: "completed",
      content,
      ...about,
    };
  }
  // What has no id of the service's is told in the form that wants none.
  const content = visible.map(wordsOf).join("");
  return { type: "message", role: "assistant", content, ...about };
}

/** Models that tell commentary from the answer want to be told which was which. */
function phaseOf(phase: string | undefined): Pick<ResponseOutputMessage, "phase"> {
  return phase === "commentary" || phase === "final_answer" ? { phase } : {};
}

function wordsOf(said: Said): string {
  return said.type === "text" ? said.text : said.message;
}

function outputPart(said: Said): ResponseOutputMessage["content"][number] {
  if (said.type === "error") return { type: "refusal", refusal: said.message };
  const { annotations = [] } = itemData(said);
  // The service's own, which come back as they came.
  const cited = annotations as unknown as [];
  return { type: "output_text", text: said.text, annotations: [...cited], logprobs: [] };
}

function reasoning(group: readonly Content[]): ResponseReasoningItem {
  const { itemId = "", encryptedContent } = joined(group);
  const texts = (part: ItemData["part"]): string[] =>
    group
      .filter((each): each is TextReasoningContent => itemData(each).part === part)
      .flatMap(({ text }) => (text === "" ? [] : [text]));
  const content = texts("content").map((text) => ({ type: "reasoning_text" as const, text }));
  return {
    type: "reasoning",
    id: itemId,
    summary: texts("summary").map((text) => ({ type: "summary_text", text })),
    ...(content.length > 0 && { content }),
    ...(encryptedContent !== undefined && { encrypted_content: encryptedContent }),
  };
}

function functionCall(
  call: FunctionCallContent,
  { itemId = "" }: ItemData,
  withId: boolean,
): ResponseInputItem {
  const { namespace, caller } = call.providerData?.["openai"] ?? {};
  return wireItem({
    type: "function_call",
    ...(withId && isIdOf("fc_", itemId) && { id: itemId }),
    call_id: toCallId(call.callId),
    name: toWireName(call.name),
    // Arguments that did not parse go back as {}: what was wrong is told by the result.
    arguments: JSON.stringify(call.arguments ?? {}),
    ...(namespace !== undefined && { namespace }),
    ...(caller !== undefined && { caller }),
  });
}

function isIdOf(prefix: string, id: string): boolean {
  return id.startsWith(prefix) && id.length <= 64;
}

/** An item together with what other contents of the message hold of it: a result, a picture. */
function withParts(item: JsonObject, data: ItemData, all: readonly Content[]): JsonObject {
  const parts = all.filter((each) => {
    const { itemId, member } = itemData(each);
    return member !== undefined && itemId === data.itemId;
  });
  const members = parts.flatMap((part): [string, JsonValue][] => {
    const { member = "" } = itemData(part);
    if (part.type === "data") return [[member, part.data]];
    return part.type === "hosted_tool_result" ? [[member, part.output ?? null]] : [];
  });
  return { ...item, ...Object.fromEntries(members) };
}

/** Calls that somebody has to answer, and for which there is no answer here. */
const unanswered: ReadonlySet<string> = new Set([
  "computer_call",
  "local_shell_call",
  "apply_patch_call",
]);

function isReplayed({ type }: JsonObject): boolean {
  return typeof type === "string" && type !== "" && !unanswered.has(type);
}

/** Contents that are for the framework, for another service, or a part of another content's item. */
function notForTheModel(content: Content): boolean {
  if (itemData(content).member !== undefined) return true;
  return [
    "text_reasoning",
    "function_approval_request",
    "function_approval_response",
    "paused_call",
  ].includes(content.type);
}

/** What came from the service goes back as it came; its types need not be known here. */
function wireItem(item: JsonObject): ResponseInputItem {
  return item as unknown as ResponseInputItem;
}

import type { Content, FunctionCallContent, TextContent, TextReasoningContent } from "./content.js";
import type { JsonObject } from "./json.js";
import type { Message } from "./message.js";
import { parseArguments } from "./parse-arguments.js";
import type { DeltaUpdate, FinishUpdate } from "./update.js";

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };
type Flowing = TextContent | TextReasoningContent;

/** A content that may still grow. What was handed out (or came from outside) is copied first. */
interface Part<Kind extends Content = Content> {
  content: Kind;
  owned: boolean;
}

/** One message on its way in: takes deltas, gives snapshots that later deltas do not change. */
export class MessageDraft {
  finish: FinishUpdate | undefined;
  readonly #parts: Part[] = [];
  #calls: Map<string, Part<FunctionCallContent>> | undefined;
  #blocks: Map<string, Part<Flowing>> | undefined;
  readonly #head: Mutable<Message>;
  #snapshot: Message | undefined;

  constructor(first: DeltaUpdate) {
    this.#head = {
      id: first.messageId,
      role: first.role,
      contents: [],
      createdAt: first.createdAt ?? 0,
    };
  }

  add(delta: DeltaUpdate): void {
    this.#snapshot = undefined;
    if (delta.authorName !== undefined) this.#head.authorName = delta.authorName;
    if (delta.additionalProperties) {
      this.#head.additionalProperties = {
        ...this.#head.additionalProperties,
        ...delta.additionalProperties,
      };
    }
    for (const content of delta.contents) this.addContent(content);
  }

  addContent(content: Content): void {
    if (content.type === "text" || content.type === "text_reasoning") this.#addFlowing(content);
    else if (content.type === "function_call") this.#addCall(content);
    else this.#parts.push({ content, owned: false });
  }

  end(finish: FinishUpdate): void {
    this.#snapshot = undefined;
    this.finish = finish;
    // Only now is the text of arguments whole: parsing earlier would report errors that are none.
    if (this.#calls) for (const part of this.#calls.values()) finishCall(part);
  }

  message(): Message {
    if (this.#snapshot) return this.#snapshot;
    const contents = this.#parts.map((part) => {
      part.owned = false;
      return part.content;
    });
    this.#snapshot = { ...this.#head, contents };
    return this.#snapshot;
  }

  #addFlowing(content: Flowing): void {
    const part = this.#partFor(content);
    if (part === undefined) {
      const opened: Part<Flowing> = { content, owned: false };
      this.#parts.push(opened);
      if (content.id === undefined) return;
      this.#blocks ??= new Map();
      this.#blocks.set(blockKey(content), opened);
      return;
    }
    const text = own(part);
    text.text += content.text;
    mergeExtras(text, content);
  }

  /** Text of one id grows wherever its block stands; text without an id grows at the end only. */
  #partFor(content: Flowing): Part<Flowing> | undefined {
    if (content.id !== undefined) return this.#blocks?.get(blockKey(content));
    const last = this.#parts[this.#parts.length - 1];
    return last !== undefined && flowsInto(last.content, content)
      ? (last as Part<Flowing>)
      : undefined;
  }

  #addCall(content: FunctionCallContent): void {
    const part = this.#calls?.get(content.callId);
    if (part === undefined) {
      const opened: Part<FunctionCallContent> = { content, owned: false };
      this.#parts.push(opened);
      this.#calls ??= new Map();
      this.#calls.set(content.callId, opened);
      return;
    }
    const call = own(part);
    // Names come whole: the first one that is not empty stands.
    if (call.name === "" && content.name) call.name = content.name;
    if (content.arguments) {
      call.arguments = content.arguments;
      delete call.argumentsText;
    } else if (content.argumentsText && !call.arguments) {
      call.argumentsText = (call.argumentsText ?? "") + content.argumentsText;
    }
    if (content.parseError) call.parseError = content.parseError;
    mergeExtras(call, content);
  }
}

/**
 * Whether a content of a message continues an earlier one, as deltas would.
 *
 * @param last What stands before it.
 * @param blocks The blocks before it; its own is added.
 */
export function continues(next: Content, last: Content | undefined, blocks: Set<string>): boolean {
  if (next.type !== "text" && next.type !== "text_reasoning") return false;
  if (next.id === undefined) return last !== undefined && flowsInto(last, next);
  return blocks.size === blocks.add(blockKey(next)).size;
}

/** Whether text without an id continues what stands before it: same kind, nothing attached to either. */
function flowsInto(last: Content, next: Flowing): boolean {
  return last.type === next.type && last.id === undefined && isBare(last) && isBare(next);
}

function isBare(content: Content): boolean {
  return content.providerData === undefined && content.additionalProperties === undefined;
}

function blockKey(content: Flowing): string {
  return `${content.type} ${content.id}`;
}

function own<Kind extends Content>(part: Part<Kind>): Mutable<Kind> {
  if (!part.owned) {
    part.content = { ...part.content };
    part.owned = true;
  }
  return part.content;
}

function mergeExtras(target: Mutable<Content>, source: Content): void {
  if (source.additionalProperties) {
    target.additionalProperties = {
      ...target.additionalProperties,
      ...source.additionalProperties,
    };
  }
  if (!source.providerData) return;
  const merged: Record<string, JsonObject> = { ...target.providerData };
  for (const vendor of Object.keys(source.providerData)) {
    merged[vendor] = { ...merged[vendor], ...source.providerData[vendor] };
  }
  target.providerData = merged;
}

function finishCall(part: Part<FunctionCallContent>): void {
  const call = part.content;
  if (call.arguments !== undefined || call.parseError !== undefined) return;
  const { argumentsText, ...rest } = call;
  part.content = { ...rest, ...parseArguments(argumentsText ?? "") };
  part.owned = false;
}

import { type ChatResponse, endOf } from "../chat/chat-client.js";
import { PassedMessages, type UpdateSegment } from "../chat/update-segment.js";
import { ChatClientError } from "../errors/chat-client-error.js";
import type { Content } from "../messages/content.js";
import { UpdateFold } from "../messages/fold-updates.js";
import type { Message } from "../messages/message.js";
import { isControl } from "../messages/requests.js";
import { sameJson } from "../messages/same-json.js";
import { type DeltaUpdate, type FinishUpdate, type Update, updatesOf } from "../messages/update.js";
import {
  admitted,
  type CallIds,
  callIdFor,
  type Entrance,
  endRound,
  enterMessage,
  type SentMessage,
  withCallId,
} from "./enter-message.js";

import { ResponseAnswers } from "./response-answers.js";

type Emit = (update: Update) => void | Promise<void>;

/** How a message of this round is called in the log, and when it began. */
interface Opened {
  readonly id: string;
  readonly createdAt: number;
  /** Made with the first call. */
  callIds: CallIds | undefined;
}

/** Takes a response into the log's terms. Where a stream is watched, {@link StreamedRound} does. */
export function enterResponse(
  response: ChatResponse,
  entrance: Entrance,
  messageIds: Set<string>,
): readonly Message[] {
  return enterAll(response, entrance, messageIds, undefined);
}

/**
 * One model round trip with a consumer. It passes updates on under ids that are new to the log, and
 * in the end makes sure that what the consumer has folded is what the log gets, whatever the chat
 * client streamed.
 */
export class StreamedRound implements UpdateSegment {
  readonly #entrance: Entrance;
  readonly #messageIds: Set<string>;
  readonly #send: Emit;
  readonly #opened = new Map<string, Opened>();
  readonly #shown = new UpdateFold();
  readonly #finished = new Set<string>();
  readonly #passed = new PassedMessages();
  #lastSource: string | undefined;
  #lastOpened: Opened | undefined;
  #closed = false;
  #entered = false;

  /** @param messageIds ids of all messages in the log; those of this round are added at its end. */
  constructor(entrance: Entrance, messageIds: Set<string>, emit: Emit) {
    this.#entrance = entrance;
    this.#messageIds = messageIds;
    this.#send = emit;
  }

  /** Where the inside sends its updates. */
  readonly emit = (update: Update): void | Promise<void> => {
    // What an abandoned client still sends belongs to nobody.
    if (this.#closed) return;
    this.#passed.note(update);
    if (update.type === "delta") return this.#show(this.#relabelled(update));
    if (update.type === "finish") {
      const opened = this.#opened.get(update.messageId);
      return opened && this.#finish({ ...update, messageId: opened.id });
    }
    if (update.type === "retract") return this.#forget(update.messageIds);
    return this.#send(update);
  };

  mark(): number {
    return this.#passed.mark();
  }

  since(mark: number): readonly string[] {
    return this.#passed.since(mark);
  }

  /**
   * Takes the finished response in. What the consumer has not seen yet is sent, what it saw in vain
   * is taken back.
   */
  async end(response: ChatResponse): Promise<readonly Message[]> {
    this.#closed = true;
    const entered = enterAll(response, this.#entrance, this.#messageIds, this.#opened);
    await this.#reconcile(response, entered);
    this.#entered = true;
    return entered;
  }

  /** Takes nothing more in: what is still sent belongs to nobody. */
  close(): void {
    this.#closed = true;
  }

  /** Takes back what was streamed of an answer that never got whole. */
  async drop(): Promise<void> {
    if (this.#entered) return;
    this.close();
    await this.#retract(this.#shown.messages);
  }

  async #reconcile(response: ChatResponse, entered: readonly Message[]): Promise<void> {
    const end = endOf(response);
    const lastId = entered[entered.length - 1]?.id;
    for (const { id } of this.#shown.messages) {
      if (this.#finished.has(id)) continue;
      await this.#finish({ type: "finish", messageId: id, ...(id === lastId && end) });
    }
    const right = this.#rightlyShown(response, entered);
    if (right === entered.length && right === this.#shown.messages.length) return;
    await this.#retract(this.#shown.messages.slice(right));
    for (const message of entered.slice(right)) {
      for (const update of updatesOf(message, message.id === lastId ? end : {})) {
        await this.#show(update);
      }
    }
  }

  /** How many messages from the first on the consumer has just as the log gets them. */
  #rightlyShown(response: ChatResponse, entered: readonly Message[]): number {
    const shown = this.#shown.messages;
    const wrong = entered.findIndex((message, index) => !sameJson(message, shown[index]));
    const right = wrong < 0 ? entered.length : wrong;
    const whole = right === entered.length && right === shown.length;
    if (whole && sameJson(this.#shown.usage, response.usage)) return right;
    // What stays has told of tokens already: only a fresh start can tell of them once.
    return this.#shown.usage || whole ? 0 : right;
  }

  #show(update: Update): void | Promise<void> {
    this.#shown.add(update);
    return this.#send(update);
  }

  #finish(update: FinishUpdate): void | Promise<void> {
    this.#finished.add(update.messageId);
    return this.#show(update);
  }

  #forget(sources: readonly string[]): void | Promise<void> {
    const ids = new Set<string>();
    for (const source of sources) {
      const opened = this.#opened.get(source);
      if (opened) {
        ids.add(opened.id);
        this.#release(opened);
      }
      this.#opened.delete(source);
    }
    this.#lastSource = this.#lastOpened = undefined;
    return this.#retract(this.#shown.messages.filter((message) => ids.has(message.id)));
  }

  /** The calls of a message that is none any more: their ids may come again. */
  #release({ callIds }: Opened): void {
    if (callIds) for (const callId of callIds.values()) this.#entrance.used.delete(callId);
  }

  #retract(messages: readonly Message[]): void | Promise<void> {
    if (messages.length === 0) return;
    const messageIds = messages.map((message) => message.id);
    for (const id of messageIds) this.#finished.delete(id);
    return this.#show({ type: "retract", messageIds });
  }

  #relabelled(update: DeltaUpdate): DeltaUpdate {
    const same = update.messageId === this.#lastSource;
    const known = same ? this.#lastOpened : this.#opened.get(update.messageId);
    const opened = known ?? this.#open(update);
    this.#lastSource = update.messageId;
    this.#lastOpened = opened;
    const contents = this.#relabelledContents(update.contents, opened);
    if (known && opened.id === update.messageId && contents === update.contents) return update;
    const begin = !known && { createdAt: opened.createdAt };
    return { ...update, messageId: opened.id, contents, ...begin };
  }

  #relabelledContents(contents: readonly Content[], opened: Opened): readonly Content[] {
    let renamed: Content[] | undefined;
    let controls = false;
    for (let index = 0; index < contents.length; index++) {
      const content = contents[index];
      if (content?.type !== "function_call") {
        controls ||= content !== undefined && isControl(content);
        continue;
      }
      opened.callIds ??= new Map();
      const callId = callIdFor(content.callId, opened.callIds, this.#entrance);
      if (callId === content.callId) continue;
      renamed ??= [...contents];
      renamed[index] = withCallId(content, callId, this.#entrance.provider);
    }
    const relabelled = renamed ?? contents;
    if (!controls) return relabelled;
    return relabelled.flatMap((content) => admitted(content, this.#entrance.provider));
  }

  #open(update: DeltaUpdate): Opened {
    const opened = {
      id: newMessageId(update.messageId, this.#entrance, this.#messageIds),
      createdAt: update.createdAt ?? this.#entrance.run.now(),
      callIds: undefined,
    };
    this.#opened.set(update.messageId, opened);
    return opened;
  }
}

function enterAll(
  response: ChatResponse,
  entrance: Entrance,
  messageIds: Set<string>,
  opened: ReadonlyMap<string, Opened> | undefined,
): readonly Message[] {
  checkResponse(response);
  // An answer of nothing is an empty message: it has a usage and a reason to end, too.
  const given: readonly SentMessage[] =
    response.messages.length > 0 ? response.messages : [nothing];
  const place = { entrance, messageIds, opened, taken: new Set<Opened>() };
  const [only] = given;
  const entered =
    given.length === 1 && only ? [enterOnly(only, place)] : enterSeveral(given, place);
  endRound(entrance);
  return entered;
}

/** Where a response enters. */
interface Place {
  readonly entrance: Entrance;
  readonly messageIds: Set<string>;
  readonly opened: ReadonlyMap<string, Opened> | undefined;
  /** Streams that a message has been found for. */
  readonly taken: Set<Opened>;
}

/** The usual response: one message. It answers nothing, so results in it have no place. */
function enterOnly(message: SentMessage, place: Place): Message {
  checkMessage(message);
  if (!message.contents.some((content) => content.type === "function_result")) {
    return enterOne(message, place);
  }
  const contents = new ResponseAnswers(place.entrance).fit(message.contents);
  return enterOne({ ...message, contents }, place);
}

function enterSeveral(given: readonly SentMessage[], place: Place): readonly Message[] {
  const answers = new ResponseAnswers(place.entrance);
  return given.flatMap((returned): Message[] => {
    checkMessage(returned);
    const contents = answers.fit(returned.contents);
    if (contents.length === 0 && returned.contents.length > 0) return [];
    const message = contents === returned.contents ? returned : { ...returned, contents };
    const entered = enterOne(message, place);
    answers.called(message, entered.contents);
    return [entered];
  });
}

function enterOne(message: SentMessage, { entrance, messageIds, opened, taken }: Place): Message {
  const source = message.id ?? "";
  // One stream is one message: a second message under its id is another one.
  const stream = opened?.get(source);
  const begun = stream && !taken.has(stream) ? stream : undefined;
  if (begun) taken.add(begun);
  const id = begun?.id ?? newMessageId(source, entrance, messageIds);
  const createdAt = begun?.createdAt ?? message.createdAt ?? entrance.run.now();
  return enterMessage(message, entrance, id, createdAt, begun?.callIds);
}

/** Who may speak in an answer: a model that could speak as the system would give itself orders. */
const roles: ReadonlySet<unknown> = new Set<Message["role"]>(["user", "assistant", "tool"]);

function checkMessage(message: SentMessage): void {
  if (!Array.isArray(message?.contents)) throw malformed("a message without contents");
  if (message.role !== "assistant" && !roles.has(message.role))
    throw malformed('a message that is not of the role "assistant"');
  for (const content of message.contents as readonly Content[]) {
    if (typeof content?.type !== "string") throw malformed("a content without a type");
    if (content.type !== "function_call") continue;
    if (typeof content.callId === "string" && typeof content.name === "string") continue;
    throw malformed("a function_call without `callId` and `name`");
  }
}

/** An id that no other message of the log has, noted as taken. */
function newMessageId(source: string, entrance: Entrance, messageIds: Set<string>): string {
  const before = messageIds.size;
  // One look instead of two: the set grows exactly when the id is new.
  if (source !== "" && messageIds.add(source).size > before) return source;
  const id = entrance.run.newId("message");
  messageIds.add(id);
  return id;
}

/** @throws ChatClientError `malformed_response` when what a client returned is no response. */
export function checkResponse(response: ChatResponse): ChatResponse {
  if (!Array.isArray(response?.messages)) throw malformed("no messages. Return { messages }");
  return response;
}

function malformed(what: string): ChatClientError {
  return new ChatClientError("malformed_response", `The chat client returned ${what}.`);
}

const nothing: SentMessage = { role: "assistant", contents: [] };

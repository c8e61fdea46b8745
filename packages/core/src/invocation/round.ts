import type { ChatResponse } from "../chat/chat-client.js";
import { ChatClientError } from "../errors/chat-client-error.js";
import type { Content } from "../messages/content.js";
import type { Message } from "../messages/message.js";
import { type DeltaUpdate, type Update, updatesOf } from "../messages/update.js";
import {
  type Entrance,
  enterMessage,
  RoundCallIds,
  type SentMessage,
  withCallId,
} from "./enter-message.js";

type Emit = (update: Update) => void | Promise<void>;

/** How a message of this round is called in the log, and when it began. */
interface Opened {
  readonly id: string;
  readonly createdAt: number;
}

/** A message on its way in, with the id under which its client knows it. */
interface Arrival {
  readonly source: string;
  readonly message: Message;
  readonly reissued: boolean;
}

/** Takes a response into the log's terms. Where a stream is watched, {@link StreamedRound} does. */
export function enterResponse(
  response: ChatResponse,
  entrance: Entrance,
  messageIds: Set<string>,
): readonly Message[] {
  return arrivals(response, entrance, messageIds, undefined).map((each) => each.message);
}

/**
 * One model round trip with a consumer. It passes updates on under ids that are new to the log, and
 * in the end makes sure that what the consumer has folded is what the log gets, whatever the chat
 * client streamed.
 */
export class StreamedRound {
  readonly #entrance: Entrance;
  readonly #messageIds: Set<string>;
  readonly #emit: Emit;
  readonly #opened = new Map<string, Opened>();
  readonly #finished = new Set<string>();
  #lastSource: string | undefined;
  #lastOpened: Opened | undefined;
  #closed = false;
  #entered = false;

  /** @param messageIds ids of all messages in the log; those of this round are added at its end. */
  constructor(entrance: Entrance, messageIds: Set<string>, emit: Emit) {
    this.#entrance = entrance;
    this.#messageIds = messageIds;
    this.#emit = emit;
  }

  /** What the chat client gets as `onUpdate`. */
  readonly receive = (update: Update): void | Promise<void> => {
    // What an abandoned client still sends belongs to nobody.
    if (this.#closed) return;
    if (update.type === "delta") return this.#emit(this.#relabelled(update));
    if (update.type === "finish") {
      const opened = this.#opened.get(update.messageId);
      if (opened === undefined) return;
      this.#finished.add(update.messageId);
      return this.#emit(
        opened.id === update.messageId ? update : { ...update, messageId: opened.id },
      );
    }
    if (update.type === "retract") return this.#retract(update.messageIds);
    return this.#emit(update);
  };

  /**
   * Takes the finished response in. What the consumer has not seen yet is sent, what it saw in vain
   * is taken back.
   */
  async end(response: ChatResponse): Promise<readonly Message[]> {
    this.#closed = true;
    const entered = arrivals(response, this.#entrance, this.#messageIds, this.#opened);
    await this.#reconcile(response, entered);
    this.#entered = true;
    return entered.map((each) => each.message);
  }

  /** Takes back what was streamed of an answer that never got whole. */
  async drop(): Promise<void> {
    if (this.#entered) return;
    this.#closed = true;
    await this.#retract([...this.#opened.keys()]);
  }

  async #reconcile(response: ChatResponse, entered: readonly Arrival[]): Promise<void> {
    const kept = new Set(entered.filter((each) => !each.reissued).map((each) => each.source));
    await this.#retract([...this.#opened.keys()].filter((source) => !kept.has(source)));
    for (const [index, { source, message }] of entered.entries()) {
      const last = index === entered.length - 1;
      const { finishReason, usage, responseId } = response;
      const end = {
        ...(last && finishReason !== undefined && { finishReason }),
        ...(last && usage && { usage }),
        ...(last && responseId !== undefined && { responseId }),
      };
      if (!this.#opened.has(source)) {
        for (const update of updatesOf(message, end)) await this.#emit(update);
      } else if (!this.#finished.has(source)) {
        await this.#emit({ type: "finish", messageId: message.id, ...end });
      }
    }
  }

  #relabelled(update: DeltaUpdate): DeltaUpdate {
    const same = update.messageId === this.#lastSource;
    const known = same ? this.#lastOpened : this.#opened.get(update.messageId);
    const opened = known ?? this.#open(update);
    this.#lastSource = update.messageId;
    this.#lastOpened = opened;
    const contents = this.#relabelledContents(update.contents);
    if (known && opened.id === update.messageId && contents === update.contents) return update;
    const begin = !known && { createdAt: opened.createdAt };
    return { ...update, messageId: opened.id, contents, ...begin };
  }

  #relabelledContents(contents: readonly Content[]): readonly Content[] {
    let renamed: Content[] | undefined;
    for (let index = 0; index < contents.length; index++) {
      const content = contents[index];
      if (content?.type !== "function_call") continue;
      this.#entrance.round ??= new RoundCallIds(this.#entrance);
      const callId = this.#entrance.round.idFor(content.callId);
      if (callId === content.callId) continue;
      renamed ??= [...contents];
      renamed[index] = withCallId(content, callId, this.#entrance.provider);
    }
    return renamed ?? contents;
  }

  #open(update: DeltaUpdate): Opened {
    const opened = {
      id: newMessageId(update.messageId, this.#entrance, this.#messageIds),
      createdAt: update.createdAt ?? this.#entrance.run.now(),
    };
    this.#opened.set(update.messageId, opened);
    return opened;
  }

  #retract(sources: readonly string[]): void | Promise<void> {
    const messageIds: string[] = [];
    for (const source of sources) {
      const opened = this.#opened.get(source);
      if (opened === undefined) continue;
      this.#opened.delete(source);
      this.#finished.delete(source);
      messageIds.push(opened.id);
    }
    this.#lastSource = this.#lastOpened = undefined;
    if (messageIds.length > 0) return this.#emit({ type: "retract", messageIds });
  }
}

function arrivals(
  response: ChatResponse,
  entrance: Entrance,
  messageIds: Set<string>,
  opened: ReadonlyMap<string, Opened> | undefined,
): readonly Arrival[] {
  if (!Array.isArray(response?.messages)) throw malformed("no messages. Return { messages }");
  // An answer of nothing is an empty message: it has a usage and a reason to end, too.
  const given: readonly SentMessage[] =
    response.messages.length > 0 ? response.messages : [nothing];
  return given.map((message) => {
    if (!Array.isArray(message?.contents)) throw malformed("a message without contents");
    const source = message.id ?? "";
    const begun = opened?.get(source);
    const id = begun?.id ?? newMessageId(source, entrance, messageIds);
    const createdAt = begun?.createdAt ?? message.createdAt ?? entrance.run.now();
    messageIds.add(id);
    const entered = enterMessage(message, entrance, id, createdAt);
    return { source, message: entered.message, reissued: entered.reissued };
  });
}

function newMessageId(source: string, entrance: Entrance, messageIds: Set<string>): string {
  return source === "" || messageIds.has(source) ? entrance.run.newId("message") : source;
}

function malformed(what: string): ChatClientError {
  return new ChatClientError("malformed_response", `The chat client returned ${what}.`);
}

const nothing: SentMessage = { role: "assistant", contents: [] };

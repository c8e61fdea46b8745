import type { ChatResponse } from "../chat/chat-client.js";
import { ChatClientError } from "../errors/chat-client-error.js";
import type { Content } from "../messages/content.js";
import type { Message } from "../messages/message.js";
import { type DeltaUpdate, type Update, updatesOf } from "../messages/update.js";
import { type Entrance, enterMessage, renamedCallId, type SentMessage } from "./enter-message.js";

/** How a message of this round is called in the log, and when it began. */
interface Opened {
  readonly id: string;
  readonly createdAt: number;
}

/**
 * One model round trip on its way into the log. It passes updates on under ids that are new to the
 * log, and in the end makes sure that what the consumer has folded is what the log gets, whatever
 * the chat client streamed.
 */
export class Round {
  readonly #entrance: Entrance;
  readonly #messageIds: Set<string>;
  readonly #emit: ((update: Update) => void | Promise<void>) | undefined;
  readonly #opened = new Map<string, Opened>();
  readonly #finished = new Set<string>();
  #lastSource: string | undefined;
  #lastOpened: Opened | undefined;
  #closed = false;
  #entered = false;

  /** @param messageIds ids of all messages in the log; those of this round are added at its end. */
  constructor(
    entrance: Entrance,
    messageIds: Set<string>,
    emit: ((update: Update) => void | Promise<void>) | undefined,
  ) {
    this.#entrance = entrance;
    this.#messageIds = messageIds;
    this.#emit = emit;
  }

  /** What the chat client gets as `onUpdate`. */
  readonly receive = (update: Update): void | Promise<void> => {
    // What an abandoned client still sends belongs to nobody.
    if (this.#closed || this.#emit === undefined) return;
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

  /** Takes the finished response in. What the consumer has not seen yet is sent, what it saw in vain is taken back. */
  async end(response: ChatResponse): Promise<readonly Message[]> {
    this.#closed = true;
    if (!Array.isArray(response?.messages)) {
      throw new ChatClientError(
        "malformed_response",
        "The chat client returned no messages. Return { messages }.",
      );
    }
    // An answer of nothing is an empty message: it has a usage and a reason to end, too.
    const given: readonly SentMessage[] = response.messages.length > 0 ? response.messages : [nothing];
    const entered = given.map((message) => this.#enter(message));
    if (this.#emit) await this.#reconcile(response, entered);
    const messages = entered.map((each) => each.message);
    for (const message of messages) this.#messageIds.add(message.id);
    this.#entered = true;
    return messages;
  }

  /** Takes back what was streamed of an answer that never got whole. */
  async drop(): Promise<void> {
    if (this.#entered) return;
    this.#closed = true;
    await this.#retract([...this.#opened.keys()]);
  }

  #enter(message: SentMessage): { source: string; message: Message; reissued: boolean } {
    if (!Array.isArray(message?.contents)) {
      throw new ChatClientError(
        "malformed_response",
        "The chat client returned a message without contents.",
      );
    }
    const source = message.id ?? "";
    const opened = this.#opened.get(source);
    const id = opened?.id ?? this.#newMessageId(source);
    const createdAt = opened?.createdAt ?? message.createdAt ?? this.#entrance.run.now();
    return { source, ...enterMessage(message, this.#entrance, id, createdAt) };
  }

  async #reconcile(
    response: ChatResponse,
    entered: readonly { source: string; message: Message; reissued: boolean }[],
  ): Promise<void> {
    const kept = new Set(entered.filter((each) => !each.reissued).map((each) => each.source));
    const vain = [...this.#opened.keys()].filter((source) => !kept.has(source));
    await this.#retract(vain);
    for (const [index, { source, message }] of entered.entries()) {
      const last = index === entered.length - 1;
      const { finishReason, usage, responseId } = response;
      const end = {
        ...(last && finishReason !== undefined && { finishReason }),
        ...(last && usage && { usage }),
        ...(last && responseId !== undefined && { responseId }),
      };
      if (!this.#opened.has(source)) {
        for (const update of updatesOf(message, end)) await this.#emit?.(update);
      } else if (!this.#finished.has(source)) {
        await this.#emit?.({ type: "finish", messageId: message.id, ...end });
      }
    }
  }

  #relabelled(update: DeltaUpdate): DeltaUpdate {
    const known =
      update.messageId === this.#lastSource ? this.#lastOpened : this.#opened.get(update.messageId);
    const opened = known ?? this.#open(update);
    this.#lastSource = update.messageId;
    this.#lastOpened = opened;
    const contents = this.#relabelledContents(update.contents);
    if (known && opened.id === update.messageId && contents === update.contents) return update;
    return {
      ...update,
      messageId: opened.id,
      contents,
      ...(!known && { createdAt: opened.createdAt }),
    };
  }

  #relabelledContents(contents: readonly Content[]): readonly Content[] {
    let renamed: Content[] | undefined;
    for (let index = 0; index < contents.length; index++) {
      const content = contents[index];
      if (content?.type !== "function_call") continue;
      const callId = renamedCallId(content.callId, this.#entrance);
      if (callId === undefined) continue;
      renamed ??= [...contents];
      const data = { ...content.providerData?.[this.#entrance.provider], callId: content.callId };
      const providerData = { ...content.providerData, [this.#entrance.provider]: data };
      renamed[index] = { ...content, callId, providerData };
    }
    return renamed ?? contents;
  }

  #open(update: DeltaUpdate): Opened {
    const opened = {
      id: this.#newMessageId(update.messageId),
      createdAt: update.createdAt ?? this.#entrance.run.now(),
    };
    this.#opened.set(update.messageId, opened);
    return opened;
  }

  #newMessageId(source: string): string {
    const free = source !== "" && !this.#messageIds.has(source);
    return free ? source : this.#entrance.run.newId("message");
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
    if (messageIds.length > 0) return this.#emit?.({ type: "retract", messageIds });
  }
}

const nothing: SentMessage = { role: "assistant", contents: [] };

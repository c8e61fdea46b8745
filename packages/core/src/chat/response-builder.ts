import type { Content } from "../messages/content.js";
import { defined } from "../messages/defined.js";
import { UpdateFold } from "../messages/fold-updates.js";
import type { Message } from "../messages/message.js";
import type { FinishUpdate, Update } from "../messages/update.js";
import { Run } from "../run/run.js";
import type { RunContext } from "../run/run-context.js";
import type { ChatRequest, ChatResponse } from "./chat-client.js";

/** What is known about an answer when it is complete. */
export type ResponseEnd = MaybeUndefined<
  Omit<FinishUpdate, "type" | "messageId"> &
    Pick<ChatResponse, "conversationId" | "model" | "metadata" | "rawFinishReason">
>;

/** A member that is written down as undefined is as good as absent. */
type MaybeUndefined<Options> = { [Name in keyof Options]: Options[Name] | undefined };

/**
 * Puts an answer together for whoever implements a chat client: the same calls serve a streamed
 * and a whole answer, and what was streamed is the response by construction.
 */
export class ResponseBuilder {
  readonly messageId: string;
  readonly #run: RunContext;
  readonly #onUpdate: ChatRequest["onUpdate"];
  readonly #fold = new UpdateFold();
  readonly #callIds = new Set<string>();
  #begun = false;

  constructor(request: ChatRequest) {
    this.#run = request.run ?? new Run();
    this.#onUpdate = request.onUpdate;
    this.messageId = this.#run.newId("message");
  }

  /** What has come in so far. The text of arguments is read only when the answer is finished. */
  get message(): Message {
    const [message] = this.#fold.messages;
    return message ?? { id: this.messageId, role: "assistant", contents: [], createdAt: 0 };
  }

  /**
   * The id for a call that begins: the vendor's own, or a new one where that is empty or was used
   * in this answer before.
   */
  callId(vendorId?: string | null): string {
    const callId = vendorId && !this.#callIds.has(vendorId) ? vendorId : this.#run.newId("call");
    this.#callIds.add(callId);
    return callId;
  }

  /** Adds contents; text and argument text grow as a `delta` says. Await what it returns. */
  add(...contents: readonly Content[]): void | Promise<void> {
    const first = !this.#begun;
    this.#begun = true;
    return this.#send({
      type: "delta",
      messageId: this.messageId,
      role: "assistant",
      contents,
      ...(first && { createdAt: this.#run.now() }),
    });
  }

  /** Ends the answer. An answer without any content is an empty message, not none. */
  async finish(end: ResponseEnd = {}): Promise<ChatResponse> {
    if (!this.#begun) await this.add();
    const { conversationId, model, metadata, rawFinishReason, ...finish } = defined(end);
    await this.#send({ type: "finish", messageId: this.messageId, ...finish });
    return {
      messages: this.#fold.messages,
      ...finish,
      ...(conversationId !== undefined && { conversationId }),
      ...(model !== undefined && { model }),
      ...(metadata && { metadata }),
      ...(rawFinishReason !== undefined && { rawFinishReason }),
    };
  }

  #send(update: Update): void | Promise<void> {
    this.#fold.add(update);
    return this.#onUpdate?.(update);
  }
}

import type { Message } from "./message.js";
import { MessageDraft } from "./message-draft.js";
import type { FinishReason, FinishUpdate, Update } from "./update.js";
import { addUsage, type Usage } from "./usage.js";

/**
 * Reads a stream of updates: what it has folded is the response, always. Each getter gives a
 * snapshot that later updates do not change.
 */
export class UpdateFold {
  readonly #drafts = new Map<string, MessageDraft>();
  #last: MessageDraft | undefined;
  #lastId: string | undefined;

  /** Takes the next update. `progress` is for showing and leaves no trace. */
  add(update: Update): void {
    if (update.type === "delta") {
      let draft = this.#lastId === update.messageId ? this.#last : undefined;
      draft ??= this.#drafts.get(update.messageId);
      if (draft === undefined) {
        draft = new MessageDraft(update);
        this.#drafts.set(update.messageId, draft);
      }
      this.#last = draft;
      this.#lastId = update.messageId;
      draft.add(update);
    } else if (update.type === "finish") {
      this.#drafts.get(update.messageId)?.end(update);
    } else if (update.type === "retract") {
      for (const id of update.messageIds) this.#drafts.delete(id);
      this.#last = this.#lastId = undefined;
    }
  }

  /** The messages so far, in the order in which they began. */
  get messages(): readonly Message[] {
    return Array.from(this.#drafts.values(), (draft) => draft.message());
  }

  /** The sum over all finished messages. */
  get usage(): Usage | undefined {
    let usage: Usage | undefined;
    for (const draft of this.#drafts.values()) usage = addUsage(usage, draft.finish?.usage);
    return usage;
  }

  /** Why the last finished message ended. */
  get finishReason(): FinishReason | undefined {
    return this.#lastFinish()?.finishReason;
  }

  /** The service's id of the last finished message. */
  get responseId(): string | undefined {
    return this.#lastFinish()?.responseId;
  }

  #lastFinish(): FinishUpdate | undefined {
    let finish: FinishUpdate | undefined;
    for (const draft of this.#drafts.values()) finish = draft.finish ?? finish;
    return finish;
  }
}

/** A new, empty {@link UpdateFold}; updates given are added to it. */
export function foldUpdates(updates: Iterable<Update> = []): UpdateFold {
  const fold = new UpdateFold();
  for (const update of updates) fold.add(update);
  return fold;
}

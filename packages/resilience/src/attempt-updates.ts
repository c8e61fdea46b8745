import type { ChatRequest, Update } from "@tunic/core";

/** What one attempt streams on its way to the consumer. */
export interface AttemptUpdates {
  /** Where the client sends its updates; absent where nobody streams. */
  readonly onUpdate: ChatRequest["onUpdate"];
  /** Whether the consumer has a message of this attempt. */
  readonly shown: boolean;
  /** The attempt is over: what still comes belongs to nobody. */
  close(): void;
  /** Takes back what the consumer has of this attempt. */
  takeBack(): void | Promise<void>;
}

/** Remembers which messages pass: a constant and small work for each update. */
export function attemptUpdates(onUpdate: ChatRequest["onUpdate"]): AttemptUpdates {
  const begun = new Set<string>();
  let closed = false;
  let last: string | undefined;
  const note = (update: Update): void => {
    if (update.type === "delta") {
      if (update.messageId === last) return;
      last = update.messageId;
      begun.add(last);
    } else if (update.type === "retract") {
      for (const id of update.messageIds) begun.delete(id);
      last = undefined;
    }
  };
  return {
    onUpdate:
      onUpdate &&
      ((update) => {
        if (closed) return;
        note(update);
        return onUpdate(update);
      }),
    get shown() {
      return begun.size > 0;
    },
    close() {
      closed = true;
    },
    takeBack() {
      if (begun.size > 0) return onUpdate?.({ type: "retract", messageIds: [...begun] });
    },
  };
}

import type { Update } from "../messages/update.js";

/** A stretch of the way that updates take outwards, which knows what has passed it. */
export interface UpdateSegment {
  /** Sends an update outwards. A promise it returns is back-pressure. */
  readonly emit: (update: Update) => void | Promise<void>;
  /** A point in time, for {@link since}. */
  mark(): number;
  /** The messages that began to pass after a mark and were not taken back. */
  since(mark: number): readonly string[];
}

/** Remembers which messages pass: a constant and small work for each delta. */
export class PassedMessages {
  readonly #begun = new Map<string, number>();
  #count = 0;
  #last: string | undefined;

  note(update: Update): void {
    if (update.type === "delta") {
      if (update.messageId === this.#last) return;
      this.#last = update.messageId;
      if (!this.#begun.has(update.messageId)) this.#begun.set(update.messageId, this.#count++);
    } else if (update.type === "retract") {
      for (const id of update.messageIds) this.#begun.delete(id);
      this.#last = undefined;
    }
  }

  mark(): number {
    return this.#count;
  }

  since(mark: number): readonly string[] {
    return [...this.#begun].filter(([, begun]) => begun >= mark).map(([id]) => id);
  }
}

/** A segment that sends everything on to another one. */
export function openSegment(send: (update: Update) => void | Promise<void>): UpdateSegment {
  const passed = new PassedMessages();
  return {
    emit(update) {
      passed.note(update);
      return send(update);
    },
    mark: () => passed.mark(),
    since: (mark) => passed.since(mark),
  };
}

/** Closed once the bound has fired: what still comes from the inside is dropped. */
export function untilAborted(segment: UpdateSegment, signal: AbortSignal): UpdateSegment {
  return openSegment((update) => (signal.aborted ? undefined : segment.emit(update)));
}

/** Takes back what has passed a segment since a mark. */
export function takeBack(passage: {
  readonly segment: UpdateSegment | undefined;
  readonly mark: number;
}): void | Promise<void> {
  const messageIds = passage.segment?.since(passage.mark) ?? [];
  if (messageIds.length > 0) return passage.segment?.emit({ type: "retract", messageIds });
}

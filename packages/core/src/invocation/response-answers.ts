import type { Content } from "../messages/content.js";
import type { Entrance, SentMessage } from "./enter-message.js";

/**
 * Results inside a response: a chat client may run calls itself and tell of both. They keep to the
 * calls of their response, under the ids that these have got in the log; a result for anything else
 * has no place there.
 */
export class ResponseAnswers {
  readonly #entrance: Entrance;
  /** By the client's own id: the calls of the messages before that have no result yet. */
  #waiting: Map<string, readonly string[]> | undefined;

  constructor(entrance: Entrance) {
    this.#entrance = entrance;
  }

  /** Notes the calls of a message that has entered. */
  called(sent: SentMessage, entered: readonly Content[]): void {
    if (sent.role !== "assistant") return;
    const given = sent.contents.filter((content) => content.type === "function_call");
    const calls = entered.filter((content) => content.type === "function_call");
    const own = new Set<string>();
    this.#waiting ??= new Map();
    for (const [index, { callId }] of calls.entries()) {
      const vendorId = given[index]?.callId ?? callId;
      // Results answer the newest message that called under their id.
      const before = own.has(vendorId) ? this.#waiting.get(vendorId) : undefined;
      own.add(vendorId);
      this.#waiting.set(vendorId, [...(before ?? []), callId]);
    }
  }

  /** The contents with their results as the log takes them; the same list where nothing changes. */
  fit(contents: readonly Content[]): readonly Content[] {
    if (!contents.some((content) => content.type === "function_result")) return contents;
    const fitting = contents.flatMap((content): Content[] => {
      if (content.type !== "function_result") return [content];
      const [callId, ...rest] = this.#waiting?.get(content.callId) ?? [];
      if (callId === undefined) {
        this.#entrance.run.notice(
          "stray_result",
          `The chat client returned a result for "${content.callId}", which is no open call of its response; it was left out.`,
        );
        return [];
      }
      this.#waiting?.set(content.callId, rest);
      return [callId === content.callId ? content : { ...content, callId }];
    });
    const same = fitting.every((content, index) => content === contents[index]);
    return same && fitting.length === contents.length ? contents : fitting;
  }
}

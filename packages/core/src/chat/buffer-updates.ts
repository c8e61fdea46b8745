import { type Message, textOf } from "../messages/message.js";
import { MessageDraft } from "../messages/message-draft.js";
import type { DeltaUpdate } from "../messages/update.js";
import type { TransformFactory } from "./transforms.js";

/** What becomes of a message: it is let through, withheld, or its text is replaced. */
export type BufferVerdict = boolean | string;

/**
 * A transform that holds each message back until it is complete, and then lets `verdict` decide:
 * `true` lets it through, `false` withholds its text and everything else that is not a call, a
 * string takes the place of both. Nothing is seen outside before the verdict.
 */
export function bufferUpdates(
  verdict: (message: Message, text: string) => BufferVerdict | Promise<BufferVerdict>,
): TransformFactory {
  return () => {
    const held: DeltaUpdate[] = [];
    return {
      update(update) {
        held.push(update);
      },
      async end(emit) {
        const [first] = held;
        if (first === undefined) return;
        const message = whole(first, held);
        for (const update of decided(await verdict(message, textOf(message)), first, held)) {
          await emit(update);
        }
      },
    };
  };
}

function whole(first: DeltaUpdate, held: readonly DeltaUpdate[]): Message {
  const draft = new MessageDraft(first);
  for (const update of held) draft.add(update);
  return draft.message();
}

function decided(
  verdict: BufferVerdict,
  first: DeltaUpdate,
  held: readonly DeltaUpdate[],
): readonly DeltaUpdate[] {
  if (verdict === true) return held;
  return verdict === false ? [] : [{ ...first, contents: [{ type: "text", text: verdict }] }];
}

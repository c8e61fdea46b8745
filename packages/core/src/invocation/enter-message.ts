import type { Content, FunctionCallContent } from "../messages/content.js";
import type { Message } from "../messages/message.js";
import { flowsInto, MessageDraft } from "../messages/message-draft.js";
import { parseArguments } from "../messages/parse-arguments.js";
import type { RunContext } from "../run/run-context.js";

/** A message as a chat client sends it: id and time may be missing. */
export type SentMessage = Pick<Message, "role" | "contents"> & Partial<Message>;

/** What the run's log knows when a message enters it. */
export interface Entrance {
  readonly run: RunContext;
  readonly provider: string;
  /** The ids of all calls in the log so far; those of the message are added. */
  readonly callIds: Set<string>;
  /** New ids for calls of this round, by the id that came in. */
  readonly renamed: Map<string, string>;
}

/** A message as it enters the log, and whether its calls differ from what a stream has shown. */
export interface Entered {
  readonly message: Message;
  readonly reissued: boolean;
}

/**
 * Makes a model's message fit for the log: ids and time where they are missing, call ids that no
 * other call of the log has, arguments parsed, neighbouring text as one. A message that fits
 * already is handed on as the same object.
 */
export function enterMessage(
  message: SentMessage,
  entrance: Entrance,
  id: string,
  createdAt: number,
): Entered {
  let reissued = false;
  let changed = message.id !== id || message.createdAt !== createdAt;
  let contents: readonly Content[] = message.contents;
  const own = new Set<string>();
  for (const content of contents) {
    if (content.type !== "function_call") continue;
    reissued ||= own.has(content.callId);
    own.add(content.callId);
  }
  if (own.size > 0) {
    const seen = new Set<string>();
    const entered = contents.map((content) =>
      content.type === "function_call" ? enterCall(content, entrance, seen) : content,
    );
    if (entered.some((content, index) => content !== contents[index])) {
      contents = entered;
      changed = true;
    }
  }
  const joined = joinText(contents);
  if (joined !== contents) changed = true;
  // Unchanged, it has this very id and time.
  const entered = changed ? { ...message, id, createdAt, contents: joined } : (message as Message);
  return { message: entered, reissued };
}

function enterCall(
  call: FunctionCallContent,
  entrance: Entrance,
  seen: Set<string>,
): FunctionCallContent {
  const callId = callIdFor(call.callId, entrance, seen);
  seen.add(call.callId);
  entrance.callIds.add(callId);
  const parsed = call.arguments !== undefined || call.parseError !== undefined;
  if (callId === call.callId && parsed) return call;
  const { argumentsText, ...rest } = call;
  return {
    ...(parsed ? call : { ...rest, ...parseArguments(argumentsText ?? "") }),
    callId,
    ...(callId !== call.callId && {
      providerData: {
        ...call.providerData,
        [entrance.provider]: { ...call.providerData?.[entrance.provider], callId: call.callId },
      },
    }),
  };
}

function callIdFor(vendorId: string, entrance: Entrance, seen: Set<string>): string {
  // A second call of one message under the same id is another call: it gets an id of its own.
  if (seen.has(vendorId)) return entrance.run.newId("call");
  return renamedCallId(vendorId, entrance) ?? vendorId;
}

/** The id a call of this round gets instead of its own, or undefined when it may keep its own. */
export function renamedCallId(vendorId: string, entrance: Entrance): string | undefined {
  const known = entrance.renamed.get(vendorId);
  if (known !== undefined) return known;
  if (vendorId !== "" && !entrance.callIds.has(vendorId)) return undefined;
  const callId = entrance.run.newId("call");
  entrance.renamed.set(vendorId, callId);
  return callId;
}

function joinText(contents: readonly Content[]): readonly Content[] {
  const joins = contents.some((content, index) => {
    const last = contents[index - 1];
    return last !== undefined && flowsInto(last, content);
  });
  if (!joins) return contents;
  const draft = new MessageDraft({ type: "delta", messageId: "", role: "assistant", contents });
  for (const content of contents) draft.addContent(content);
  return draft.message().contents;
}

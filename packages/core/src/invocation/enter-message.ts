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
  /** The ids that calls of this round have got, by the id that came in. */
  round: RoundCallIds | undefined;
}

/** Ids for the calls of one round: the vendor's own, or where the log has that one, a variation. */
export class RoundCallIds {
  readonly #entrance: Entrance;
  readonly #given = new Map<string, string>();
  readonly #used = new Set<string>();

  constructor(entrance: Entrance) {
    this.#entrance = entrance;
  }

  /** The same id for the same vendor's id, as often as it is asked for. */
  idFor(vendorId: string): string {
    const known = this.#given.get(vendorId);
    if (known !== undefined) return known;
    const callId = this.#free(vendorId) ? vendorId : this.another(vendorId);
    this.#given.set(vendorId, callId);
    this.#used.add(callId);
    return callId;
  }

  /** A further id. It is made of the vendor's, so that it does not depend on when it is asked for. */
  another(vendorId: string): string {
    if (vendorId === "") return this.#entrance.run.newId("call");
    let count = 2;
    while (!this.#free(`${vendorId}_${count}`)) count++;
    const callId = `${vendorId}_${count}`;
    this.#used.add(callId);
    return callId;
  }

  #free(callId: string): boolean {
    return callId !== "" && !this.#entrance.callIds.has(callId) && !this.#used.has(callId);
  }
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
  const { contents, reissued } = enterContents(message.contents, entrance);
  const fits =
    contents === message.contents && message.id === id && message.createdAt === createdAt;
  return {
    message: fits ? (message as Message) : { ...message, id, createdAt, contents },
    reissued,
  };
}

function enterContents(
  contents: readonly Content[],
  entrance: Entrance,
): { readonly contents: readonly Content[]; readonly reissued: boolean } {
  if (fitsAsItIs(contents, entrance)) return { contents, reissued: false };
  entrance.round ??= new RoundCallIds(entrance);
  const { round } = entrance;
  const seen = new Set<string>();
  let reissued = false;
  const entered = contents.map((content) => {
    if (content.type !== "function_call") return content;
    // A second call of one message under the same id is another call: it gets an id of its own.
    const again = seen.has(content.callId);
    reissued ||= again;
    seen.add(content.callId);
    const callId = again ? round.another(content.callId) : round.idFor(content.callId);
    return enterCall(content, callId, entrance.provider);
  });
  for (const content of entered) {
    if (content.type === "function_call") entrance.callIds.add(content.callId);
  }
  return { contents: joinText(entered), reissued };
}

/** The usual case, looked through once: nothing to rename, to parse or to join. */
function fitsAsItIs(contents: readonly Content[], entrance: Entrance): boolean {
  if (entrance.round !== undefined) return false;
  let last: Content | undefined;
  for (let index = 0; index < contents.length; index++) {
    const content = contents[index] as Content;
    if (content.type === "function_call") {
      const { callId } = content;
      const parsed = content.arguments !== undefined || content.parseError !== undefined;
      if (!parsed || callId === "" || entrance.callIds.has(callId)) {
        forget(contents.slice(0, index), entrance);
        return false;
      }
      entrance.callIds.add(callId);
    } else if (last !== undefined && flowsInto(last, content)) {
      forget(contents.slice(0, index), entrance);
      return false;
    }
    last = content;
  }
  return true;
}

function forget(contents: readonly Content[], entrance: Entrance): void {
  for (const content of contents) {
    if (content.type === "function_call") entrance.callIds.delete(content.callId);
  }
}

function enterCall(
  call: FunctionCallContent,
  callId: string,
  provider: string,
): FunctionCallContent {
  const parsed = call.arguments !== undefined || call.parseError !== undefined;
  const { argumentsText, ...rest } = call;
  const whole = parsed ? call : { ...rest, ...parseArguments(argumentsText ?? "") };
  return callId === call.callId ? whole : withCallId(whole, callId, provider);
}

/** A call under another id; the vendor's own stays with the vendor's data. */
export function withCallId(
  call: FunctionCallContent,
  callId: string,
  provider: string,
): FunctionCallContent {
  const data = { ...call.providerData?.[provider], callId: call.callId };
  return { ...call, callId, providerData: { ...call.providerData, [provider]: data } };
}

function joinText(contents: readonly Content[]): readonly Content[] {
  const draft = new MessageDraft({ type: "delta", messageId: "", role: "assistant", contents: [] });
  for (const content of contents) draft.addContent(content);
  return draft.message().contents;
}

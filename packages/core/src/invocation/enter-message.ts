import type { Content, FunctionCallContent } from "../messages/content.js";
import { defined } from "../messages/defined.js";
import { isJsonObject } from "../messages/json.js";
import type { Message } from "../messages/message.js";
import { continues, MessageDraft } from "../messages/message-draft.js";
import { parseArguments } from "../messages/parse-arguments.js";
import { isControl } from "../messages/requests.js";
import type { RunContext } from "../run/run-context.js";

/** A message as a chat client sends it: id and time may be missing. */
export type SentMessage = Pick<Message, "role" | "contents"> & Partial<Message>;

/** What the run's log knows when a message enters it. */
export interface Entrance {
  readonly run: RunContext;
  readonly provider: string;
  /** The ids of all calls in the log so far. */
  readonly callIds: Set<string>;
  /** Ids that calls of this round have got and the log does not have yet. */
  readonly used: Set<string>;
  /** Whether the service has asked about a tool of its own. */
  asked: boolean;
  /** By vendor's id: where the search for a free variation begins. */
  readonly variations: Map<string, number>;
}

/** The ids that the calls of one message have got, by the vendor's own. */
export type CallIds = Map<string, string>;

/** The id of a message's call: the vendor's own, or where the log has that one, a variation. */
export function callIdFor(vendorId: string, callIds: CallIds, entrance: Entrance): string {
  const known = callIds.get(vendorId);
  if (known !== undefined) return known;
  const callId = isFree(vendorId, entrance) ? vendorId : anotherCallId(vendorId, entrance);
  callIds.set(vendorId, callId);
  entrance.used.add(callId);
  return callId;
}

/** A further id. It is made of the vendor's, so that it does not depend on when it is asked for. */
function anotherCallId(vendorId: string, entrance: Entrance): string {
  if (vendorId === "") return entrance.run.newId("call");
  // Variations are given out in order, so that a thousand calls of one id cost no million looks.
  let count = entrance.variations.get(vendorId) ?? 2;
  while (!isFree(`${vendorId}_${count}`, entrance)) count++;
  entrance.variations.set(vendorId, count);
  return `${vendorId}_${count}`;
}

function isFree(callId: string, entrance: Entrance): boolean {
  return callId !== "" && !entrance.callIds.has(callId) && !entrance.used.has(callId);
}

/** The round is over: its calls are in the log. */
export function endRound(entrance: Entrance): void {
  if (entrance.used.size === 0) return;
  for (const callId of entrance.used) entrance.callIds.add(callId);
  entrance.used.clear();
}

/**
 * Makes a model's message fit for the log: ids and time where they are missing, call ids that no
 * other call of the log has, arguments parsed, neighbouring text as one. A message that fits
 * already is handed on as the same object.
 *
 * @param streamed the ids that a stream has shown for the message's calls.
 */
export function enterMessage(
  message: SentMessage,
  entrance: Entrance,
  id: string,
  createdAt: number,
  streamed: CallIds | undefined,
): Message {
  const contents =
    streamed === undefined && fitsAsItIs(message.contents, entrance)
      ? message.contents
      : enterContents(message.contents, entrance, streamed ?? new Map());
  const fits =
    contents === message.contents && message.id === id && message.createdAt === createdAt;
  return fits ? (message as Message) : { ...message, id, createdAt, contents };
}

function enterContents(
  contents: readonly Content[],
  entrance: Entrance,
  callIds: CallIds,
): readonly Content[] {
  const seen = new Set<string>();
  const entered = contents.flatMap((content): Content | readonly Content[] => {
    if (isControl(content)) return admittedOrTold(content, entrance);
    if (content.type !== "function_call") return content;
    // A second call of one message under the same id is another call: it gets an id of its own.
    const again = seen.has(content.callId);
    seen.add(content.callId);
    const callId = again
      ? anotherCallId(content.callId, entrance)
      : callIdFor(content.callId, callIds, entrance);
    entrance.used.add(callId);
    return enterCall(content, callId, entrance.provider);
  });
  return joinText(entered);
}

/** The usual case, looked through once: nothing to rename, to parse or to join. */
function fitsAsItIs(contents: readonly Content[], entrance: Entrance): boolean {
  const blocks = contents.length > 1 ? new Set<string>() : undefined;
  for (let index = 0; index < contents.length; index++) {
    const content = contents[index] as Content;
    const fits =
      content.type === "function_call"
        ? takesCallId(content, entrance)
        : !isControl(content) &&
          (blocks === undefined || !continues(content, contents[index - 1], blocks));
    if (fits) continue;
    forget(contents.slice(0, index), entrance);
    return false;
  }
  return true;
}

/**
 * A content as a model service may send it. Its questions are about its own tools, and their answers
 * go back to it; beyond that a model decides nothing here, and continues no call.
 */
export function admitted(content: Content, own: string): readonly Content[] {
  if (!isControl(content)) return [content];
  if (content.type !== "function_approval_request" || typeof content.requestId !== "string") {
    return [];
  }
  const { type, requestId, call, reason, summary, expiresAt } = content;
  const { providerData, additionalProperties } = content;
  // A client around several services says itself which of them asks.
  const { provider = own } = content;
  const asked = { reason, summary, expiresAt, providerData, additionalProperties };
  return [{ type, requestId, call, ...defined(asked), provider }];
}

function admittedOrTold(content: Content, entrance: Entrance): readonly Content[] {
  const contents = admitted(content, entrance.provider);
  entrance.asked ||= contents.length > 0;
  if (contents.length > 0) return contents;
  entrance.run.notice(
    "stray_control",
    `The chat client returned a ${content.type}, which only this side makes; it was left out.`,
  );
  return contents;
}

function takesCallId(call: FunctionCallContent, entrance: Entrance): boolean {
  const { callId } = call;
  if (!isRead(call) || callId === "" || entrance.used.has(callId)) return false;
  // One look instead of two: the set grows exactly when the id is new.
  const before = entrance.callIds.size;
  return entrance.callIds.add(callId).size > before;
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
  const { arguments: given, argumentsText, ...rest } = call;
  const whole = isRead(call)
    ? call
    : { ...rest, ...parseArguments(textIn(given ?? argumentsText)) };
  return callId === call.callId ? whole : withCallId(whole, callId, provider);
}

/** Whether the arguments are an object, or it is known why they are none. */
function isRead(call: FunctionCallContent): boolean {
  return isJsonObject(call.arguments) || call.parseError !== undefined;
}

/** What a client gave as arguments, as text: one written without types may give anything. */
function textIn(given: unknown): string {
  return typeof given === "string" ? given : (JSON.stringify(given) ?? "");
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

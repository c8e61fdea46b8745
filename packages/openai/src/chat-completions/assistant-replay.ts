import { type Content, type FunctionCallContent, isJsonObject, type JsonObject } from "@tunic/core";
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import type { ReasoningMember } from "../service.js";
import { toWireCallId } from "../wire-call.js";
import { listAt, recordAt, textAt } from "../wire-values.js";

/** What the service that wrote a message may want back beside what is said in it. */
export interface OwnMembers {
  readonly origin: string;
  /** The member in which its reasoning came. */
  readonly member: ReasoningMember | undefined;
  /** All of its reasoning as text. */
  readonly reasoning: string;
  /** The entries of `reasoning_details`, as they came. */
  readonly details: readonly unknown[] | undefined;
  readonly audio: JsonObject | undefined;
  /** By the ids of calls on the wire. */
  readonly extras: ReadonlyMap<string, JsonObject>;
}

/** How messages are given back to a service. */
export interface Replay {
  /** The service that is asked: its host, with its port. */
  readonly origin: string;
  /** Default: what it has sent, in the member in which it came. */
  readonly reasoning?: ReasoningMember | "never" | undefined;
  /** Milliseconds since the epoch: sound is held for a while only. */
  readonly now?: number | undefined;
}

/** Reads what {@link replayed} needs; undefined where there is nothing that anybody wants back. */
export function ownMembersOf(contents: readonly Content[]): OwnMembers | undefined {
  const thoughts = contents.filter((content) => content.type === "text_reasoning");
  const owned = thoughts.map((content) => recordAt(ownData(content), "reasoning"));
  const calls = contents.filter((content) => content.type === "function_call");
  const audio = contents
    .filter((content) => content.type === "data")
    .map((content) => ownData(content)["audio"])
    .find(isJsonObject);
  const sources = [...owned, audio ?? {}, ...calls.map(ownData)];
  const origin = sources.map((data) => textAt(data, "origin")).find((each) => each !== "");
  if (origin === undefined) return undefined;
  // Contents of several services may have come together in one message: it is given back to the first.
  const extras = calls.flatMap((call) => {
    const { extraContent, origin: maker } = ownData(call);
    const isOwn = maker === origin && isJsonObject(extraContent);
    return isOwn ? [[toWireCallId(call.callId), extraContent] as const] : [];
  });
  const from = owned.find((data) => textAt(data, "origin") !== "");
  return {
    origin,
    member: from && (textAt(from, "member") as ReasoningMember),
    reasoning: thoughts.map(({ text }, at) => (owned[at] === from ? text : "")).join(""),
    details: from && "details" in from ? listAt(from, "details") : undefined,
    audio: audio && textAt(audio, "origin") === origin ? audio : undefined,
    extras: new Map(extras),
  };
}

function ownData(content: Content): JsonObject {
  return content.providerData?.["openai"] ?? {};
}

/** Whether a service thinks aloud in `reasoning_content`: then each message of a turn with calls has to have it. */
export function thinksAloud(own: OwnMembers | undefined, { origin, reasoning }: Replay): boolean {
  return reasoning === undefined && own?.origin === origin && own.member === "reasoning_content";
}

/** Messages never change, so that each form of one is made once. */
const forms = new WeakMap<ChatCompletionMessageParam, Map<string, ChatCompletionMessageParam>>();

/** What stands around a message, as far as its form depends on it. */
export interface Surroundings {
  /** Whether the service has thought aloud in this conversation. */
  readonly thinks: boolean;
  /** Whether it follows the results of calls. */
  readonly inToolTurn: boolean;
}

/** A message as a service is given it: with what it wants back of its own, and of nobody else's. */
export function replayed(
  plain: ChatCompletionMessageParam,
  own: OwnMembers | undefined,
  replay: Replay,
  { thinks, inToolTurn }: Surroundings,
): ChatCompletionMessageParam {
  if (plain.role !== "assistant") return plain;
  const home = own?.origin === replay.origin ? own : undefined;
  const isWanted = plain.tool_calls !== undefined || inToolTurn;
  const reasoning = isWanted ? reasoningFor(own, home, replay, thinks) : undefined;
  const audio = home?.audio && isHeld(home.audio, replay) ? home.audio : undefined;
  const extras = home && home.extras.size > 0 ? home.extras : undefined;
  if (!reasoning && !audio && !extras) return plain;
  const key = JSON.stringify([reasoning?.[0], home !== undefined, audio !== undefined]);
  const known = forms.get(plain) ?? new Map<string, ChatCompletionMessageParam>();
  forms.set(plain, known);
  let form = known.get(key);
  if (form === undefined) {
    form = {
      ...plain,
      ...(reasoning && { [reasoning[0]]: reasoning[1] }),
      ...(audio && spoken(plain, audio)),
      ...(extras && plain.tool_calls && { tool_calls: withExtras(plain.tool_calls, extras) }),
    };
    known.set(key, form);
  }
  return form;
}

/** The member for the reasoning and what is in it. It is of use in turns with calls only. */
function reasoningFor(
  own: OwnMembers | undefined,
  home: OwnMembers | undefined,
  { reasoning: asked }: Replay,
  thinks: boolean,
): readonly [ReasoningMember, unknown] | undefined {
  if (asked === "never") return undefined;
  if (asked === "reasoning_details") return own?.details && [asked, own.details];
  if (asked !== undefined) return [asked, own?.reasoning ?? ""];
  if (home?.member === "reasoning_details") return [home.member, home.details ?? []];
  if (home?.member !== undefined) return [home.member, home.reasoning];
  // Where thinking is on, such a service refuses calls without it, even if there was none.
  return thinks ? ["reasoning_content", ""] : undefined;
}

function isHeld({ expiresAt }: JsonObject, { now = 0 }: Replay): boolean {
  return typeof expiresAt !== "number" || expiresAt > now;
}

/** The service knows what it has said: its words are not sent again. */
function spoken(
  { content }: ChatCompletionAssistantMessageParam,
  audio: JsonObject,
): Pick<ChatCompletionAssistantMessageParam, "audio" | "content"> {
  const rest = content === textAt(audio, "transcript") ? null : content;
  return { audio: { id: textAt(audio, "id") }, ...(rest !== undefined && { content: rest }) };
}

function withExtras(
  calls: NonNullable<ChatCompletionAssistantMessageParam["tool_calls"]>,
  extras: ReadonlyMap<FunctionCallContent["callId"], JsonObject>,
): typeof calls {
  return calls.map((call) => {
    const extra = extras.get(call.id);
    return extra === undefined ? call : { ...call, extra_content: extra };
  });
}

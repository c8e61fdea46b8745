import type { MiddlewareError } from "../errors/middleware-error.js";
import type { Content } from "../messages/content.js";
import type { Message } from "../messages/message.js";
import { areMessages } from "../messages/shapes.js";
import { type Update, updatesOf } from "../messages/update.js";
import type { Mistake, Onion } from "../onion/onion.js";
import { observerOf } from "../run/run.js";
import type { RunContext } from "../run/run-context.js";
import type { Tool } from "../tools/tool.js";
import { type ChatResponse, endOf } from "./chat-client.js";
import type { ChatOptions } from "./chat-options.js";
import { respond } from "./respond.js";
import { type TransformFactory, TransformStage } from "./transforms.js";
import { openSegment, takeBack, type UpdateSegment, untilAborted } from "./update-segment.js";
import { wrongMessages, wrongOptions } from "./wrong-request.js";

/** What a chat handler sees: one model round trip. What it assigns is what the inside sees. */
export class ChatContext {
  /** The messages as the model will see them. */
  messages: readonly Message[];
  options: ChatOptions;
  readonly #passage: ChatPassage;
  /** Made with the first transform. */
  #transforming: Transforming | undefined;

  /** @internal */
  constructor(messages: readonly Message[], options: ChatOptions, passage: ChatPassage) {
    this.messages = messages;
    this.options = options;
    this.#passage = passage;
  }

  get run(): RunContext {
    return this.#passage.round.run;
  }

  /** Which model round trip of the run this is; the first is 1. */
  get iteration(): number {
    return this.#passage.round.iteration;
  }

  /** Fires when this work is to stop: with the run, or when a bound of an outer handler fires. */
  get signal(): AbortSignal {
    return this.#passage.signal ?? this.run.signal;
  }

  /** Whether somebody watches the answer as a stream. */
  get streamed(): boolean {
    return this.#passage.segment !== undefined;
  }

  /**
   * Whether a consumer has something of what the inside has answered so far: a message that was begun and
   * has not been taken back. Always false where nobody streams.
   */
  get shown(): boolean {
    const { segment, mark } = this.#passage;
    return segment !== undefined && segment.since(mark).length > 0;
  }

  /**
   * Changes what comes out of the inside, streamed or not, message by message. Register before
   * `next()`; it holds for each later `next()` of this handler.
   */
  transformUpdates(make: TransformFactory): void {
    this.#transforming ??= { factories: [], used: 0, stage: undefined, fed: false };
    this.#transforming.factories.push(make);
  }

  /** A response of the handler's own, made of a text or contents. */
  respond(content: string | readonly Content[], extras: Partial<ChatResponse> = {}): ChatResponse {
    return respond(this.run, content, extras);
  }

  /** @internal */
  static passageOf(context: ChatContext): ChatPassage {
    return context.#passage;
  }

  /** @internal */
  static transformingOf(context: ChatContext): Transforming | undefined {
    return context.#transforming;
  }
}

/** How one layer of the chat onion is connected; handlers do not see it. */
export interface ChatPassage {
  /** Outwards; absent without a stream. */
  readonly segment: UpdateSegment | undefined;
  /** Set where an outer handler has bounded the inside. */
  readonly signal: AbortSignal | undefined;
  /** Where in the segment the layer began; layers that began at the same place share a passage. */
  readonly mark: number;
  /** Whether a layer further out transforms what is streamed. */
  readonly transformed: boolean;
  readonly round: ChatRound;
}

/** The transforms of a layer. */
interface Transforming {
  readonly factories: TransformFactory[];
  /** How many of them the last pass had. */
  used: number;
  /** Those of the pass that is going on. */
  stage: TransformStage | undefined;
  /** Whether the inside has streamed anything into the stage. */
  fed: boolean;
}

/** What all layers of one round have in common. */
interface ChatRound {
  readonly run: RunContext;
  readonly iteration: number;
  /** The tools of the round: a handler may take some away, but not add any. */
  readonly tools: readonly Tool[];
  /** The messages and options that were last found to be in order. */
  messages: readonly Message[];
  options: ChatOptions;
  /** The tools of those options: somebody might put others into the same object. */
  offered: readonly Tool[] | undefined;
  /** The options as they were finally sent. */
  sent: ChatOptions;
}

/** A passage without a past. */
function newPassage(
  round: ChatRound,
  segment: UpdateSegment | undefined,
  signal: AbortSignal | undefined,
  transformed: boolean,
): ChatPassage {
  return {
    round,
    segment,
    signal,
    transformed,
    mark: segment?.mark() ?? 0,
  };
}

/** The rules of the chat onion: what was sent of an attempt that does not count is taken back. */
export const chatOnion: Onion<ChatContext, ChatResponse> = {
  kind: "chat",
  result: 'a ChatResponse: what next() gave, or context.respond("…")',
  observer: (own) => observerOf(own.run),
  inside(own, signal) {
    return new ChatContext(own.messages, own.options, insidePassage(own, signal));
  },
  signalOf: (own) => own.signal,
  isResult: isChatResponse,
  begin: (own) => takeBack(ChatContext.passageOf(own)),
  mistake: wrongRequest,
  late: lateTransform,
  changes: (own) => ChatContext.transformingOf(own) !== undefined,
  passed(own, result) {
    const transforming = ChatContext.transformingOf(own);
    return transforming?.stage?.finish(result, transforming.fed) ?? result;
  },
  failure: (own) => ChatContext.transformingOf(own)?.stage?.failure,
  async ended(own, result) {
    const factories = ChatContext.transformingOf(own)?.factories;
    return factories ? new TransformStage(factories, undefined).finish(result, false) : result;
  },
  settle(own, result, last) {
    if (result.messages === last?.messages) return result;
    return sendInstead(own, result);
  },
  stray(own, error: MiddlewareError) {
    own.run.notice(error.code, error.message, error);
  },
  abandoned(own, outcome, error) {
    own.run.notice("model_call_abandoned", `A model call that was given up has ${outcome}.`, error);
  },
};

function isChatResponse(value: unknown): value is ChatResponse {
  return (
    typeof value === "object" &&
    value !== null &&
    "messages" in value &&
    areMessages(value.messages)
  );
}

function insidePassage(own: ChatContext, signal: AbortSignal | undefined): ChatPassage {
  const passage = ChatContext.passageOf(own);
  const transforming = ChatContext.transformingOf(own);
  const { round, segment } = passage;
  if (transforming === undefined && signal === undefined) {
    if (segment === undefined || segment.mark() === passage.mark) return passage;
    return newPassage(round, segment, passage.signal, passage.transformed);
  }
  const inner = insideSegment(segment, transforming, signal);
  const transformed = passage.transformed || transforming !== undefined;
  return newPassage(round, inner, signal ?? passage.signal, transformed);
}

/** Through the layer's transforms, where it has some; closed once a bound of this pass has fired. */
function insideSegment(
  segment: UpdateSegment | undefined,
  transforming: Transforming | undefined,
  signal: AbortSignal | undefined,
): UpdateSegment | undefined {
  if (transforming) {
    const emit = (segment && signal ? untilAborted(segment, signal) : segment)?.emit;
    transforming.stage = new TransformStage(transforming.factories, emit);
    transforming.fed = false;
    transforming.used = transforming.factories.length;
  }
  if (segment === undefined) return undefined;
  const send = transforming?.stage?.feed ?? segment.emit;
  return openSegment((update: Update) => {
    if (signal?.aborted) return;
    if (transforming) transforming.fed = true;
    return send(update);
  });
}

/** What a handler has put into the request is looked at once, before anybody meets it. */
function wrongRequest(own: ChatContext): Mistake | undefined {
  const { messages, options } = own;
  const { round } = ChatContext.passageOf(own);
  if (messages === round.messages && options === round.options && options.tools === round.offered) {
    return undefined;
  }
  const wrong = wrongMessages(messages) ?? wrongOptions(options) ?? widened(round, options);
  if (wrong) return wrong;
  round.messages = messages;
  round.options = options;
  round.offered = options.tools;
  return undefined;
}

/** A round's tools can only become fewer. */
function widened(round: ChatRound, { tools }: ChatOptions): Mistake | undefined {
  if (tools === undefined || tools === round.tools) return undefined;
  const added = tools.find((tool) => !round.tools.includes(tool));
  if (added === undefined) return undefined;
  return {
    code: "tools_widened",
    message: `put the tool "${added.name}" into one round. A chat handler may only take tools away; add tools with context.addTools of a function handler.`,
  };
}

/** A transform that no pass will have would be a guard that never runs. */
function lateTransform(own: ChatContext): Mistake | undefined {
  const transforming = ChatContext.transformingOf(own);
  if (transforming === undefined || transforming.used === transforming.factories.length) return;
  return {
    code: "late_transform",
    message: "called transformUpdates() after next(). Register transforms before it.",
  };
}

/** Takes back what was sent since the context began, and sends the result in its place. */
export async function sendInstead(own: ChatContext, result: ChatResponse): Promise<ChatResponse> {
  const passage = ChatContext.passageOf(own);
  const response = withHeads(own.run, result);
  await takeBack(passage);
  if (passage.segment === undefined) return response;
  const last = response.messages.at(-1);
  for (const message of response.messages) {
    for (const update of updatesOf(message, message === last ? endOf(response) : {})) {
      await passage.segment.emit(update);
    }
  }
  return response;
}

/** A handler may return messages that were written by hand: they get what they lack. */
function withHeads(run: RunContext, response: ChatResponse): ChatResponse {
  const whole = response.messages.every((each) => each.id && each.createdAt !== undefined);
  if (whole) return response;
  const messages = response.messages.map((message) => ({
    ...message,
    id: message.id ?? run.newId("message"),
    createdAt: message.createdAt ?? run.now(),
  }));
  return { ...response, messages };
}

/** The outermost context of one round. */
export function openChatContext(
  run: RunContext,
  iteration: number,
  messages: readonly Message[],
  options: ChatOptions,
  segment: UpdateSegment | undefined,
  signal?: AbortSignal,
): ChatContext {
  const tools = options.tools ?? noTools;
  const round = { run, iteration, tools, messages, options, offered: options.tools, sent: options };
  return new ChatContext(messages, options, newPassage(round, segment, signal, false));
}

const noTools: readonly Tool[] = [];

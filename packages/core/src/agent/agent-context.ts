import { endOf } from "../chat/chat-client.js";
import type { ChatOptions } from "../chat/chat-options.js";
import type { ValueReader } from "../chat/read-value.js";
import { respond } from "../chat/respond.js";
import { takeBack, type UpdateSegment, untilAborted } from "../chat/update-segment.js";
import { wrongMessages, wrongOptions } from "../chat/wrong-request.js";
import type { Content } from "../messages/content.js";
import { callsOf, type Message } from "../messages/message.js";
import { areMessages } from "../messages/shapes.js";
import { updatesOf } from "../messages/update.js";
import type { Mistake, Onion } from "../onion/onion.js";
import { observerOf } from "../run/run.js";
import type { AgentIdentity, RunContext } from "../run/run-context.js";
import type { AgentSession } from "../session/agent-session.js";
import { AgentResponse } from "./agent-response.js";

/** What an agent handler sees: one run. What it assigns is what the inside sees. */
export class AgentContext {
  /** The messages of the input; the conversation before them is the session's. */
  messages: readonly Message[];
  options: ChatOptions;
  readonly run: RunContext;
  readonly #passage: AgentPassage;

  /** @internal */
  constructor(
    messages: readonly Message[],
    options: ChatOptions,
    run: RunContext,
    passage: AgentPassage,
  ) {
    this.messages = messages;
    this.options = options;
    this.run = run;
    this.#passage = passage;
  }

  get agent(): AgentIdentity | undefined {
    return this.run.agent;
  }

  /** Undefined when the caller gave none. */
  get session(): AgentSession | undefined {
    return this.run.session;
  }

  /** Fires when this work is to stop: with the run, or when a bound of an outer handler fires. */
  get signal(): AbortSignal {
    return this.#passage.signal ?? this.run.signal;
  }

  /** Whether somebody watches the run as a stream. */
  get streamed(): boolean {
    return this.#passage.segment !== undefined;
  }

  /** A response of the handler's own, made of a text or contents. */
  respond(content: string | readonly Content[]): AgentResponse {
    const { history, news, read } = this.#passage.input;
    return new AgentResponse(history, news, respond(this.run, content), read);
  }

  /** @internal */
  static passageOf(context: AgentContext): AgentPassage {
    return context.#passage;
  }
}

/** How one layer of the agent onion is connected; handlers do not see it. */
export interface AgentPassage {
  /** Outwards; absent without a stream. */
  readonly segment: UpdateSegment | undefined;
  /** Set where an outer handler has bounded the inside. */
  readonly signal: AbortSignal | undefined;
  /** Where in the segment this layer began. */
  readonly mark: number;
  readonly input: RunInput;
}

/** What the run began with, for responses that a handler makes. */
export interface RunInput {
  /** The conversation before the run. */
  readonly before: readonly Message[];
  /** What the run adds to it. */
  readonly fresh: readonly Message[];
  /** The log, the input included. */
  readonly history: readonly Message[];
  /** Where in it that begins which the run is about. */
  readonly inputFrom: number;
  /** What of it is new to the caller. */
  readonly news: readonly Message[];
  /** The options as they were before any handler. */
  readonly options: ChatOptions;
  /** Reads the value of an answer, where those options ask for one. */
  readonly read: ValueReader | undefined;
}

/** The outermost context of a run. */
export function openAgentContext(
  run: RunContext,
  messages: readonly Message[],
  options: ChatOptions,
  segment: UpdateSegment | undefined,
  input: RunInput,
): AgentContext {
  return new AgentContext(messages, options, run, newPassage(input, segment, undefined));
}

function newPassage(
  input: RunInput,
  segment: UpdateSegment | undefined,
  signal: AbortSignal | undefined,
): AgentPassage {
  return { segment, signal, mark: segment?.mark() ?? 0, input };
}

/** The rules of the agent onion: what was sent of an attempt that does not count is taken back. */
export const agentOnion: Onion<AgentContext, AgentResponse> = {
  kind: "agent",
  result: 'an AgentResponse: what next() gave, its with({ … }), or context.respond("…")',
  observer: (own) => observerOf(own.run),
  inside(own, signal) {
    return new AgentContext(own.messages, own.options, own.run, insidePassage(own, signal));
  },
  signalOf: (own) => own.signal,
  isResult: isAgentResponse,
  mistake: wrongInput,
  begin: (own) => takeBack(AgentContext.passageOf(own)),
  settle(own, result, last) {
    if (result.messages === last?.messages) return result;
    return sendInstead(own, result);
  },
  stray(own, error) {
    own.run.notice(error.code, error.message, error);
  },
  abandoned(own, outcome, error) {
    own.run.notice("agent_run_abandoned", `Work that was given up has ${outcome}.`, error);
  },
};

function wrongInput(own: AgentContext): Mistake | undefined {
  const { messages, options } = own;
  const { input } = AgentContext.passageOf(own);
  return (
    (messages === input.fresh ? undefined : wrongMessages(messages)) ??
    (options === input.options ? undefined : wrongOptions(options))
  );
}

/** Layers that began at the same place share a passage. */
function insidePassage(own: AgentContext, signal: AbortSignal | undefined): AgentPassage {
  const passage = AgentContext.passageOf(own);
  const { input, segment, mark } = passage;
  if (signal === undefined) {
    if (segment === undefined || segment.mark() === mark) return passage;
    return newPassage(input, segment, passage.signal);
  }
  return newPassage(input, segment && untilAborted(segment, signal), signal);
}

/** Takes back what was sent since the context began, and sends the result in its place. */
export async function sendInstead(
  own: AgentContext,
  result: AgentResponse,
): Promise<AgentResponse> {
  const passage = AgentContext.passageOf(own);
  const response = responseOf(own.run, passage.input, result);
  await takeBack(passage);
  const last = response.messages.at(-1);
  for (const message of response.messages) {
    for (const update of updatesOf(message, message === last ? endOf(response) : {})) {
      await passage.segment?.emit(update);
    }
  }
  return response;
}

/** A response of another run, or of messages written by hand, as one of this run: no id is there twice. */
function responseOf(run: RunContext, input: RunInput, result: AgentResponse): AgentResponse {
  const known = new Set(input.history.map((message) => message.id));
  const messages = withOwnCalls(run, input.history, result.messages).map((message): Message => {
    const taken = !message.id || known.has(message.id);
    const id = taken ? run.newId("message") : message.id;
    known.add(id);
    return taken || message.createdAt === undefined
      ? { ...message, id, createdAt: message.createdAt ?? run.now() }
      : message;
  });
  return new AgentResponse(input.history, input.news, { ...result, messages }, input.read);
}

/** Calls that the log holds already, in an answer that was kept, are other calls: they get other ids. */
function withOwnCalls(
  run: RunContext,
  history: readonly Message[],
  messages: readonly Message[],
): readonly Message[] {
  const calls = messages.flatMap(callsOf).map((call) => call.callId);
  if (calls.length === 0) return messages;
  const known = new Set(history.flatMap(callsOf).map((call) => call.callId));
  const renamed = new Map<string, string>();
  for (const callId of calls) if (known.has(callId)) renamed.set(callId, run.newId("call"));
  const own = (content: Content): Content => {
    if (content.type !== "function_call" && content.type !== "function_result") return content;
    const callId = renamed.get(content.callId);
    return callId === undefined ? content : { ...content, callId };
  };
  return messages.map((message) => {
    const contents = message.contents.map(own);
    const same = contents.every((content, index) => content === message.contents[index]);
    return same ? message : { ...message, contents };
  });
}

function isAgentResponse(value: unknown): value is AgentResponse {
  if (!(value instanceof AgentResponse) || !areMessages(value.messages)) return false;
  // A model, or whoever speaks in its place, gives no orders.
  return value.messages.every((message) => message.role !== "system");
}

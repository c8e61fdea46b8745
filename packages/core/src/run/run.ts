import { callListener, type EventHub } from "../events/event-hub.js";
import type {
  RunEvent,
  RunEventListener,
  RunEventMap,
  RunEventName,
  RunEventSource,
} from "../events/run-events.js";
import type { Message } from "../messages/message.js";
import { addUsage, type Usage } from "../messages/usage.js";
import { AbortGate } from "../onion/abort-gate.js";
import type { LayerObserver } from "../onion/onion.js";
import type { AgentSession } from "../session/agent-session.js";
import { Budget, type BudgetLimits } from "./budget.js";
import { type RunEnvironment, systemEnvironment } from "./environment.js";
import type { AgentIdentity, Principal, RunContext, Services } from "./run-context.js";
import type { Settlement } from "./settlement.js";
import { RunState } from "./state-key.js";

export interface RunInit {
  readonly environment?: RunEnvironment;
  readonly parent?: Run;
  /** The run of which this one is a bounded pass: what both add goes into one log. */
  readonly passOf?: Run;
  readonly agent?: AgentIdentity;
  readonly session?: AgentSession;
  readonly principal?: Principal;
  /** Default: a state of its own. */
  readonly state?: RunState;
  readonly signal?: AbortSignal;
  readonly limits?: BudgetLimits;
  readonly services?: Services;
  readonly events?: EventHub;
  readonly onEvent?: RunEventListener;
}

/** What a run inside a call is told of the run around it. */
export interface HandedDown {
  /** The call that the run works for. */
  readonly callId: string;
  /** The input holds answers: what they approve was looked at in the run around, and is used once there. */
  readonly trusted: boolean;
}

/** What a run has added to its log. */
export interface Journal {
  /** A valid log at every moment: calls in flight have the result that says so. */
  transcript(): readonly Message[];
}

/** The run as its owner sees it: with the means to stop it, to tell of it and to settle it. */
export class Run implements RunContext {
  readonly id: string;
  readonly parent?: Run;
  readonly passOf?: Run;
  readonly agent?: AgentIdentity;
  readonly session?: AgentSession;
  readonly budget: Budget;
  readonly services: Services;
  gate = new AbortGate();
  readonly environment: RunEnvironment;
  /** The answers to requests that the loop has looked at and taken. */
  acceptedAnswers: ReadonlySet<string> | undefined;
  /** Of the calls that waited for approval; absent where the input answers nothing. */
  settlement: Settlement | undefined;
  /** Where in the log the input begins; undefined where nobody knows. */
  inputFrom: number | undefined;
  /** Whether the input holds nothing but answers to requests; undefined where nobody has looked. */
  onlyAnswers: boolean | undefined;
  /** Set where the run works for a call of the run around it. */
  handedDown: HandedDown | undefined;
  readonly #journals: Journal[] = [];
  #waitedMs = 0;
  rounds = 0;
  #state: RunState | undefined;
  readonly #principal: Principal | undefined;
  readonly #unique: string;
  /** Set when the run went on after a stop from inside. */
  #stopped: { readonly reason: unknown } | undefined;
  #ids = 0;
  #waiting = 0;
  #waitingSince = 0;
  #childUsage: Usage | undefined;
  /** How much time each limit that ticks leaves. */
  #timeLimits: Set<() => number> | undefined;
  readonly #outside: readonly AbortSignal[];
  readonly #events: EventHub | undefined;
  readonly #onEvent: RunEventListener | undefined;

  constructor(init: RunInit = {}) {
    this.environment = init.environment ?? init.parent?.environment ?? systemEnvironment;
    this.#unique = this.environment.randomId();
    this.id = `run_${this.#unique}`;
    if (init.parent) this.parent = init.parent;
    if (init.passOf) this.passOf = init.passOf;
    if (init.agent) this.agent = init.agent;
    if (init.session) this.session = init.session;
    this.#principal = init.principal ? frozen(init.principal) : init.parent?.principal;
    // Not to be defined anew either. Only where there is one: this is not cheap.
    if (this.#principal) Object.defineProperty(this, "principal", { value: this.#principal });
    this.#state = init.state;
    this.budget = new Budget(init.limits ?? {}, init.parent?.budget);
    this.services = init.services ?? init.parent?.services ?? noServices;
    this.#events = init.events;
    this.#onEvent = init.onEvent;
    this.#outside = [init.parent?.signal, init.signal].filter((signal) => signal !== undefined);
    for (const signal of this.#outside) this.gate.follow(signal);
  }

  /** Without a setter: tools and handlers see the run, and none of them may say who it is for. */
  get principal(): Principal | undefined {
    return this.#principal;
  }

  get parentCallId(): string | undefined {
    return this.handedDown?.callId;
  }

  get state(): RunState {
    this.#state ??= new RunState();
    return this.#state;
  }

  get signal(): AbortSignal {
    return this.gate.signal;
  }

  /** What the run has added to its log so far. */
  get transcript(): readonly Message[] {
    const [first] = this.#journals;
    if (first === undefined || this.#journals.length === 1) return first?.transcript() ?? [];
    return withoutRepeatedResults(this.#journals.flatMap((journal) => journal.transcript()));
  }

  /** The loop begins to work, and what it adds is the run's from now on. */
  keep(journal: Journal): void {
    this.#journals.push(journal);
  }

  now(): number {
    return this.environment.now();
  }

  setTimer(callback: () => void, ms: number): () => void {
    return this.environment.setTimer(callback, ms);
  }

  get remainingMs(): number {
    let least = this.parent?.remainingMs ?? Infinity;
    if (this.#timeLimits) for (const left of this.#timeLimits) least = Math.min(least, left());
    return least;
  }

  /** A time limit begins to tick. Returns the function that says that it has ended. */
  limitTime(leftMs: () => number): () => void {
    this.#timeLimits ??= new Set();
    this.#timeLimits.add(leftMs);
    return () => this.#timeLimits?.delete(leftMs);
  }

  newId(kind: string): string {
    return `${kind}_${this.#unique}_${++this.#ids}`;
  }

  /** Goes on after a stop from inside (the time limit): what was stopped stays so, new work may begin. */
  reopen(): void {
    this.#stopped = { reason: this.gate.reason };
    this.gate.release();
    this.gate = new AbortGate();
    for (const signal of this.#outside) this.gate.follow(signal);
  }

  /** The run is over: lets go of every signal, and what was stopped finds the run so, whenever it looks. */
  end(): void {
    if (this.#stopped) this.gate.abort(this.#stopped.reason);
    this.gate.release();
  }

  /**
   * Settles with the work, or rejects as soon as the run is stopped from outside. The time limit
   * does not count here: it stops the loop, which then ends the run in order.
   */
  async passOutside<Value>(work: Promise<Value>): Promise<Value> {
    if (this.#outside.length === 0) return work;
    const gate = new AbortGate();
    for (const signal of this.#outside) gate.follow(signal);
    try {
      return await gate.pass(work);
    } finally {
      gate.release();
    }
  }

  /** Whether anybody watches; check it before an event is put together. */
  get observed(): boolean {
    return (
      this.#onEvent !== undefined ||
      (this.#events?.active ?? false) ||
      (this.parent?.observed ?? false)
    );
  }

  emit<Name extends RunEventName>(type: Name, details: RunEventMap[Name]): void {
    if (!this.observed) return;
    this.#deliver({ ...this.#source(type), ...details } as RunEvent);
  }

  #source<Name extends RunEventName>(type: Name): { readonly type: Name } & RunEventSource {
    return {
      type,
      runId: this.id,
      ...(this.parent && { parentRunId: this.parent.id }),
      ...(this.session && { sessionId: this.session.id }),
      ...(this.agent && { agentId: this.agent.id }),
      ...(this.agent?.name !== undefined && { agentName: this.agent.name }),
    };
  }

  #listens(name: RunEventName): boolean {
    if (this.#events?.listens(name)) return true;
    return this.parent ? this.parent.#listens(name) : false;
  }

  #emitLayer(event: RunEvent): void {
    this.#events?.emit(event);
    if (this.parent) this.parent.#emitLayer(event);
  }

  notice(code: string, message: string, error?: unknown): void {
    this.emit("notice", { code, message, ...(error !== undefined && { error }) });
  }

  child(): RunContext {
    return new Run({ parent: this });
  }

  /** Whether anybody asked for the events of layers. */
  get layersObserved(): boolean {
    return this.observed && (this.#listens("layer.start") || this.#listens("layer.end"));
  }

  layerStarted(kind: string, middleware: string): (failed: boolean) => void {
    const startedAt = this.now();
    this.#emitLayer({ ...this.#source("layer.start"), kind, middleware });
    return (failed) =>
      this.#emitLayer({
        ...this.#source("layer.end"),
        kind,
        middleware,
        outcome: failed ? "failed" : "completed",
        durationMs: this.now() - startedAt,
      });
  }

  /** Time that is being waited right now counts as well. */
  get waitedMs(): number {
    return this.#waitedMs + (this.#waiting > 0 ? this.now() - this.#waitingSince : 0);
  }

  /** Counts the time in which a producer waits for its consumer; overlapping waits count once. */
  async waitFor(room: PromiseLike<unknown>): Promise<void> {
    if (this.#waiting++ === 0) this.#waitingSince = this.now();
    try {
      await room;
    } finally {
      if (--this.#waiting === 0) this.#waitedMs += this.now() - this.#waitingSince;
    }
  }

  /** Tokens that a child run used are the parent's too. */
  addChildUsage(usage: Usage | undefined): void {
    this.#childUsage = addUsage(this.#childUsage, usage);
    this.parent?.addChildUsage(usage);
  }

  /** What child runs have used since the last time. */
  takeChildUsage(): Usage | undefined {
    const usage = this.#childUsage;
    this.#childUsage = undefined;
    return usage;
  }

  /** @param told Whose listeners know already: an agent may run inside its own run. */
  #deliver(event: RunEvent, told: readonly EventHub[] = []): void {
    const hub = this.#events;
    if (hub && !told.includes(hub)) hub.emit(event);
    if (this.#onEvent) {
      callListener(this.#onEvent, event, (code, message, error) =>
        this.notice(code, message, error),
      );
    }
    if (this.parent) this.parent.#deliver(event, hub ? [...told, hub] : told);
  }
}

/** Two passes of one run may have answered the same calls, which waited before either of them. */
function withoutRepeatedResults(messages: readonly Message[]): readonly Message[] {
  const answered = new Set<string>();
  return messages.flatMap((message): readonly Message[] => {
    const contents = message.contents.filter(
      (content) =>
        content.type !== "function_result" || answered.size < answered.add(content.callId).size,
    );
    if (contents.length === message.contents.length) return [message];
    return contents.length === 0 ? [] : [{ ...message, contents }];
  });
}

const noServices: Services = Object.freeze({});

function frozen({ id, roles, tenant }: Principal): Principal {
  return Object.freeze({
    id,
    ...(roles && { roles: Object.freeze([...roles]) }),
    ...(tenant !== undefined && { tenant }),
  });
}

/** Who is told when layers begin and end: the run, where somebody listens to that. */
export function observerOf(run: RunContext): LayerObserver | undefined {
  return run instanceof Run && run.layersObserved ? run : undefined;
}

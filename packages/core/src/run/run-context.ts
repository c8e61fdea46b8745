import { callListener, type EventHub } from "../events/event-hub.js";
import type {
  RunEvent,
  RunEventListener,
  RunEventMap,
  RunEventName,
} from "../events/run-events.js";
import type { Message } from "../messages/message.js";
import { addUsage, type Usage } from "../messages/usage.js";
import type { AgentSession } from "../session/agent-session.js";
import { AbortGate } from "./abort-gate.js";
import { Budget, type BudgetLimits } from "./budget.js";
import { type RunEnvironment, systemEnvironment } from "./environment.js";
import { RunState } from "./state-key.js";

/** Things that tools and handlers need and a test wants to replace: databases, clients, settings. */
export type Services = Readonly<Record<string, unknown>>;

/** Which agent a run belongs to. */
export interface AgentIdentity {
  readonly id: string;
  readonly name?: string;
}

/** What belongs to one run. Opaque to chat clients; whoever wraps one passes it on. */
export interface RunContext {
  readonly id: string;
  /** The run inside which this one was started. */
  readonly parent?: RunContext;
  readonly agent?: AgentIdentity;
  /** Undefined when the caller gave none. */
  readonly session?: AgentSession;
  readonly state: RunState;
  /** Fires when the run is stopped, for whatever reason. */
  readonly signal: AbortSignal;
  readonly budget: Budget;
  readonly services: Services;
  /** Milliseconds that were spent on waiting for a slow consumer of updates. */
  readonly waitedMs: number;
  /** Milliseconds since the epoch. */
  now(): number;
  /** A new id, such as `message_…_3`. */
  newId(kind: string): string;
  /** Reports what is deliberately not fatal. */
  notice(code: string, message: string, error?: unknown): void;
}

export interface RunInit {
  readonly environment?: RunEnvironment;
  readonly parent?: Run;
  readonly agent?: AgentIdentity;
  readonly session?: AgentSession;
  readonly signal?: AbortSignal;
  readonly limits?: BudgetLimits;
  readonly services?: Services;
  readonly events?: EventHub;
  readonly onEvent?: RunEventListener;
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
  readonly agent?: AgentIdentity;
  readonly session?: AgentSession;
  readonly budget: Budget;
  readonly services: Services;
  gate = new AbortGate();
  readonly environment: RunEnvironment;
  /** Knows what the run has added to its log so far. Set by the loop. */
  journal: Journal | undefined;
  #waitedMs = 0;
  rounds = 0;
  #state: RunState | undefined;
  readonly #unique: string;
  #ids = 0;
  #waiting = 0;
  #waitingSince = 0;
  #childUsage: Usage | undefined;
  readonly #outside: readonly AbortSignal[];
  readonly #events: EventHub | undefined;
  readonly #onEvent: RunEventListener | undefined;

  constructor(init: RunInit = {}) {
    this.environment = init.environment ?? init.parent?.environment ?? systemEnvironment;
    this.#unique = this.environment.randomId();
    this.id = `run_${this.#unique}`;
    if (init.parent) this.parent = init.parent;
    if (init.agent) this.agent = init.agent;
    if (init.session) this.session = init.session;
    this.budget = new Budget(init.limits ?? {}, init.parent?.budget);
    this.services = init.services ?? init.parent?.services ?? noServices;
    this.#events = init.events;
    this.#onEvent = init.onEvent;
    this.#outside = [init.parent?.signal, init.signal].filter((signal) => signal !== undefined);
    for (const signal of this.#outside) this.gate.follow(signal);
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
    return this.journal?.transcript() ?? [];
  }

  now(): number {
    return this.environment.now();
  }

  newId(kind: string): string {
    return `${kind}_${this.#unique}_${++this.#ids}`;
  }

  /** Goes on after a stop from inside (the time limit): what was stopped stays so, new work may begin. */
  reopen(): void {
    this.gate.release();
    this.gate = new AbortGate();
    for (const signal of this.#outside) this.gate.follow(signal);
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
    const event = {
      type,
      runId: this.id,
      ...(this.parent && { parentRunId: this.parent.id }),
      ...(this.session && { sessionId: this.session.id }),
      ...(this.agent && { agentId: this.agent.id }),
      ...(this.agent?.name !== undefined && { agentName: this.agent.name }),
      ...details,
    } as RunEvent;
    this.#deliver(event);
  }

  notice(code: string, message: string, error?: unknown): void {
    this.emit("notice", { code, message, ...(error !== undefined && { error }) });
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

const noServices: Services = Object.freeze({});

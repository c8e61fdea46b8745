import type { AgentSession } from "../session/agent-session.js";
import type { Budget } from "./budget.js";
import type { RunState } from "./state-key.js";

/** Things that tools and handlers need and a test wants to replace: databases, clients, settings. */
export type Services = Readonly<Record<string, unknown>>;

/** Which agent a run belongs to. */
export interface AgentIdentity {
  readonly id: string;
  readonly name?: string;
}

/** On whose behalf a run acts. Given by the caller, never by a model, a tool or stored data. */
export interface Principal {
  readonly id: string;
  readonly roles?: readonly string[];
  readonly tenant?: string;
}

/** What belongs to one run. Opaque to chat clients; whoever wraps one passes it on. */
export interface RunContext {
  readonly id: string;
  /** The run inside which this one was started. */
  readonly parent?: RunContext;
  /** The call of the parent run that this run works for, where an agent runs as a tool. */
  readonly parentCallId?: string | undefined;
  readonly agent?: AgentIdentity;
  /** Undefined when the caller gave none. */
  readonly session?: AgentSession;
  /** The caller's, or the parent run's. */
  readonly principal?: Principal | undefined;
  readonly state: RunState;
  /** Fires when the run is stopped, for whatever reason. */
  readonly signal: AbortSignal;
  readonly budget: Budget;
  readonly services: Services;
  /** Milliseconds that were spent on waiting for a slow consumer of updates. */
  readonly waitedMs: number;
  /**
   * Milliseconds until the run's time limit, or that of a run around it, stops it; `Infinity` where
   * there is none. Waiting for a slow consumer does not count.
   */
  readonly remainingMs: number;
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Calls back once after `ms` milliseconds on the clock of the run. Returns the function that cancels
   * it: the end of the run does not.
   */
  setTimer(callback: () => void, ms: number): () => void;
  /** A new id, such as `message_…_3`. */
  newId(kind: string): string;
  /** Reports what is deliberately not fatal. */
  notice(code: string, message: string, error?: unknown): void;
  /**
   * A run inside this one, for a model call that a handler makes by itself: it shares signal,
   * budgets, principal, services and events.
   */
  child(): RunContext;
}

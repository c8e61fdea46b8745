import { EventEmitter } from "eventemitter3";
import { ConfigurationError, nearestName } from "../errors/configuration-error.js";
import { messageOf } from "../errors/thrown.js";
import { isThenable } from "../onion/is-thenable.js";
import {
  type RunEvent,
  type RunEventListener,
  type RunEventName,
  type RunEventSource,
  runEventNames,
} from "./run-events.js";

/**
 * Where listeners stand. A listener that throws or rejects is reported as a `notice` and hurts
 * neither the run nor the other listeners.
 */
export class EventHub {
  readonly #emitter = new EventEmitter();
  #listeners = 0;

  /** Whether anybody listens; without listeners no event is even made. */
  get active(): boolean {
    return this.#listeners > 0;
  }

  /** Whether anybody listens to events of this name. */
  listens(name: RunEventName): boolean {
    return this.#emitter.listenerCount(name) > 0;
  }

  /**
   * Calls `listener` at each event of that name. Returns the function that ends it.
   *
   * @throws ConfigurationError `unknown_event`, or `invalid_option` for a listener that is no function.
   */
  on<Name extends RunEventName>(name: Name, listener: RunEventListener<Name>): () => void {
    checkListener(name, listener);
    const safe = (event: RunEvent<Name>): void => {
      const { runId, parentRunId, sessionId, agentId, agentName } = event;
      const source: RunEventSource = {
        runId,
        ...(parentRunId !== undefined && { parentRunId }),
        ...(sessionId !== undefined && { sessionId }),
        ...(agentId !== undefined && { agentId }),
        ...(agentName !== undefined && { agentName }),
      };
      callListener(listener, event, (code, message, error) =>
        this.emit({ type: "notice", ...source, code, message, error }),
      );
    };
    this.#emitter.on(name, safe);
    this.#listeners++;
    let listening = true;
    return () => {
      if (!listening) return;
      listening = false;
      this.#emitter.off(name, safe);
      this.#listeners--;
    };
  }

  emit(event: RunEvent): void {
    this.#emitter.emit(event.type, event);
  }
}

function checkListener(name: string, listener: unknown): void {
  if (!runEventNames.has(name)) {
    const near = nearestName(name, runEventNames);
    const hint = near
      ? `; did you mean "${near}"?`
      : `. There are: ${[...runEventNames].join(", ")}.`;
    throw new ConfigurationError("unknown_event", `There is no event "${name}"${hint}`);
  }
  if (typeof listener === "function") return;
  throw new ConfigurationError("invalid_option", `The listener of "${name}" must be a function.`);
}

/**
 * Calls a listener. What it throws, or rejects with, goes to `report`; that of a `notice` listener
 * goes nowhere, because reporting it would not end.
 */
export function callListener<Event extends { readonly type: string }>(
  listener: (event: Event) => unknown,
  event: Event,
  report: (code: string, message: string, error: unknown) => void,
): void {
  const failed = (error: unknown): void => {
    if (event.type === "notice") return;
    report("listener_failed", `A listener of "${event.type}" failed: ${messageOf(error)}`, error);
  };
  try {
    const result = listener(event);
    if (isThenable(result)) result.then(undefined, failed);
  } catch (error) {
    failed(error);
  }
}

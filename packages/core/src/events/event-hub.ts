import { EventEmitter } from "eventemitter3";
import type { RunEvent, RunEventListener, RunEventName, RunEventSource } from "./run-events.js";

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

  /** Calls `listener` at each event of that name. Returns the function that ends it. */
  on<Name extends RunEventName>(name: Name, listener: RunEventListener<Name>): () => void {
    const safe = (event: RunEvent<Name>): void => guarded(listener, event, this);
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

/** Calls a listener; its failure becomes a `notice` at `hub`. */
export function guarded<Event extends { readonly type: string } & RunEventSource>(
  listener: (event: Event) => unknown,
  event: Event,
  hub: EventHub | undefined,
): void {
  const report = (error: unknown): void => {
    // A failing notice listener is not reported to itself: that would never end.
    if (event.type === "notice") return;
    const { type, runId, parentRunId, sessionId, agentId, agentName } = event;
    hub?.emit({
      type: "notice",
      runId,
      ...(parentRunId !== undefined && { parentRunId }),
      ...(sessionId !== undefined && { sessionId }),
      ...(agentId !== undefined && { agentId }),
      ...(agentName !== undefined && { agentName }),
      code: "listener_failed",
      message: `A listener of "${type}" failed: ${error instanceof Error ? error.message : String(error)}`,
      error,
    });
  };
  try {
    const result = listener(event);
    if (isThenable(result)) result.then(undefined, report);
  } catch (error) {
    report(error);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    "then" in value &&
    typeof value.then === "function"
  );
}

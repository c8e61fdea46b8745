import { randomUUID } from "node:crypto";
import type { RunContext } from "@tunic/core";
import type { Behalf } from "../asking/ask-context.js";
import { Flight } from "./flight.js";

/** A flight that waits for a person. */
interface Parked {
  readonly flight: Flight;
  readonly callId: string;
  readonly cancelTimer: () => void;
}

/** A question of the server of which the transport does not tell which call it belongs to. */
interface Unclaimed {
  readonly claim: (flight: Flight | undefined) => void;
}

/** The calls that one server works on. */
export class Flights {
  readonly #active = new Set<Flight>();
  readonly #parked = new Map<string, Parked>();
  #unclaimed: Unclaimed[] = [];

  /** Whether the server works on nothing. */
  get isIdle(): boolean {
    return this.#active.size === 0;
  }

  begin(): Flight {
    const flight = new Flight();
    this.#active.add(flight);
    return flight;
  }

  /** @param isDone Whether the server has answered: then whatever it still asks is about another call. */
  end(flight: Flight, isDone: boolean): void {
    flight.dismiss();
    this.#active.delete(flight);
    if (this.#unclaimed.length === 0) return;
    // It may have been about this one, and is not for the eyes of others.
    if (!isDone) this.#claimAll(undefined);
    else this.#settleClaims();
  }

  /**
   * Keeps a call while a person thinks, up to `ms` milliseconds on the clock of the run.
   *
   * @returns what {@link take} finds it by.
   */
  park(flight: Flight, callId: string, run: RunContext, ms: number): string {
    const id = randomUUID();
    const cancelTimer = run.setTimer(() => this.#giveUp(id), ms);
    this.#parked.set(id, { flight, callId, cancelTimer });
    flight.whenSettled(() => {
      if (this.#parked.get(id)?.flight === flight) this.end(flight, true);
    });
    return id;
  }

  /** The call that waits under an id, once; of that call alone. */
  take(id: string, callId: string): Flight | undefined {
    const parked = this.#parked.get(id);
    if (parked === undefined || parked.callId !== callId) return undefined;
    parked.cancelTimer();
    this.#parked.delete(id);
    return parked.flight;
  }

  /**
   * The call for which the server asks something. Where the transport does not tell, it is the only one there is; else
   * this waits until it is clear, since a call that asks does not end before it is answered. Undefined where it
   * cannot become clear, or might be somebody else's.
   *
   * @param origin Of the request that the server works on, where it is known: the flight that has made it, or
   * anything else where no call has.
   */
  whose(origin: unknown, signal: AbortSignal): Promise<Flight | undefined> {
    if (origin !== undefined) {
      const isCall = origin instanceof Flight && this.#active.has(origin);
      return Promise.resolve(isCall ? origin : undefined);
    }
    return new Promise((resolve) => {
      const unclaimed: Unclaimed = {
        claim(flight) {
          signal.removeEventListener("abort", drop);
          resolve(flight);
        },
      };
      const drop = (): void => {
        this.#unclaimed = this.#unclaimed.filter((each) => each !== unclaimed);
        unclaimed.claim(undefined);
      };
      if (signal.aborted) return resolve(undefined);
      signal.addEventListener("abort", drop);
      this.#unclaimed.push(unclaimed);
      this.#settleClaims();
    });
  }

  /** The same, where it is enough to know the run: of several calls of it, none is said to be the one. */
  async onBehalfOf(origin: unknown, signal: AbortSignal): Promise<Behalf | undefined> {
    if (this.isIdle) return undefined;
    const [first, ...others] = [...this.#active].map(({ context }) => context);
    const isOneRun = first !== undefined && others.every((other) => other?.run === first.run);
    if (origin !== undefined || !isOneRun || others.length === 0) {
      return (await this.whose(origin, signal))?.context;
    }
    const { run, session, tool } = first;
    return { run, session, tool: others.every((other) => other?.tool === tool) ? tool : undefined };
  }

  /** Ends what waits for a person. */
  close(): void {
    for (const id of [...this.#parked.keys()]) this.#giveUp(id);
  }

  #giveUp(id: string): void {
    const parked = this.#parked.get(id);
    if (parked === undefined) return;
    parked.cancelTimer();
    this.#parked.delete(id);
    parked.flight.abandon();
    this.end(parked.flight, false);
  }

  #settleClaims(): void {
    const all = [...this.#active];
    const silent = all.filter(({ questions }) => questions.length === 0);
    // Where all have asked already, the only one asks once more.
    const candidates = silent.length > 0 ? silent : all.length === 1 ? all : [];
    if (candidates.length < 2) {
      this.#claimAll(candidates[0]);
    } else if (this.#unclaimed.length >= candidates.length) {
      // Each of them asks. Which asks what makes no difference to one and the same run, and to others it must not matter.
      const runs = new Set(candidates.map(({ context }) => context?.run));
      if (runs.size > 1) this.#claimAll(undefined);
      else this.#claimAll(...candidates);
    }
  }

  /** Hands them out, one after the other. */
  #claimAll(...flights: readonly (Flight | undefined)[]): void {
    const waiting = this.#unclaimed;
    this.#unclaimed = [];
    waiting.forEach(({ claim }, at) => {
      claim(flights[at % flights.length]);
    });
  }
}

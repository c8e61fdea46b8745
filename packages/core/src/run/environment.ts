import { randomHex } from "../session/random-hex.js";

/** Where time and randomness come from. Tests give their own; the default is the real world. */
export interface RunEnvironment {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `ms` milliseconds. Returns the function that cancels it. */
  setTimer(callback: () => void, ms: number): () => void;
  /** A text that no other run has. */
  randomId(): string;
}

/** The clock and the random numbers of the platform. */
export const systemEnvironment: RunEnvironment = {
  now: () => Date.now(),
  setTimer(callback, ms) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  randomId: randomHex,
};

import { AbortGate } from "../onion/abort-gate.js";

/**
 * Runs work under a signal of its own and rejects with the caller's reason, as it is, as soon as the
 * caller aborts. The caller's signal never leaves: a vendor's SDK may keep its listener on the one
 * that it is given.
 */
export async function withAbort<Value>(
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const gate = new AbortGate();
  if (signal === undefined) return await work(gate.signal);
  signal.throwIfAborted();
  gate.follow(signal);
  try {
    return await gate.pass(work(gate.signal));
  } finally {
    gate.release();
  }
}

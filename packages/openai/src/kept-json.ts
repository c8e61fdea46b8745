import { malformed } from "./openai-errors.js";

/** As deep as schemas may be; no service nests what it wants back even nearly so. */
const deepest = 256;

/**
 * What is kept of an answer as it came, to go back or to be shown. It becomes a part of messages, which are
 * written as JSON again and again: a depth at which that fails would make a session that cannot be stored.
 *
 * @param what For the error message.
 * @throws ChatClientError `malformed_response` for what is nested too deeply.
 */
export function keptJson<Value>(value: Value, what: string): Value {
  if (fits(value, deepest)) return value;
  throw malformed(`${what} is nested deeper than ${deepest} levels.`, undefined, "usable answer");
}

function fits(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((each) => fits(each, levels - 1));
}

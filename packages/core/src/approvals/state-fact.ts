import type { JsonValue } from "../messages/json.js";
import { VerdictContext } from "./verdict.js";

/** What a fact is by now; undefined where there is nothing to say. */
export type Fact = () => JsonValue | undefined | PromiseLike<JsonValue | undefined>;

/**
 * Ties a yes to a fact, for a verdict handler that knows what a call depends on beside its arguments, such as the
 * content of a file that it would run. Call it before `next()`.
 *
 * The fact is looked up when it is needed: where somebody is asked, whoever asks, it stands under its key in the
 * `additionalProperties` of the request. Where it is another one when the call is judged with a person's yes, that
 * yes does not count, and somebody is asked again; a remembered yes covers only calls with the same facts.
 */
export function stateFact(context: VerdictContext, key: string, fact: Fact): void {
  const parts = VerdictContext.partsOf(context);
  // Of one judging all layers see the same.
  let known: Promise<JsonValue | undefined> | undefined;
  parts.facts ??= new Map();
  parts.facts.set(key, () => {
    known ??= (async () => await fact())();
    return known;
  });
}

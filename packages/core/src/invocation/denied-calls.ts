import { canonicalJson } from "../messages/canonical-json.js";
import type { FunctionCallContent } from "../messages/content.js";

/** The calls that a person has denied in one run: repeated with the same arguments, they are denied unasked. */
export class DeniedCalls {
  #keys: Set<string> | undefined;

  get none(): boolean {
    return this.#keys === undefined;
  }

  add(call: FunctionCallContent): void {
    this.#keys ??= new Set();
    this.#keys.add(keyOf(call));
  }

  has(call: FunctionCallContent): boolean {
    return this.#keys?.has(keyOf(call)) ?? false;
  }
}

function keyOf({ name, arguments: args }: FunctionCallContent): string {
  return canonicalJson([name, args]);
}

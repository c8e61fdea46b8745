import type { NotStrict, StrictForm } from "./strict-schema.js";

/** "Schema complexity limits" of the vendor's page on structured outputs, for one request. */
const limits = { tools: 20, optional: 24, unions: 16 };

/** What of the service's limits on strict schemas is left in one request. */
export class StrictBudget {
  #tools = 0;
  #optional = 0;
  #unions = 0;

  /** Counts a schema that is held strictly in any case; beyond the limits the service says so itself. */
  take(form: StrictForm | NotStrict): void {
    if ("reason" in form) return;
    this.#tools++;
    this.#optional += form.optional;
    this.#unions += form.unions;
  }

  /** Counts a schema if it fits in; else says why it does not. */
  takeIfLeft(form: StrictForm | NotStrict): string | undefined {
    if ("reason" in form) return form.reason;
    if (this.#tools + 1 > limits.tools)
      return `Anthropic takes ${limits.tools} strict tools in one request`;
    if (this.#optional + form.optional > limits.optional)
      return `Anthropic takes ${limits.optional} optional arguments in all strict tools of one request`;
    if (this.#unions + form.unions > limits.unions)
      return `Anthropic takes ${limits.unions} arguments of several types in all strict tools of one request`;
    this.take(form);
    return undefined;
  }
}

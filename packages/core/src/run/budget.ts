import type { Spent } from "../messages/content.js";

/** Names of the limits that can end a run. */
export type LimitName =
  | "maxIterations"
  | "maxFunctionCalls"
  | "maxConsecutiveErrors"
  | "maxTotalTokens"
  | "maxDurationMs";

/** What may be used up; absent means without a limit. */
export interface BudgetLimits {
  readonly maxIterations?: number;
  readonly maxFunctionCalls?: number;
  readonly maxTotalTokens?: number;
}

/** Counts what a run uses. What a child run uses counts at its parents too. */
export class Budget {
  readonly limits: BudgetLimits;
  readonly #parent: Budget | undefined;
  #iterations = 0;
  #functionCalls = 0;
  #tokens = 0;

  constructor(limits: BudgetLimits, parent?: Budget) {
    this.limits = limits;
    this.#parent = parent;
  }

  /** Goes on from the counters of the run that paused. */
  resume(spent: Spent): void {
    this.#iterations = spent.iterations;
    this.#functionCalls = spent.functionCalls;
    this.#tokens = spent.tokens;
  }

  get spent(): Spent {
    return {
      iterations: this.#iterations,
      functionCalls: this.#functionCalls,
      tokens: this.#tokens,
    };
  }

  spendIteration(): void {
    this.#iterations++;
    this.#parent?.spendIteration();
  }

  spendTokens(count: number): void {
    this.#tokens += count;
    this.#parent?.spendTokens(count);
  }

  /** Takes the right to run one call, here and at every parent, or takes nothing. */
  takeCall(): boolean {
    if (this.callsLeft < 1) return false;
    this.#countCall();
    return true;
  }

  /** How many more calls may run. */
  get callsLeft(): number {
    const own = (this.limits.maxFunctionCalls ?? Infinity) - this.#functionCalls;
    return this.#parent ? Math.min(own, this.#parent.callsLeft) : own;
  }

  /** The limit that forbids a further step, if one does. */
  exhausted(): LimitName | undefined {
    const { maxIterations, maxFunctionCalls, maxTotalTokens } = this.limits;
    if (maxTotalTokens !== undefined && this.#tokens >= maxTotalTokens) return "maxTotalTokens";
    if (maxFunctionCalls !== undefined && this.#functionCalls >= maxFunctionCalls) {
      return "maxFunctionCalls";
    }
    if (maxIterations !== undefined && this.#iterations >= maxIterations) return "maxIterations";
    return this.#parent?.exhausted();
  }

  #countCall(): void {
    this.#functionCalls++;
    if (this.#parent) this.#parent.#countCall();
  }
}

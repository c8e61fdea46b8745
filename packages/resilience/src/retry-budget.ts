import { checkOptionNames, createStateKey, type RunContext } from "@tunic/core";
import { checkNumber } from "./option-checks.js";

/** How much a budget allows. */
export interface RetryBudgetOptions {
  /** The most retries of one run and the runs inside it, of all layers together. `Infinity`: no limit. */
  readonly maxRetries: number;
}

/** How many retries a run may have, whichever layers make them. Give the same one to all that share it. */
export interface RetryBudget {
  readonly maxRetries: number;
  /** Takes one retry of the run, or says that none is left. */
  take(run: RunContext): boolean;
}

const optionNames: ReadonlySet<string> = new Set<keyof RetryBudgetOptions>(["maxRetries"]);

/**
 * A budget of retries. The count belongs to the outermost run: sub-agents, several model calls and several
 * retry layers use up the same, so that their attempts add up and do not multiply. The object itself holds
 * no count and serves any number of runs.
 *
 * @throws ConfigurationError `unknown_option` or `invalid_option`.
 */
export function retryBudget(options: RetryBudgetOptions): RetryBudget {
  checkOptionNames("retryBudget", options, optionNames);
  const { maxRetries } = options;
  checkNumber("retryBudget: maxRetries", maxRetries, { least: 0, most: Infinity, whole: true });
  const key = createStateKey("retries of model calls", () => ({ spent: 0 }));
  return {
    maxRetries,
    take(run) {
      const count = outermost(run).state.get(key);
      if (count.spent >= maxRetries) return false;
      count.spent++;
      return true;
    },
  };
}

function outermost(run: RunContext): RunContext {
  return run.parent ? outermost(run.parent) : run;
}

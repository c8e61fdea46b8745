import {
  type ApprovalOptions,
  type ApprovalSettings,
  approvalSettings,
} from "../approvals/approval-options.js";
import { ConfigurationError, checkOptionNames } from "../errors/configuration-error.js";
import type { BudgetLimits } from "../run/budget.js";

/** The budgets and the manners of the loop. */
export interface FunctionInvocationConfiguration {
  /** Model round trips that may run tools; a child run's count too. Default 40. */
  readonly maxIterations?: number | undefined;
  /** Calls that may run in one run, given out exactly, in call order. Default: no limit. */
  readonly maxFunctionCalls?: number | undefined;
  /**
   * How many batches in a row, in each of which every call failed, are enough. Any success starts
   * the count anew; 0 stops at the first. Default 3.
   */
  readonly maxConsecutiveErrors?: number | undefined;
  /** Tokens after which no further step begins. Default: no limit. */
  readonly maxTotalTokens?: number | undefined;
  /** Milliseconds, without those spent on waiting for the consumer. Default: no limit. */
  readonly maxDurationMs?: number | undefined;
  /** How many calls of a batch run at the same time at most. Default 16. */
  readonly maxConcurrency?: number | undefined;
  /** Whether a call of a tool that does not exist ends the run. Default false: an error result. */
  readonly terminateOnUnknownCalls?: boolean | undefined;
  /** Whether the model sees the message of what a tool threw. Default false: it may hold secrets. */
  readonly includeDetailedErrors?: boolean | undefined;
  /** How approvals are asked for and taken. */
  readonly approvals?: ApprovalOptions | undefined;
}

/** A configuration with every default filled in. */
export interface InvocationSettings {
  readonly limits: BudgetLimits;
  readonly maxConsecutiveErrors: number;
  readonly maxDurationMs: number | undefined;
  readonly maxConcurrency: number;
  readonly terminateOnUnknownCalls: boolean;
  readonly includeDetailedErrors: boolean;
  readonly approvals: ApprovalSettings;
}

/** The least value of each number. */
const minimums = {
  maxIterations: 1,
  maxFunctionCalls: 1,
  maxConsecutiveErrors: 0,
  maxTotalTokens: 1,
  maxDurationMs: 1,
  maxConcurrency: 1,
} as const;

/** The names of all members of a configuration. */
export const invocationOptionNames: ReadonlySet<string> = new Set([
  ...Object.keys(minimums),
  "terminateOnUnknownCalls",
  "includeDetailedErrors",
  "approvals",
]);

/**
 * Checks a configuration and fills in its defaults.
 *
 * @throws ConfigurationError `unknown_option` or `invalid_option`.
 */
export function invocationSettings(
  configuration: FunctionInvocationConfiguration,
): InvocationSettings {
  checkOptionNames("FunctionInvocationConfiguration", configuration, invocationOptionNames);
  for (const [name, minimum] of Object.entries(minimums)) {
    const value = configuration[name as keyof typeof minimums];
    if (value === undefined || (Number.isInteger(value) && value >= minimum)) continue;
    throw new ConfigurationError(
      "invalid_option",
      `${name} must be a whole number of at least ${minimum}; got ${String(value)}. Leave it out for the default.`,
    );
  }
  const { maxIterations = 40, maxFunctionCalls, maxTotalTokens } = configuration;
  return {
    limits: {
      maxIterations,
      ...(maxFunctionCalls !== undefined && { maxFunctionCalls }),
      ...(maxTotalTokens !== undefined && { maxTotalTokens }),
    },
    maxConsecutiveErrors: configuration.maxConsecutiveErrors ?? 3,
    maxDurationMs: configuration.maxDurationMs,
    maxConcurrency: configuration.maxConcurrency ?? 16,
    terminateOnUnknownCalls: configuration.terminateOnUnknownCalls ?? false,
    includeDetailedErrors: configuration.includeDetailedErrors ?? false,
    approvals: approvalSettings(configuration.approvals),
  };
}

import { type ChatClientError, checkOptionNames } from "@tunic/core";
import type { BackOff } from "./back-off.js";
import {
  checkBoolean,
  checkFunction,
  checkNumber,
  invalid,
  longestDelayMs,
} from "./option-checks.js";
import { type RetryBudget, retryBudget } from "./retry-budget.js";

/** When a model call is made again, and after which wait. */
export interface RetryModelCallsOptions {
  /** Default `retry-model-calls`; two in one list need two names. */
  readonly name?: string | undefined;
  /** How often the model is asked in all, the first time included. Default 3. */
  readonly maxAttempts?: number | undefined;
  /** The wait after the first failure, in milliseconds, before jitter. Default 1000. */
  readonly initialDelayMs?: number | undefined;
  /** By how much each wait is longer than the one before. Default 2. */
  readonly factor?: number | undefined;
  /** The longest wait of our own, in milliseconds; it cuts what jitter has made. Default 60,000. */
  readonly maxDelayMs?: number | undefined;
  /**
   * How far waits are spread, so that many callers do not come back together: a share (0.25 is from 75 to
   * 125 percent), or `full`, anything from nothing to the whole wait. Default 0.25.
   */
  readonly jitter?: number | "full" | undefined;
  /**
   * The longest wait that a service may ask for, in milliseconds. Where it asks for more, the call fails at
   * once, with the error that came. Default 60,000.
   */
  readonly maxRetryAfterMs?: number | undefined;
  /**
   * Whether a failure is worth another attempt; asked after each one, the first attempt is 1. Default: what
   * the error says of itself (`retryable`).
   */
  readonly retryOn?:
    | ((error: ChatClientError, attempt: number) => boolean | Promise<boolean>)
    | undefined;
  /**
   * Whether to try again after something of the attempt was streamed; it is taken back then. Default false.
   */
  readonly afterUpdates?: boolean | undefined;
  /**
   * The retries that a run may have in all. Default: ten, shared by all retry layers that have no budget of
   * their own.
   */
  readonly budget?: RetryBudget | undefined;
  /** A number from 0 up to 1, for the jitter. Default `Math.random`; for tests. */
  readonly random?: (() => number) | undefined;
}

/** The options with all their defaults. */
export interface RetrySettings extends BackOff {
  readonly name: string;
  readonly maxAttempts: number;
  readonly maxRetryAfterMs: number;
  readonly retryOn: (error: ChatClientError, attempt: number) => boolean | Promise<boolean>;
  readonly afterUpdates: boolean;
  readonly budget: RetryBudget;
}

const names: Readonly<Record<keyof RetryModelCallsOptions, true>> = {
  name: true,
  maxAttempts: true,
  initialDelayMs: true,
  factor: true,
  maxDelayMs: true,
  jitter: true,
  maxRetryAfterMs: true,
  retryOn: true,
  afterUpdates: true,
  budget: true,
  random: true,
};
const optionNames: ReadonlySet<string> = new Set(Object.keys(names));

/** One object, so that layers that know nothing of each other count together. */
const sharedBudget = retryBudget({ maxRetries: 10 });

/** @throws ConfigurationError `unknown_option` or `invalid_option`. */
export function retrySettings(options: RetryModelCallsOptions): RetrySettings {
  const what = "retryModelCalls";
  checkOptionNames(what, options, optionNames);
  const {
    name = "retry-model-calls",
    maxAttempts = 3,
    initialDelayMs = 1000,
    factor = 2,
    maxDelayMs = 60_000,
    jitter = 0.25,
    maxRetryAfterMs = 60_000,
    retryOn = isRetryable,
    afterUpdates = false,
    budget = sharedBudget,
    random = Math.random,
  } = options;
  const delay = { least: 0, most: longestDelayMs };
  checkNumber(`${what}: maxAttempts`, maxAttempts, { least: 1, most: Infinity, whole: true });
  checkNumber(`${what}: initialDelayMs`, initialDelayMs, delay);
  checkNumber(`${what}: factor`, factor, { least: 1, most: Number.MAX_VALUE });
  checkNumber(`${what}: maxDelayMs`, maxDelayMs, delay);
  checkNumber(`${what}: maxRetryAfterMs`, maxRetryAfterMs, delay);
  if (jitter !== "full") checkNumber(`${what}: jitter`, jitter, { least: 0, most: 1 });
  checkFunction(`${what}: retryOn`, retryOn);
  checkFunction(`${what}: random`, random);
  checkBoolean(`${what}: afterUpdates`, afterUpdates);
  if (typeof budget?.take !== "function") {
    throw invalid(`${what}: budget must be what retryBudget({ maxRetries }) gives.`);
  }
  return {
    name,
    maxAttempts,
    initialDelayMs,
    factor,
    maxDelayMs,
    jitter,
    maxRetryAfterMs,
    retryOn,
    afterUpdates,
    budget,
    random,
  };
}

function isRetryable(error: ChatClientError): boolean {
  return error.retryable;
}

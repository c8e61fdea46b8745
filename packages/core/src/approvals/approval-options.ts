import { ConfigurationError, checkOptionNames } from "../errors/configuration-error.js";
import { type ApprovalKey, type ApprovalSecret, readApprovalKeys } from "./approval-keys.js";
import type { SpentRequests } from "./spent-requests.js";

/**
 * What happens to the other calls of a batch in which somebody has to be asked. `hold`: they wait,
 * and the batch runs as one. `ask-all`: they are asked about, too. `run`: they run at once.
 */
export type ApprovalBatchMode = "hold" | "ask-all" | "run";

/** How approvals are asked for and taken. */
export interface ApprovalOptions {
  /** Default `hold`. */
  readonly mode?: ApprovalBatchMode | undefined;
  /**
   * Signs requests, so that a history may live with somebody who is not trusted. Without it and
   * without a session, whoever holds the history can make the agent call any tool. Default: none.
   */
  readonly approvalSecret?: ApprovalSecret | undefined;
  /** Milliseconds after which a request counts as denied. Default: 24 hours; with a session and without a secret, never. */
  readonly expiresInMs?: number | undefined;
  /**
   * Where used requests are remembered, beside the session: for copies of it, and for histories.
   * Default: in the memory of this process.
   */
  readonly spent?: SpentRequests | undefined;
}

/** The options with their defaults. */
export interface ApprovalSettings {
  readonly mode: ApprovalBatchMode;
  readonly keys: readonly ApprovalKey[] | undefined;
  readonly expiresInMs: number | undefined;
  readonly spent: SpentRequests | undefined;
}

/** How long a request without a session can be answered, unless the options say otherwise. */
export const defaultExpiryMs = 24 * 60 * 60 * 1000;

const names: ReadonlySet<string> = new Set<keyof ApprovalOptions>([
  "mode",
  "approvalSecret",
  "expiresInMs",
  "spent",
]);
const modes: ReadonlySet<unknown> = new Set<ApprovalBatchMode>(["hold", "ask-all", "run"]);

/**
 * Checks the options and fills in what is left out.
 *
 * @throws ConfigurationError `unknown_option` or `invalid_option`.
 */
export function approvalSettings(options: ApprovalOptions = {}): ApprovalSettings {
  if (typeof options !== "object" || options === null) {
    throw wrong("approvals", 'an object such as { mode: "hold" }');
  }
  checkOptionNames("approvals", options, names);
  const { mode = "hold", approvalSecret, expiresInMs, spent } = options;
  if (!modes.has(mode)) throw wrong("approvals.mode", '"hold", "ask-all" or "run"');
  if (expiresInMs !== undefined && !(Number.isFinite(expiresInMs) && expiresInMs > 0)) {
    throw wrong("approvals.expiresInMs", "a number of milliseconds above 0");
  }
  if (spent !== undefined && typeof spent?.take !== "function") {
    throw wrong("approvals.spent", "an object with a method take(requestId, until)");
  }
  const keys = approvalSecret === undefined ? undefined : readApprovalKeys(approvalSecret);
  return { mode, keys, expiresInMs, spent };
}

function wrong(name: string, expected: string): ConfigurationError {
  return new ConfigurationError("invalid_option", `\`${name}\` must be ${expected}.`);
}

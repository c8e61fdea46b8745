import { type ChatClient, ConfigurationError } from "@tunic/core";

/** Longer timers fire at once: a delay is kept in 32 bits. */
export const longestDelayMs = 2 ** 31 - 1;

/** A number and where it must lie; both ends belong to it. */
interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly whole?: boolean;
}

/** @throws ConfigurationError `invalid_option` for what is no number within the bounds. */
export function checkNumber(what: string, value: unknown, { least, most, whole }: Bounds): void {
  const fits = typeof value === "number" && value >= least && value <= most;
  // Infinity stands for "without a limit" where the bounds let it in.
  if (fits && (!whole || Number.isInteger(value) || value === Infinity)) return;
  const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
  throw invalid(`${what} must be a ${whole ? "whole " : ""}number ${range}; got ${shown(value)}.`);
}

/** @throws ConfigurationError `invalid_option`. */
export function checkFunction(what: string, value: unknown): void {
  if (value === undefined || typeof value === "function") return;
  throw invalid(`${what} must be a function; got ${shown(value)}.`);
}

/** @throws ConfigurationError `invalid_option`. */
export function checkBoolean(what: string, value: unknown): void {
  if (value === undefined || typeof value === "boolean") return;
  throw invalid(`${what} must be true or false; got ${shown(value)}.`);
}

/** Whether a value has what a chat client must have. */
export function isChatClient(value: unknown): value is ChatClient {
  if (typeof value !== "object" || value === null) return false;
  const { getResponse, metadata } = value as Partial<ChatClient>;
  return typeof getResponse === "function" && typeof metadata?.provider === "string";
}

/** A value that was put together wrongly. */
export function invalid(message: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError("invalid_option", message, cause === undefined ? {} : { cause });
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "function" ? "a function" : String(value);
}

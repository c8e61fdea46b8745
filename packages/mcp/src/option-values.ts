import { ConfigurationError, isJsonObject } from "@tunic/core";

/** A list of texts, as a set. */
export function names(
  option: string,
  list: readonly string[] | undefined,
  expected = "a list of the server's own names of tools",
): ReadonlySet<string> {
  if (list === undefined) return new Set();
  if (!Array.isArray(list) || list.some((each) => typeof each !== "string")) {
    throw wrong(option, expected);
  }
  return new Set(list);
}

/** A number above 0 that a timer can be set to. */
export function amount(option: string, value: number | undefined, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (typeof value === "number" && value > 0 && value <= 2 ** 31 - 1) return value;
  throw wrong(option, "a number above 0");
}

/** Whether it is an object of texts. A `Map` and `Headers` have no members: what is in them would be lost. */
export function isTextRecord(value: unknown): value is Readonly<Record<string, string>> {
  if (!isJsonObject(value) || Symbol.iterator in value) return false;
  return Object.values(value).every((each) => typeof each === "string");
}

/** What is wrong with an option, and what to write. */
export function wrong(option: string, expected: string): ConfigurationError {
  return new ConfigurationError("invalid_option", `mcpTools(): ${option} must be ${expected}.`);
}

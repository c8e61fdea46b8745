import { ConfigurationError } from "@tunic/core";

/** @throws ConfigurationError `invalid_option`. */
export function servedAmount(option: string, value: number | undefined, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (typeof value === "number" && value > 0 && value <= 2 ** 31 - 1) return value;
  throw wrongServe(option, "a number above 0");
}

/** An option that cannot be what it is. */
export function wrongServe(option: string, expected: string): ConfigurationError {
  return new ConfigurationError("invalid_option", `serveTools(): ${option} must be ${expected}.`);
}

import { ConfigurationError } from "../errors/configuration-error.js";
import { isJsonObject } from "../messages/json.js";

/** A secret that signs requests, under a name that signatures carry. */
export interface ApprovalKey {
  /** Letters, digits, `_` and `-`. */
  readonly id: string;
  /** At least 32 characters, from a random generator. */
  readonly secret: string;
}

/** One secret, or several: the first signs, all of them verify. */
export type ApprovalSecret = string | ApprovalKey | readonly ApprovalKey[];

/**
 * Reads the option `approvalSecret`.
 *
 * @throws ConfigurationError `invalid_option` for a secret that is too short, or two keys of one id.
 */
export function readApprovalKeys(secret: ApprovalSecret): readonly ApprovalKey[] {
  const keys = typeof secret === "string" ? [{ id: "1", secret }] : listOf(secret);
  if (keys.length === 0) throw wrongSecret("an empty list: leave it out, or give a key");
  const ids = new Set<string>();
  for (const key of keys) {
    if (!isJsonObject(key)) throw wrongSecret("something that is no key");
    if (typeof key.id !== "string" || !/^[\w-]+$/.test(key.id)) {
      throw wrongSecret("a key without an `id` of letters, digits, _ and -");
    }
    if (typeof key.secret !== "string" || key.secret.length < 32) {
      throw wrongSecret(`a secret of fewer than 32 characters (key "${key.id}")`);
    }
    if (ids.size === ids.add(key.id).size) throw wrongSecret(`two keys of the id "${key.id}"`);
  }
  return keys;
}

function listOf(secret: ApprovalKey | readonly ApprovalKey[]): readonly ApprovalKey[] {
  return Array.isArray(secret) ? secret : [secret as ApprovalKey];
}

function wrongSecret(found: string): ConfigurationError {
  return new ConfigurationError(
    "invalid_option",
    `\`approvalSecret\` must be a text of at least 32 random characters, or keys such as { id: "2026", secret: "…" }; got ${found}.`,
  );
}

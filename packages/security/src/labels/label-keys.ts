import { utf8ToBytes } from "@noble/hashes/utils.js";
import { ConfigurationError, isJsonObject } from "@tunic/core";

/** A secret that seals labels, under a name that seals carry. */
export interface LabelKey {
  /** Letters, digits, `_` and `-`. */
  readonly id: string;
  /** At least 16 bytes (a text in UTF-8), from a random generator. */
  readonly secret: string | Uint8Array;
}

/** One secret, or several keys: the first seals, all of them verify. A secret alone has the id `1`. */
export type LabelSecret = string | Uint8Array | LabelKey | readonly LabelKey[];

/** A key that can be used. */
export interface ReadLabelKey {
  readonly id: string;
  readonly secret: Uint8Array;
}

/**
 * The keys of a label secret, the one that seals first.
 *
 * @throws ConfigurationError `invalid_option` for a secret of fewer than 16 bytes, an id with other
 * characters, two keys of one id, and an empty list.
 */
export function readLabelKeys(secret: LabelSecret): readonly [ReadLabelKey, ...ReadLabelKey[]] {
  const ids = new Set<string>();
  const [first, ...others] = listOf(secret).map((key) => {
    if (!isJsonObject(key)) throw wrongSecret("something that is no key");
    const { id } = key;
    if (typeof id !== "string" || !/^[\w-]+$/.test(id)) {
      throw wrongSecret("a key without an `id` of letters, digits, _ and -");
    }
    const bytes = bytesOf(key["secret"]);
    if (bytes === undefined || bytes.length < 16) {
      throw wrongSecret(`a secret of fewer than 16 bytes (key "${id}")`);
    }
    if (ids.size === ids.add(id).size) throw wrongSecret(`two keys of the id "${id}"`);
    return { id, secret: bytes };
  });
  if (first === undefined) throw wrongSecret("an empty list");
  return [first, ...others];
}

function listOf(secret: LabelSecret): readonly unknown[] {
  if (typeof secret === "string" || secret instanceof Uint8Array) return [{ id: "1", secret }];
  return Array.isArray(secret) ? secret : [secret];
}

function bytesOf(secret: unknown): Uint8Array | undefined {
  if (typeof secret === "string") return utf8ToBytes(secret);
  return secret instanceof Uint8Array ? secret : undefined;
}

function wrongSecret(found: string): ConfigurationError {
  return new ConfigurationError(
    "invalid_option",
    `A label secret must be at least 16 random bytes or a text of as many, or keys such as { id: "2026", secret: "…" }; got ${found}.`,
  );
}

import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { canonicalJson, type JsonValue } from "@tunic/core";
import { base64Url } from "../base64-url.js";
import type { ContentLabel } from "./content-label.js";
import { type LabelSecret, type ReadLabelKey, readLabelKeys } from "./label-keys.js";

/** No two uses of one secret authenticate the same bytes. */
const DOMAIN = "tunic.label.1:";
const SEAL_BYTES = 16;

/**
 * A seal on a label and the content that it belongs to, for labels that leave the process and come back
 * by way of somebody who is not trusted with them: the id of the key, a dot, and the first 128 bits of an
 * HMAC-SHA-256 over the canonical JSON of both, in base64url.
 *
 * It says that we have once put this label on this content, not when or where. What must not be moved
 * (into another session, to another message) has to be part of `content`.
 *
 * @throws ConfigurationError `invalid_option` for a secret that cannot be used, see `LabelSecret`.
 */
export function sealLabel(label: ContentLabel, content: JsonValue, secret: LabelSecret): string {
  const [key] = readLabelKeys(secret);
  return sealBy(key, label, content);
}

/**
 * Whether a seal is one that {@link sealLabel} has made of this label and this content with one of the
 * keys. The comparison takes the same time wherever the two differ.
 *
 * @throws ConfigurationError `invalid_option` for a secret that cannot be used.
 */
export function isSealed(
  seal: unknown,
  label: ContentLabel,
  content: JsonValue,
  secret: LabelSecret,
): boolean {
  const keys = readLabelKeys(secret);
  if (typeof seal !== "string") return false;
  const id = seal.slice(0, seal.indexOf("."));
  const key = keys.find((each) => each.id === id);
  return key !== undefined && isSame(seal, sealBy(key, label, content));
}

function sealBy({ id, secret }: ReadLabelKey, label: ContentLabel, content: JsonValue): string {
  const bytes = utf8ToBytes(DOMAIN + canonicalJson({ label, content }));
  return `${id}.${base64Url(hmac(sha256, secret, bytes).subarray(0, SEAL_BYTES))}`;
}

/** As texts: of several spellings that base64url has for the same bytes, one is the seal. */
function isSame(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let index = 0; index < a.length; index++) {
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  }
  return difference === 0;
}

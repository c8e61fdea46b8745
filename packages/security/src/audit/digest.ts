import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { canonicalJson, type JsonValue } from "@tunic/core";
import { base64Url } from "../base64-url.js";

/**
 * The SHA-256 of a value's canonical JSON, in base64url (43 characters): what stands in an audit log in
 * place of contents. The order of members does not matter. It hides nothing that can be guessed: who
 * knows the few values that a content can have finds out which one it was.
 */
export function digest(value: JsonValue): string {
  return base64Url(sha256(utf8ToBytes(canonicalJson(value))));
}

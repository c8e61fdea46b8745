import { ConfigurationError } from "../errors/configuration-error.js";
import { canonicalJson } from "../messages/canonical-json.js";
import type {
  FunctionApprovalRequestContent,
  FunctionCallContent,
  PausedCallContent,
} from "../messages/content.js";
import { isJsonObject } from "../messages/json.js";
import { base64Url, webCrypto } from "./requested-tool.js";

/** A secret that signs requests, under a name that signatures carry. */
export interface ApprovalKey {
  /** Letters, digits, `_` and `-`. */
  readonly id: string;
  /** At least 32 characters, from a random generator. */
  readonly secret: string;
}

/** One secret, or several: the first signs, all of them verify. */
export type ApprovalSecret = string | ApprovalKey | readonly ApprovalKey[];

/** Everything that one pause put into a log: what its signature covers. */
export interface SignedPause {
  readonly requests: readonly FunctionApprovalRequestContent[];
  /** All calls of the messages that hold the requests' calls. */
  readonly calls: readonly FunctionCallContent[];
  /** The calls that had started. */
  readonly paused: readonly PausedCallContent[];
}

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

/** The signature of a pause, by the first of the keys. */
export async function signPause(keys: readonly ApprovalKey[], pause: SignedPause): Promise<string> {
  const [key] = keys;
  if (key === undefined) throw wrongSecret("no key");
  const bytes = await webCrypto().sign("HMAC", await imported(key), bytesOf(pause));
  return `${key.id}.${base64Url(new Uint8Array(bytes))}`;
}

/** Whether a pause is as one of the keys has signed it. Compares in constant time. */
export async function verifiesPause(
  keys: readonly ApprovalKey[],
  pause: SignedPause,
  signature: string,
): Promise<boolean> {
  const dot = signature.indexOf(".");
  const key = keys.find(({ id }) => id === signature.slice(0, dot));
  const bytes = fromBase64Url(signature.slice(dot + 1));
  if (key === undefined || bytes === undefined) return false;
  return webCrypto().verify("HMAC", await imported(key), bytes, bytesOf(pause));
}

/** Sorted by id: a host may keep the parts of a message apart, and put them together in another order. */
function bytesOf({ requests, calls, paused }: SignedPause): Uint8Array<ArrayBuffer> {
  const text = canonicalJson([
    "tunic approval 1",
    byKey(requests.map(signedRequest), "requestId"),
    byKey(calls.map(signedCall), "callId"),
    byKey(paused.map(signedStage), "callId"),
  ]);
  return new TextEncoder().encode(text);
}

/** What a person is shown but the tool's hash covers, is left to the hash. */
function signedRequest(request: FunctionApprovalRequestContent) {
  const { requestId, call, tool, path, batch, editable, expiresAt, spent } = request;
  const { reason, summary, violation } = request;
  return {
    requestId,
    callId: call.callId,
    // A sub-agent's call stands in no message of this log.
    ...(path && { path, call: signedCall(call) }),
    tool: tool && { name: tool.name, owner: tool.owner, hash: tool.hash },
    shown: { reason, summary, violation },
    batch,
    editable,
    expiresAt,
    spent,
  };
}

function signedCall({ callId, name, arguments: args, argumentsText }: FunctionCallContent) {
  return { callId, name, arguments: args, argumentsText };
}

function signedStage({ callId, requestIds, hash, state }: PausedCallContent) {
  return { callId, requestIds, hash, state };
}

function byKey<Key extends string, Value extends Record<Key, string>>(
  values: readonly Value[],
  key: Key,
): readonly Value[] {
  return values.toSorted((a, b) => (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0));
}

type ImportedKey = Awaited<ReturnType<typeof globalThis.crypto.subtle.importKey>>;

/** By the key's own object; an agent keeps its keys as long as it lives. */
const importedKeys = new WeakMap<ApprovalKey, Promise<ImportedKey>>();

function imported(key: ApprovalKey): Promise<ImportedKey> {
  const before = importedKeys.get(key);
  if (before !== undefined) return before;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const secret = new TextEncoder().encode(key.secret);
  const made = webCrypto().importKey("raw", secret, algorithm, false, ["sign", "verify"]);
  importedKeys.set(key, made);
  return made;
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]+$/.test(text)) return undefined;
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
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

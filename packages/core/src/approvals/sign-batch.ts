import { canonicalJson } from "../messages/canonical-json.js";
import type {
  FunctionApprovalRequestContent,
  FunctionCallContent,
  PausedCallContent,
  RequestedTool,
} from "../messages/content.js";
import type { ApprovalKey } from "./approval-keys.js";
import { base64Url, webCrypto } from "./requested-tool.js";

/** Everything that one pause put into a log: what its signature covers. */
export interface SignedPause {
  readonly requests: readonly FunctionApprovalRequestContent[];
  /** All calls of the messages that hold the requests' calls. */
  readonly calls: readonly FunctionCallContent[];
  /** The calls that had started. */
  readonly paused: readonly PausedCallContent[];
}

/** The signature of a pause, by the first of the keys. */
export async function signPause(keys: readonly ApprovalKey[], pause: SignedPause): Promise<string> {
  const [key] = keys;
  if (key === undefined) throw new TypeError("There is no key to sign with.");
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

/**
 * What is signed, as JSON of lists whose places have a fixed meaning; only arguments and states, which
 * may have any form, need a canonical one. Sorted by id: a host may keep the parts of a message apart,
 * and put them together in another order.
 */
function bytesOf({ requests, calls, paused }: SignedPause): Uint8Array<ArrayBuffer> {
  const text = JSON.stringify([
    "tunic approval 1",
    byFirst(requests.map(signedRequest)),
    byFirst(calls.map(signedCall)),
    byFirst(paused.map(signedStage)),
  ]);
  return new TextEncoder().encode(text);
}

type Signed = readonly [id: string, ...rest: unknown[]];

/** All that a person is shown, word by word. */
function signedRequest(request: FunctionApprovalRequestContent): Signed {
  const { requestId, call, tool, path, batch, editable, expiresAt, spent } = request;
  const { reason, summary, violation, provider, effective, beside, refused } = request;
  const { additionalProperties } = request;
  return [
    requestId,
    // As it is shown, and as edited arguments are held against it; what runs stands in a message.
    signedCall(call),
    effective ? canonicalJson(effective) : null,
    beside ? beside.map(signedCall) : null,
    refused,
    tool ? signedTool(tool) : null,
    [reason, summary, violation],
    batch,
    editable,
    expiresAt,
    spent ? [spent.iterations, spent.functionCalls, spent.tokens] : null,
    path ? path.map((step) => [step.callId, step.name]) : null,
    provider === undefined ? null : [provider],
    // At the end, and only where there are some: what was signed without them stays good.
    ...(additionalProperties ? [canonicalJson(additionalProperties)] : []),
  ];
}

/** Nobody works the hash out again from what is shown: it only says whether the tool has changed. */
function signedTool(tool: RequestedTool): string {
  const known = signedTools.get(tool);
  if (known !== undefined) return known;
  const signed = canonicalJson(tool);
  signedTools.set(tool, signed);
  return signed;
}

/** All requests about one tool share its description, until they go through JSON. */
const signedTools = new WeakMap<RequestedTool, string>();

function signedCall({ callId, name, arguments: args, argumentsText }: FunctionCallContent): Signed {
  return [callId, name, canonicalJson(args), argumentsText];
}

function signedStage({ callId, requestIds, hash, state }: PausedCallContent): Signed {
  return [callId, requestIds, hash, canonicalJson(state)];
}

function byFirst(values: readonly Signed[]): readonly Signed[] {
  return values.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
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
  made.catch(() => importedKeys.delete(key));
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

import {
  ConfigurationError,
  checkOptionNames,
  copyJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "@tunic/core";
import { digest } from "./digest.js";

/**
 * What an entry tells of: the label of an answer or result (`label`), parts of one that were hidden (`hide`), references
 * that were expanded for a call (`expand`), `inspect_variable` and `quarantined_llm`, what was decided on a call
 * (`verdict`), a person's permit that was used (`approval`), something that counted as trusted or may be read by more
 * (`endorse`, `declassify`), links taken out of an answer or the whole of it withheld (`answer`).
 */
export type FlowAuditKind =
  | "label"
  | "hide"
  | "expand"
  | "inspect"
  | "quarantine"
  | "verdict"
  | "approval"
  | "endorse"
  | "declassify"
  | "answer"
  | "policy";

/** One line of the log: frozen, plain JSON. */
export interface FlowAuditEntry {
  /** How many entries of this log came before. */
  readonly index: number;
  /** Milliseconds since 1970, by the clock of the run. */
  readonly at: number;
  readonly session: string | undefined;
  readonly run: string;
  readonly kind: FlowAuditKind;
  /** Names, labels, ids and digests; never contents. */
  readonly details: JsonObject;
  /** The hash of the entry before; of the first one, an empty text. */
  readonly previous: string;
  /** The digest of everything else in this entry: what the next one is chained to. */
  readonly hash: string;
}

/** What the writer of an entry says; the log adds its place and the chain. */
export type FlowAuditInput = Omit<FlowAuditEntry, "index" | "previous" | "hash">;

/**
 * A log that is only added to, each entry bound to the one before by its hash. Who writes to it keeps
 * contents out: a `digest` stands in their place.
 */
export interface FlowAudit {
  /** Adds an entry, with a copy of its details. */
  append(entry: FlowAuditInput): FlowAuditEntry;
  /** The entries that are kept, the oldest first: a list that later ones do not change. */
  readonly entries: readonly FlowAuditEntry[];
}

/**
 * Where entries are forwarded to, such as a file or a collector. What it throws stops nothing: the caller
 * reports it as a notice.
 */
export type FlowAuditSink = (entry: FlowAuditEntry) => void;

/** Options of {@link memoryFlowAudit}. */
export interface MemoryFlowAuditOptions {
  /** How many entries are kept, the last ones; the chain goes on over those that are not. Default 10,000. */
  readonly limit?: number | undefined;
}

/**
 * What {@link verifyFlowAudit} finds: nothing, or the first entry that is not as it was written or does not
 * follow the one before. `index` is its place in the list, from 0.
 */
export type FlowAuditCheck =
  | { readonly ok: true }
  | { readonly ok: false; readonly index: number; readonly reason: string };

const optionNames: ReadonlySet<string> = new Set<keyof MemoryFlowAuditOptions>(["limit"]);

/**
 * A log in memory.
 *
 * @throws ConfigurationError `invalid_option` for a limit that is no whole number from 1.
 */
export function memoryFlowAudit(options: MemoryFlowAuditOptions = {}): FlowAudit {
  checkOptionNames("memoryFlowAudit", options, optionNames);
  const { limit = 10_000 } = options;
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw new ConfigurationError(
      "invalid_option",
      `memoryFlowAudit: \`limit\` must be a whole number from 1; got ${String(limit)}.`,
    );
  }
  let kept: FlowAuditEntry[] = [];
  let index = 0;
  let previous = "";
  return Object.freeze({
    append({ at, session, run, kind, details }) {
      const chained = {
        index,
        at,
        session,
        run,
        kind,
        details: frozen(copyJson(details)),
        previous,
      };
      const entry: FlowAuditEntry = Object.freeze({ ...chained, hash: hashOf(chained) });
      index++;
      previous = entry.hash;
      // Twice the limit before the oldest go: moving all of them for each entry would cost too much.
      if (kept.length >= 2 * limit) kept = kept.slice(-limit);
      kept.push(entry);
      return entry;
    },
    get entries() {
      return kept.slice(-limit);
    },
  } satisfies FlowAudit);
}

/**
 * Looks for entries of a log that were changed, dropped, inserted or moved, between the first and the last
 * that are given (and before the first, if that is the first of the log). Never throws, whatever it is
 * given.
 *
 * Somebody who may rewrite all entries after one can chain them anew, and nobody misses what was cut off
 * at the end: keep the last hash elsewhere, or forward entries as they are written.
 */
export function verifyFlowAudit(entries: readonly FlowAuditEntry[]): FlowAuditCheck {
  let before: FlowAuditEntry | undefined;
  for (const [index, entry] of entries.entries()) {
    const reason = problemOf(entry, before);
    if (reason !== undefined) return { ok: false, index, reason };
    before = entry;
  }
  return { ok: true };
}

function problemOf(entry: FlowAuditEntry, before: FlowAuditEntry | undefined): string | undefined {
  if (!isUnchanged(entry)) return "The entry is not as it was written: its hash is another.";
  if (before === undefined) {
    const isStart = entry.index === 0;
    return isStart && entry.previous !== "" ? "The first entry follows another one." : undefined;
  }
  if (entry.index !== before.index + 1) {
    return `Entry ${entry.index} follows entry ${before.index}: entries are missing, doubled or moved.`;
  }
  return entry.previous === before.hash
    ? undefined
    : "The entry follows another one than the entry that stands before it.";
}

function isUnchanged(entry: unknown): boolean {
  try {
    if (!isJsonObject(entry)) return false;
    const { hash, ...rest } = entry;
    return typeof rest["index"] === "number" && hash === digest(rest);
  } catch {
    // Nested too deep to be read, so nothing that was written here.
    return false;
  }
}

function hashOf(entry: Omit<FlowAuditEntry, "hash">): string {
  const { session, ...rest } = entry;
  return digest(session === undefined ? rest : { ...rest, session });
}

function frozen<Value extends JsonValue>(value: Value): Value {
  if (typeof value === "object" && value !== null) {
    for (const member of Object.values(value)) frozen(member);
  }
  return Object.freeze(value);
}

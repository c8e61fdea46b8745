import { ConfigurationError, checkOptionNames, withAbort } from "@tunic/core";
import type { SkillContext, SkillListing, SkillsSource } from "../skill.js";
import { oneSource, type SkillsInput } from "./skills-input.js";

/** What {@link cacheSkills} needs to know. */
export interface CacheSkillsOptions {
  /**
   * Who shares a listing: everybody, or those for whom a function of the context says the same text. Where a
   * source lists by user or tenant, the function has to tell them apart.
   */
  readonly isolationKey: "shared" | ((context: SkillContext) => string);
  /** Milliseconds for which a listing holds. Default: until `refresh`. 0: only those who wait for it share it. */
  readonly refreshIntervalMs?: number | undefined;
  /** How many listings are kept, of those used last. Default 1000. */
  readonly maxKeys?: number | undefined;
  /** Milliseconds on some clock. Default: that of the run, or of the machine outside one. */
  readonly now?: (() => number) | undefined;
}

/** A source that remembers. */
export interface CachedSkills extends SkillsSource {
  /** Forgets every listing. What is being listed is given to those who wait for it, and not kept. */
  refresh(): void;
}

const optionNames: ReadonlySet<string> = new Set<keyof CacheSkillsOptions>([
  "isolationKey",
  "refreshIntervalMs",
  "maxKeys",
  "now",
]);

interface Kept {
  readonly listing: SkillListing;
  readonly at: number;
}

interface Flight {
  readonly listing: Promise<SkillListing>;
  readonly abort: AbortController;
  waiting: number;
}

/**
 * Asks a source once for all who share a listing. Who comes while it is being listed waits for that, and the
 * source sees the run of who came first; it is told to stop when nobody waits any more. A failure reaches all
 * who wait, is not kept, and leaves what was kept before as it was.
 *
 * @throws ConfigurationError `unknown_option`, `invalid_option`, or `invalid_skills`.
 */
export function cacheSkills(source: SkillsInput, options: CacheSkillsOptions): CachedSkills {
  checkOptions(options);
  const one = oneSource(source);
  const { isolationKey, refreshIntervalMs = Number.POSITIVE_INFINITY, maxKeys = 1000 } = options;
  let kept = new Map<string, Kept>();
  let flights = new Map<string, Flight>();
  const now = (context: SkillContext) => options.now?.() ?? context.run?.now() ?? Date.now();

  const begin = (key: string, context: SkillContext): Flight => {
    const abort = new AbortController();
    const at = now(context);
    const started = flights;
    const listing = settled(() => one.list({ ...context, signal: abort.signal })).then((found) => {
      // After a refresh this belongs to the past.
      if (started === flights && started.get(key) === flight) keep(key, { listing: found, at });
      return found;
    });
    const flight: Flight = { listing, abort, waiting: 0 };
    const land = () => {
      if (started.get(key) === flight) started.delete(key);
    };
    listing.then(land, land);
    started.set(key, flight);
    return flight;
  };
  const keep = (key: string, entry: Kept) => {
    kept.delete(key);
    kept.set(key, entry);
    for (const oldest of kept.keys()) {
      if (kept.size <= maxKeys) break;
      kept.delete(oldest);
    }
  };
  return {
    async list(context) {
      context.signal.throwIfAborted();
      const key = isolationKey === "shared" ? "" : isolationKey(context);
      if (typeof key !== "string") throw invalid("isolationKey must give a text");
      const entry = kept.get(key);
      if (entry !== undefined && now(context) - entry.at < refreshIntervalMs) {
        keep(key, entry);
        return entry.listing;
      }
      const flight = flights.get(key) ?? begin(key, context);
      return await wait(flight, context.signal, () => {
        if (flights.get(key) === flight) flights.delete(key);
      });
    },
    refresh() {
      kept = new Map();
      flights = new Map();
    },
  };
}

/** Waits until a flight lands or the caller gives up; the last one to leave stops it. */
async function wait(
  flight: Flight,
  signal: AbortSignal,
  abandoned: () => void,
): Promise<SkillListing> {
  flight.waiting++;
  try {
    return await withAbort(signal, () => flight.listing);
  } finally {
    flight.waiting--;
    if (flight.waiting === 0 && signal.aborted) {
      // Before the abort: who comes now must not wait for what is being stopped.
      abandoned();
      flight.abort.abort(signal.reason);
    }
  }
}

/** A throw of the source as a rejection. */
async function settled(list: () => Promise<SkillListing>): Promise<SkillListing> {
  return await list();
}

function checkOptions(options: CacheSkillsOptions): void {
  checkOptionNames("cacheSkills", options, optionNames);
  const { isolationKey, refreshIntervalMs, maxKeys } = options;
  if (isolationKey !== "shared" && typeof isolationKey !== "function") {
    throw invalid('isolationKey must be "shared", or a function of the context that gives a text');
  }
  if (refreshIntervalMs !== undefined && !(refreshIntervalMs >= 0)) {
    throw invalid("refreshIntervalMs must be a number of milliseconds, 0 or more");
  }
  if (maxKeys !== undefined && !(Number.isSafeInteger(maxKeys) && maxKeys >= 1)) {
    throw invalid("maxKeys must be a whole number of at least 1");
  }
}

function invalid(what: string): ConfigurationError {
  return new ConfigurationError("invalid_option", `cacheSkills: ${what}.`);
}

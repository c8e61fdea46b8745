import { isJsonObject, type JsonObject } from "@tunic/core";

/** Tells which patterns of a server's schemas may be run. */
export interface PatternCheck {
  /** Looks at the patterns in these schemas that it has not seen. */
  learn(schemas: Iterable<unknown>): Promise<void>;
  /** Whether a pattern is known to end quickly, whatever it is tried on. */
  isQuick(pattern: string): boolean;
}

/** What is longer is not looked at, and does not count as quick. */
const longestPattern = 200;
/** Different ones of one server; further ones do not count as quick. 1,750 tools of 64 real servers have 13. */
const mostPatterns = 100;
/** Steps, not milliseconds: the same pattern is judged alike each time, and so the same tool is the same. */
const mostSteps = 500;
const mostWaysToMatch = 20;

/**
 * A check that lets through what provably cannot be made to backtrack for long, and nothing else: a server's
 * `^(a+)+$` would otherwise keep this process busy for hours with an argument of forty letters.
 */
export function patternCheck(): PatternCheck {
  const known = new Map<string, boolean>();
  return {
    async learn(schemas) {
      const found = new Set<string>();
      for (const schema of schemas) collect(schema, found);
      for (const pattern of found) {
        if (known.has(pattern) || known.size >= mostPatterns) continue;
        known.set(pattern, await isProvablyQuick(pattern));
        // A look can take a tenth of a second: others get their turn in between.
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    isQuick: (pattern) => known.get(pattern) === true,
  };
}

/**
 * The patterns that a schema, or anything else that a reference may lead to, has.
 *
 * @param found Gets them.
 */
function collect(part: unknown, found: Set<string>): void {
  if (typeof part !== "object" || part === null) return;
  if (isJsonObject(part)) for (const pattern of patternsAt(part)) found.add(pattern);
  for (const member of Object.values(part)) collect(member, found);
}

/** The patterns that a schema itself has. */
function patternsAt({ pattern, patternProperties }: JsonObject): readonly string[] {
  const names = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
  return typeof pattern === "string" ? [pattern, ...names] : names;
}

async function isProvablyQuick(pattern: string): Promise<boolean> {
  if (pattern.length > longestPattern || isBeyondCheck.test(pattern)) return false;
  const { isSafePattern } = await import("redos-detector");
  try {
    return isSafePattern(pattern, {
      unicode: isUnicodePattern(pattern),
      maxSteps: mostSteps,
      maxScore: mostWaysToMatch,
    }).safe;
  } catch {
    // Something that the library cannot read.
    return false;
  }
}

/** What looks back, or refers back: the library judges it by a simpler pattern. */
const isBeyondCheck = /\(\?<[=!]|\\[1-9k]/;

/** Validators run patterns in this mode, and only those that it refuses in the older one. */
function isUnicodePattern(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}

/** A schema without the patterns that may not be run, and which those were. */
export interface QuickSchema {
  readonly schema: JsonObject;
  readonly dropped: readonly string[];
}

/**
 * A schema whose patterns all end quickly. Others become words in the description beside them: the model reads them,
 * and the server, whose they are, goes on checking them. A schema that has none such is given back as it is.
 */
export function quickSchema(schema: JsonObject, isQuick: PatternCheck["isQuick"]): QuickSchema {
  const all = new Set<string>();
  collect(schema, all);
  const dropped = [...all].filter((pattern) => !isQuick(pattern));
  if (dropped.length === 0) return { schema, dropped };
  return { schema: withoutPatterns(schema, new Set(dropped)) as JsonObject, dropped };
}

/** References may lead anywhere, so everything is looked at as if it were a schema. */
function withoutPatterns(part: unknown, dropped: ReadonlySet<string>): unknown {
  if (Array.isArray(part)) return part.map((member) => withoutPatterns(member, dropped));
  if (!isJsonObject(part)) return part;
  const here = patternsAt(part).filter((pattern) => dropped.has(pattern));
  const kept = Object.entries(part).filter(
    ([key]) => here.length === 0 || !isAbout(key, part, here),
  );
  const members = kept.map(([key, member]) => [key, withoutPatterns(member, dropped)]);
  const copy: Record<string, unknown> = Object.fromEntries(members);
  if (here.length === 0) return copy;
  const { description } = part;
  const words = here.map((pattern) => `Pattern: ${pattern}`);
  if (typeof description === "string") words.unshift(description);
  return { ...copy, description: words.join("\n") };
}

/** Whether a keyword means something else, or would refuse what fits, without these patterns. */
function isAbout(key: string, part: JsonObject, dropped: readonly string[]): boolean {
  if (key === "pattern") return dropped.includes(String(part[key]));
  const { patternProperties } = part;
  if (!isJsonObject(patternProperties)) return false;
  const isDropped = Object.keys(patternProperties).some((name) => dropped.includes(name));
  return isDropped && /^(patternProperties|additionalProperties|unevaluatedProperties)$/.test(key);
}

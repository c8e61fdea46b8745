import { ConfigurationError, isJsonObject } from "@tunic/core";
import { isPattern } from "./argument-pattern.js";

/** A tool whose calls a skill can limit by one argument: `Bash(git:*)` with `{ tool: "shell", argument: "command" }`. */
export interface LimitableTool {
  readonly tool: string;
  /** The argument, a text, to which what stands in parentheses belongs. */
  readonly argument: string;
}

/**
 * The words of skills for tools, and what they mean in this program: `{ Bash: "shell", WebFetch: [] }`.
 * Exact, whatever stands in parentheses left out; an empty list is a tool that this program does not have.
 */
export type ToolNames = Readonly<
  Record<string, string | LimitableTool | readonly (string | LimitableTool)[]>
>;

/** Calls that a skill allows: all of a tool, or those with a fitting argument. */
export interface AllowedCalls {
  readonly tool: string;
  readonly limit?: { readonly argument: string; readonly pattern: string };
  /** Whether the name is this program's own word for a tool, and not just the skill's. */
  readonly mapped: boolean;
}

/** What the words of a skill mean. */
interface ReadWords {
  readonly calls: readonly AllowedCalls[];
  /** The words of which nobody knows what they mean. */
  readonly unknown: readonly string[];
}

/**
 * @param isTool Whether there is a tool of that name.
 */
export type WordReader = (words: readonly string[], isTool: (name: string) => boolean) => ReadWords;

/** Of one skill; each of them can cost a little at every call. */
const mostWords = 200;

/** @throws ConfigurationError `invalid_option` for names that are none. */
export function wordReader(toolNames: ToolNames = {}): WordReader {
  const meanings = readToolNames(toolNames);
  return (words, isTool) => {
    const calls: AllowedCalls[] = [];
    const unknown: string[] = [];
    for (const [at, word] of words.entries()) {
      const meant = at < mostWords ? callsOf(word, meanings, isTool) : undefined;
      if (meant === undefined) unknown.push(word);
      else calls.push(...meant);
    }
    return { calls, unknown };
  };
}

type Meanings = ReadonlyMap<string, readonly (string | LimitableTool)[]>;

function callsOf(
  word: string,
  meanings: Meanings,
  isTool: (name: string) => boolean,
): readonly AllowedCalls[] | undefined {
  const [, name, pattern] = /^([^()]+)(?:\((.*)\))?$/s.exec(word) ?? [];
  if (name === undefined) return undefined;
  const targets = meanings.get(name);
  if (pattern === undefined) {
    if (targets) return targets.map((target) => ({ tool: toolOf(target), mapped: true }));
    return isTool(name) ? [{ tool: name, mapped: false }] : undefined;
  }
  // What cannot be held to its limit would be allowed more than it says.
  if (targets === undefined || !isPattern(pattern)) return undefined;
  const limited = targets.flatMap((target): readonly AllowedCalls[] =>
    typeof target === "string"
      ? []
      : [{ tool: target.tool, limit: { argument: target.argument, pattern }, mapped: true }],
  );
  return limited.length === targets.length ? limited : undefined;
}

function toolOf(target: string | LimitableTool): string {
  return typeof target === "string" ? target : target.tool;
}

function readToolNames(toolNames: ToolNames): Meanings {
  if (!isJsonObject(toolNames)) throw invalid("an object");
  const meanings = new Map<string, readonly (string | LimitableTool)[]>();
  for (const [word, meaning] of Object.entries(toolNames as ToolNames)) {
    if (!/^[^()]+$/.test(word)) {
      throw invalid(
        `by words without parentheses; ${JSON.stringify(word)} is looked up without them`,
      );
    }
    const targets = isList(meaning) ? [...meaning] : [meaning];
    if (!targets.every(isTarget)) throw invalid(`names of tools; look at ${JSON.stringify(word)}`);
    meanings.set(word, targets);
  }
  return meanings;
}

function isList(meaning: ToolNames[string]): meaning is readonly (string | LimitableTool)[] {
  return Array.isArray(meaning);
}

/** Seen from outside its types. */
function isTarget(target: unknown): boolean {
  if (typeof target === "string") return target !== "";
  if (!isJsonObject(target) || Object.keys(target).length !== 2) return false;
  return [target["tool"], target["argument"]].every(
    (name) => typeof name === "string" && name !== "",
  );
}

function invalid(what: string): ConfigurationError {
  return new ConfigurationError(
    "invalid_option",
    `SkillsProvider: toolNames must be ${what}. Write { Bash: { tool: "shell", argument: "command" }, Read: ["read_file"], WebFetch: [] }.`,
  );
}

import { type Content, type FunctionResultContent, isJsonObject, type Message } from "@tunic/core";
import type { Skill } from "../skill.js";

/** A skill that was loaded in a turn, as it stands in the log. */
export interface LoadedSkill {
  /** Of the call that loaded it. */
  readonly callId: string;
  /** As the call has it; no more than a text where nothing else is known. */
  readonly name: string;
  /** Who provided it, and the tools that it allows. Absent: the log does not say. */
  readonly mark?: LoadedMark;
}

interface LoadedMark {
  readonly provider: string;
  readonly name: string;
  /** Absent: all. */
  readonly allowedTools?: readonly string[];
}

/** What stands in `additionalProperties` of what `load_skill` gives: what was loaded, and what it allows. */
export function loadedMark(provider: string, { frontmatter }: Skill) {
  const { name, allowedTools } = frontmatter;
  return {
    skill: {
      provider,
      name,
      ...(allowedTools !== undefined && { allowedTools: [...allowedTools] }),
    },
  };
}

/**
 * What was loaded since the last words of the user: the answers to questions belong to the turn that asked
 * them. Only results of `load_skill` count, whatever others say of themselves.
 */
export function loadedSkills(log: readonly Message[]): readonly LoadedSkill[] {
  const results = log.slice(log.findLastIndex(isWords) + 1).flatMap(resultsOf);
  if (results.length === 0) return [];
  const names = new Map<string, unknown>();
  for (const content of log.flatMap(callsOf)) names.set(content.callId, content.arguments);
  return results.flatMap((result): readonly LoadedSkill[] => {
    const { callId, isError } = result;
    if (!names.has(callId) || isError) return [];
    const args = names.get(callId);
    const name = isJsonObject(args) ? String(args["skill_name"]) : "";
    const mark = markOf(result);
    return [{ callId, name, ...(mark && { mark }) }];
  });
}

function isWords({ role, contents }: Message): boolean {
  return role === "user" && contents.some(({ type }) => type !== "function_approval_response");
}

function resultsOf({ contents }: Message): readonly FunctionResultContent[] {
  return contents.filter((content) => content.type === "function_result");
}

function callsOf({ role, contents }: Message) {
  if (role !== "assistant") return [];
  return contents.flatMap((content: Content) =>
    content.type === "function_call" && content.name === "load_skill" ? [content] : [],
  );
}

function markOf({ contents }: FunctionResultContent): LoadedMark | undefined {
  for (const { additionalProperties } of contents) {
    const mark = additionalProperties?.["skill"];
    if (isMark(mark)) return mark;
  }
  return undefined;
}

/** Logs come in from outside. */
function isMark(mark: unknown): mark is LoadedMark {
  if (!isJsonObject(mark)) return false;
  const { provider, name, allowedTools = [] } = mark;
  if (typeof provider !== "string" || typeof name !== "string") return false;
  return Array.isArray(allowedTools) && allowedTools.every((word) => typeof word === "string");
}

import type { SkillProblem } from "../skill-problem.js";
import { isSettled, isUnchanged, type Look } from "./look.js";
import type { FileSkill } from "./skill-folder.js";
import type { Walk } from "./walk-folders.js";

/** What was found in the folder of a skill. */
export interface FoundSkill {
  /** Undefined where it was refused. */
  readonly skill: FileSkill | undefined;
  readonly problems: readonly SkillProblem[];
  /** How many folders were looked into for it. */
  readonly folders: number;
  /** At everything that was read for it. Undefined: it has to be read again the next time. */
  readonly looks: readonly Look[] | undefined;
}

/** What a listing found, by the path of the folder. */
export type ListingMemory = Map<string, FoundSkill>;

/** What is remembered of a folder, where nobody has written to any of what was read for it. */
export function recall(memory: ListingMemory, path: string): FoundSkill | undefined {
  const found = memory.get(path);
  return found?.looks?.every(isUnchanged) ? found : undefined;
}

export function foundSkill(
  skill: FileSkill | undefined,
  { problems, looks, budget }: Pick<Walk, "problems" | "looks" | "budget">,
): FoundSkill {
  const folders = looks.filter(({ isFolder }) => isFolder).length;
  // Out of budget, what was found depends on what else there was.
  const isWhole = budget.folders >= 0 && looks.every(isSettled);
  return { skill, problems, folders, looks: isWhole ? looks : undefined };
}

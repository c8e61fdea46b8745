/** What is wrong with a skill, and what to do about it. */
export interface SkillProblem {
  /** `error`: it was not taken, or does not keep the specification. `warning`: it was taken all the same. */
  readonly severity: "error" | "warning";
  /** Stable, for programs. */
  readonly code: string;
  readonly message: string;
  /** A path or another name of where the skill is from. */
  readonly file?: string;
  /** Counted from 1. */
  readonly line?: number;
  /** What to write instead. */
  readonly fix?: string;
}

/** A problem in one line, for people: `skills/rig/SKILL.md:3: error unquoted_colon: …`. */
export function describeProblem(problem: SkillProblem): string {
  const { severity, code, message, file, line, fix } = problem;
  const place = [file, line].filter((part) => part !== undefined).join(":");
  const head = place === "" ? "" : `${place}: `;
  return `${head}${severity} ${code}: ${message}${fix === undefined ? "" : ` Write: ${fix}`}`;
}

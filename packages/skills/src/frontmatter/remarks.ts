import type { SkillProblem } from "../skill-problem.js";

/** Where a remark belongs, and what to write instead. */
interface RemarkPlace {
  /** Of the file, counted from 1. */
  readonly line?: number | undefined;
  readonly fix?: string | undefined;
}

/** Collects what is to be said of one file, in the terms of one way of reading. */
export interface Remarks {
  readonly problems: SkillProblem[];
  /** Strict: an error. Lenient: a warning, and the skill is taken. */
  deviation(code: string, message: string, place?: RemarkPlace): void;
  /** An error in both. */
  refuse(code: string, message: string, place?: RemarkPlace): void;
  /** A warning in both. */
  warn(code: string, message: string, place?: RemarkPlace): void;
  /** A warning when validating; nobody needs to hear of it when a skill is loaded. */
  advise(code: string, message: string, place?: RemarkPlace): void;
}

export function remarksOn(file: string | undefined, strict: boolean): Remarks {
  const problems: SkillProblem[] = [];
  const add =
    (severity: SkillProblem["severity"]) =>
    (code: string, message: string, { line, fix }: RemarkPlace = {}) => {
      problems.push({
        severity,
        code,
        message,
        ...(file !== undefined && { file }),
        ...(line !== undefined && { line }),
        ...(fix !== undefined && { fix }),
      });
    };
  return {
    problems,
    deviation: add(strict ? "error" : "warning"),
    refuse: add("error"),
    warn: add("warning"),
    advise: strict ? add("warning") : () => {},
  };
}

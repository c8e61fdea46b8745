import { applyRepairs, repairsOf } from "./repair-values.js";
import { lineEnd, readSkillText } from "./skill-text.js";
import { yamlEntries } from "./yaml-entries.js";

/** A skill file after {@link fixSkill}. */
export interface FixedSkill {
  readonly text: string;
  /** How many values were put into quotes; 0: the text is what came in. */
  readonly changes: number;
}

/**
 * Puts into quotes what YAML cannot read without them, and changes nothing else: line ends, comments and the
 * body stay. A text that does not become readable that way stays as it is.
 *
 * What it repairs is what `loadSkill` reads as if it were repaired; the `SkillProblem` of such a value
 * says what will stand there.
 */
export function fixSkill(text: string): FixedSkill {
  const { yaml, yamlLine } = readSkillText(text);
  if (yaml === undefined) return { text, changes: 0 };
  const { faults } = yamlEntries(yaml);
  if (faults.length === 0 || faults.some(({ code }) => code !== "yaml_syntax")) {
    return { text, changes: 0 };
  }
  const repairs = repairsOf(yaml);
  if (repairs.length === 0 || yamlEntries(applyRepairs(yaml, repairs)).faults.length > 0) {
    return { text, changes: 0 };
  }
  const lines = linesWithEnds(text);
  // From the end, so that the places of the earlier ones stay.
  for (const repair of repairs.toReversed()) {
    const at = yamlLine - 1 + repair.line;
    const [last = ""] = lines.slice(at + repair.count - 1);
    lines.splice(at, repair.count, repair.text + last.slice(last.search(/[\r\n]*$/)));
  }
  return { text: lines.join(""), changes: repairs.length };
}

function linesWithEnds(text: string): string[] {
  const lines = text.split(new RegExp(`(${lineEnd.source})`));
  // Lines and their ends in turn.
  return Array.from(
    { length: Math.ceil(lines.length / 2) },
    (_, at) => `${lines[2 * at] ?? ""}${lines[2 * at + 1] ?? ""}`,
  );
}

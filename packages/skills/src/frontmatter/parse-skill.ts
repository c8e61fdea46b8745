import type { SkillFrontmatter } from "../skill.js";
import type { SkillProblem } from "../skill-problem.js";
import { readFields } from "./read-fields.js";
import { type Remarks, remarksOn } from "./remarks.js";
import { applyRepairs, repairsOf } from "./repair-values.js";
import { readSkillText, type SkillText } from "./skill-text.js";
import { type YamlEntries, type YamlFault, yamlEntries } from "./yaml-entries.js";

/** What is known of a skill file. */
export interface SkillFile {
  /** How problems call it. */
  readonly file?: string | undefined;
  /** The name of the folder it stands in, which has to be the skill's. Default: not compared. */
  readonly directory?: string | undefined;
}

/** A skill file as it was read. */
export interface ParsedSkill {
  /** Undefined where a problem is an error. */
  readonly frontmatter?: SkillFrontmatter;
  /** The instructions: what stands after the frontmatter, with line ends `\n`. */
  readonly body: string;
  readonly problems: readonly SkillProblem[];
}

/** Of a skill file, in UTF-8 bytes where a file is read, in characters of a text. */
export const maxSkillSize = 1024 * 1024;
/** Advice of the specification, in lines. */
const maxBodyLines = 500;

/**
 * Reads a skill file as the specification's guide for clients asks: what can be understood is taken, and
 * every deviation is a warning. An error, and no frontmatter, where there is none, where YAML cannot read it,
 * without a usable name and a description of 1 to 1024 characters, and where `allowed-tools` cannot be read.
 *
 * A value that is broken only because it lacks quotes is read as if it had them.
 */
export function loadSkill(text: string, { file, directory }: SkillFile = {}): ParsedSkill {
  return parse(text, remarksOn(file, false), directory);
}

/**
 * Says what keeps a skill file from following the Agent Skills specification: every deviation is an error.
 * Warnings are advice.
 */
export function validateSkill(
  text: string,
  { file, directory }: SkillFile = {},
): readonly SkillProblem[] {
  return parse(text, remarksOn(file, true), directory).problems;
}

/** As {@link loadSkill}, or, strict, only where {@link validateSkill} finds no error. */
export function parseSkill(
  text: string,
  { file, directory, strict }: SkillFile & { readonly strict: boolean },
): ParsedSkill {
  return parse(text, remarksOn(file, strict), directory);
}

function parse(text: string, remarks: Remarks, directory: string | undefined): ParsedSkill {
  if (text.length > maxSkillSize) {
    remarks.refuse("file_size", `The file has more than ${maxSkillSize} characters.`);
    return { body: "", problems: remarks.problems };
  }
  const source = readSkillText(text);
  const frontmatter = readFrontmatter(source, remarks, directory);
  warnOfHidden(source, remarks);
  const lines = lineCount(source.body);
  if (lines > maxBodyLines) {
    const message = `The instructions have ${lines} lines; move what is not always needed into files of their own (advice: ${maxBodyLines}).`;
    remarks.advise("body_lines", message);
  }
  const { problems } = remarks;
  const refused =
    frontmatter === undefined || problems.some(({ severity }) => severity === "error");
  return { ...(!refused && { frontmatter }), body: source.body, problems };
}

/**
 * What turns text around or is seen by a model but by nobody else. Flags are written with some of it, and after a
 * character one variation selector can stand; two of them hide bytes.
 */
const hidden =
  /[\u200B\u202A-\u202E\u2060-\u2069\uFEFF]|(?<![\u{1F3F4}\u{E0000}-\u{E007F}])[\u{E0000}-\u{E007F}]|[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]{2}/u;

function warnOfHidden({ body, yaml, yamlLine }: SkillText, remarks: Remarks): void {
  const at = body.search(hidden);
  if (at === -1) return;
  const before = yaml === undefined ? 0 : yamlLine + lineCount(yaml);
  const message = "The instructions hold characters that a reader does not see and a model does.";
  remarks.warn("hidden_characters", message, { line: before + lineCount(body.slice(0, at)) });
}

function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

function readFrontmatter(
  source: SkillText,
  remarks: Remarks,
  directory: string | undefined,
): SkillFrontmatter | undefined {
  const { yaml, yamlLine } = source;
  if (source.byteOrderMark) {
    remarks.warn(
      "byte_order_mark",
      "The file begins with a byte order mark; some readers stumble over it.",
      {
        line: 1,
      },
    );
  }
  if (yaml === undefined) {
    const open = source.fences === "open";
    remarks.refuse(
      open ? "unclosed_frontmatter" : "no_frontmatter",
      open
        ? 'The frontmatter is not closed: a line "---" is missing behind it.'
        : 'The file must begin with a line "---", then name and description, then a line "---".',
      { line: 1 },
    );
    return undefined;
  }
  if (source.leadingLines) {
    remarks.deviation("text_before_frontmatter", 'The file must begin with the line "---".', {
      line: 1,
    });
  }
  const read = readValues(yaml, yamlLine, remarks);
  if (read === undefined) return undefined;
  for (const { code, message, line } of read.unusual) {
    remarks.deviation(code, message, { line: line + yamlLine - 1 });
  }
  const fields = read.entries.map((entry) => ({ ...entry, line: entry.line + yamlLine - 1 }));
  return readFields(fields, remarks, directory);
}

/** The values of a block, repaired where nothing else helps. */
function readValues(yaml: string, yamlLine: number, remarks: Remarks): YamlEntries | undefined {
  const read = yamlEntries(yaml);
  if (read.faults.length === 0) return read;
  const repairs = read.faults.every(({ code }) => code === "yaml_syntax") ? repairsOf(yaml) : [];
  const repaired = repairs.length === 0 ? read : yamlEntries(applyRepairs(yaml, repairs));
  if (repaired.faults.length > 0) {
    for (const { code, message, line } of firstOfEachLine(read.faults)) {
      remarks.refuse(code, message, { line: line + yamlLine - 1 });
    }
    return undefined;
  }
  for (const { code, key, line, text } of repairs) {
    remarks.deviation(code, `The value of "${key}" needs quotes: ${reasons[code]}.`, {
      line: line + yamlLine,
      fix: text.trim(),
    });
  }
  return repaired;
}

const reasons = {
  unquoted_colon: "a colon with a blank behind it means another value to YAML",
  reserved_character: "YAML keeps its first character for itself",
  text_after_list: "[…] is a list to YAML, and nothing may follow it",
} as const;

/** The first is the reason, what follows on the same line mostly its consequence. */
function firstOfEachLine(faults: readonly YamlFault[]): readonly YamlFault[] {
  const lines = new Set<number>();
  return faults.filter(({ line }) => lines.size !== lines.add(line).size).slice(0, 5);
}

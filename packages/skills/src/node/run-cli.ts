import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { fixSkill } from "../frontmatter/fix-skill.js";
import { maxSkillSize } from "../frontmatter/parse-skill.js";
import { describeProblem, type SkillProblem } from "../skill-problem.js";
import { type FileSkillListing, fileSkills } from "./file-skills.js";
import { readText } from "./guarded-read.js";
import type { FileSkill } from "./skill-folder.js";

/** Where a command line program writes. */
export interface CliOutput {
  out(text: string): void;
  error(text: string): void;
}

const usage = `tunic-skills validate <folder …> [--fix] [--json]   whether skills keep the specification
tunic-skills list <folder …> [--json]               what an agent would load
tunic-skills show <folder …> [--name <skill>] [--json]   all of it
`;

const { signal } = new AbortController();

/**
 * The program `tunic-skills`.
 *
 * @returns its exit code: 0; 1 where something is wrong with a skill or there is none; 2 for wrong arguments.
 */
export async function runCli(args: readonly string[], output: CliOutput): Promise<number> {
  const read = readArguments(args);
  if (read === undefined) {
    output.error(usage);
    return 2;
  }
  const { command, folders, fix, json, name } = read;
  if (command === "validate") return await validate(folders, { fix, json }, output);
  const listing = await listed(folders, false);
  const skills = listing.skills.filter(
    ({ frontmatter }) => name === undefined || frontmatter.name === name,
  );
  if (json) {
    const bodies = command === "show";
    const shown = await Promise.all(skills.map((skill) => described(skill, bodies)));
    output.out(`${JSON.stringify({ skills: shown, problems: listing.problems }, null, 2)}\n`);
  } else {
    for (const skill of skills) output.out(printable(await textOf(skill, command === "show")));
    tell(listing.problems, output);
  }
  return skills.length === 0 || hasErrors(listing.problems) ? 1 : 0;
}

function readArguments(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { fix: { type: "boolean" }, json: { type: "boolean" }, name: { type: "string" } },
      allowPositionals: true,
    });
    const [command, ...folders] = positionals;
    const { fix = false, json = false, name } = values;
    if (command !== "validate" && command !== "list" && command !== "show") return undefined;
    if (folders.length === 0 || (fix && command !== "validate")) return undefined;
    return { command, folders, fix, json, name };
  } catch {
    return undefined;
  }
}

async function validate(
  folders: readonly string[],
  { fix, json }: { readonly fix: boolean; readonly json: boolean },
  output: CliOutput,
): Promise<number> {
  let listing = await listed(folders, true);
  const fixed: string[] = [];
  if (fix) {
    for (const file of fixableFiles(listing.problems)) {
      if (await fixFile(file)) fixed.push(file);
    }
    if (fixed.length > 0) listing = await listed(folders, true);
  }
  const { skills, problems } = listing;
  const valid = skills.map(({ frontmatter }) => frontmatter.name);
  if (json) output.out(`${JSON.stringify({ valid, fixed, problems }, null, 2)}\n`);
  else {
    for (const file of fixed) output.out(printable(`${file}: mended\n`));
    tell(problems, output);
    const errors = problems.filter(({ severity }) => severity === "error").length;
    output.out(`${valid.length} valid, ${errors} errors\n`);
  }
  const nothing = skills.length === 0 && problems.length === 0;
  return nothing || hasErrors(problems) || isMissing(problems) ? 1 : 0;
}

/** Skills as they would be with somebody who runs their scripts; none of them is run. */
async function listed(folders: readonly string[], strict: boolean): Promise<FileSkillListing> {
  return await fileSkills(folders, { strict, scriptRunner: () => undefined }).list({ signal });
}

const fixable: ReadonlySet<string> = new Set([
  "unquoted_colon",
  "reserved_character",
  "text_after_list",
]);

function fixableFiles(problems: readonly SkillProblem[]): readonly string[] {
  const files = problems.flatMap(({ code, file }) => (fixable.has(code) && file ? [file] : []));
  return [...new Set(files)];
}

async function fixFile(file: string): Promise<boolean> {
  const read = await readText(dirname(file), [basename(file)], maxSkillSize);
  if (read.refusal !== undefined) return false;
  const { text, changes } = fixSkill(read.text);
  if (changes === 0) return false;
  const handle = await open(resolve(file), constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
  try {
    await handle.truncate(0);
    await handle.write(text, 0, "utf8");
  } finally {
    await handle.close();
  }
  return true;
}

async function described(skill: FileSkill, withBody: boolean) {
  const { frontmatter, folder, resources, scripts } = skill;
  return {
    ...frontmatter,
    folder,
    resources: resources.map(({ name }) => name),
    scripts: scripts.map(({ name }) => name),
    ...(withBody && { instructions: await skill.load({ signal }) }),
  };
}

async function textOf(skill: FileSkill, whole: boolean): Promise<string> {
  const { name, description } = skill.frontmatter;
  if (!whole) return `${name}: ${description.replace(/\s+/g, " ").trim()}\n`;
  const { instructions, ...parts } = await described(skill, true);
  const lines = Object.entries(parts).map(
    ([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}\n`,
  );
  return `${lines.join("")}\n${instructions}\n`;
}

function tell(problems: readonly SkillProblem[], { error }: CliOutput): void {
  for (const problem of problems) error(printable(`${describeProblem(problem)}\n`));
}

function hasErrors(problems: readonly SkillProblem[]): boolean {
  return problems.some(({ severity }) => severity === "error");
}

function isMissing(problems: readonly SkillProblem[]): boolean {
  return problems.some(({ code }) => code === "root_missing");
}

/** Without what a terminal would obey. */
function printable(text: string): string {
  return text.replace(
    /[^\P{C}\n\t]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { fixSkill } from "../frontmatter/fix-skill.js";
import { maxSkillSize } from "../frontmatter/parse-skill.js";
import { describeProblem, type SkillProblem } from "../skill-problem.js";
import { deduplicateSkills, skillKey } from "../sources/deduplicate-skills.js";
import { type CliArguments, readCliArguments, usage } from "./cli-arguments.js";
import { fileSettings } from "./file-options.js";
import { type FileSkillListing, fileSkills } from "./file-skills.js";
import { readText } from "./guarded-read.js";
import { leftOut } from "./left-out.js";
import { processScriptRunner } from "./process-script-runner.js";
import type { FileSkill } from "./skill-folder.js";

/** Where a command line program writes. */
export interface CliOutput {
  out(text: string): void;
  error(text: string): void;
}

const { signal } = new AbortController();

/** Skills as they would be with somebody who runs their scripts; none of them is run. */
const { extensions } = processScriptRunner();
const options = { scriptRunner: Object.assign(() => undefined, { extensions }) };
const settings = fileSettings([], options);

/**
 * The program `tunic-skills`.
 *
 * @returns its exit code: 0; 1 where something is wrong with a skill or there is none; 2 for wrong arguments.
 */
export async function runCli(args: readonly string[], output: CliOutput): Promise<number> {
  const read = readCliArguments(args);
  if (read === "help") {
    output.out(usage);
    return 0;
  }
  if (read instanceof Error) {
    output.error(printable(`${read.message}\n\n${usage}`));
    return 2;
  }
  return await (read.command === "validate" ? validate(read, output) : tellOf(read, output));
}

/** The commands `list` and `show`. */
async function tellOf(args: CliArguments, output: CliOutput): Promise<number> {
  const { command, folders, json, name } = args;
  const all = await listed(folders, false);
  const misplaced = folders.find(
    (folder) => all.skills.some(isCalled(folder)) && isMissing(all.problems, folder),
  );
  if (misplaced !== undefined) {
    const hint = `There is no folder "${misplaced}", but a skill of that name. Write: --name ${misplaced}\n`;
    output.error(printable(hint));
    return 2;
  }
  const loaded = await withoutDoubles(all);
  const { skills, problems } = name === undefined ? loaded : only(name, all, loaded);
  if (json) {
    const shown = await Promise.all(skills.map((skill) => described(skill, command === "show")));
    output.out(`${JSON.stringify({ skills: shown, problems }, null, 2)}\n`);
  } else {
    for (const skill of skills) output.out(printable(await textOf(skill, command === "show")));
    tell(problems, output.error);
  }
  if (name !== undefined && skills.length === 0) {
    output.error(printable(`There is no skill "${name}"; ${namesOf(loaded.skills)}\n`));
  }
  tellOfNothing(folders, all, output.error);
  return skills.length === 0 || hasErrors(problems) ? 1 : 0;
}

/** As a provider would have them: the first of each name, and a problem for each further one. */
async function withoutDoubles(listing: FileSkillListing): Promise<FileSkillListing> {
  const source = deduplicateSkills({ list: async () => listing });
  const { skills, problems } = await source.list({ signal });
  const kept = new Set(skills);
  return { skills: listing.skills.filter((skill) => kept.has(skill)), problems };
}

/** One skill, and what there is to say of it or of those that it hides; or why it may not be there. */
function only(name: string, all: FileSkillListing, loaded: FileSkillListing): FileSkillListing {
  const origins = all.skills.filter(isCalled(name)).map(({ origin }) => origin);
  const concerns = ({ code, file = "" }: SkillProblem) =>
    origins.length > 0
      ? origins.some((origin) => isBelow(file, origin))
      : code === "root_missing" || file.split("/").map(skillKey).includes(skillKey(name));
  return {
    skills: loaded.skills.filter(isCalled(name)),
    problems: loaded.problems.filter(concerns),
  };
}

function isCalled(name: string): (skill: FileSkill) => boolean {
  return ({ frontmatter }) => skillKey(frontmatter.name) === skillKey(name);
}

/** Names that are told where one is wrong. */
const mostNames = 30;

function namesOf(skills: readonly FileSkill[]): string {
  if (skills.length === 0) return "there are none.";
  const names = skills.slice(0, mostNames).map(({ frontmatter }) => frontmatter.name);
  const more = skills.length - names.length;
  return `there are: ${names.join(", ")}${more > 0 ? `, and ${more} more` : ""}.`;
}

/** The command `validate`. */
async function validate(
  { folders, fix, json }: CliArguments,
  { out, error }: CliOutput,
): Promise<number> {
  const fixed = fix ? await fixFiles(await listed(folders, true)) : [];
  const listing = await listed(folders, true);
  const { problems } = listing;
  const { valid, total } = inOrder(listing);
  if (json) out(`${JSON.stringify({ valid, fixed, problems }, null, 2)}\n`);
  else {
    for (const file of fixed) out(printable(`${file}: mended\n`));
    tell(problems, out);
  }
  tellOfNothing(folders, listing, json ? error : out);
  if (!json) out(`${valid.length} of ${counted(total, "skill")} in order, ${counts(problems)}\n`);
  const missing = folders.some((folder) => isMissing(problems, folder));
  return total === 0 || hasErrors(problems) || missing ? 1 : 0;
}

/** The names of the skills without an error, and how many there are with the others. */
function inOrder({ skills, problems }: FileSkillListing) {
  const wrong = problems.flatMap(({ severity, file }) =>
    severity === "error" && file !== undefined ? [file] : [],
  );
  const refused = wrong.filter(
    (file) => /\/skill\.md$/i.test(file) && !skills.some(({ origin }) => isBelow(file, origin)),
  );
  const valid = skills.filter(({ origin }) => !wrong.some((file) => isBelow(file, origin)));
  return {
    valid: valid.map(({ frontmatter }) => frontmatter.name),
    total: skills.length + new Set(refused).size,
  };
}

function counts(problems: readonly SkillProblem[]): string {
  const kinds = ["error", "warning"] as const;
  return kinds
    .map((kind) => counted(problems.filter(({ severity }) => severity === kind).length, kind))
    .join(", ");
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Of folders in which there is nothing to say anything of. */
function tellOfNothing(
  folders: readonly string[],
  { skills, problems }: FileSkillListing,
  write: (text: string) => void,
): void {
  const places = [...skills.map(({ origin }) => origin), ...problems.map(({ file = "" }) => file)];
  for (const folder of folders) {
    if (places.some((place) => isBelow(place, resolve(folder)))) continue;
    const where = `in it or in folders up to ${settings.depth} below it`;
    write(printable(`${folder}: no skill found; a SKILL.md is looked for ${where}.\n`));
  }
}

async function listed(folders: readonly string[], strict: boolean): Promise<FileSkillListing> {
  return await fileSkills(folders, { ...options, strict }).list({ signal });
}

const fixable: ReadonlySet<string> = new Set([
  "unquoted_colon",
  "reserved_character",
  "text_after_list",
]);

/** The files that were changed. */
async function fixFiles({ problems }: FileSkillListing): Promise<readonly string[]> {
  const files = problems.flatMap(({ code, file }) => (fixable.has(code) && file ? [file] : []));
  const fixed: string[] = [];
  for (const file of new Set(files)) {
    if (await fixFile(file)) fixed.push(file);
  }
  return fixed;
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
    ...(withBody && {
      leftOut: leftOut(skill, settings),
      instructions: await skill.load({ signal }),
    }),
  };
}

async function textOf(skill: FileSkill, whole: boolean): Promise<string> {
  const { name, description } = skill.frontmatter;
  if (!whole) {
    return `${name}: ${description.replace(/\s+/g, " ").trim()}\n  ${skill.origin}\n`;
  }
  const parts = Object.entries(await described(skill, false)).map(
    ([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}\n`,
  );
  const missing = leftOut(skill, settings).map(
    ({ path, reason }) => `left out: ${path} (${reason})\n`,
  );
  return `${[...parts, ...missing].join("")}\n${await skill.load({ signal })}\n`;
}

function tell(problems: readonly SkillProblem[], write: (text: string) => void): void {
  for (const problem of problems) write(printable(`${describeProblem(problem)}\n`));
}

function hasErrors(problems: readonly SkillProblem[]): boolean {
  return problems.some(({ severity }) => severity === "error");
}

function isMissing(problems: readonly SkillProblem[], folder: string): boolean {
  return problems.some(({ code, file }) => code === "root_missing" && file === resolve(folder));
}

function isBelow(file: string, folder: string): boolean {
  return file === folder || file.startsWith(`${folder}/`);
}

/** Without what a terminal would obey. */
function printable(text: string): string {
  return text.replace(
    /[^\P{C}\n\t]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

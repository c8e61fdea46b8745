import { ConfigurationError } from "@tunic/core";
import type { Skill, SkillContext, SkillListing, SkillsSource } from "../skill.js";

/** Skills as they may be written: single ones, sources, and nested lists of both. */
export type SkillsInput = Skill | SkillsSource | readonly SkillsInput[];

/** What a source gave, looked at. */
type CheckedListing = Required<SkillListing>;

/** A source whose listing has been looked at. */
export interface CheckedSource extends SkillsSource {
  list(context: SkillContext): Promise<CheckedListing>;
}

/**
 * The sources that an input is made of, in its order. Skills between two sources make one of their own.
 *
 * @throws ConfigurationError `invalid_skills` for what is neither.
 */
function sourcesOf(input: SkillsInput): readonly CheckedSource[] {
  const sources: CheckedSource[] = [];
  let loose: Skill[] = [];
  const close = () => {
    if (loose.length > 0) sources.push(fixedSource(loose));
    loose = [];
  };
  for (const [at, each] of flat(input).entries()) {
    if (isSource(each)) {
      close();
      const name = each.name ?? `number ${at + 1}`;
      sources.push({ name, list: async (context) => await listed(each, name, context) });
    } else loose.push(each);
  }
  close();
  return sources;
}

/** Several sources as one, asked at the same time. */
export function oneSource(input: SkillsInput): CheckedSource {
  const sources = sourcesOf(input);
  const [only] = sources;
  if (only !== undefined && sources.length === 1) return only;
  return {
    async list(context) {
      const listings = await Promise.all(sources.map((source) => source.list(context)));
      return {
        skills: listings.flatMap(({ skills }) => skills),
        problems: listings.flatMap(({ problems }) => problems),
      };
    },
  };
}

/** Those that say already of which source they are. */
const named = new WeakSet<object>();

/** @throws what the source throws, with its name. */
async function listed(
  source: SkillsSource,
  name: string,
  context: SkillContext,
): Promise<CheckedListing> {
  try {
    return checkedListing(await source.list(context));
  } catch (error) {
    if (context.signal.aborted || error instanceof ConfigurationError) throw error;
    if (typeof error === "object" && error !== null && named.has(error)) throw error;
    const why = error instanceof Error ? error.message : String(error);
    const told = new Error(`The source of skills ${name} failed: ${why}`, { cause: error });
    named.add(told);
    throw told;
  }
}

/** @throws ConfigurationError `invalid_skills` for what is no listing, saying what to write. */
function checkedListing(listing: unknown): CheckedListing {
  if (typeof listing !== "object" || listing === null || Array.isArray(listing)) {
    throw wrongListing(Array.isArray(listing) ? "a list" : aThing(listing));
  }
  const { skills, problems = [] } = listing as { [Name in keyof SkillListing]?: unknown };
  if (!Array.isArray(skills)) throw wrongListing("an object without a list `skills`");
  if (!Array.isArray(problems)) throw wrongListing("an object whose `problems` is no list");
  for (const skill of skills) checkSkill(skill);
  // As it is, where it is whole: who caches a listing gives the same one.
  return "problems" in listing && listing.problems === problems
    ? (listing as CheckedListing)
    : { skills, problems };
}

function fixedSource(skills: readonly Skill[]): CheckedSource {
  const listing = Object.freeze({ skills: Object.freeze([...skills]), problems: [] });
  return { list: async () => listing };
}

function flat(input: SkillsInput): readonly (Skill | SkillsSource)[] {
  if (isList(input)) return input.flatMap(flat);
  if (typeof input === "string") {
    throw invalid("a text; for a folder write fileSkills(path) from @tunic/skills/node");
  }
  if (typeof input !== "object" || input === null) {
    throw invalid(`${aThing(input)}; write a skill, a source, or a list of them`);
  }
  if (!isSource(input)) checkSkill(input);
  return [input];
}

const madeBy = "make it with defineSkill({ name, description, instructions })";

/** A class keeps its parts in getters, so nothing is said of who owns them. */
function checkSkill(skill: unknown): void {
  if (typeof skill !== "object" || skill === null) throw invalid(`${aThing(skill)}; ${madeBy}`);
  const { frontmatter, load, resources, scripts, origin, trust } = skill as {
    [Name in keyof Skill]?: unknown;
  };
  const { name, description } = (frontmatter ?? {}) as { name?: unknown; description?: unknown };
  if (typeof name !== "string" || typeof description !== "string") {
    throw invalid(`an object without \`frontmatter: { name, description }\`; ${madeBy}`);
  }
  const missing = [
    ...(typeof load === "function" ? [] : ["load"]),
    ...(Array.isArray(resources) ? [] : ["resources"]),
    ...(Array.isArray(scripts) ? [] : ["scripts"]),
    ...(typeof origin === "string" ? [] : ["origin"]),
    ...(trust === "trusted" || trust === "untrusted" ? [] : ["trust"]),
  ];
  if (missing.length === 0) return;
  const parts = missing.map((part) => `\`${part}\``).join(", ");
  throw invalid(`an object such as "${name}", which lacks ${parts}; ${madeBy}`);
}

function isList(input: SkillsInput): input is readonly SkillsInput[] {
  return Array.isArray(input);
}

function isSource(input: Skill | SkillsSource): input is SkillsSource {
  return "list" in input && typeof input.list === "function";
}

function aThing(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function wrongListing(what: string): ConfigurationError {
  return new ConfigurationError(
    "invalid_skills",
    `The \`list\` of a source of skills gave ${what}. Write { skills: […], problems: […] }; problems may be left out.`,
  );
}

function invalid(what: string): ConfigurationError {
  return new ConfigurationError("invalid_skills", `Skills cannot be ${what}.`);
}

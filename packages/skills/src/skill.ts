import type { AgentSession, Content, JsonObject, RunContext } from "@tunic/core";
import type { SkillProblem } from "./skill-problem.js";

/**
 * What a skill says of itself: the six fields of the Agent Skills specification (agentskills.io), under
 * the names of this language.
 */
export interface SkillFrontmatter {
  /** 1 to 64 of `a`-`z`, `0`-`9` and single hyphens inside. From lenient loading it may be otherwise. */
  readonly name: string;
  /** What the skill is for and when to use it; at most 1024 characters, never blank. */
  readonly description: string;
  readonly license?: string;
  /** What the skill needs around it, in words; at most 500 characters. */
  readonly compatibility?: string;
  /** The field `allowed-tools`, taken apart: the only tools that may run while the skill is in use. Absent: all. */
  readonly allowedTools?: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
}

/** For whom a source is asked, and on whose behalf a skill is read. */
export interface SkillContext {
  /** Undefined outside a run, such as on a command line. */
  readonly run?: RunContext | undefined;
  /** Undefined when the caller gave none. */
  readonly session?: AgentSession | undefined;
  /** Fires when the work is to stop. */
  readonly signal: AbortSignal;
  /**
   * What a person has agreed to, as `fingerprint` gave it; undefined where nobody was asked. What is another thing by
   * now is not given, and not run.
   */
  readonly agreed?: string | undefined;
}

/** Says what something is at the moment: another text for another content. `sha256:` and a digest, as a rule. */
export type SkillFingerprint = (
  context: SkillContext,
) => Promise<string | undefined> | string | undefined;

/** Something that belongs to a skill and is read only when it is needed. */
export interface SkillResource {
  /** Unique within the skill whatever its case; in files a path with slashes, such as `references/knots.md`. */
  readonly name: string;
  readonly description?: string;
  read(context: SkillContext): Promise<string | Content> | string | Content;
  /** What would be read, where that can be said: a yes of a person holds for that only. */
  readonly fingerprint?: SkillFingerprint | undefined;
}

/** Something that a skill can have run. */
export interface SkillScript {
  /** Unique within the skill whatever its case. */
  readonly name: string;
  readonly description?: string;
  /** The JSON Schema of the arguments. Absent: it takes none. */
  readonly parameters?: JsonObject;
  /** @param args As validated by `parameters`. */
  run(args: unknown, context: SkillContext): Promise<unknown> | unknown;
  /** What would run, where that can be said: a yes of a person holds for that only. Default: it is your program. */
  readonly fingerprint?: SkillFingerprint | undefined;
}

/**
 * Knowledge that a model loads when it needs it. Holds configuration only, so that one object can serve any
 * number of runs at once.
 */
export interface Skill {
  readonly frontmatter: SkillFrontmatter;
  /** Where it is from, for people: a path, `code`, the name of a server. */
  readonly origin: string;
  /** `untrusted`: others can have written what it says. */
  readonly trust: "trusted" | "untrusted";
  /** The instructions, without the frontmatter. */
  load(context: SkillContext): Promise<string> | string;
  /** What would be loaded, where that can be said: a yes of a person holds for that only. */
  readonly fingerprint?: SkillFingerprint | undefined;
  readonly resources: readonly SkillResource[];
  readonly scripts: readonly SkillScript[];
  /**
   * A resource that `resources` does not name, for a skill that cannot know all it has beforehand. Undefined for
   * what cannot be one of its resources.
   */
  readonly findResource?: (
    name: string,
    context: SkillContext,
  ) => Promise<SkillResource | undefined> | SkillResource | undefined;
}

/** What a source found: skills, and what it did not take or took with a remark. */
export interface SkillListing {
  readonly skills: readonly Skill[];
  /** Default: none. */
  readonly problems?: readonly SkillProblem[];
}

/** Where skills are from. The decorators of this package take one and are one. */
export interface SkillsSource {
  /** What to call it where it fails. Default: its place. */
  readonly name?: string | undefined;
  /** A rejection means that the source failed as a whole; what is wrong with one skill is a problem. */
  list(context: SkillContext): Promise<SkillListing>;
}

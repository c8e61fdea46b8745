import { resolve } from "node:path";
import { ConfigurationError, checkOptionNames } from "@tunic/core";
import { maxSkillSize } from "../frontmatter/parse-skill.js";
import type { SkillContext } from "../skill.js";

/** A folder to look for skills in. What is below it and reached without links belongs to it. */
export interface SkillsRoot {
  /** May itself be a link: it is you who writes it. */
  readonly path: string;
  /** `untrusted`: others can write there, such as in a project that was fetched. Default `trusted`. */
  readonly trust?: "trusted" | "untrusted" | undefined;
}

/** A script in a file, for whoever runs it. */
export interface FileScript {
  readonly skill: string;
  /** Below the folder of the skill, with slashes. */
  readonly name: string;
  /** The root of `fileSkills` below which the skill stands, as a real path. */
  readonly root: string;
  /** The folder of the skill, as a real path: the root, or below it. */
  readonly folder: string;
  /** What it held when it was checked last; run this, not what stands at the path by then. */
  readonly source: Uint8Array;
  /** What a person has agreed to, where somebody was asked: what is not that by now must not run. */
  readonly agreed?: string | undefined;
}

/**
 * Runs scripts. What it gives is the result of the call, an `Error` too, of which the model then reads the message;
 * what it throws is its failure.
 */
export interface ScriptRunner {
  (script: FileScript, argv: readonly string[], context: SkillContext): unknown;
  /** What it runs, with the dot. Default: those of `scriptExtensions`. */
  readonly extensions?: readonly string[] | undefined;
  /**
   * What would run, of which a person is told and which `agreed` has then. Default: a digest of the script and of what
   * stands beside it.
   */
  readonly fingerprint?:
    | ((script: FileScript, context: SkillContext) => Promise<string> | string)
    | undefined;
}

/** What `fileSkills` can be told. */
export interface FileSkillsOptions {
  /** How many folders below a root a `SKILL.md` may stand. Default 2. */
  readonly depth?: number | undefined;
  /** How many folders below its skill a resource or script may stand. Default 2. */
  readonly resourceDepth?: number | undefined;
  /** With the dot. Default `.md .json .yaml .yml .csv .xml .txt`. */
  readonly resourceExtensions?: readonly string[] | undefined;
  /** With the dot. Default: what the runner says of itself, or `.py .js .mjs .sh`. */
  readonly scriptExtensions?: readonly string[] | undefined;
  /** Which resources a skill has. Default: all with such an extension. */
  readonly resourceFilter?: ((skill: string, path: string) => boolean) | undefined;
  /** Which scripts a skill has. Default: all with such an extension. */
  readonly scriptFilter?: ((skill: string, path: string) => boolean) | undefined;
  /** Default: none, and skills have no scripts. */
  readonly scriptRunner?: ScriptRunner | undefined;
  /** Whether a skill has to keep the specification to be taken. Default false: what can be understood is. */
  readonly strict?: boolean | undefined;
  /** Of every file, in bytes. Default 1 MiB; a `SKILL.md` can have no more than that. */
  readonly maxFileSize?: number | undefined;
  /** How many folders are looked into in one listing. Default 20,000. */
  readonly maxFolders?: number | undefined;
}

/** Options with their defaults. */
export interface FileSettings {
  readonly roots: readonly { readonly path: string; readonly trust: "trusted" | "untrusted" }[];
  readonly depth: number;
  readonly resourceDepth: number;
  readonly resourceExtensions: ReadonlySet<string>;
  readonly scriptExtensions: ReadonlySet<string>;
  readonly resourceFilter: (skill: string, path: string) => boolean;
  readonly scriptFilter: (skill: string, path: string) => boolean;
  readonly scriptRunner: ScriptRunner | undefined;
  readonly strict: boolean;
  readonly maxFileSize: number;
  readonly maxFolders: number;
}

const optionNames: ReadonlySet<string> = new Set<keyof FileSkillsOptions>([
  "depth",
  "resourceDepth",
  "resourceExtensions",
  "scriptExtensions",
  "resourceFilter",
  "scriptFilter",
  "scriptRunner",
  "strict",
  "maxFileSize",
  "maxFolders",
]);

const rootNames: ReadonlySet<string> = new Set<keyof SkillsRoot>(["path", "trust"]);

/** @throws ConfigurationError `unknown_option` or `invalid_option`. */
export function fileSettings(
  roots: string | SkillsRoot | readonly (string | SkillsRoot)[],
  options: FileSkillsOptions,
): FileSettings {
  checkOptionNames("fileSkills", options, optionNames);
  const resourceExtensions = extensions(
    "resourceExtensions",
    options.resourceExtensions ?? [".md", ".json", ".yaml", ".yml", ".csv", ".xml", ".txt"],
  );
  const scriptExtensions = extensions(
    "scriptExtensions",
    options.scriptExtensions ?? options.scriptRunner?.extensions ?? [".py", ".js", ".mjs", ".sh"],
  );
  const both = [...scriptExtensions].find((extension) => resourceExtensions.has(extension));
  if (both !== undefined) {
    throw invalid(`"${both}" is an extension of resources and of scripts; it can be one of them`);
  }
  const list: readonly (string | SkillsRoot)[] = isList(roots) ? roots : [roots];
  return {
    roots: list.map(rootOf),
    depth: count("depth", options.depth, 2, 0),
    resourceDepth: count("resourceDepth", options.resourceDepth, 2, 0),
    resourceExtensions,
    scriptExtensions,
    resourceFilter: options.resourceFilter ?? (() => true),
    scriptFilter: options.scriptFilter ?? (() => true),
    scriptRunner: options.scriptRunner,
    strict: options.strict ?? false,
    maxFileSize: count("maxFileSize", options.maxFileSize, maxSkillSize, 1),
    maxFolders: count("maxFolders", options.maxFolders, 20_000, 1),
  };
}

function isList(
  roots: string | SkillsRoot | readonly (string | SkillsRoot)[],
): roots is readonly (string | SkillsRoot)[] {
  return Array.isArray(roots);
}

function rootOf(root: string | SkillsRoot): FileSettings["roots"][number] {
  if (typeof root === "object" && root !== null) {
    checkOptionNames("fileSkills: a root", root, rootNames);
  }
  const { path, trust = "trusted" }: Partial<SkillsRoot> =
    typeof root === "string" ? { path: root } : (root ?? {});
  if (typeof path !== "string" || path.trim() === "" || path.includes("\0")) {
    throw invalid('a root must be a path, or { path: "…", trust: "untrusted" }');
  }
  if (trust !== "trusted" && trust !== "untrusted") {
    throw invalid('the trust of a root must be "trusted" or "untrusted"');
  }
  return { path: resolve(path), trust };
}

function extensions(what: string, list: readonly string[]): ReadonlySet<string> {
  if (!Array.isArray(list) || !list.every((each) => /^\.[^./\\\s]+$/.test(String(each)))) {
    throw invalid(`\`${what}\` must be a list such as [".md"]`);
  }
  return new Set(list.map((each: string) => each.toLowerCase()));
}

function count(what: string, value: number | undefined, fallback: number, least: number): number {
  if (value === undefined) return fallback;
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw invalid(`\`${what}\` must be a whole number of at least ${least}`);
}

function invalid(what: string): ConfigurationError {
  return new ConfigurationError("invalid_option", `fileSkills: ${what}.`);
}

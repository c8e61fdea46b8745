import {
  type ArgumentsOf,
  ConfigurationError,
  type Content,
  checkArguments,
  checkOptionNames,
  isJsonObject,
  type SchemaInput,
  ToolInvalidArgumentsError,
  tool,
} from "@tunic/core";
import { maxCompatibilityLength, maxDescriptionLength } from "./frontmatter/read-fields.js";
import { isSkillName } from "./frontmatter/skill-name.js";
import type { Skill, SkillContext, SkillFrontmatter, SkillResource, SkillScript } from "./skill.js";

/** A resource as it may be written: with what it holds, or with a function that gets it. */
export type ResourceInit =
  | SkillResource
  | {
      readonly name: string;
      readonly description?: string;
      readonly content: string | Content | SkillResource["read"];
    };

/** What {@link defineSkill} makes a skill of. */
export interface DefineSkillOptions extends SkillFrontmatter {
  /** What the model reads when it loads the skill. */
  readonly instructions: string | ((context: SkillContext) => string | Promise<string>);
  readonly resources?: readonly ResourceInit[] | undefined;
  /** Of {@link skillScript}, or your own. */
  readonly scripts?: readonly SkillScript[] | undefined;
  /** For people. Default `code`. */
  readonly origin?: string | undefined;
  /** Default `trusted`: it is your code. */
  readonly trust?: "trusted" | "untrusted" | undefined;
}

const optionNames: ReadonlySet<string> = new Set<keyof DefineSkillOptions>([
  "name",
  "description",
  "license",
  "compatibility",
  "allowedTools",
  "metadata",
  "instructions",
  "resources",
  "scripts",
  "origin",
  "trust",
]);

/**
 * A skill written in code.
 *
 * @throws ConfigurationError `unknown_option`, or `invalid_skill` for what the specification does not allow
 * and for two resources or two scripts of one name, whatever its case.
 */
export function defineSkill(options: DefineSkillOptions): Skill {
  checkOptionNames("defineSkill", options, optionNames);
  const {
    instructions,
    resources = [],
    scripts = [],
    origin = "code",
    trust = "trusted",
  } = options;
  const frontmatter = frontmatterOf(options);
  const { name } = frontmatter;
  if (typeof instructions !== "string" && typeof instructions !== "function") {
    throw invalid(name, "`instructions` must be a text, or a function that gives it");
  }
  checkTrust(name, trust);
  checkNames(name, "resource", resources);
  checkNames(name, "script", scripts);
  return Object.freeze({
    frontmatter,
    origin,
    trust,
    load: typeof instructions === "string" ? () => instructions : instructions,
    resources: Object.freeze(resources.map((resource) => resourceOf(name, resource))),
    scripts: Object.freeze(scripts.map((script) => scriptOf(name, script))),
  });
}

/** What {@link skillScript} takes. */
export interface SkillScriptOptions<Schema extends SchemaInput | undefined> {
  readonly name: string;
  readonly description?: string | undefined;
  /** As for `tool()`: a TypeBox schema, a Standard Schema or JSON Schema. Default: no arguments. */
  readonly parameters?: Schema | undefined;
  readonly run: (args: ArgumentsOf<Schema>, context: SkillContext) => unknown;
}

const scriptOptionNames: ReadonlySet<string> = new Set([
  "name",
  "description",
  "parameters",
  "run",
] satisfies (keyof SkillScriptOptions<undefined>)[]);

/**
 * A script of a skill whose arguments have the types of their schema. They are checked before it runs.
 *
 * @throws ConfigurationError for unknown options, and what `tool()` says about `name` and `parameters`.
 */
export function skillScript<const Schema extends SchemaInput | undefined = undefined>(
  options: SkillScriptOptions<Schema>,
): SkillScript {
  checkOptionNames("skillScript", options, scriptOptionNames);
  const { name, description, parameters, run } = options;
  if (typeof run !== "function")
    throw invalid(String(name), "`run` of a script must be a function");
  const checked = tool({ name, ...(parameters !== undefined && { parameters }) });
  return Object.freeze({
    name,
    ...(description !== undefined && { description }),
    parameters: checked.parameters,
    async run(args: unknown, context: SkillContext) {
      const outcome = await checkArguments(checked, args);
      if (!outcome.ok) throw new ToolInvalidArgumentsError(outcome.message);
      // What the check gives is what the schema describes.
      return await run(outcome.input as ArgumentsOf<Schema>, context);
    },
  });
}

/**
 * The fields of the specification, checked and frozen.
 *
 * @throws ConfigurationError `invalid_skill`.
 */
export function frontmatterOf(options: SkillFrontmatter): SkillFrontmatter {
  const { name, description, license, compatibility, allowedTools, metadata } = options;
  if (typeof name !== "string" || !isSkillName(name)) {
    throw invalid(
      String(name),
      "`name` must be 1 to 64 of a-z, 0-9 and single hyphens between them",
    );
  }
  if (typeof description !== "string" || description.trim() === "") {
    throw invalid(name, "`description` must say what it is for and when to use it");
  }
  checkLength(name, "description", description, maxDescriptionLength);
  checkLength(name, "compatibility", compatibility, maxCompatibilityLength);
  if (allowedTools !== undefined && !isListOfTexts(allowedTools)) {
    throw invalid(name, "`allowedTools` must be a list of names of tools");
  }
  if (
    metadata !== undefined &&
    !(isJsonObject(metadata) && isListOfTexts(Object.values(metadata)))
  ) {
    throw invalid(name, "`metadata` must be an object of texts");
  }
  return Object.freeze({
    name,
    description,
    ...(license !== undefined && { license }),
    ...(compatibility !== undefined && { compatibility }),
    ...(allowedTools !== undefined && { allowedTools: Object.freeze([...allowedTools]) }),
    ...(metadata !== undefined && { metadata: Object.freeze({ ...metadata }) }),
  });
}

/** @throws ConfigurationError `invalid_skill`. */
export function checkTrust(name: string, trust: Skill["trust"]): void {
  if (trust !== "trusted" && trust !== "untrusted") {
    throw invalid(name, '`trust` must be "trusted" or "untrusted"');
  }
}

function checkLength(name: string, what: string, text: string | undefined, most: number): void {
  if (text === undefined) return;
  const length = [...text].length;
  if (length === 0 || length > most) {
    throw invalid(name, `\`${what}\` has ${length} characters; it must have 1 to ${most}`);
  }
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function resourceOf(skill: string, resource: ResourceInit): SkillResource {
  if ("read" in resource && typeof resource.read === "function") return resource;
  if (!("content" in resource)) {
    throw invalid(skill, `the resource "${resource.name}" needs \`content\` or \`read\``);
  }
  const { name, description, content } = resource;
  const read = typeof content === "function" ? content : () => content;
  if (typeof content !== "function" && typeof content !== "string" && !isContent(content)) {
    throw invalid(
      skill,
      `\`content\` of the resource "${name}" must be a text, a content such as dataContent(…), or a function that gives one`,
    );
  }
  return { name, ...(description !== undefined && { description }), read };
}

/** Seen from outside its types. */
function isContent(content: unknown): boolean {
  return isJsonObject(content) && typeof content["type"] === "string";
}

function scriptOf(skill: string, script: SkillScript): SkillScript {
  if (typeof script.run === "function") return script;
  throw invalid(skill, `the script "${script.name}" needs \`run\`, a function`);
}

/** @throws ConfigurationError `invalid_skill` for names that are none, and for two that are one but for their case. */
export function checkNames(
  skill: string,
  what: string,
  list: readonly { readonly name: string }[],
): void {
  if (!Array.isArray(list)) throw invalid(skill, `\`${what}s\` must be a list`);
  const names = new Set<string>();
  for (const { name } of list) {
    if (typeof name !== "string" || name.trim() !== name || name === "" || /\p{C}/u.test(name)) {
      throw invalid(skill, `${JSON.stringify(name)} is no name for a ${what}`);
    }
    if (names.size === names.add(name.toLowerCase()).size) {
      throw invalid(skill, `there are two ${what}s "${name}"`);
    }
  }
}

export function invalid(name: string, what: string): ConfigurationError {
  return new ConfigurationError("invalid_skill", `Skill "${name}": ${what}.`);
}

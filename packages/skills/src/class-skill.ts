import { type ArgumentsOf, type Content, checkOptionNames, type SchemaInput } from "@tunic/core";
import { checkNames, checkTrust, frontmatterOf, invalid, skillScript } from "./define-skill.js";
import type { Skill, SkillContext, SkillFrontmatter, SkillResource, SkillScript } from "./skill.js";

/** What the constructor of a {@link ClassSkill} takes. */
export interface ClassSkillOptions extends SkillFrontmatter {
  /** For people. Default `code`. */
  readonly origin?: string | undefined;
  /** Default `trusted`: it is your code. */
  readonly trust?: Skill["trust"] | undefined;
}

/** What a decorator of a {@link ClassSkill} can be told. */
export interface SkillPartOptions {
  /** Default: the name of the member, with `-` for `_`, and none at its ends. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

/** What `@ClassSkill.script` can be told. */
export interface ClassSkillScriptOptions<Schema extends SchemaInput | undefined>
  extends SkillPartOptions {
  /** As for `tool()`: a TypeBox schema, a Standard Schema or JSON Schema. Default: no arguments. */
  readonly parameters?: Schema | undefined;
}

/** What a resource in a class gives. */
type ResourceValue = string | Content | Promise<string | Content>;

const optionNames: ReadonlySet<string> = new Set<keyof ClassSkillOptions>([
  "name",
  "description",
  "license",
  "compatibility",
  "allowedTools",
  "metadata",
  "origin",
  "trust",
]);
const resourceOptionNames: ReadonlySet<string> = new Set<keyof SkillPartOptions>([
  "name",
  "description",
]);
const scriptOptionNames: ReadonlySet<string> = new Set<
  keyof ClassSkillScriptOptions<SchemaInput | undefined>
>(["name", "description", "parameters"]);

/**
 * A skill as a class, for one that keeps what it needs in its members. A subclass gives its frontmatter to the
 * constructor, has `instructions`, and marks methods and getters as resources and methods as scripts:
 *
 * ```ts
 * class Knots extends ClassSkill {
 *   constructor() {
 *     super({ name: "knots", description: "Ties knots." });
 *   }
 *   readonly instructions = "Begin with the bowline.";
 *
 *   @ClassSkill.resource({ description: "All of them." })
 *   get all_knots() {
 *     return "Bowline, reef.";
 *   }
 * }
 * ```
 *
 * What a class marks, its subclasses have too; a member that they override is the one that is used, marked again
 * or not. A getter runs when its resource is read, and no earlier. A subclass with a `resources` or `scripts` of
 * its own has those and none of the marked ones.
 *
 * The decorators are those of the language (stage 3), not TypeScript's `experimentalDecorators`.
 */
export abstract class ClassSkill implements Skill {
  readonly frontmatter: SkillFrontmatter;
  readonly origin: string;
  readonly trust: Skill["trust"];
  readonly #resources = new Map<PropertyKey, SkillResource>();
  readonly #scripts = new Map<PropertyKey, SkillScript>();

  /** @throws ConfigurationError `unknown_option`, or `invalid_skill` for what the specification does not allow. */
  constructor(options: ClassSkillOptions) {
    checkOptionNames("ClassSkill", options, optionNames);
    const { origin = "code", trust = "trusted" } = options;
    this.frontmatter = frontmatterOf(options);
    checkTrust(options.name, trust);
    this.origin = origin;
    this.trust = trust;
  }

  /** What the model reads when it loads the skill. Where it depends on the run, override `load`. */
  abstract get instructions(): string | Promise<string>;

  load(_context: SkillContext): string | Promise<string> {
    return this.instructions;
  }

  get resources(): readonly SkillResource[] {
    return [...this.#resources.values()];
  }

  get scripts(): readonly SkillScript[] {
    return [...this.#scripts.values()];
  }

  /**
   * Marks a getter, or a method that may take the context, as a resource.
   *
   * @throws ConfigurationError `unknown_option`, or `invalid_skill`: where it stands on anything else, at once;
   * for a name that is none or is taken, and in a class that is no `ClassSkill`, when an instance is made.
   */
  static resource(options: SkillPartOptions = {}): SkillResourceDecorator {
    checkOptions("resource", options, resourceOptionNames);
    return (_member: unknown, member: SkillMember) => {
      checkMember("resource", member, ["getter", "method"]);
      member.addInitializer(function (this: unknown) {
        const skill = ownerOf("resource", this);
        const read = (context: SkillContext) => {
          // Of the instance, so that an override is what is read.
          const value: unknown = Reflect.get(skill, member.name);
          return member.kind === "getter" ? value : called(skill, value, [context]);
        };
        const part = partOf(options, member);
        // What a member gives is what its decorator lets it give.
        skill.#resources.set(member.name, { ...part, read: read as SkillResource["read"] });
        checkNames(skill.frontmatter.name, "resource", [...skill.#resources.values()]);
      });
    };
  }

  /**
   * Marks a method as a script; it gets its arguments, checked, and the context.
   *
   * @throws ConfigurationError As `resource` does; and what `tool()` says about the name and the parameters, when
   * an instance is made.
   */
  static script<const Schema extends SchemaInput | undefined = undefined>(
    options: ClassSkillScriptOptions<Schema> = {},
  ): SkillScriptDecorator<Schema> {
    checkOptions("script", options, scriptOptionNames);
    return (_member: unknown, member: SkillMember) => {
      checkMember("script", member, ["method"]);
      member.addInitializer(function (this: unknown) {
        const skill = ownerOf("script", this);
        const script = skillScript({
          ...partOf(options, member),
          ...(options.parameters !== undefined && { parameters: options.parameters }),
          run: (args, context) => called(skill, Reflect.get(skill, member.name), [args, context]),
        });
        skill.#scripts.set(member.name, script);
        checkNames(skill.frontmatter.name, "script", [...skill.#scripts.values()]);
      });
    };
  }
}

/** What `@ClassSkill.resource()` may stand on. */
export interface SkillResourceDecorator {
  <This extends ClassSkill>(
    getter: (this: This) => ResourceValue,
    member: ClassGetterDecoratorContext<This, ResourceValue>,
  ): void;
  <This extends ClassSkill>(
    method: (this: This, context: SkillContext) => ResourceValue,
    member: ClassMethodDecoratorContext<This, (this: This, context: SkillContext) => ResourceValue>,
  ): void;
}

/** What `@ClassSkill.script()` may stand on. */
export type SkillScriptDecorator<Schema> = <This extends ClassSkill>(
  method: (this: This, args: ArgumentsOf<Schema>, context: SkillContext) => unknown,
  member: ClassMethodDecoratorContext<
    This,
    (this: This, args: ArgumentsOf<Schema>, context: SkillContext) => unknown
  >,
) => void;

/** What the decorators look at; at run time it may be anything. */
interface SkillMember {
  readonly kind: string;
  readonly name: string | symbol;
  readonly static: boolean;
  readonly private: boolean;
  addInitializer(initializer: (this: unknown) => void): void;
}

function checkOptions(what: string, options: object, names: ReadonlySet<string>): void {
  if (typeof options === "function") {
    throw misused(`write \`@ClassSkill.${what}()\`, with parentheses`);
  }
  checkOptionNames(`ClassSkill.${what}`, options, names);
}

function checkMember(what: string, member: SkillMember, kinds: readonly string[]): void {
  if (typeof member !== "object" || typeof member.addInitializer !== "function") {
    throw misused(
      `\`@ClassSkill.${what}()\` is a decorator of the language: compile without \`experimentalDecorators\``,
    );
  }
  if (!kinds.includes(member.kind) || member.static || member.private) {
    throw misused(
      `\`@ClassSkill.${what}()\` stands on a public ${kinds.join(" or ")} of an instance, and "${String(member.name)}" is none`,
    );
  }
}

function ownerOf(what: string, owner: unknown): ClassSkill {
  if (owner instanceof ClassSkill) return owner;
  throw misused(`\`@ClassSkill.${what}()\` stands in a class that extends ClassSkill`);
}

function partOf({ name, description }: SkillPartOptions, member: SkillMember) {
  if (name === undefined && typeof member.name === "symbol") {
    throw misused(`the member ${String(member.name)} has no name of its own; give one`);
  }
  return {
    name:
      name ??
      String(member.name)
        .replaceAll("_", "-")
        .replace(/^-+|-+$/g, ""),
    ...(description !== undefined && { description }),
  };
}

function called(skill: ClassSkill, method: unknown, args: readonly unknown[]): unknown {
  if (typeof method === "function") return Reflect.apply(method, skill, args);
  throw misused("a subclass has put something else in the place of a marked method");
}

function misused(what: string) {
  return invalid("of a class", what);
}

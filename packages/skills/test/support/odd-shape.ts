/** What strict and lenient reading come to; codes of errors and warnings together, in order. */
export interface OddShape {
  readonly title: string;
  /** The frontmatter between the fences; or the whole file, where it begins with `=`. */
  readonly text: string;
  readonly directory?: string;
  /** Codes of the errors of `validateSkill`. */
  readonly strict: readonly string[];
  /** What `loadSkill` takes it for; undefined: it is refused, with the codes in `refused`. */
  readonly lenient?: Readonly<Record<string, unknown>>;
  readonly refused?: readonly string[];
}

export const name = "name: rig";
export const description = "description: Sets up the rig.";
export const both = `${name}\n${description}\n`;
export const rig = { name: "rig", description: "Sets up the rig." };

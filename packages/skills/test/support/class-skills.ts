import { ClassSkill, type SkillContext } from "../../src/index.js";

export class Knots extends ClassSkill {
  readonly log: string[] = [];

  constructor(name = "knots") {
    super({ name, description: "Ties knots.", metadata: { kind: "class" } });
  }

  get instructions(): string {
    this.log.push("instructions");
    return `Begin with the bowline, ${this.frontmatter.name}.`;
  }

  @ClassSkill.resource({ description: "All of them." })
  get all_of__them(): string {
    this.log.push("all");
    return "Bowline, reef.";
  }

  @ClassSkill.resource()
  async _signed_by(context: SkillContext): Promise<string> {
    return `${this.greeting}, ${context.signal.aborted}`;
  }

  @ClassSkill.script({
    description: "Ties one.",
    parameters: {
      type: "object",
      properties: { turns: { type: "integer" } },
      required: ["turns"],
      additionalProperties: false,
    },
  })
  tie_one({ turns }: { turns: number }): unknown {
    return { tied: turns, by: this.greeting };
  }

  protected get greeting(): string {
    return "the mate";
  }
}

/** Overrides one member without a mark and one with another, and adds one. */
export class FancyKnots extends Knots {
  override get all_of__them(): string {
    return "Turk's head.";
  }

  @ClassSkill.resource({ name: "signature" })
  override async _signed_by(): Promise<string> {
    return "the bosun";
  }

  @ClassSkill.script()
  untie(_args: object, { signal }: SkillContext): string {
    return `untied, ${signal.aborted}`;
  }

  protected override get greeting(): string {
    return "the bosun";
  }
}

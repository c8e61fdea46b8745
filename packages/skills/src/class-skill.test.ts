import { describe, expect, it } from "vitest";
import { FancyKnots, Knots } from "../test/support/class-skills.js";
import { agentWith, free, load, text } from "../test/support/provider.js";
import { contextWith } from "../test/support/skills.js";
import { ClassSkill, type SkillResource } from "./index.js";

const context = contextWith();

function names(parts: readonly { readonly name: string }[]): readonly string[] {
  return parts.map(({ name }) => name);
}

/** A member as a decorator meets it. */
function member(parts: object) {
  const initializers: ((this: unknown) => void)[] = [];
  const place = {
    kind: "method",
    name: "one",
    static: false,
    private: false,
    addInitializer: (each: (this: unknown) => void) => initializers.push(each),
    ...parts,
  };
  return {
    place,
    start(owner: unknown) {
      for (const each of initializers) each.call(owner);
    },
  };
}

/** A decorator as whoever does not check types calls it. */
function untyped(decorator: unknown): (value: unknown, place: unknown) => void {
  if (typeof decorator !== "function") throw new TypeError("no decorator");
  return (value, place) => Reflect.apply(decorator, undefined, [value, place]);
}

const invalid = expect.objectContaining({ name: "ConfigurationError", code: "invalid_skill" });

class Plain extends ClassSkill {
  readonly instructions = "Do it.";
}

describe("a class skill", () => {
  it("has what its members are marked as, with hyphens for underscores", () => {
    const knots = new Knots();
    expect(knots).toMatchObject({ origin: "code", trust: "trusted" });
    expect(knots.frontmatter).toEqual({
      name: "knots",
      description: "Ties knots.",
      metadata: { kind: "class" },
    });
    expect(names(knots.resources)).toEqual(["all-of--them", "signed-by"]);
    expect(knots.resources[0]?.description).toBe("All of them.");
    expect(names(knots.scripts)).toEqual(["tie-one"]);
  });

  it("evaluates a getter when it is read, and each time", async () => {
    const knots = new Knots();
    const [all] = knots.resources;
    expect(knots.log).toEqual([]);
    expect(await all?.read(context)).toBe("Bowline, reef.");
    await all?.read(context);
    expect(knots.log).toEqual(["all", "all"]);
  });

  it("gives methods their instance and the context", async () => {
    const [, signed] = new Knots().resources;
    expect(await signed?.read(context)).toBe("the mate, false");
  });

  it("checks the arguments of a script before its method sees them", async () => {
    const [tie] = new Knots().scripts;
    expect(await tie?.run({ turns: 3 }, context)).toEqual({ tied: 3, by: "the mate" });
    await expect(tie?.run({ turns: "many" }, context)).rejects.toThrow("turns");
    await expect(tie?.run([3], context)).rejects.toThrow();
  });

  it("inherits marked members, uses overrides, and lets a new mark replace the old", async () => {
    const fancy = new FancyKnots();
    expect(names(fancy.resources)).toEqual(["all-of--them", "signature"]);
    expect(names(fancy.scripts)).toEqual(["tie-one", "untie"]);
    expect(await fancy.resources[0]?.read(context)).toBe("Turk's head.");
    expect(await fancy.resources[1]?.read(context)).toBe("the bosun");
    expect(await fancy.scripts[0]?.run({ turns: 1 }, context)).toMatchObject({ by: "the bosun" });
    expect(await fancy.scripts[1]?.run({}, context)).toBe("untied, false");
    expect(names(new Knots().resources)).toEqual(["all-of--them", "signed-by"]);
  });

  it("keeps instances apart", async () => {
    const [one, two] = [new Knots("one"), new Knots("two")];
    await one.resources[0]?.read(context);
    expect(two.log).toEqual([]);
    expect(await two.load(context)).toBe("Begin with the bowline, two.");
  });

  it("gives a copy of its lists", () => {
    const knots = new Knots();
    (knots.resources as SkillResource[]).pop();
    expect(knots.resources).toHaveLength(2);
  });

  it("has the lists that a subclass writes itself, and no others", () => {
    class Own extends Knots {
      override get resources() {
        return [{ name: "own", read: () => "mine" }];
      }
    }
    expect(names(new Own().resources)).toEqual(["own"]);
    expect(names(new Own().scripts)).toEqual(["tie-one"]);
  });

  it("is a skill like any other to the model", async () => {
    const { agent, client } = agentWith([{ calls: [load] }, "Done."], {
      ...free,
      skills: new Knots(),
    });
    const response = await agent.run("Tie.");
    const result = response.messages
      .flatMap(({ contents }) => contents)
      .find((content) => content.type === "function_result");
    expect(result?.type === "function_result" && text(result)).toContain(
      "<script><name>tie-one</name><description>Ties one.</description>",
    );
    expect(JSON.stringify(client.requests[0]?.options.instructions)).toContain("Ties knots.");
  });
});

describe("wrong use of a class skill", () => {
  it.each([
    ["a name that is none", { name: "Knots", description: "x" }],
    ["no description", { name: "knots", description: " " }],
    ["another trust", { name: "knots", description: "x", trust: "some" }],
  ])("refuses %s", (_, options) => {
    expect(() => new Plain(options as ConstructorParameters<typeof Plain>[0])).toThrow(invalid);
  });

  it("refuses options that there are not", () => {
    const options = { name: "knots", description: "x", instruction: "y" };
    expect(() => new Plain(options)).toThrow(expect.objectContaining({ code: "unknown_option" }));
    expect(() => ClassSkill.resource({ title: "x" } as object)).toThrow(
      expect.objectContaining({ code: "unknown_option" }),
    );
  });

  it.each([
    ["a static member", { static: true }],
    ["a private member", { private: true, name: "#one" }],
    ["a field", { kind: "field" }],
    ["an accessor", { kind: "accessor" }],
    ["a class", { kind: "class" }],
  ])("refuses a mark on %s", (_, parts) => {
    const { place } = member(parts);
    expect(() => untyped(ClassSkill.resource())(() => "x", place)).toThrow(invalid);
    expect(() => untyped(ClassSkill.script())(() => "x", place)).toThrow(invalid);
  });

  it("refuses a getter as a script", () => {
    const { place } = member({ kind: "getter" });
    expect(() => untyped(ClassSkill.script())(() => "x", place)).toThrow(invalid);
  });

  it("refuses a mark without parentheses", () => {
    const { place } = member({});
    expect(() => untyped(ClassSkill.resource)(() => "x", place)).toThrow("with parentheses");
    expect(() => untyped(ClassSkill.script)(() => "x", place)).toThrow("with parentheses");
  });

  it("refuses decorators of another kind", () => {
    expect(() => untyped(ClassSkill.resource())(Plain.prototype, "one")).toThrow(
      "experimentalDecorators",
    );
  });

  it("refuses a mark in a class that is no class skill", () => {
    const { place, start } = member({});
    untyped(ClassSkill.resource())(() => "x", place);
    expect(() => start({})).toThrow("extends ClassSkill");
  });

  it.each([
    ["names that are one but for their case", "ONE"],
    ["a blank name", " "],
    ["a name with control characters", "a\u0000"],
  ])("refuses %s", (_, name) => {
    const skill = new Plain({ name: "plain", description: "x" });
    const first = member({});
    untyped(ClassSkill.resource())(() => "x", first.place);
    first.start(skill);
    const second = member({ name: "two" });
    untyped(ClassSkill.resource({ name }))(() => "x", second.place);
    expect(() => second.start(skill)).toThrow(invalid);
  });

  it("refuses a member without a name of its own", () => {
    const { place, start } = member({ name: Symbol("one") });
    untyped(ClassSkill.resource())(() => "x", place);
    expect(() => start(new Plain({ name: "plain", description: "x" }))).toThrow("give one");
  });
});

import { describe, expect, it } from "vitest";
import { contextWith } from "../test/support/skills.js";
import { type DefineSkillOptions, defineSkill, skillScript } from "./define-skill.js";

const options: DefineSkillOptions = {
  name: "knots",
  description: "Ties knots.",
  instructions: "Begin with the bowline.",
};
const context = contextWith();

describe("defineSkill", () => {
  it("makes a skill that is the program's own", async () => {
    const skill = defineSkill(options);
    expect(skill).toMatchObject({ origin: "code", trust: "trusted", resources: [], scripts: [] });
    expect(skill.frontmatter).toEqual({ name: "knots", description: "Ties knots." });
    expect(await skill.load(context)).toBe("Begin with the bowline.");
  });

  it("asks a function for the instructions, with the context", async () => {
    const skill = defineSkill({
      ...options,
      instructions: async (asked) => String(asked === context),
    });
    expect(await skill.load(context)).toBe("true");
  });

  it("takes resources with what they hold, or with a function", async () => {
    const { resources } = defineSkill({
      ...options,
      resources: [
        { name: "table", description: "All knots.", content: "bowline" },
        { name: "today", read: () => "reef knot" },
      ],
    });
    expect(await Promise.all(resources.map((resource) => resource.read(context)))).toEqual([
      "bowline",
      "reef knot",
    ]);
    expect(resources[0]?.description).toBe("All knots.");
  });

  it("is not changed by what happens to its options afterwards", () => {
    const allowedTools = ["Read"];
    const skill = defineSkill({ ...options, allowedTools });
    allowedTools.push("Write");
    expect(skill.frontmatter.allowedTools).toEqual(["Read"]);
  });

  it.each<[string, object]>([
    ["a name with capitals", { name: "Knots" }],
    ["no name", { name: undefined }],
    ["a blank description", { description: " " }],
    ["a long description", { description: "d".repeat(1025) }],
    ["an empty compatibility", { compatibility: "" }],
    ["metadata that is no text", { metadata: { version: 1 } }],
    ["tools as a text", { allowedTools: "Read" }],
    ["no instructions", { instructions: undefined }],
    ["another trust", { trust: "yes" }],
    ["a resource without anything", { resources: [{ name: "table" }] }],
    [
      "two resources of one name",
      {
        resources: [
          { name: "a", content: "" },
          { name: "A", content: "" },
        ],
      },
    ],
    ["a resource without a name", { resources: [{ name: "", content: "" }] }],
    ["a script without a function", { scripts: [{ name: "tie" }] }],
    ["an option that does not exist", { body: "x" }],
  ])("refuses %s", (_, changes) => {
    expect(() => defineSkill({ ...options, ...changes })).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^invalid_skill$|^unknown_option$/) }),
    );
  });
});

describe("skillScript", () => {
  const tie = skillScript({
    name: "tie",
    parameters: {
      type: "object",
      properties: { turns: { type: "integer", default: 2 } },
      additionalProperties: false,
    },
    run: ({ turns }, asked) => [turns, asked === context],
  });

  it("runs with arguments as its schema has them", async () => {
    expect(await tie.run({ turns: 3 }, context)).toEqual([3, true]);
    expect(await tie.run({}, context)).toEqual([2, true]);
  });

  it.each([[{ turns: "many" }], [{ turns: 1, colour: "red" }], [["1"]], ["1"], [null]])(
    "does not run with %j",
    async (args) => {
      await expect(tie.run(args, context)).rejects.toMatchObject({ code: "invalid_arguments" });
    },
  );

  it("refuses what is no script", () => {
    expect(() => skillScript({ name: "", run: () => 1 })).toThrow(TypeError);
    expect(() => skillScript({ name: "tie" } as never)).toThrow(TypeError);
    expect(() => skillScript({ name: "tie", run: () => 1, shell: true } as never)).toThrow(
      TypeError,
    );
  });
});

import { describe, expect, it } from "vitest";
import { defineSkill } from "../define-skill.js";
import { skillSearch } from "./skill-search.js";

const skill = (name: string, description: string) =>
  defineSkill({ name, description, instructions: "Do it." });
const search = skillSearch([
  skill("knots", "Ties a rope."),
  skill("sails", "Sets and reefs."),
  skill("constructor", "__proto__ toString"),
]);
const found = (query: string) => search(query, 10).map(({ frontmatter }) => frontmatter.name);

describe("what skills are searched by", () => {
  it("finds the same however often a word is repeated, and in whatever case", () => {
    expect(found("rope ".repeat(150))).toEqual(["knots"]);
    expect(found("rope ROPE Rope reefs")).toEqual(found("rope reefs"));
  });

  it("is the first 32 words: each costs a look at all skills", () => {
    const others = (count: number) => Array.from({ length: count }, (_, at) => `zzzz${at}qqqq`);
    expect(found([...others(31), "rope"].join(" "))).toEqual(["knots"]);
    expect(found([...others(32), "rope"].join(" "))).toEqual([]);
  });

  it("are beginnings of words, but not single letters", () => {
    expect(found("ro")).toEqual(["knots"]);
    expect(found("r")).toEqual([]);
  });

  it("may be anything", () => {
    for (const query of ["constructor", "__proto__", "toString"]) {
      expect(found(query)).toEqual(["constructor"]);
    }
    for (const query of ["", " ", "\ud800", "*", "\0"]) expect(found(query)).toEqual([]);
  });
});

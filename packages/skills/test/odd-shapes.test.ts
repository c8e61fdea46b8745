import { describe, expect, it } from "vitest";
import { fixSkill, loadSkill, type SkillProblem, validateSkill } from "../src/index.js";
import { fieldShapes } from "./support/field-shapes.js";
import { syntaxShapes } from "./support/syntax-shapes.js";
import { textShapes } from "./support/text-shapes.js";
import { valueShapes } from "./support/value-shapes.js";

/** Frontmatter as it is found in public files, in our own words. */
const oddShapes = [...syntaxShapes, ...textShapes, ...valueShapes, ...fieldShapes];

const file = "skills/rig/SKILL.md";

function textOf(text: string): string {
  return text.startsWith("=") ? text.slice(1) : `---\n${text}---\nBody\n`;
}

function errors(problems: readonly SkillProblem[]): string[] {
  // Several lines of one broken value say the same.
  const codes = problems.filter(({ severity }) => severity === "error").map(({ code }) => code);
  return codes.filter((code, at) => !code.startsWith("yaml_") || codes.indexOf(code) === at);
}

describe("frontmatter as it is found", () => {
  it("comes in at least 60 shapes", () => {
    expect(new Set(oddShapes.map(({ title }) => title)).size).toBe(oddShapes.length);
    expect(oddShapes.length).toBeGreaterThanOrEqual(60);
  });

  it.each(oddShapes)("strict: $title", ({ text, directory, strict }) => {
    const problems = validateSkill(textOf(text), { file, directory });
    expect(errors(problems)).toEqual(strict);
    for (const problem of problems) {
      expect(problem).toMatchObject({ file, message: expect.stringMatching(/\w/) });
      if (problem.code !== "body_lines") expect(problem.line).toBeGreaterThan(0);
    }
  });

  it.each(oddShapes)("lenient: $title", ({ text, directory, lenient, refused = [] }) => {
    const { frontmatter, problems } = loadSkill(textOf(text), { file, directory });
    expect(errors(problems)).toEqual(refused);
    if (lenient === undefined) expect(frontmatter).toBeUndefined();
    else expect(frontmatter).toMatchObject(lenient);
  });

  it.each(oddShapes)("a deviation is told in both: $title", ({ text, directory, strict }) => {
    const { problems } = loadSkill(textOf(text), { directory });
    const told = new Set(problems.map(({ code }) => code));
    for (const code of strict) expect(told).toContain(code);
  });

  it.each(oddShapes)("mended as it is read: $title", ({ text, directory }) => {
    const before = loadSkill(textOf(text), { directory });
    const { text: mended, changes } = fixSkill(textOf(text));
    const after = loadSkill(mended, { directory });
    expect(after.frontmatter).toEqual(before.frontmatter);
    expect(after.body).toBe(before.body);
    expect(fixSkill(mended)).toEqual({ text: mended, changes: 0 });
    if (changes === 0) expect(mended).toBe(textOf(text));
  });
});

import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { skillText, temporaryFolder, writeFiles } from "../../test/support/folder.js";
import { contextWith } from "../../test/support/skills.js";
import { type FileSkillListing, type FileSkillsSource, fileSkills } from "./file-skills.js";
import { isSettled } from "./look.js";

const context = contextWith();

/** What can be told of a listing without reading anything. */
function told({ skills, problems }: FileSkillListing) {
  return {
    skills: skills.map(({ frontmatter, folder, resources }) => [
      frontmatter,
      folder,
      resources.map(({ name }) => name),
    ]),
    problems,
  };
}

async function sameAsAnew(source: FileSkillsSource, root: string): Promise<void> {
  expect(told(await source.list(context))).toEqual(told(await fileSkills(root).list(context)));
}

describe("a second listing, long after the last change", () => {
  beforeEach(() => {
    // What is written now was written long ago, as the source sees it.
    vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ["Date"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const files = {
    "knots/SKILL.md": skillText("knots"),
    "knots/references/all.md": "All.",
    "deck/sails/SKILL.md": skillText("sails"),
    "bad/SKILL.md": "nothing",
  };

  it("gives the very skills of the first, and says again what is wrong", async () => {
    const source = fileSkills(temporaryFolder(files));
    const first = await source.list(context);
    const second = await source.list(context);
    expect(second.skills.map((skill, at) => skill === first.skills[at])).toEqual([true, true]);
    expect(second.problems).toEqual(first.problems);
    expect(second.problems).toHaveLength(1);
  });

  it("reads anew the skill that was changed, and no other", async () => {
    const root = temporaryFolder(files);
    const source = fileSkills(root);
    const first = await source.list(context);
    writeFiles(root, { "knots/SKILL.md": skillText("knots", "license: MIT\n") });
    const second = await source.list(context);
    expect(second.skills.map((skill) => first.skills.includes(skill))).toEqual([true, false]);
    expect(second.skills[1]?.frontmatter.license).toBe("MIT");
  });

  it.each<[string, (root: string) => void]>([
    ["a skill comes", (root) => writeFiles(root, { "new/SKILL.md": skillText("new") })],
    ["a skill goes", (root) => rmSync(join(root, "knots"), { recursive: true })],
    ["a skill file goes", (root) => unlinkSync(join(root, "deck/sails/SKILL.md"))],
    ["a skill is mended", (root) => writeFiles(root, { "bad/SKILL.md": skillText("bad") })],
    ["a resource comes", (root) => writeFiles(root, { "knots/references/more.md": "" })],
    ["a folder of resources comes", (root) => writeFiles(root, { "knots/new/more.md": "" })],
    ["a resource goes", (root) => unlinkSync(join(root, "knots/references/all.md"))],
    [
      "a folder becomes a link",
      (root) => {
        renameSync(join(root, "knots"), join(root, ".knots"));
        symlinkSync(join(root, ".knots"), join(root, "knots"));
      },
    ],
    [
      "a folder is another one",
      (root) => {
        rmSync(join(root, "knots"), { recursive: true });
        writeFiles(root, { "knots/SKILL.md": skillText("knots") });
      },
    ],
  ])("sees at once that %s", async (_, change) => {
    const root = temporaryFolder(files);
    const source = fileSkills(root);
    const { skills } = await source.list(context);
    change(root);
    await sameAsAnew(source, root);
    // Not for want of a change.
    expect((await source.list(context)).skills).not.toEqual(skills);
  });

  it("follows a root that is a link to where it leads now", async () => {
    const [one, two] = [temporaryFolder(files), temporaryFolder({ "x/SKILL.md": skillText("x") })];
    const link = join(temporaryFolder(), "root");
    symlinkSync(one, link);
    const source = fileSkills(link);
    await source.list(context);
    unlinkSync(link);
    symlinkSync(two, link);
    expect((await source.list(context)).skills.map(({ folder }) => folder)).toEqual([
      join(two, "x"),
    ]);
  });

  it("keeps to the number of folders that it may look into", async () => {
    const root = temporaryFolder(files);
    const source = fileSkills(root, { maxFolders: 4 });
    // Whichever of the two skills it comes to first.
    for (let time = 0; time < 2; time++) {
      const { skills, problems } = await source.list(context);
      expect(problems.map(({ code }) => code)).toContain("too_many_folders");
      expect(skills).toHaveLength(1);
    }
  });
});

describe("a look", () => {
  it.each([
    ["a change that was just made may hide the next one", 10_000.5, 10_050, false],
    ["some ticks later it does not", 10_000.5, 10_051, true],
    ["in whole seconds, they may be all that is written down", 10_000, 12_500, false],
    ["and it takes longer", 10_000, 12_501, true],
    ["a change in the future says nothing", 10_000.5, 9_000, false],
  ])("%s", (_, changed, at, settled) => {
    const look = { path: "x", isFolder: false, ino: 1, dev: 1, size: 1, at };
    expect(isSettled({ ...look, mtimeMs: 0, ctimeMs: changed })).toBe(settled);
    expect(isSettled({ ...look, mtimeMs: changed, ctimeMs: 0 })).toBe(settled);
  });
});

it("what was changed just before a listing is read again by the next", async () => {
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
  try {
    const source = fileSkills(temporaryFolder({ "knots/SKILL.md": skillText("knots") }));
    const [first] = (await source.list(context)).skills;
    const [second] = (await source.list(context)).skills;
    expect(second?.frontmatter).toEqual(first?.frontmatter);
    expect(second).not.toBe(first);
  } finally {
    vi.useRealTimers();
  }
});

describe("listings between changes that follow each other at once", () => {
  const path = fc.constantFrom("a", "b", "b/inner", "c/d");
  const change = fc.oneof(
    fc.record({ kind: fc.constant("skill" as const), path, digit: fc.integer({ max: 9, min: 0 }) }),
    fc.record({ kind: fc.constant("resource" as const), path }),
    fc.record({ kind: fc.constant("gone" as const), path }),
  );

  it("tell what a source would that has never listed before", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
        const root = temporaryFolder();
        const source = fileSkills(root);
        for (const each of changes) {
          const folder = join(root, each.path);
          if (each.kind === "gone") rmSync(folder, { recursive: true, force: true });
          else mkdirSync(folder, { recursive: true });
          // Of the same length each time: only the time of the change tells.
          if (each.kind === "skill") {
            writeFiles(folder, { "SKILL.md": skillText(`s${each.digit}`) });
          }
          if (each.kind === "resource") writeFiles(folder, { "more.md": "" });
          await sameAsAnew(source, root);
        }
      }),
      { numRuns: 60 },
    );
  });
});

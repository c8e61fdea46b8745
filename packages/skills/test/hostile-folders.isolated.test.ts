import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { fileSkills } from "../src/node.js";
import { makePipe, skillText, temporaryFolder, writeFiles } from "./support/folder.js";
import { contextWith } from "./support/skills.js";

// What file-guards.isolated.test.ts shows of single files is not repeated here: these are the attacks on a search
// as a whole, and on its way from step to step.

/** Called at the steps of a listing, where somebody quick would change what is there. */
const swap: Record<
  "beforeReaddir" | "afterReaddir" | "beforeOpen" | "afterOpen",
  (path: string) => void
> = {
  beforeReaddir: () => {},
  afterReaddir: () => {},
  beforeOpen: () => {},
  afterOpen: () => {},
};
vi.mock("node:fs", async (importOriginal) => {
  const original = await importOriginal<typeof import("node:fs")>();
  const readdirSync = (path: string, options: { withFileTypes: true }) => {
    swap.beforeReaddir(path);
    const entries = original.readdirSync(path, options);
    swap.afterReaddir(path);
    return entries;
  };
  return { ...original, readdirSync };
});
vi.mock("node:fs/promises", async (importOriginal) => {
  const original = await importOriginal<typeof import("node:fs/promises")>();
  return {
    ...original,
    async open(...args: Parameters<typeof original.open>) {
      swap.beforeOpen(String(args[0]));
      const handle = await original.open(...args);
      swap.afterOpen(String(args[0]));
      return handle;
    },
  };
});

const context = contextWith();

/** Not everybody may make one. */
function madeDevice(path: string): boolean {
  try {
    execFileSync("mknod", [path, "c", "1", "5"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe("a part of a skill that is no file", () => {
  it("a socket is told of and is no resource", async () => {
    const root = temporaryFolder({ "x/SKILL.md": skillText("x") });
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(join(root, "x/socket.md"), resolve);
    });
    onTestFinished(() => void server.close());
    const { skills, problems } = await fileSkills(root).list(context);
    expect(skills[0]?.resources).toEqual([]);
    expect(problems).toMatchObject([{ code: "not_a_file", file: `${root}/x/socket.md` }]);
  });

  it("a device is told of and never read, as a resource or as a skill file", async ({ skip }) => {
    const root = temporaryFolder({ "x/SKILL.md": skillText("x"), "y/other.md": "" });
    const made = madeDevice(join(root, "x/zero.md")) && madeDevice(join(root, "y/SKILL.md"));
    skip(!made, "only the administrator can make devices here");
    const { skills, problems } = await fileSkills(root).list(context);
    expect(skills.map(({ resources }) => resources)).toEqual([[]]);
    expect(problems.map(({ code }) => code)).toEqual(["not_a_file", "not_a_file"]);
  });

  it("a farm of links below a skill gives none of what it leads to, and ends", async () => {
    const outside = temporaryFolder({ "secret.md": "secret", "deep/SKILL.md": skillText("deep") });
    const root = temporaryFolder({ "x/SKILL.md": skillText("x"), "x/mine.md": "Mine." });
    for (let at = 0; at < 100; at++) {
      const folder = join(root, "x", `f${at}`);
      mkdirSync(folder);
      symlinkSync(outside, join(folder, "away"));
      symlinkSync("/", join(folder, "root"));
      symlinkSync(join(root, "x"), join(folder, "up"));
      symlinkSync(join(folder, "loop.md"), join(folder, "loop.md"));
      symlinkSync(join(outside, "secret.md"), join(folder, "secret.md"));
      symlinkSync("/dev/zero", join(folder, "zero.md"));
      symlinkSync("/proc/self/environ", join(folder, "environ.txt"));
    }
    const { skills, problems } = await fileSkills(root).list(context);
    expect(skills[0]?.resources.map(({ name }) => name)).toEqual(["mine.md"]);
    expect(problems).toHaveLength(700);
    expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(["link"]));
  });
});

describe("somebody who changes the folders while they are searched", () => {
  let root: string;
  let outside: string;
  const steps = ["beforeReaddir", "afterReaddir", "beforeOpen", "afterOpen"] as const;

  beforeEach(() => {
    outside = temporaryFolder({
      "x/SKILL.md": skillText("x", "license: stolen\n"),
      "x/refs/secret.md": "secret",
      "x/secret.md": "secret",
      "refs/secret.md": "secret",
    });
    root = temporaryFolder({
      "x/SKILL.md": skillText("x"),
      "x/refs/a.md": "A.",
      "fine/SKILL.md": skillText("fine"),
    });
  });
  const still = () => {
    for (const step of steps) swap[step] = () => {};
  };
  afterEach(still);

  /** Puts something else in the place of a path, once, at one step of work on a path. */
  function at(
    step: (typeof steps)[number],
    work: string,
    path: string,
    to: (path: string) => void,
  ) {
    swap[step] = (current) => {
      if (current !== join(root, work)) return;
      still();
      renameSync(join(root, path), join(outside, "kept"));
      to(join(root, path));
    };
  }

  const link = (to: string) => (path: string) => symlinkSync(join(outside, to), path);

  it.each<[string, () => void]>([
    ["the folder, before it is looked into", () => at("beforeReaddir", "x", "x", link("x"))],
    ["the folder, after that", () => at("afterReaddir", "x", "x", link("x"))],
    ["the folder, before its file is opened", () => at("beforeOpen", "x/SKILL.md", "x", link("x"))],
    ["the folder, after that", () => at("afterOpen", "x/SKILL.md", "x", link("x"))],
    [
      "the file, before it is opened",
      () => at("beforeOpen", "x/SKILL.md", "x/SKILL.md", link("x/SKILL.md")),
    ],
    ["the file, after that", () => at("afterOpen", "x/SKILL.md", "x/SKILL.md", link("x/SKILL.md"))],
    ["the file, for a pipe", () => at("beforeOpen", "x/SKILL.md", "x/SKILL.md", makePipe)],
    [
      "the file, for another one",
      () =>
        at("afterOpen", "x/SKILL.md", "x/SKILL.md", (path) =>
          writeFileSync(path, skillText("x", "license: stolen\n")),
        ),
    ],
    [
      "the folder, for another one",
      () =>
        at("beforeReaddir", "x", "x", (path) =>
          writeFiles(path, { "SKILL.md": skillText("x", "license: stolen\n") }),
        ),
    ],
    [
      "a folder of resources, before it is looked into",
      () => at("beforeReaddir", "x/refs", "x/refs", link("refs")),
    ],
    [
      "a folder of resources, after that",
      () => at("afterReaddir", "x/refs", "x/refs", link("refs")),
    ],
    [
      "the skill's folder, while its resources are looked for",
      () => at("beforeReaddir", "x/refs", "x", link("x")),
    ],
  ])(
    "%s: nothing from outside is told of or read, and the others are not affected",
    async (_, arm) => {
      arm();
      const source = fileSkills(root);
      for (let time = 0; time < 2; time++) {
        const { skills, problems } = await source.list(context);
        expect(problems.length).toBeGreaterThan(0);
        expect(skills.some(({ frontmatter }) => frontmatter.name === "fine")).toBe(true);
        const seen = await Promise.all(
          skills.map(async ({ frontmatter, resources, load: read }) => [
            frontmatter.license,
            resources.map(({ name }) => name),
            await Promise.resolve(read(context)).catch(() => "refused"),
            ...(await Promise.all(
              resources.map(({ read: get }) =>
                Promise.resolve(get(context)).catch(() => "refused"),
              ),
            )),
          ]),
        );
        expect(JSON.stringify(seen)).not.toMatch(/secret|stolen/);
        // Later looks may find what stands there then, where that is no link.
        if (_.includes("another one")) break;
      }
    },
  );

  it("a skill that has lost its restriction since it was listed is not loaded", async () => {
    writeFiles(root, { "x/SKILL.md": skillText("x", "allowed-tools: Read\n") });
    const { skills } = await fileSkills(root).list(context);
    const x = skills.find(({ frontmatter }) => frontmatter.name === "x");
    expect(await x?.load(context)).toBe("Do x.\n");
    for (const rest of ["", "allowed-tools: Read Write\n"]) {
      writeFiles(root, { "x/SKILL.md": skillText("x", rest) });
      await expect(x?.load(context)).rejects.toMatchObject({ code: "skill_changed" });
    }
  });

  it("a hard link is a file of the root: what the boundary is, and is not, is documented", async () => {
    linkSync(join(outside, "x/secret.md"), join(root, "x/hard.md"));
    const { skills } = await fileSkills({ path: root, trust: "untrusted" }).list(context);
    const x = skills.find(({ frontmatter }) => frontmatter.name === "x");
    expect(await x?.resources.find(({ name }) => name === "hard.md")?.read(context)).toBe("secret");
    expect(x?.trust).toBe("untrusted");
  });
});

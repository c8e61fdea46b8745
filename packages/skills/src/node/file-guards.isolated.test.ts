import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { makePipe, skillText, temporaryFolder, writeFiles } from "../../test/support/folder.js";
import { contextWith } from "../../test/support/skills.js";
import { fileSkills } from "./file-skills.js";
import { readBytes, readText } from "./guarded-read.js";

/** Called between the look at a path and the opening of it: where somebody quick would change it. */
let beforeOpen = () => {};
let afterOpen = () => {};
vi.mock("node:fs/promises", async (importOriginal) => {
  const original = await importOriginal<typeof import("node:fs/promises")>();
  return {
    ...original,
    async open(...args: Parameters<typeof original.open>) {
      beforeOpen();
      const handle = await original.open(...args);
      afterOpen();
      return handle;
    },
  };
});

const context = contextWith();
const limit = 1000;
let outside: string;
let root: string;

beforeEach(() => {
  beforeOpen = () => {};
  afterOpen = () => {};
  outside = temporaryFolder({ "secret.md": "secret", "skill/SKILL.md": skillText("skill") });
  root = temporaryFolder({
    "knots/SKILL.md": skillText("knots"),
    "knots/references/all.md": "All.",
  });
});

async function found() {
  const { skills, problems } = await fileSkills(root).list(context);
  return {
    skills,
    names: skills.map(({ frontmatter }) => frontmatter.name),
    problems: problems.map(({ code, file = "" }) => [code, file.slice(root.length + 1)]),
  };
}

describe("what is found below a root", () => {
  it("is not reached over links: to a folder, a skill file, a resource, a folder of resources", async () => {
    symlinkSync(join(outside, "skill"), join(root, "folder"));
    mkdirSync(join(root, "file"));
    symlinkSync(join(outside, "skill/SKILL.md"), join(root, "file/SKILL.md"));
    symlinkSync(join(outside, "secret.md"), join(root, "knots/secret.md"));
    symlinkSync(outside, join(root, "knots/more"));
    const { skills, names, problems } = await found();
    expect(names).toEqual(["knots"]);
    expect(skills[0]?.resources.map(({ name }) => name)).toEqual(["references/all.md"]);
    expect(problems).toEqual([
      ["link", "file/SKILL.md"],
      ["link", "folder"],
      ["link", "knots/more"],
      ["link", "knots/secret.md"],
    ]);
  });

  it("is not led around by a farm of links, in circles, to the root, to nowhere", async () => {
    for (let at = 0; at < 50; at++) {
      symlinkSync(at % 2 ? root : join(root, `link${at + 1}`), join(root, `link${at}`));
    }
    symlinkSync(join(root, "nowhere"), join(root, "knots/nowhere.md"));
    symlinkSync("..", join(root, "knots/up"));
    const { names, problems } = await found();
    expect(names).toEqual(["knots"]);
    expect(problems).toHaveLength(52);
    expect(new Set(problems.map(([code]) => code))).toEqual(new Set(["link"]));
  });

  it("may lie below a root that is itself a link", async () => {
    const link = join(outside, "root");
    symlinkSync(root, link);
    const { skills } = await fileSkills(link).list(context);
    expect(await skills[0]?.load(context)).toBe("Do knots.\n");
  });

  it("is no pipe, nor does one hold anything up", async () => {
    makePipe(join(root, "knots/pipe.md"));
    mkdirSync(join(root, "pipe"));
    makePipe(join(root, "pipe/SKILL.md"));
    const { names, problems } = await found();
    expect(names).toEqual(["knots"]);
    expect(problems).toEqual([
      ["not_a_file", "knots/pipe.md"],
      ["not_a_file", "pipe/SKILL.md"],
    ]);
  });

  it("is no folder with the name of a file", async () => {
    mkdirSync(join(root, "odd/SKILL.md"), { recursive: true });
    expect((await found()).problems).toEqual([["not_a_file", "odd/SKILL.md"]]);
  });
});

describe("what is read later", () => {
  async function reading(change: () => void): Promise<readonly unknown[]> {
    const { skills } = await found();
    change();
    const [skill] = skills;
    const outcomes = await Promise.allSettled([
      Promise.resolve(skill?.resources[0]?.read(context)),
      Promise.resolve(skill?.load(context)),
    ]);
    return outcomes.map((each) => (each.status === "fulfilled" ? each.value : each.reason.code));
  }

  it("is what stands there then", async () => {
    const change = () => writeFiles(root, { "knots/references/all.md": "New." });
    expect(await reading(change)).toEqual(["New.", "Do knots.\n"]);
  });

  it.each<[string, () => void, readonly unknown[]]>([
    [
      "a file became a link",
      () => {
        rmSync(join(root, "knots/references/all.md"));
        symlinkSync(join(outside, "secret.md"), join(root, "knots/references/all.md"));
      },
      ["skill_link", "Do knots.\n"],
    ],
    [
      "its folder became a link",
      () => {
        rmSync(join(root, "knots/references"), { recursive: true });
        writeFiles(outside, { "all.md": "secret" });
        symlinkSync(outside, join(root, "knots/references"));
      },
      ["skill_link", "Do knots.\n"],
    ],
    [
      "the skill's folder became a link",
      () => {
        renameSync(join(root, "knots"), join(outside, "knots"));
        symlinkSync(join(outside, "knots"), join(root, "knots"));
      },
      ["skill_link", "skill_link"],
    ],
    [
      "a file became a pipe",
      () => {
        rmSync(join(root, "knots/references/all.md"));
        makePipe(join(root, "knots/references/all.md"));
      },
      ["skill_not_a_file", "Do knots.\n"],
    ],
    [
      "a file grew",
      () => writeFiles(root, { "knots/references/all.md": "x".repeat(1024 * 1024 + 1) }),
      ["skill_file_size", "Do knots.\n"],
    ],
    [
      "a file is gone",
      () => rmSync(join(root, "knots/references/all.md")),
      ["skill_unreadable", "Do knots.\n"],
    ],
    [
      "the skill became another one",
      () => writeFiles(root, { "knots/SKILL.md": skillText("sails") }),
      ["All.", "skill_changed"],
    ],
    [
      "the skill allows other tools now",
      () => writeFiles(root, { "knots/SKILL.md": skillText("knots", "allowed-tools: Read\n") }),
      ["All.", "skill_changed"],
    ],
  ])("is refused where %s", async (_, change, outcomes) => {
    expect(await reading(change)).toEqual(outcomes);
  });
});

describe("somebody who changes a file between the look and the opening", () => {
  const path = () => join(root, "knots/references/all.md");
  const segments = ["knots", "references", "all.md"];
  const read = () => readText(root, segments, limit);

  it("gets no link followed", async () => {
    beforeOpen = () => {
      rmSync(path());
      symlinkSync(join(outside, "secret.md"), path());
    };
    expect(await read()).toMatchObject({ refusal: { code: "link" } });
  });

  it("gets no linked folder followed", async () => {
    writeFiles(outside, { "all.md": "secret" });
    beforeOpen = () => {
      renameSync(join(root, "knots/references"), join(root, "knots/kept"));
      symlinkSync(outside, join(root, "knots/references"));
    };
    expect(await read()).toMatchObject({ refusal: { code: "link" } });
  });

  it("wins nothing by putting the folder back at once", async () => {
    writeFiles(outside, { "all.md": "secret" });
    beforeOpen = () => {
      renameSync(join(root, "knots/references"), join(root, "knots/kept"));
      symlinkSync(outside, join(root, "knots/references"));
    };
    afterOpen = () => {
      rmSync(join(root, "knots/references"));
      renameSync(join(root, "knots/kept"), join(root, "knots/references"));
    };
    expect(await read()).toMatchObject({ refusal: { code: "changed" } });
  });

  it("gets a pipe refused, not waited for", async () => {
    beforeOpen = () => {
      rmSync(path());
      makePipe(path());
    };
    expect(await read()).toMatchObject({ refusal: { code: "not_a_file" } });
  });

  it("gets no more read than allowed, when the file grows after it was measured", async () => {
    afterOpen = () => writeFileSync(path(), "x".repeat(limit));
    expect(await read()).toEqual({ text: "x".repeat(limit) });
    afterOpen = () => writeFileSync(path(), "x".repeat(limit + 1));
    expect(await read()).toMatchObject({ refusal: { code: "file_size" } });
  });
});

describe("a path", () => {
  it.each([
    [["..", "secret.md"]],
    [["knots", "..", "..", "secret.md"]],
    [["knots/../../secret.md"]],
    [["knots", "."]],
    [["knots", ""]],
    [["knots", "references\\all.md"]],
    [["knots", "a\0.md"]],
  ])("%j leads nowhere", async (segments) => {
    expect(await readBytes(root, segments, limit)).toMatchObject({ refusal: { code: "outside" } });
  });

  it("to a device is refused", async () => {
    expect(await readBytes("/dev", ["zero"], limit)).toMatchObject({
      refusal: { code: "not_a_file" },
    });
  });

  it("to a hard link is one to the file: that cannot be told apart", async () => {
    linkSync(join(outside, "secret.md"), join(root, "knots/hard.md"));
    expect(await readText(root, ["knots", "hard.md"], limit)).toEqual({ text: "secret" });
  });
});

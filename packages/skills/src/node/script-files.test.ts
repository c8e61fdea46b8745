import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/folder.js";
import { scriptFiles } from "./script-files.js";

const limits = { maxFiles: 1000, maxFolderSize: 1000 };
const { signal } = new AbortController();

function taken(files: Readonly<Record<string, string>>, name: string) {
  const folder = temporaryFolder(files);
  const script = { skill: "knots", name, root: folder, folder, source: new Uint8Array() };
  return scriptFiles(script, limits, signal);
}

describe("what a script brings along", () => {
  it("is not more than 64 folders deep", async () => {
    const deep = (count: number) => ({ [`${"d/".repeat(count)}a.txt`]: "x" });
    expect((await taken(deep(64), "tie.sh")).files).toHaveLength(2);
    await expect(taken(deep(65), "tie.sh")).rejects.toMatchObject({ code: "script_folder_size" });
  });

  it.skipIf(process.platform === "win32")(
    "has names that every system has; a script without one is told so (Windows has no such files)",
    async () => {
      const { files, leftOut } = await taken({ "a:b.txt": "x", "c\\d.txt": "x" }, "tie.sh");
      expect(files.map(({ path }) => path)).toEqual(["tie.sh"]);
      expect(leftOut).toHaveLength(2);
      await expect(taken({}, "a:b.sh")).rejects.toMatchObject({ code: "script_name" });
    },
  );
});

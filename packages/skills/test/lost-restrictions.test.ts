import { describe, expect, it } from "vitest";
import { fixSkill } from "../src/frontmatter/fix-skill.js";
import { loadSkill } from "../src/frontmatter/parse-skill.js";

const file = (lines: string) => `---\nname: rig\n${lines}\n---\nGo.\n`;

describe("a restriction is not lost", () => {
  it.each([
    "allowed tools",
    "allowed-tool",
    "Allowed_Tool",
    "allowed\u2013tools",
    "allowed\u2011tools",
    "allowed\u200B-tools",
    "\u200Ballowed-tools",
    "ALLOWED.TOOLS",
    "ａｌｌｏｗｅｄ-tools",
  ])("where the field is called %j", (key) => {
    const { frontmatter, problems } = loadSkill(file(`description: Sets up.\n${key}: Read`));
    expect(frontmatter?.allowedTools).toEqual(["Read"]);
    expect(problems).toMatchObject([{ severity: "warning", code: "field_spelling", line: 4 }]);
  });

  it.each(["disallowed-tools", "tools", "allowed-tools-note", "allowed"])(
    "by a field that is another one: %s",
    (key) => {
      const { frontmatter, problems } = loadSkill(file(`description: Sets up.\n${key}: Read`));
      expect(frontmatter?.allowedTools).toBeUndefined();
      expect(problems).toMatchObject([{ code: "unknown_field" }]);
    },
  );

  it("where it stands under two spellings: neither is taken", () => {
    const { frontmatter, problems } = loadSkill(
      file("description: Sets up.\nallowed tools: Read\nallowed-tools: Bash"),
    );
    expect(frontmatter).toBeUndefined();
    expect(problems).toContainEqual(expect.objectContaining({ code: "duplicate_key" }));
  });

  it("where it is merged into the fields, which not every reader does", () => {
    const { frontmatter, problems } = loadSkill(
      file("description: Sets up.\n<<: {allowed-tools: Read}"),
    );
    expect(frontmatter).toBeUndefined();
    const refused = { severity: "error", code: "allowed_tools_unreadable", line: 4 };
    expect(problems).toContainEqual(expect.objectContaining(refused));
  });

  it("where quoting a broken text would take it for prose, in whatever spelling", () => {
    for (const key of ["allowed-tools", "allowed tools", "allowed\u2013tools", "Allowed-Tool"]) {
      const text = file(`description: Sets up\n  the rig: probes\n  ${key}: Read`);
      expect(loadSkill(text).frontmatter).toBeUndefined();
      expect(fixSkill(text).changes).toBe(0);
    }
  });
});

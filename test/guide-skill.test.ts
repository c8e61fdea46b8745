/** The skill that the guide to skills begins with, which also stands in a folder beside it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { validateSkill } from "../packages/skills/src/index.js";
import { root } from "./mail-desk.js";

const folder = join(root, "docs", "skills", "answering-mails");
const text = readFileSync(join(folder, "SKILL.md"), "utf8");
const page = readFileSync(join(root, "docs", "skills.md"), "utf8");

describe("the skill of the guide", () => {
  it("keeps the specification, without a remark", () => {
    expect(validateSkill(text, { directory: "answering-mails" })).toEqual([]);
  });

  it("is the one that the page shows", () => {
    expect(page).toContain(`\`\`\`md\n${text}\`\`\`\n`);
  });

  it("has the files that the page and its own text name", () => {
    const files = ["references", "scripts"].flatMap((inner) =>
      readdirSync(join(folder, inner)).map((name) => `${inner}/${name}`),
    );
    expect(files).toEqual(["references/refunds.md", "scripts/signature.mjs"]);
    for (const file of files) {
      expect(page).toContain(`─ ${file}\n`);
      expect(text).toContain(file);
    }
  });
});

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { skillsFolder } from "./desk-skills.js";
import { templateIn } from "./house-style.js";

/**
 * Holds a mail against the files of the skill: the template word for word, but for what stands in braces,
 * and those of its rules that can be counted.
 *
 * @throws AssertionError
 */
export async function checkHouseStyle(
  mail: string,
  template: "holding-reply" | "receipt",
): Promise<void> {
  const file = join(skillsFolder, "house-style", "references", `${template}.md`);
  const wanted = templateIn(await readFile(file, "utf8"));
  assert.ok(wanted !== undefined, `a template in ${file}`);
  const pattern = wanted
    .split(/\{\w+\}/)
    .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("[^\\n{}]+");
  assert.match(mail.replaceAll("\r\n", "\n").trim(), new RegExp(`^${pattern}$`), "house style");
  assert.ok(mail.split(/\s+/).length <= 120, "a mail of at most 120 words");
  assert.doesNotMatch(mail, /!|https?:|\p{Extended_Pictographic}/u, "a sober mail");
}

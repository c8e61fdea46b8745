import type { Remarks } from "./remarks.js";

/** Of a skill's name, in the specification. */
const maxNameLength = 64;
/** What is taken from a file that does not keep the specification. */
const maxLooseLength = 256;

const specified = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** Nothing that means something in a path, a shell or a terminal. */
const loose = /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}_ .-]*[\p{L}\p{N}\p{M}_-])?$/u;

/** Whether a name is as the specification has it. */
export function isSkillName(name: string): boolean {
  return name.length <= maxNameLength && specified.test(name);
}

/** Says what is wrong with a name. In lenient reading it may be any single word or phrase. */
export function checkSkillName(name: string, remarks: Remarks, line?: number): void {
  const length = [...name].length;
  if (!loose.test(name.normalize("NFC")) || length > maxLooseLength) {
    const shown = JSON.stringify(length > 80 ? `${name.slice(0, 80)}…` : name);
    remarks.refuse(
      "name_unusable",
      `The name ${shown} cannot be used: it must begin with a letter or digit and hold no slashes or control characters.`,
      { line, fix: fixOf(name) },
    );
    return;
  }
  if (length > maxNameLength) {
    remarks.deviation(
      "name_length",
      `The name has ${length} characters; ${maxNameLength} at most.`,
      {
        line,
      },
    );
  }
  if (!specified.test(name)) {
    remarks.deviation("name_form", `The name "${name}" ${whyNot(name)}.`, {
      line,
      fix: fixOf(name),
    });
  }
}

function whyNot(name: string): string {
  if (/[A-Z]/.test(name)) return "has capital letters; only a-z, 0-9 and hyphens are allowed";
  if (!/^[a-z0-9-]*$/.test(name)) return "may only have a-z, 0-9 and hyphens";
  return name.includes("--") ? "has two hyphens in a row" : "begins or ends with a hyphen";
}

function fixOf(name: string): string | undefined {
  const better = name
    .slice(0, maxLooseLength)
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, maxNameLength)
    .replace(/-+$/, "");
  return better === "" ? undefined : `name: ${better}`;
}

import type { CalledSkill } from "./called-skill.js";

/** Of a name or an origin, in characters. */
const longestShown = 80;
/** Of a fingerprint; the request has all of it. */
const shownOfFingerprint = "sha256:".length + 16;

/** A call in words for the person who is asked: what it would use, where that is from and who wrote it. */
export function skillSummary({ action, skill, part = "", fingerprint }: CalledSkill): string {
  const { frontmatter, origin, trust } = skill;
  const name = quoted(frontmatter.name);
  const what = {
    load: `Load the skill ${name}`,
    read: `Read ${quoted(part)} of the skill ${name}`,
    run: `Run ${quoted(part)} of the skill ${name}`,
  }[action];
  const own = trust === "trusted";
  const from = own && origin === "code" ? "" : ` from ${place(origin)}`;
  const notes = [
    ...(own ? [] : ["written by others"]),
    ...(fingerprint === undefined ? [] : [cut(plain(fingerprint), shownOfFingerprint)]),
  ];
  return `${what}${from}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}.`;
}

/** An origin that could be taken for words of ours stands between quotes. */
function place(origin: string): string {
  const text = shortened(plain(origin));
  return /^[\p{L}\p{N}._/\\:@~+-]+$/u.test(text) ? text : JSON.stringify(text);
}

export function quoted(text: string): string {
  return JSON.stringify(shortened(plain(text)));
}

/** Without what turns a line around, breaks it, or cannot be seen. */
function plain(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\uFFFD");
}

/** The middle is what is left out: of a path both ends say something. */
function shortened(text: string): string {
  const all = [...text];
  if (all.length <= longestShown) return text;
  return `${all.slice(0, 30).join("")}…${all.slice(-(longestShown - 31)).join("")}`;
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

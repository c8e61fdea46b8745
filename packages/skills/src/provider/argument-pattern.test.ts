import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitsPattern, isPattern } from "./argument-pattern.js";

describe("a pattern of allowed-tools", () => {
  it.each<[string, string]>([
    ["git:*", "git"],
    ["git:*", "git log -1"],
    ["git:*", "git\tlog"],
    ["git:*", 'git commit -m "a * b"'],
    ["git:*", "git diff main..next ../x"],
    ["gh repo view:*", "gh repo view tunic --web"],
    ["npm test", "npm test"],
    ["npm test && npm run lint", "npm test && npm run lint"],
    ["npm run *", "npm run build"],
    ["npm run *:*", "npm run build -- --watch"],
    ["docs/*.md", "docs/a/b.md"],
    ["*", "anything"],
    ["a*b*c", "aXbbYc"],
    ["x:y:*", "x:y z"],
  ])("%j fits %j", (pattern, value) => {
    expect(fitsPattern(pattern, value)).toBe(true);
  });

  it.each<[string, unknown]>([
    ["git:*", "gitk"],
    ["git:*", "git-shell x"],
    ["git:*", " git log"],
    ["git:*", "Git log"],
    ["git:*", ""],
    ["git:*", "git\u00a0log"],
    ["git:*", "git\nrm -rf ."],
    ["git:*", "git log; rm x"],
    ["git:*", "git log|sh"],
    ["git:*", "git log & rm x"],
    ["git:*", "git log > x"],
    ["git:*", "git log < x"],
    ["git:*", "git log `id`"],
    ["git:*", "git log $(id)"],
    ["git:*", "git log $HOME"],
    ["git:*", "git log (x)"],
    ["git:*", "git log\r\nid"],
    ["git:*", "git log\u0000"],
    ["git:*", "git log\u2028id"],
    ["git:*", ["git"]],
    ["git:*", undefined],
    ["gh repo view:*", "gh repo"],
    ["gh repo view:*", "gh repo viewer"],
    ["gh repo view:*", "gh  repo view"],
    ["npm test", "npm test "],
    ["npm run *", "npm run build now"],
    ["npm run *", "npm run a;b"],
    ["docs/*", "docs/../secret"],
    ["docs/.*", "docs/../secret"],
    ["docs/*:*", "docs/../secret x"],
    ["../docs/*", "../docs/../x"],
    ["*", "a b"],
    ["*", "a\nb"],
    ["", ""],
    [":*", "rm"],
    [" git:*", " git log"],
    ["__proto__", "constructor"],
  ])("%j does not fit %j", (pattern, value) => {
    expect(fitsPattern(pattern, value)).toBe(false);
  });

  it.each(["", " ", ":*", " :*", "git :*", " git", "x".repeat(201)])(
    "%j says nothing that a call could be held to",
    (pattern) => {
      expect(isPattern(pattern)).toBe(false);
    },
  );

  it("fits what the same rule fits as a regular expression", () => {
    const letters = (units: string) =>
      fc.string({ unit: fc.constantFrom(...units), maxLength: 12 });
    fc.assert(
      fc.property(letters("ab *.;"), letters("ab .;\n"), fc.boolean(), (words, value, open) => {
        const pattern = open ? `${words}:*` : words;
        fc.pre(isPattern(pattern));
        expect(fitsPattern(pattern, value)).toBe(fitsExpression(words, value, open));
      }),
      { numRuns: 3000 },
    );
  });

  it("lets nothing into an open end with which a shell begins something else", () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(...";|&$`<>()\n\r\0"), fc.string(), (a, sign, b) => {
        expect(fitsPattern("git:*", `git ${a}${sign}${b}`)).toBe(false);
      }),
    );
  });

  it("takes no time that grows with more than the product of two bounded lengths", () => {
    expect(fitsPattern(`${"*a".repeat(99)}b`, "a".repeat(10_000))).toBe(false);
    expect(fitsPattern("a*", "a".repeat(10_001))).toBe(false);
  });
});

/** Slow where it does not fit, and said in another way. */
function fitsExpression(words: string, value: string, open: boolean): boolean {
  const source = words
    .split("*")
    .map((part) => part.replace(/[.]/g, "\\."))
    .join("[^\\s;]*");
  const whole = new RegExp(`^(${source})${open ? "(?:[ ][^;\\n]*)?" : ""}$`);
  const head = whole.exec(value)?.[1];
  if (head === undefined) return false;
  const steps = (text: string) => text.split("..").length;
  return !words.includes("*") || steps(head) <= steps(words);
}

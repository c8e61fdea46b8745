import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { validateSkill } from "../src/index.js";

/** A frontmatter as fields, before it is written down; texts are written in quotes. */
interface Fields {
  readonly name?: string;
  readonly description?: string;
  readonly license?: string;
  readonly compatibility?: string;
  readonly "allowed-tools"?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly [unknown: string]: string | Readonly<Record<string, string>> | undefined;
}

const known = new Set([
  "name",
  "description",
  "license",
  "compatibility",
  "allowed-tools",
  "metadata",
]);

/** The rules that the reference validator of the specification publishes, in our own words. */
function isValidByReference(fields: Fields, directory: string): boolean {
  const name = fields.name?.trim().normalize("NFKC") ?? "";
  return (
    Object.keys(fields).every((key) => known.has(key)) &&
    name !== "" &&
    [...name].length <= 64 &&
    name === name.toLowerCase() &&
    !name.startsWith("-") &&
    !name.endsWith("-") &&
    !name.includes("--") &&
    /^[\p{L}\p{N}-]+$/u.test(name) &&
    directory.normalize("NFKC") === name &&
    (fields.description ?? "").trim() !== "" &&
    [...(fields.description ?? "")].length <= 1024 &&
    [...(fields.compatibility ?? "")].length <= 500
  );
}

/** Where this package deliberately says no, and the reference does not. */
function isNarrower(fields: Fields): boolean {
  const { name = "", compatibility, description = "" } = fields;
  return (
    // Letters and digits are a to z and 0 to 9: the specification says so, the validator takes Unicode's.
    !/^[a-z0-9-]*$/.test(name) ||
    // "1 to 500 characters" says the specification; the validator has no lower bound.
    compatibility === "" ||
    // What nobody sees has no place in what a model is told.
    /[^\P{C}\n\t\u200C\u200D]/u.test(description) ||
    // A restriction that cannot be read.
    /[()]/.test(fields["allowed-tools"] ?? "")
  );
}

function written(fields: Fields): string {
  const lines = Object.entries(fields).flatMap(([key, value]) => {
    if (value === undefined) return [];
    if (typeof value === "string") return [`${key}: ${JSON.stringify(value)}`];
    const members = Object.entries(value);
    return [`${key}:`, ...members.map(([own, text]) => `  ${own}: ${JSON.stringify(text)}`)];
  });
  return `---\n${lines.join("\n")}\n---\nBody\n`;
}

const word = fc.stringMatching(/^[a-z0-9]{1,6}$/);
const name = fc.oneof(
  word,
  fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join("-")),
  fc.stringMatching(/^[a-zA-Z0-9_ .-]{0,70}$/),
  fc.constantFrom("-a", "a-", "a--b", "A", "é", "名", "ﬁ", "a".repeat(64), "a".repeat(65), "²"),
);
const text = (most: number) =>
  fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.string({ unit: "grapheme", maxLength: 30 }),
    fc.constantFrom("", " ", "x".repeat(most), "x".repeat(most + 1), "🪢".repeat(most)),
  );
const fields = fc.record(
  {
    name,
    description: text(1024),
    license: fc.constantFrom("MIT", "Apache-2.0"),
    compatibility: text(500),
    "allowed-tools": fc.constantFrom("Read", "Shell(git:*) Read", "Read Write"),
    metadata: fc.dictionary(
      word.map((each) => `k${each}`),
      fc.string({ maxLength: 9 }),
      {
        minKeys: 1,
        maxKeys: 3,
      },
    ),
    version: fc.constant("1.0"),
  },
  { requiredKeys: ["name", "description"] },
);

describe("the rules of the reference validator", () => {
  it("and ours say the same of every frontmatter, but for what is named here", () => {
    fc.assert(
      fc.property(fields, fc.option(name), (given, other) => {
        const directory = other ?? given.name;
        const errors = validateSkill(written(given), { directory }).filter(
          ({ severity }) => severity === "error",
        );
        const reference = isValidByReference(given, directory);
        if (errors.length === 0) expect(reference).toBe(true);
        else if (reference) expect(isNarrower(given), JSON.stringify(errors)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("are met by many of what is tried, and not by many others", () => {
    const tried = fc.sample(fields, { numRuns: 1000, seed: 7 });
    const valid = tried.filter((each) => isValidByReference(each, each.name)).length;
    expect(valid).toBeGreaterThan(50);
    expect(valid).toBeLessThan(900);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fixSkill, loadSkill, validateSkill } from "../src/index.js";

const described = "description: Ties knots. Use it for ropes.";

function skill(...lines: readonly string[]): string {
  return `---\n${lines.join("\n")}\n---\n# Knots\n`;
}

function codes(text: string, directory?: string): readonly string[] {
  return validateSkill(text, { directory })
    .filter(({ severity }) => severity === "error")
    .map(({ code }) => code);
}

/**
 * The rules of the specification. `reference`: what the rules of its reference validator say, where we
 * deliberately say something else, with the reason.
 */
const rules: readonly {
  readonly rule: string;
  readonly lines: readonly string[];
  readonly directory?: string;
  readonly errors: readonly string[];
  readonly reference?: { readonly valid: boolean; readonly why: string };
}[] = [
  { rule: "name and description are enough", lines: ["name: knots", described], errors: [] },
  { rule: "name is required", lines: [described], errors: ["name_missing"] },
  { rule: "description is required", lines: ["name: knots"], errors: ["description_missing"] },
  { rule: "a name has one letter at least", lines: ["name: k", described], errors: [] },
  { rule: "a name may be a digit", lines: ['name: "7"', described], errors: [] },
  { rule: "a name has 64 characters", lines: [`name: ${"k".repeat(64)}`, described], errors: [] },
  { rule: "and not 65", lines: [`name: ${"k".repeat(65)}`, described], errors: ["name_length"] },
  { rule: "hyphens stand between words", lines: ["name: tie-a-knot-2", described], errors: [] },
  { rule: "no hyphen before", lines: ["name: -knots", described], errors: ["name_unusable"] },
  { rule: "no hyphen behind", lines: ["name: knots-", described], errors: ["name_form"] },
  { rule: "no two hyphens", lines: ["name: tie--knots", described], errors: ["name_form"] },
  { rule: "no capitals", lines: ["name: Knots", described], errors: ["name_form"] },
  { rule: "no underscores", lines: ["name: tie_knots", described], errors: ["name_form"] },
  {
    rule: "letters are a to z",
    lines: ["name: nœud", described],
    errors: ["name_form"],
    reference: { valid: true, why: "takes every lower-case letter of Unicode" },
  },
  {
    rule: "the folder has the name",
    lines: ["name: knots", described],
    directory: "knots",
    errors: [],
  },
  {
    rule: "and no other",
    lines: ["name: knots", described],
    directory: "knots2",
    errors: ["name_directory"],
  },
  {
    rule: "a description has 1024 characters",
    lines: ["name: knots", `description: ${"d".repeat(1024)}`],
    errors: [],
  },
  {
    rule: "counted as people count them",
    lines: ["name: knots", `description: ${"🪢".repeat(1024)}`],
    errors: [],
  },
  {
    rule: "and not 1025",
    lines: ["name: knots", `description: ${"d".repeat(1025)}`],
    errors: ["description_length"],
  },
  {
    rule: "a description is not blank",
    lines: ["name: knots", 'description: "  "'],
    errors: ["description_blank"],
  },
  { rule: "a licence is a text", lines: ["name: knots", described, "license: MIT"], errors: [] },
  {
    rule: "compatibility has 500 characters",
    lines: ["name: knots", described, `compatibility: ${"c".repeat(500)}`],
    errors: [],
  },
  {
    rule: "and not 501",
    lines: ["name: knots", described, `compatibility: ${"c".repeat(501)}`],
    errors: ["compatibility_length"],
  },
  {
    rule: "nor none",
    lines: ["name: knots", described, 'compatibility: ""'],
    errors: ["compatibility_length"],
  },
  {
    rule: "metadata maps texts to texts",
    lines: ["name: knots", described, "metadata:", "  author: kim", '  version: "1.0"'],
    errors: [],
  },
  {
    rule: "as which other scalars count",
    lines: ["name: knots", described, "metadata:", "  version: 1.0", "  from: 2026-01-31"],
    errors: [],
  },
  {
    rule: "allowed-tools is one text with blanks",
    lines: ["name: knots", described, "allowed-tools: Shell(git:*) Shell(jq:*) Read"],
    errors: [],
  },
  {
    rule: "there are no other fields",
    lines: ["name: knots", described, "version: 1.0"],
    errors: ["unknown_field"],
  },
  {
    rule: "no field stands twice",
    lines: ["name: knots", "name: knots", described],
    errors: ["duplicate_key"],
  },
  {
    rule: "no anchors",
    lines: ["name: &k knots", described],
    errors: ["yaml_anchor"],
  },
  {
    rule: "no flow style",
    lines: ["name: knots", described, "metadata: { author: kim }"],
    errors: ["yaml_flow"],
  },
  {
    rule: "a number is no text",
    lines: ["name: 123", described],
    errors: ["wrong_type"],
    reference: { valid: true, why: "reads every scalar as text; other YAML readers do not" },
  },
  {
    rule: "hyphens in a value close nothing",
    lines: ["name: knots", "description: Ties --- or unties --- knots"],
    errors: [],
    reference: { valid: false, why: "splits the file at the first hyphens it meets" },
  },
];

describe("the rules of the specification", () => {
  it.each(rules)("$rule", ({ lines, directory, errors }) => {
    expect(codes(skill(...lines), directory)).toEqual(errors);
  });

  it("differ from those of the reference validator in what is named here, and not otherwise", () => {
    const differing = rules.filter(({ reference }) => reference !== undefined);
    for (const { errors, reference } of differing) {
      expect(reference?.valid).not.toBe(errors.length === 0);
    }
    expect(differing).toHaveLength(3);
  });

  it("takes the body as it is", () => {
    const body = "\n# Knots\n\n---\n\nnot: frontmatter\n---\n";
    expect(loadSkill(`---\nname: knots\n${described}\n---\n${body}`).body).toBe(body);
  });

  it("advises against long instructions, when validating only", () => {
    const text = `${skill("name: knots", described)}${"x\n".repeat(500)}`;
    expect(validateSkill(text)).toMatchObject([{ severity: "warning", code: "body_lines" }]);
    expect(loadSkill(text).problems).toEqual([]);
  });

  it("refuses a file of more than a megabyte", () => {
    const text = `${skill("name: knots", described)}${"x".repeat(1024 * 1024)}`;
    expect(codes(text)).toEqual(["file_size"]);
    expect(loadSkill(text)).toMatchObject({ body: "", problems: [{ code: "file_size" }] });
  });

  it("says where, and what to write", () => {
    const text = skill("name: Tie Knots", "# what for", "description: Ties knots: all");
    expect(validateSkill(text, { file: "a/SKILL.md" })).toEqual([
      {
        severity: "error",
        code: "unquoted_colon",
        message: expect.stringContaining("description"),
        file: "a/SKILL.md",
        line: 4,
        fix: 'description: "Ties knots: all"',
      },
      {
        severity: "error",
        code: "name_form",
        message: expect.stringContaining("capital"),
        file: "a/SKILL.md",
        line: 2,
        fix: "name: tie-knots",
      },
    ]);
  });
});

describe("what a problem says to write", () => {
  const problemOf = (text: string, directory?: string) => validateSkill(text, { directory })[0];

  it.each([
    ["name_missing", [described], /for example "name: tie-knots"\.$/],
    ["name_blank", ["name: ''", described], /for example "name: tie-knots"\.$/],
    ["description_missing", ["name: knots"], /for example "description: Ties knots\. Use it/],
    ["description_blank", ["name: knots", "description:"], /for example "description: /],
    ["unknown_field", ["name: knots", described, "tags: a"], /metadata, for example "metadata: \{/],
    ["unknown_field", ["Name: knots", "name: knots", described], /small letters, "name"\.$/],
    ["field_spelling", ["name: knots", described, "allowed_tools: Read"], /called allowed-tools,/],
    ["allowed_tools_unreadable", ["name: knots", described, "allowed-tools: Read("], /for example/],
  ])("%s of %j: an example is in the message, and no fix", (code, lines, message) => {
    const problem = problemOf(skill(...lines));
    expect(problem).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(problem).not.toHaveProperty("fix");
  });

  it("the name of the folder, where it can be a name", () => {
    const [missing, other] = [skill(described), skill("name: rig", described)];
    expect(problemOf(missing, "knots")).toMatchObject({
      message: "There is no name.",
      fix: "name: knots",
    });
    expect(problemOf(other, "knots")).toMatchObject({ code: "name_directory", fix: "name: knots" });
    expect(problemOf(missing, "My Knots")).not.toHaveProperty("fix");
    expect(problemOf(other, "My Knots")).not.toHaveProperty("fix");
  });
});

describe("fixSkill", () => {
  it("changes the broken lines and nothing else", () => {
    const text = `\uFEFF# made\r\n---\r\nname: knots # the name\r\ndescription: Ties: all\r\n  kinds\r\n\r\n---\r\nBody: \r\n`;
    expect(fixSkill(text)).toEqual({
      text: `\uFEFF# made\r\n---\r\nname: knots # the name\r\ndescription: "Ties: all kinds"\r\n\r\n---\r\nBody: \r\n`,
      changes: 1,
    });
  });

  it("leaves alone what it cannot make readable", () => {
    const text = skill("name: knots", "description: Ties: all", "a: [1");
    expect(fixSkill(text)).toEqual({ text, changes: 0 });
  });

  it("makes every one-line description readable, as the words that stand there", () => {
    const word = fc.stringMatching(/^[A-Za-z0-9.,;()"'`@!?/-]{1,8}:?$/);
    const words = fc.array(word, { maxLength: 12 }).map((list) => ["Ties", ...list].join(" "));
    fc.assert(
      fc.property(words, (text) => {
        const fixed = fixSkill(skill("name: knots", `description: ${text}`)).text;
        expect(loadSkill(fixed)).toMatchObject({
          frontmatter: { description: text },
          problems: [],
        });
      }),
    );
  });
});

describe("any text at all", () => {
  const noise = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc
      .array(
        fc.constantFrom(
          "---\n",
          "name: a\n",
          "description: b\n",
          ": ",
          "[",
          "{",
          "&x ",
          "*x",
          "\t",
          "- ",
          "? ",
          "\r",
          "|\n",
          '"',
          "#",
          "...\n",
          "%",
        ),
        { maxLength: 30 },
      )
      .map((parts) => parts.join("")),
  );

  it("is read or refused with a reason, never thrown at", () => {
    fc.assert(
      fc.property(noise, (text) => {
        const { frontmatter, problems } = loadSkill(text);
        const errors = problems.filter(({ severity }) => severity === "error");
        expect(frontmatter === undefined).toBe(errors.length > 0);
        expect(loadSkill(fixSkill(text).text).frontmatter).toEqual(frontmatter);
      }),
    );
  });

  it("that validation passes is loaded without a change", () => {
    fc.assert(
      fc.property(noise, (text) => {
        const strict = validateSkill(text).filter(({ severity }) => severity === "error");
        if (strict.length === 0) expect(loadSkill(text).frontmatter).toBeDefined();
      }),
    );
  });
});

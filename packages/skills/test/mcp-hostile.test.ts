import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { type McpSkillsClient, mcpSkills } from "../src/index.js";
import { isSameFrontmatter } from "../src/mcp/mcp-frontmatter.js";
import { connected, digestOf, listedSkill } from "./support/mcp.js";
import { contextWith } from "./support/skills.js";

const context = contextWith();
const knots = listedSkill("deck/knots");

/** A client that looks at nothing that a server gives. */
function careless(answers: Readonly<Record<string, unknown>>): McpSkillsClient {
  return { readResource: async ({ uri }) => answers[uri] as never };
}

/** `[[[…]]]` */
function nested(depth: number, inside: unknown): unknown {
  let value = inside;
  for (let at = 0; at < depth; at++) value = [value];
  return value;
}

function listing(skills: readonly unknown[]) {
  return mcpSkills(careless({}), { name: "docs", listSkills: async () => ({ skills }) });
}

describe("an answer that is none", () => {
  const odd: readonly (readonly [string, unknown])[] = [
    ["nothing", null],
    ["without contents", {}],
    ["with null for contents", { contents: null }],
    ["with a text for contents", { contents: "x" }],
    ["with contents that only look like a list", { contents: { length: 1 } }],
    ["with null among the contents", { contents: [null] }],
    ["with a number for a text", { contents: [{ uri: "x", text: 5 }] }],
    ["with a number for bytes", { contents: [{ uri: "x", blob: 5 }] }],
    ["with a list for a text", { contents: [{ uri: "x", text: ["a"] }] }],
  ];

  it.each(odd)("%s, is an index that cannot be read, and fails nothing", async (_, answer) => {
    const client = careless({ "skill://index.json": answer });
    const { skills, problems } = await mcpSkills(client, { name: "docs" }).list(context);
    expect(skills).toEqual([]);
    expect(problems).toMatchObject([{ code: "mcp_index" }]);
  });

  it.each(odd)("%s, is a file that cannot be read", async (_, answer) => {
    const entry = { type: "skill-md", url: "skill://a/SKILL.md", name: "a", description: "A." };
    const client = careless({
      "skill://index.json": { contents: [{ uri: "x", text: JSON.stringify({ skills: [entry] }) }] },
      "skill://a/SKILL.md": answer,
    });
    const { skills } = await mcpSkills(client, { name: "docs" }).list(context);
    await expect(skills[0]?.load(context)).rejects.toMatchObject({ code: "skill_unreadable" });
  });
});

describe("a frontmatter that is stated", () => {
  const itself: Record<string, unknown> = {};
  itself["itself"] = itself;

  it.each<[string, unknown]>([
    ["deeper than can be written", nested(20_000, "x")],
    ["deeper than anybody writes", nested(100, "x")],
    ["with what is no JSON", 1n],
    ["with a circle", itself],
  ])("%s is refused, and the others are taken", async (_, x) => {
    const frontmatter = { ...knots.entry.frontmatter, metadata: { x } };
    const sails = listedSkill("sails").entry;
    const { skills, problems } = await listing([{ ...knots.entry, frontmatter }, sails]).list(
      context,
    );
    expect(skills.map((each) => each.frontmatter.name)).toEqual(["sails"]);
    expect(problems).toMatchObject([{ severity: "error", code: "mcp_entry" }]);
  });

  it("in an index is refused in the same way", async () => {
    const name = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    const entry = `{"type":"skill-md","url":"skill://a/SKILL.md","description":"A.","name":${name}}`;
    const { client } = await connected({ "skill://index.json": `{"skills":[${entry}]}` });
    const { problems } = await mcpSkills(client, { name: "docs" }).list(context);
    expect(problems).toMatchObject([{ code: "mcp_entry" }]);
  });
});

describe("a SKILL.md of a server", () => {
  const block = (lines: string) => `---\nname: knots\n${lines}\n---\n`;

  it.each<[string, string, object]>([
    ["larger than one may be", `x: ${"y".repeat(64 * 1024)}`, { x: "y".repeat(64 * 1024) }],
    ["deeper than one may be", `x: ${"[".repeat(65)}${"]".repeat(65)}`, { x: nested(64, []) }],
    ["with a key twice", "name: knots", {}],
    ["with references", "a: &a [x]\nb: *a", { a: ["x"], b: ["x"] }],
    ["with a tag", "a: !!str x", { a: "x" }],
  ])("with a frontmatter %s is never the one that was stated", (_, lines, more) => {
    expect(isSameFrontmatter(block(lines), { name: "knots", ...more })).toBe(false);
  });

  it("is the same where it states the same, whatever its members are called", () => {
    const stated = JSON.parse('{"name":"knots","__proto__":"x","metadata":{"constructor":"y"}}');
    const text = block('"__proto__": x\nmetadata:\n  constructor: y');
    expect(isSameFrontmatter(text, stated)).toBe(true);
    expect(isSameFrontmatter(text.replace("x\n", "z\n"), stated)).toBe(false);
  });

  it("of more than a megabyte is refused, and not loaded as nothing", async () => {
    const [uri = "", text = ""] = Object.entries(knots.files)[0] ?? [];
    const large = `${text}${"x".repeat(1024 * 1024)}`;
    const resources = [{ uri, digest: digestOf(large), size: large.length }];
    const { skills, problems } = await listing([{ ...knots.entry, resources }]).list(context);
    expect(skills).toEqual([]);
    expect(problems).toMatchObject([{ code: "mcp_manifest" }]);

    const dynamic = { ...knots.entry, resources: "dynamic" };
    const { client, listSkills } = await connected(
      { [uri]: large },
      { pages: [{ skills: [dynamic] }] },
    );
    const limits = { fileBytes: 4 * 1024 * 1024 };
    const found = await mcpSkills(client, { name: "docs", listSkills, limits }).list(context);
    await expect(found.skills[0]?.load(context)).rejects.toMatchObject({ code: "skill_changed" });
  });
});

it("a client that never answers, and hears of no end, holds nobody up", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const client: McpSkillsClient = { readResource: () => new Promise(() => {}) };
  const lists = Array.from({ length: 12 }, () =>
    mcpSkills(client, { name: "docs" }).list({ signal }),
  );
  await Promise.resolve();
  expect(getEventListeners(signal, "abort").length).toBeLessThanOrEqual(1);
  controller.abort(new Error("enough"));
  const settled = await Promise.allSettled(lists);
  for (const each of settled) expect(each).toMatchObject({ reason: { message: "enough" } });
});

import { joinInstructions, textOf } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Skill } from "../src/index.js";
import { agentWith } from "./support/provider.js";
import { skillNamed } from "./support/skills.js";

/** Ways to count; models have others. The last ones count badly. */
const counters: readonly ((text: string) => number)[] = [
  (text) => text.length,
  (text) => Buffer.byteLength(text),
  (text) => text.split(/\s+/).length,
  (text) => Math.ceil(text.length / 4),
  (text) => (text.length > 2000 ? Number.NaN : text.length),
  (text) => (text.length > 2000 ? Number.POSITIVE_INFINITY : 1),
];

const skill = fc
  .record({
    name: fc.oneof(
      fc.stringMatching(/^[a-z]{1,20}$/),
      fc.string({ unit: "binary", maxLength: 64 }),
    ),
    description: fc.oneof(
      fc.string({ unit: "binary", maxLength: 1024, size: "max" }),
      fc.string({
        unit: fc.constantFrom("&", "<", "結", "🪢", "a "),
        maxLength: 1024,
        size: "max",
      }),
    ),
    trust: fc.constantFrom("trusted" as const, "untrusted" as const),
  })
  .map(
    ({ name, description, trust }): Skill => ({
      ...skillNamed(name),
      frontmatter: { name, description },
      trust,
    }),
  );

/** What is told of skills in the first request: instructions, and messages before the user's. */
async function advertised(skills: readonly Skill[], maxTokens: number, counter: number) {
  const { client, agent } = agentWith(["ok"], {
    skills,
    maxTokens,
    countTokens: counters[counter],
  });
  await agent.run("Hello.");
  const [request] = client.requests;
  const instructions = joinInstructions(request?.options.instructions) ?? "";
  const messages = (request?.messages ?? []).map(textOf).filter((text) => text !== "Hello.");
  return { texts: [instructions, ...messages].filter((text) => text !== ""), request };
}

describe("what is told of skills", () => {
  it("never takes more tokens than it may, whatever the skills and whoever counts", async () => {
    const least = 800;
    await fc.assert(
      fc.asyncProperty(
        fc.array(skill, { maxLength: 40, size: "max" }),
        fc.integer({ min: least, max: 20_000 }),
        fc.nat({ max: counters.length - 1 }),
        async (skills, maxTokens, counter) => {
          const count = counters[counter] ?? (() => 0);
          const { texts, request } = await advertised(skills, maxTokens, counter);
          const tokens = texts.reduce((sum, text) => sum + count(text), 0);
          expect(tokens <= maxTokens).toBe(true);
          // What is not told can be found.
          const listed = texts.join("").match(/<skill>/g)?.length ?? 0;
          const tools = request?.options.tools?.map(({ name }) => name) ?? [];
          const distinct = new Set(
            skills.map(({ frontmatter }) => frontmatter.name.normalize("NFKC").toLowerCase()),
          );
          if (!tools.includes("search_skills")) expect(listed).toBe(distinct.size);
        },
      ),
      // A long text is shrunk for minutes.
      { numRuns: 150, endOnFailure: true },
    );
  });

  it("is the list to the last token that fits, and no list with one more skill", async () => {
    const skills = Array.from({ length: 500 }, (_, at) => skillNamed(`skill-${at}`));
    const whole = (await advertised(skills, 1_000_000, 0)).texts.join("");
    const fits = await advertised(skills, whole.length, 0);
    expect(fits.texts).toEqual([whole]);
    const over = await advertised([...skills, skillNamed("x")], whole.length, 0);
    expect(over.texts.join("")).not.toContain("<skill>");
    expect(over.request?.options.tools?.map(({ name }) => name)).toContain("search_skills");
  });

  it("is no list where the counter gives no number", async () => {
    const skills = Array.from({ length: 50 }, (_, at) => skillNamed(`skill-${at}`));
    expect((await advertised(skills, 1_000_000, 4)).texts.join("")).not.toContain("<skill>");
  });

  it("is the same in every run, so that prompt caches hold", async () => {
    const skills = Array.from({ length: 50 }, (_, at) => skillNamed(`skill-${at}`));
    const { client, agent } = agentWith(["one", "two"], { skills });
    await agent.run("Hello.");
    await agent.run("Hello again.");
    const [one, two] = client.requests.map(({ options }) => options);
    expect(one?.instructions).toEqual(two?.instructions);
    expect(one?.tools).toEqual(two?.tools);
  });
});

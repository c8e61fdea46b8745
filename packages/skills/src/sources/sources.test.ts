import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contextWith, heldSource, listOf, skillNamed } from "../../test/support/skills.js";
import type { SkillListing, SkillsSource } from "../skill.js";
import { aggregateSkills } from "./aggregate-skills.js";
import { cacheSkills } from "./cache-skills.js";
import { deduplicateSkills } from "./deduplicate-skills.js";
import { filterSkills } from "./filter-skills.js";
import type { SkillsInput } from "./skills-input.js";

const knots = skillNamed("knots");
const sails = skillNamed("sails");
const context = contextWith();

function names({ skills }: SkillListing): readonly string[] {
  return skills.map(({ frontmatter }) => frontmatter.name);
}

/** A source that counts how often it is asked. */
function counted(): SkillsSource & { lists: number } {
  return {
    lists: 0,
    async list() {
      this.lists++;
      return { skills: [], problems: [] };
    },
  };
}

const failing: SkillsSource = { list: () => Promise.reject(new Error("away")) };

describe("aggregateSkills", () => {
  it("lists skills and sources in the order in which they are written", async () => {
    const source = aggregateSkills(knots, [listOf(sails), skillNamed("ropes")], listOf(knots));
    expect(names(await source.list(context))).toEqual(["knots", "sails", "ropes", "knots"]);
  });

  it("keeps the problems of all", async () => {
    const problem = { severity: "error", code: "x", message: "y" } as const;
    const broken: SkillsSource = { list: async () => ({ skills: [], problems: [problem] }) };
    const { problems } = await aggregateSkills(broken, knots, broken).list(context);
    expect(problems).toEqual([problem, problem]);
  });

  it("fails where a source fails", async () => {
    await expect(aggregateSkills(knots, failing).list(context)).rejects.toThrow("away");
  });

  it.each([
    ["a path", "skills"],
    ["nothing", undefined],
    ["null", null],
    ["an object", {}],
  ])("refuses %s", (_, input) => {
    expect(() => aggregateSkills(input as SkillsInput)).toThrow(
      expect.objectContaining({ code: "invalid_skills" }),
    );
  });
});

describe("filterSkills", () => {
  it("asks of each skill with the context, and keeps what it says true of", async () => {
    const run = contextWith();
    const source = filterSkills(listOf(knots, sails), async ({ frontmatter }, asked) => {
      expect(asked).toBe(run);
      return frontmatter.name === "sails";
    });
    expect(names(await source.list(run))).toEqual(["sails"]);
  });

  it("fails where nobody can say", async () => {
    const source = filterSkills(listOf(knots), () => {
      throw new Error("who?");
    });
    await expect(source.list(context)).rejects.toThrow("who?");
  });

  it("takes nothing but true for yes", async () => {
    const source = filterSkills(listOf(knots), () => "yes" as unknown as boolean);
    expect(names(await source.list(context))).toEqual([]);
  });
});

describe("deduplicateSkills", () => {
  it("keeps the first of a name, whatever its case, and reports the others", async () => {
    const source = listOf(skillNamed("Knots", "a"), sails, skillNamed("knots", "b"));
    const { skills, problems } = await deduplicateSkills(source).list(context);
    expect(skills.map(({ origin }) => origin)).toEqual(["a", "code"]);
    expect(problems).toMatchObject([{ severity: "warning", code: "duplicate_skill", file: "b" }]);
  });

  it("loses no skill without a word, and changes nothing when it is applied twice", async () => {
    const name = fc.constantFrom("a", "A", "b", "B", "ﬁ", "fi", "ä", "Ä");
    await fc.assert(
      fc.asyncProperty(fc.array(name), async (list) => {
        const once = deduplicateSkills(listOf(...list.map((each) => skillNamed(each))));
        const { skills, problems } = await once.list(context);
        expect(skills.length + problems.length).toBe(list.length);
        const twice = await deduplicateSkills(once).list(context);
        expect(twice).toEqual({ skills, problems });
      }),
    );
  });
});

describe("cacheSkills", () => {
  const listing: SkillListing = { skills: [knots], problems: [] };

  it("asks once for all who come at the same time, and for those who come later", async () => {
    const { source, asked } = heldSource();
    const cached = cacheSkills(source, { isolationKey: "shared" });
    const waiting = [cached.list(context), cached.list(contextWith())];
    expect(asked).toHaveLength(1);
    asked[0]?.answer.resolve(listing);
    expect(await Promise.all(waiting)).toEqual([listing, listing]);
    expect(await cached.list(contextWith())).toBe(listing);
    expect(asked).toHaveLength(1);
  });

  it("keeps apart who does not share", async () => {
    const source = counted();
    let user = "kim";
    const cached = cacheSkills(source, { isolationKey: () => user });
    const first = await cached.list(context);
    user = "lee";
    expect(await cached.list(context)).not.toBe(first);
    user = "kim";
    expect(await cached.list(context)).toBe(first);
    expect(source.lists).toBe(2);
  });

  it("gives a failure to all who wait, and does not keep it", async () => {
    const { source, asked } = heldSource();
    const cached = cacheSkills(source, { isolationKey: "shared" });
    const waiting = [cached.list(context), cached.list(context)];
    asked[0]?.answer.reject(new Error("away"));
    for (const each of await Promise.allSettled(waiting)) {
      expect(each).toMatchObject({
        status: "rejected",
        reason: { message: "The source of skills number 1 failed: away" },
      });
    }
    const later = cached.list(context);
    asked[1]?.answer.resolve(listing);
    expect(await later).toBe(listing);
  });

  it("asks again when the time is over, and no earlier", async () => {
    let time = 0;
    const source = counted();
    const options = { isolationKey: "shared", refreshIntervalMs: 10, now: () => time } as const;
    const cached = cacheSkills(source, options);
    for (const at of [0, 9, 10, 19, 20]) {
      time = at;
      await cached.list(context);
    }
    expect(source.lists).toBe(3);
  });

  it("does not keep what was asked before a refresh", async () => {
    const { source, asked } = heldSource();
    const cached = cacheSkills(source, { isolationKey: "shared" });
    const early = cached.list(context);
    cached.refresh();
    const late = cached.list(context);
    expect(asked).toHaveLength(2);
    const fresh = { skills: [sails], problems: [] };
    asked[1]?.answer.resolve(fresh);
    expect(await late).toBe(fresh);
    asked[0]?.answer.resolve(listing);
    expect(await early).toBe(listing);
    expect(await cached.list(context)).toBe(fresh);
  });

  it("lets one who gives up go, and stops the source when the last one goes", async () => {
    const { source, asked } = heldSource();
    const cached = cacheSkills(source, { isolationKey: "shared" });
    const leaving = [new AbortController(), new AbortController()];
    const waiting = leaving.map(({ signal }) => cached.list({ signal }));
    leaving[0]?.abort(new Error("gone"));
    await expect(waiting[0]).rejects.toThrow("gone");
    expect(asked[0]?.context.signal.aborted).toBe(false);
    leaving[1]?.abort(new Error("gone, too"));
    await expect(waiting[1]).rejects.toThrow("gone, too");
    expect(asked[0]?.context.signal.aborted).toBe(true);
    const later = cached.list(context);
    expect(asked).toHaveLength(2);
    asked[1]?.answer.resolve(listing);
    expect(await later).toBe(listing);
  });

  it("keeps no more listings than it may", async () => {
    let user = "";
    const source = counted();
    const cached = cacheSkills(source, { isolationKey: () => user, maxKeys: 2 });
    for (user of ["a", "b", "a", "c", "a", "b"]) await cached.list(context);
    expect(source.lists).toBe(4);
  });

  it.each([
    [{}],
    [{ isolationKey: "everybody" }],
    [{ isolationKey: "shared", refreshIntervalMs: -1 }],
    [{ isolationKey: "shared", refreshIntervalMs: Number.NaN }],
    [{ isolationKey: "shared", maxKeys: 0 }],
    [{ isolationKey: "shared", ttl: 1 }],
  ])("refuses the options %j", (options) => {
    expect(() => cacheSkills(listOf(), options as { isolationKey: "shared" })).toThrow(TypeError);
  });
});

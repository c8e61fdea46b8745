import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Content } from "../messages/content.js";
import { foldUpdates } from "../messages/fold-updates.js";
import type { Update } from "../messages/update.js";
import { replaceText } from "./replace-text.js";
import { TransformStage } from "./transforms.js";

const of = (...contents: Content[]): Update => ({
  type: "delta",
  messageId: "m",
  role: "assistant",
  contents,
});
const text = (value: string): Content => ({ type: "text", text: value });

/** What comes out of pieces that go in, and how many letters were seen before the end. */
async function through(factory: ReturnType<typeof replaceText>, pieces: readonly Content[]) {
  const sent: Update[] = [];
  const stage = new TransformStage([factory], (update) => void sent.push(update));
  for (const piece of pieces) await stage.feed(of(piece));
  const early = JSON.stringify(foldUpdates(sent).messages.map((each) => each.contents));
  await stage.finish({ messages: [] }, true);
  return { contents: foldUpdates(sent).messages.flatMap((each) => each.contents), early };
}

const said = async (factory: ReturnType<typeof replaceText>, ...pieces: string[]) => {
  const { contents } = await through(factory, pieces.map(text));
  return contents.map((each) => (each.type === "text" ? each.text : each.type)).join("");
};

/** Pieces of a text, cut at random places. */
const cut = (value: string): fc.Arbitrary<string[]> =>
  fc.subarray([...Array(value.length).keys()]).map((at) => {
    const ends = [...at, value.length];
    return ends.map((end, index) => value.slice(index === 0 ? 0 : ends[index - 1], end));
  });

describe("replaceText", () => {
  it("replaces every match, wherever the text is cut", async () => {
    const stars = replaceText(/\d{4}/, "****", { maxLength: 4 });
    expect(await said(stars, "pay 4111 1111 now")).toBe("pay **** **** now");
    expect(await said(stars, "pay 41", "11 1", "1", "11 now")).toBe("pay **** **** now");
    expect(await said(replaceText("a.b", "-"), "a.b axb a", ".b")).toBe("- axb -");
  });

  it("takes a replacement as it is, or asks a function", async () => {
    expect(await said(replaceText("x", "$& $1 $$"), "axb")).toBe("a$& $1 $$b");
    expect(
      await said(
        replaceText(/[a-c]+/, (match) => match.toUpperCase()),
        "xa",
        "bcx",
      ),
    ).toBe("xABCx");
  });

  it("gives the same for any text, pattern and cuts, and what a plain replacement gives", async () => {
    const patterns = [
      /\d{2}/,
      /a+b/,
      /[ab]{1,3}/,
      /(?<=a)b/,
      /b(?=a)/,
      /\bab\b/i,
      /ab$/,
      /^a/,
      "ab",
      "aa",
    ];
    await fc.assert(
      fc.asyncProperty(
        fc
          .string({ unit: fc.constantFrom("a", "b", "1", " ", "\n", "🦊"), maxLength: 30 })
          .chain((value) => fc.tuple(fc.constant(value), cut(value))),
        fc.constantFrom(...patterns),
        async ([value, pieces], pattern) => {
          const factory = replaceText(pattern, "<>", { maxLength: 40 });
          const whole = await said(factory, value);
          expect(await said(factory, ...pieces)).toBe(whole);
          const global =
            typeof pattern === "string" ? pattern : new RegExp(pattern.source, `${pattern.flags}g`);
          expect(whole).toBe(value.replaceAll(global, "<>"));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("with a short window it is still the same wherever the text is cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .string({ unit: fc.constantFrom("a", "b", "1"), maxLength: 40 })
          .chain((value) => fc.tuple(fc.constant(value), cut(value), cut(value))),
        fc.constantFrom(/a+/, /(?<=ab)1/, /a.*1/, /b{2,}/),
        fc.integer({ min: 1, max: 5 }),
        async ([, one, other], pattern, maxLength) => {
          const factory = replaceText(pattern, "<>", { maxLength });
          expect(await said(factory, ...one)).toBe(await said(factory, ...other));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("a pattern may look behind, at text that is out already, and one letter ahead", async () => {
    const letters = (value: string): string[] => [...value];
    const behind = replaceText(/(?<=ab)1/, "-", { maxLength: 2 });
    expect(await said(behind, ...letters("xxxab1xxx1ab1"))).toBe("xxxab-xxx1ab-");
    const ahead = replaceText(/aa(?!b)/, "-", { maxLength: 2 });
    expect(await said(ahead, ...letters("aabxxaacxxaabxxaa"))).toBe("aabxx-cxxaabxx-");
  });

  it("never lets out what a later piece would have made a match", async () => {
    const { early } = await through(replaceText(/\d{4}/, "****", { maxLength: 4 }), [
      text("my number is 41"),
      text("1"),
    ]);
    expect(early).not.toMatch(/\d/);
  });

  it("lets the text before that out at once", async () => {
    const { early } = await through(replaceText("4111", "****"), [text("a long beginning 41")]);
    expect(early).toContain("a long beginni");
  });

  it("leaves a longer match than its window as it is", async () => {
    expect(await said(replaceText(/a+/, "-", { maxLength: 3 }), "aaa b")).toBe("- b");
    expect(await said(replaceText(/<.*>/, "-", { maxLength: 4 }), "<abcdef> <a>")).toBe(
      "<abcdef> -",
    );
  });

  it("does not look through other contents, and keeps their place", async () => {
    const call: Content = { type: "function_call", callId: "c", name: "f", arguments: {} };
    const { contents } = await through(replaceText("ab", "-"), [text("xa"), call, text("b ab")]);
    expect(contents).toEqual([text("xa"), call, text("b -")]);
  });

  it("ends with a pattern that matches nothing at all", async () => {
    expect(await said(replaceText(/x*/, "-"), "abc")).toBe("abc");
  });

  it("does not share the state of a global or sticky pattern between messages", async () => {
    const factory = replaceText(/a/gy, "-");
    expect([await said(factory, "ba"), await said(factory, "ab")]).toEqual(["b-", "-b"]);
  });
});

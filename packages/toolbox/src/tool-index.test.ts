import { type FunctionTool, tool } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toolIndex } from "./tool-index.js";
import { wordsOf } from "./words.js";

const named = (name: string, description = ""): FunctionTool => tool({ name, description });
const names = (tools: readonly FunctionTool[]) => tools.map(({ name }) => name);

const word = fc.constantFrom(
  "add",
  "ship",
  "XML",
  "feed",
  "berth",
  "list",
  "2",
  "me",
  "船",
  "Übung",
  "ключ",
);
const separator = fc.constantFrom("_", "-", "", ".", " ");
/** Names in every style, the same words again and again, and whatever else can be a name. */
const name = fc.oneof(
  fc
    .tuple(fc.array(word, { minLength: 1, maxLength: 4 }), separator)
    .map(([words, between]) => words.join(between)),
  fc
    .string({ minLength: 1, maxLength: 12, unit: "grapheme" })
    .filter((text) => text.trim() === text && text !== ""),
);
const catalogue = fc
  .uniqueArray(name, { minLength: 1, maxLength: 20 })
  .chain((unique) =>
    fc.tuple(
      ...unique.map((each) =>
        fc.array(word, { maxLength: 6 }).map((words) => named(each, words.join(" "))),
      ),
    ),
  );

describe("toolIndex", () => {
  it("puts the tool of an exact name first, whatever the others are called", () => {
    fc.assert(
      fc.property(catalogue, (tools) => {
        const find = toolIndex(tools);
        for (const { name } of tools) expect(find(name, 1)[0]?.name).toBe(name);
      }),
    );
  });

  it("finds a tool by its own description, and by each word of its name", () => {
    fc.assert(
      fc.property(catalogue, (tools) => {
        const find = toolIndex(tools);
        for (const { name, description } of tools) {
          for (const query of [description, ...wordsOf(name)]) {
            if (wordsOf(query).length === 0) continue;
            expect(names(find(query, tools.length))).toContain(name);
          }
        }
      }),
    );
  });

  it("gives each tool once, no more than asked for, and the same for the same query", () => {
    fc.assert(
      fc.property(
        catalogue,
        fc.string(),
        fc.integer({ min: 1, max: 25 }),
        (tools, query, limit) => {
          const found = names(toolIndex(tools)(query, limit));
          expect(found.length).toBeLessThanOrEqual(limit);
          expect(new Set(found).size).toBe(found.length);
          expect(names(toolIndex(tools)(query, limit))).toEqual(found);
        },
      ),
    );
  });

  it("ranks beginnings of words, and words with a slip, below whole words", () => {
    const find = toolIndex([
      named("shipment_list", "ship"),
      named("shipping_costs", "costs of shipping"),
      named(
        "harbor_boats",
        "Lists what is there, such as a ship, among many other words that say little.",
      ),
      named("ships"),
    ]);
    expect(names(find("ship", 9)).slice(0, 2).sort()).toEqual(["harbor_boats", "shipment_list"]);
    expect(names(find("shipss", 9))).toEqual(["ships"]);
    expect(find("sh", 9)).toEqual([]);
  });
});

describe("wordsOf", () => {
  it.each([
    ["parseXMLFeed", ["parse", "xml", "feed", "parsexmlfeed"]],
    ["HTTPServer2Go", ["http", "server", "2", "go", "httpserver2go"]],
    ["snake_case-kebab.dot", ["snake", "case", "kebab", "dot"]],
    ["GitHub", ["git", "hub", "github"]],
    ["ADD-BERTH", ["add", "berth"]],
    ["船一覧", ["船", "一", "覧", "船一", "一覧"]],
    ["addベルトNow", ["add", "ベ", "ル", "ト", "ベル", "ルト", "now"]],
    ["ﬁle Ｎａｍｅ", ["file", "name"]],
    ["Überfahrt école", ["überfahrt", "école"]],
    ["__--  ", []],
  ])("%s", (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it("loses no letter and no digit", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const words = new Set(wordsOf(text).join(""));
        const left = text.normalize("NFKC").match(/[\p{L}\p{N}]/gu) ?? [];
        for (const character of left.join("").toLowerCase()) expect(words).toContain(character);
      }),
    );
  });
});

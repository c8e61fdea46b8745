import MiniSearch from "minisearch";
import type { Skill } from "../skill.js";

/** Finds skills by words of their names and descriptions, the best first. */
export type SkillSearch = (query: string, most: number) => readonly Skill[];

/** Words of text in any language; those without blanks between words are taken apart by the segmenter. */
const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

function words(text: string): string[] {
  return [...segmenter.segment(text.normalize("NFKC"))].flatMap(({ segment, isWordLike }) =>
    // Where nobody knows the words, single characters find them all the same.
    isWordLike ? [segment, ...(cjk.test(segment) ? [...segment] : [])] : [],
  );
}

/** Each costs a look at all that is indexed; nobody waits for the answer to an essay, least of all other runs. */
const mostQueryWords = 32;

/** Each word once, whatever its case. */
function queryWords(query: string): string[] {
  return [...new Set(words(query.toLowerCase()))].slice(0, mostQueryWords);
}

const cjk = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;

export function skillSearch(skills: readonly Skill[]): SkillSearch {
  const index = new MiniSearch<{ readonly id: number; name: string; description: string }>({
    fields: ["name", "description"],
    tokenize: words,
    searchOptions: {
      tokenize: queryWords,
      boost: { name: 3 },
      // One letter begins half of all words.
      prefix: ({ length }) => length > 1,
      fuzzy: 0.2,
    },
  });
  index.addAll(
    skills.map(({ frontmatter: { name, description } }, id) => ({ id, name, description })),
  );
  return (query, most) =>
    index
      .search(query.slice(0, 1000))
      .sort((a, b) => b.score - a.score || Number(a.id) - Number(b.id))
      .slice(0, most)
      .flatMap(({ id }) => skills[Number(id)] ?? []);
}

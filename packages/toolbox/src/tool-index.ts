import type { FunctionTool } from "@tunic/core";
import MiniSearch, { type SearchResult } from "minisearch";
import { lettersOf, wordsOf } from "./words.js";

/** The tools that match a query, the best first. */
export type FindTools = (query: string, limit: number) => readonly FunctionTool[];

/** Nobody waits for the answer to an essay, least of all other runs: each word costs a look at all that is indexed. */
const mostCharacters = 1000;
const mostWords = 32;
/** Of a description; who writes more says it at the beginning, or wants to be slow to index. */
const mostIndexed = 2000;

/**
 * Ranks by BM25+ over names and descriptions, with an idf that is never negative, so that one tool alone is found,
 * too. The tool of just that name comes first, then one whose name differs in case and punctuation only. Words count
 * as a whole; tools that only have a word which begins so (from three letters on) or differs in one letter (from five
 * on, so that `files` finds `file`) come after all others.
 */
export function toolIndex(tools: readonly FunctionTool[]): FindTools {
  const index = new MiniSearch<Document>({
    fields: ["name", "text"],
    tokenize: (text) => [...wordsOf(text)],
    searchOptions: {
      tokenize: (query) => queryWords(query),
      boost: { name: 2 },
      prefix: (word) => word.length >= 3,
      fuzzy: (word) => word.length >= 5 && 1,
    },
  });
  index.addAll(
    tools.map(({ name, title = "", description }, id) => ({
      id,
      name,
      text: `${title} ${description.slice(0, mostIndexed)}`,
    })),
  );
  const names = tools.map(({ name }) => lettersOf(name));
  return (query, limit) => {
    const asked = query.trim().slice(0, mostCharacters);
    const letters = lettersOf(asked);
    const ranks = new Map(index.search(asked).map((hit) => [Number(hit.id), rankOf(hit)]));
    for (const [id, { name }] of tools.entries()) {
      if (name === asked) ranks.set(id, { tier: 3, score: 0 });
      else if (letters !== "" && names[id] === letters) ranks.set(id, { tier: 2, score: 0 });
    }
    return [...ranks]
      .sort(([a, one], [b, other]) => other.tier - one.tier || other.score - one.score || a - b)
      .slice(0, limit)
      .flatMap(([id]) => tools[id] ?? []);
  };
}

interface Document {
  readonly id: number;
  readonly name: string;
  readonly text: string;
}

interface Rank {
  /** What outweighs every score. */
  readonly tier: 0 | 1 | 2 | 3;
  readonly score: number;
}

function rankOf({ queryTerms, terms, score }: SearchResult): Rank {
  const whole = queryTerms.some((word) => terms.includes(word));
  return { tier: whole ? 1 : 0, score };
}

function queryWords(query: string): string[] {
  return [...new Set(wordsOf(query))].slice(0, mostWords);
}

import { existsSync, readFileSync } from "node:fs";
import { type FunctionTool, tool } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { toolIndex } from "../src/tool-index.js";
import { wordsOf } from "../src/words.js";

/** A JSON file with the `tools/list` answers of real servers; without it these tests are skipped. */
const file = process.env["TUNIC_TOOL_DEFINITIONS"];

interface ListedTool {
  readonly name: string;
  readonly description?: string;
}

/** As `mcpTools` would name it. */
interface Sample {
  readonly tool: FunctionTool;
  readonly own: string;
}

function samples(path: string): readonly Sample[] {
  const { servers } = JSON.parse(readFileSync(path, "utf8")) as {
    readonly servers: readonly { readonly server: string; readonly tools: readonly ListedTool[] }[];
  };
  const all = servers.flatMap(({ server, tools }) =>
    tools.map(({ name, description = "" }) => ({
      tool: tool({ name: `${server.replace(/\W+/g, "_")}_${name}`.slice(0, 128), description }),
      own: name,
    })),
  );
  return [...new Map(all.map((sample) => [sample.tool.name, sample])).values()];
}

type Query = (sample: Sample) => string;

/** What a model may write that has a certain tool in mind. */
const queries: Readonly<Record<string, readonly [query: Query, leastRecall: number]>> = {
  "the tool's name": [({ tool: { name } }) => name, 1],
  "the server's own name": [({ own }) => own, 0.99],
  "the words of that name": [({ own }) => wordsOf(own).join(" "), 0.99],
  "the same, the last word in the other number": [({ own }) => otherNumber(own), 0.95],
  "the first sentence of the description": [firstSentence, 0.99],
  "the first six words of the description": [
    ({ tool: { description } }) => description.trim().split(/\s+/).slice(0, 6).join(" "),
    0.99,
  ],
  "five words out of the description": [scattered, 0.93],
};

function firstSentence({ tool: { description } }: Sample): string {
  return (description.trim().split(/[.\n]/)[0] ?? "").slice(0, 200);
}

function otherNumber(name: string): string {
  const words = wordsOf(name).join(" ");
  return words.endsWith("s") ? words.slice(0, -1) : `${words}s`;
}

function scattered({ tool: { description } }: Sample): string {
  const words = [...new Set(description.match(/[A-Za-z]{4,}/g))];
  return words
    .filter((_, at) => at % 3 === 0)
    .slice(0, 5)
    .join(" ");
}

describe.skipIf(file === undefined || !existsSync(file))(
  "recall over tools of real servers (skipped when TUNIC_TOOL_DEFINITIONS does not name the file)",
  () => {
    const all = file === undefined || !existsSync(file) ? [] : samples(file);
    const find = toolIndex(all.map((sample) => sample.tool));
    const byName = new Map(all.map((sample) => [sample.tool.name, sample]));

    it.each(Object.entries(queries))("by %s", (_title, [queryOf, least]) => {
      expect(all.length).toBeGreaterThan(900);
      const asked = all.filter((sample) => queryOf(sample).trim() !== "");
      const hits = asked.filter((sample) => {
        const query = queryOf(sample);
        // Tools that would be asked for in the same words cannot be told apart.
        return find(query, 5).some(({ name }) => {
          const found = byName.get(name);
          return found === sample || (found !== undefined && queryOf(found) === query);
        });
      });
      expect(hits.length / asked.length).toBeGreaterThanOrEqual(least);
    });
  },
);

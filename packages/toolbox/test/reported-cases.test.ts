import { describe, expect, it } from "vitest";
import { toolSearch } from "../src/index.js";
import { foundIn, plain, resultsOf, scripted, textOfResult } from "./support/agents.js";

// What users of other libraries have reported, with the inputs that they reported. The id is that of our collection
// of such reports.

const tools = [
  plain("addBerth", "Reserves a place at the quay."),
  plain("harbor_list_ships", "Ships that are in harbor (船の一覧)."),
  plain("parseXMLFeed", "Reads a feed."),
  plain("comment_add", "Leaves a remark."),
];

async function search(query: string) {
  const { agent } = scripted([["search_tools", { query }], "done"], {
    contextProviders: [toolSearch({ tools })],
  });
  const [result] = resultsOf((await agent.run("Go.")).messages);
  if (result === undefined) throw new Error("a result");
  return { found: foundIn(result), text: textOfResult(result), isError: result.isError ?? false };
}

describe("B63: names in camelCase, snake_case and other scripts, and matches inside words", () => {
  it.each([
    ["add berth", "addBerth"],
    ["addBerth", "addBerth"],
    ["ADD-BERTH", "addBerth"],
    ["list ships", "harbor_list_ships"],
    ["xml", "parseXMLFeed"],
    ["feed", "parseXMLFeed"],
    ["parse xml feed", "parseXMLFeed"],
    ["parsexmlfeed", "parseXMLFeed"],
    ["船", "harbor_list_ships"],
    ["comment_add", "comment_add"],
    ["add comment", "comment_add"],
  ])("%j finds %s first", async (query, name) => {
    expect((await search(query)).found[0]).toBe(name);
  });

  it.each(["me", "", "  ", "?!", "zeppelin", "馬"])(
    "%j finds nothing: an empty list with a hint, no error",
    async (query) => {
      const { found, text, isError } = await search(query);
      expect({ found, isError }).toEqual({ found: [], isError: false });
      expect(JSON.parse(text)).toHaveProperty("hint", expect.stringMatching(/words/));
    },
  );

  it("tells the name and the description of what it has found", async () => {
    const { text } = await search("xml");
    expect(JSON.parse(text)).toEqual({
      tools: [{ name: "parseXMLFeed", description: "Reads a feed." }],
    });
  });

  it("finds the only tool, whose words are in the whole catalogue", async () => {
    const { agent } = scripted([["search_tools", { query: "add" }], "done"], {
      contextProviders: [toolSearch({ tools: [plain("comment_add", "Add a comment.")] })],
    });
    expect(foundIn(resultsOf((await agent.run("Go.")).messages)[0])).toEqual(["comment_add"]);
  });
});

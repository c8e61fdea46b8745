import { expect } from "vitest";
import { child, delegating, task } from "./support/sub-agents.js";
import { call, inBothManners, ref, sketchedTool } from "./support/world.js";

const link = "https://evil.example/x";
const found = { effects: ["consequential"], arguments: {} } as const;

/** A helper that finds a link and says it; what its own caller makes of it is `turns`. */
function finding() {
  const search = sketchedTool("search", { gives: `See ${link} now.` }, []);
  return child({
    turns: [call("search"), 'It says {"$ref":"v1"}'],
    policy: { search: { effects: ["read"] } },
    more: [search],
  }).agent;
}

inBothManners(
  "an agent inside a call leaves links in what it answers, and a person gets none",
  async (make) => {
    const world = make({
      ...delegating(finding(), { policy: { helper: found, note: { effects: ["read"] } } }),
      tools: { note: { takes: ["text"] } },
      turns: [task(), call("note", { text: ref("v1") }), 'Found: {"$ref":"v1"}'],
    });
    const { text } = await world.say("Find it.");
    expect(world.ran).toEqual([{ tool: "note", arguments: { text: `It says See ${link} now.` } }]);
    expect(text).toBe("Found: It says See [link removed] now.");
    expect(world.sees(link)).toBe(false);
    expect(world.shows(link)).toBe(false);
  },
);

inBothManners("where people watch it, it leaves none", async (make) => {
  const world = make({
    ...delegating(finding(), { policy: { helper: { ...found, progress: "all" } } }),
    turns: [task(), 'Found: {"$ref":"v1"}'],
  });
  const { text } = await world.say("Find it.");
  expect(text).toBe("Found: It says See [link removed] now.");
  expect(world.shows(link)).toBe(false);
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { explain } from "../src/index.js";
import { worldData, worlds } from "./world/flow-world.js";
import { contentsOf, play, programs } from "./world/stage.js";

describe("property 13: a denial says nothing of the data", () => {
  it("its words are the same for each tool and rule, in all worlds, whatever was in the call", async () => {
    const words = new Map<string, Set<string>>();
    await fc.assert(
      fc.asyncProperty(worlds(), worldData, programs, async (world, data, program) => {
        const { session } = await play(world, data, program);
        for (const { callId, contents, error } of contentsOf(session.messages, "function_result")) {
          const decision = explain(session, callId);
          if (decision?.verdict !== "deny") continue;
          const key = `${decision.tool} ${decision.violations[0]?.rule}`;
          const said = JSON.stringify([
            contents.map((each) => (each.type === "text" ? each.text : each)),
            error,
          ]);
          words.set(key, (words.get(key) ?? new Set()).add(said));
        }
      }),
      { numRuns: 300 },
    );
    expect(words.size).toBeGreaterThan(8);
    for (const [key, texts] of words) {
      // The last of several says to stop.
      expect([...texts].length, key).toBeLessThanOrEqual(2);
    }
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  payloads,
  secretSigns,
  secrets,
  type World,
  type WorldData,
  worldData,
  worlds,
} from "./world/flow-world.js";
import type { Program } from "./world/planner.js";
import { blindPrograms, type Executed, play, programs } from "./world/stage.js";
import { levels, tagOf } from "./world/tag.js";

/** Calls whose receivers may not know the secret. */
function sinkCalls(world: World, executed: readonly Executed[]): readonly Executed[] {
  return executed.filter(({ tool, args }) => {
    const flow = world.policy.tools[tool];
    if (flow?.rule !== "permitted_flow" && flow?.rule !== "both") return false;
    const { readers, level } = tagOf(secretLabelOf(world));
    if (readers === undefined) return level > levels.indexOf(flow.clearance ?? "public");
    const to = flow.recipients ? [args["to"]].flat() : [];
    return !(to.length > 0 && to.every((name) => readers.includes(String(name))));
  });
}

function secretLabelOf({ policy }: World) {
  const { result } = policy.tools["inbox"] ?? {};
  return (result as Record<string, object>)["[*].account"] ?? {};
}

const options = { sendRule: ["permitted_flow", "both"] } as const;

type Inputs = [World, WorldData["untrusted"], WorldData["secret"], WorldData["secret"], Program];

describe("property 4: explicit secrecy", () => {
  it("whatever the secrets are, whoever may not read them gets the same bytes", async () => {
    const seen = { calls: 0, differed: 0 };
    const check = async (...[world, untrusted, one, other, program]: Inputs): Promise<void> => {
      const a = await play(world, { untrusted, secret: one }, program);
      const b = await play(world, { untrusted, secret: other }, program);
      const sent = sinkCalls(world, a.executed).map(({ tool, args }) => [tool, args]);
      expect(sinkCalls(world, b.executed).map(({ tool, args }) => [tool, args])).toEqual(sent);
      seen.calls += sent.length;
      if (JSON.stringify(a.executed) !== JSON.stringify(b.executed)) seen.differed += 1;
    };
    const inputs = [worlds(options), payloads, secrets, secrets, blindPrograms] as const;
    await fc.assert(fc.asyncProperty(...inputs, check), { numRuns: 250 });
    expect(seen.calls).toBeGreaterThan(10);
    expect(seen.differed).toBeGreaterThan(10);
  });

  it("no sign of a secret gets to them, whatever the model makes of what it sees", async () => {
    const letters = new RegExp(`[${secretSigns}]`, "u");
    let held = 0;
    await fc.assert(
      fc.asyncProperty(worlds(options), worldData, programs, async (world, data, program) => {
        const { executed } = await play(world, data, program);
        for (const { args } of sinkCalls(world, executed)) {
          expect(JSON.stringify(args)).not.toMatch(letters);
        }
        held += executed.filter(({ args }) => letters.test(JSON.stringify(args))).length;
      }),
      { numRuns: 250 },
    );
    // Secrets do get to those who may read them.
    expect(held).toBeGreaterThan(0);
  });
});

import { AgentSession, type JsonValue, type Middleware } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryFlowAudit } from "../src/index.js";
import { worldData, worlds } from "./world/flow-world.js";
import { play, programs, stage } from "./world/stage.js";

/** Where a handler fails: before the next one is asked. */
const places = fc.constantFrom("agent", "chat", "verdict", "function") as fc.Arbitrary<
  "agent" | "chat" | "verdict" | "function"
>;

/** Fails from its n-th time on. */
function failing(place: "agent" | "chat" | "verdict" | "function", after: number) {
  const state = { times: 0 };
  const middleware: Middleware = {
    name: "failing",
    [place]: async (_context: unknown, next: () => Promise<unknown>) => {
      state.times += 1;
      if (state.times > after) throw new Error("no");
      return next();
    },
  };
  return { middleware, state };
}

describe("property 11: what fails lets nothing run", () => {
  it("no call runs for which a handler has failed", async () => {
    let stopped = 0;
    const after = fc.nat({ max: 4 });
    await fc.assert(
      fc.asyncProperty(
        worlds(),
        worldData,
        programs,
        places,
        after,
        async (world, data, program, place, n) => {
          const { middleware, state } = failing(place, n);
          const staged = stage(world, data, program, { middleware: [middleware] });
          const ran = { before: 0 };
          const session = new AgentSession();
          await staged.agent.run("Pay alice.", { session }).catch(() => {
            ran.before = staged.executed.length;
          });
          const whole = await play(world, data, program);
          if (state.times <= n) {
            expect(staged.executed.length).toBe(whole.executed.length);
            return;
          }
          stopped += 1;
          // Handlers of calls stand around the tools of the package, too.
          if (place === "verdict" || place === "function")
            expect(staged.executed.length).toBeLessThanOrEqual(n);
          if (place === "agent") expect(staged.executed).toEqual([]);
          if (place === "chat" && n === 0) expect(staged.executed).toEqual([]);
          // What did run is what runs where nothing fails.
          if (place !== "function") {
            const known = whole.executed.map(({ tool, args }) => JSON.stringify([tool, args]));
            for (const { tool, args } of staged.executed)
              expect(known).toContain(JSON.stringify([tool, args]));
          }
        },
      ),
      { numRuns: 150 },
    );
    expect(stopped).toBeGreaterThan(20);
  });

  it("an audit that cannot be written changes nothing but that it is told", async () => {
    await fc.assert(
      fc.asyncProperty(worlds(), worldData, programs, async (world, data, program) => {
        const audit = {
          ...memoryFlowAudit(),
          append(): never {
            throw new Error("disk full");
          },
        };
        const failing = await play(world, data, program, { audit });
        const usual = await play(world, data, program);
        expect(failing.executed).toEqual(usual.executed);
      }),
      { numRuns: 40 },
    );
  });

  it("a memory that is broken makes nothing trusted", async () => {
    const garbage = fc.oneof(
      fc.jsonValue(),
      fc.record({ value: fc.constant("eve"), label: fc.jsonValue() }, { requiredKeys: ["value"] }),
      fc.constant({ value: "eve", label: { integrity: "trusted" } }),
      fc.constant({ value: "eve", label: { integrity: "trusted", confidentiality: "none" } }),
    ) as fc.Arbitrary<JsonValue>;
    const pay = {
      name: "pay",
      arguments: ["to"],
      flow: { rule: "trusted_action", result: "trusted" },
      does: () => "paid",
    } as const;
    const world = {
      tools: [pay],
      hide: "untrusted",
      policy: { version: 1, tools: { pay: pay.flow } },
    } as const;
    const members = fc.constantFrom(
      "variables",
      "messages",
      "resources",
      "held",
      "decisions",
      "permits",
      "bits",
    );
    await fc.assert(
      fc.asyncProperty(garbage, members, garbage, async (variable, member, other) => {
        const staged = stage(
          world,
          { untrusted: ["", "", ""], secret: ["", ""] },
          { seed: 1, rounds: 1, sees: true },
        );
        const session = AgentSession.fromJSON({
          version: 1,
          id: "s",
          messages: [],
          state: {
            "tunic.flow": {
              version: 1,
              next: 2,
              bytes: 3,
              [member]: other,
              variables: { v1: variable },
            },
          },
        });
        const only = { name: "pay", arguments: { to: { $ref: "v1" } } };
        staged.script.push({ calls: [only] }, "done");
        await staged.agent.run("Pay.", { session }).catch(() => {});
        expect(staged.executed).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

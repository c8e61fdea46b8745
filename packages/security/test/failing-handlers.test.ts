import { AgentSession, type JsonValue, type Middleware } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryFlowAudit } from "../src/index.js";
import { type World, type WorldData, worldData, worlds } from "./world/flow-world.js";
import type { Program } from "./world/planner.js";
import { type Executed, play, programs, stage } from "./world/stage.js";

/** Where a handler fails: before the next one is asked. */
type Place = "agent" | "chat" | "verdict" | "function";

const places = fc.constantFrom<Place>("agent", "chat", "verdict", "function");

/** Fails from its n-th time on. */
function failing(place: Place, after: number) {
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

type Inputs = [World, WorldData, Program, Place, number];

/** What must not have run, given that the handler failed from its `after`-th time on. */
function checkStopped(
  place: Place,
  after: number,
  executed: readonly Executed[],
  all: readonly Executed[],
) {
  const mostRun = { agent: 0, chat: after === 0 ? 0 : all.length, verdict: after, function: after };
  expect(executed.length).toBeLessThanOrEqual(mostRun[place]);
  // A handler of calls fails for one and not for others, and the model goes on otherwise.
  if (place === "function" || place === "verdict") return;
  expect(all.map(plainCall)).toEqual(expect.arrayContaining(executed.map(plainCall)));
}

const plainCall = ({ tool, args }: Executed): string => JSON.stringify([tool, args]);

describe("property 11: what fails lets nothing run", () => {
  it("no call runs for which a handler has failed", async () => {
    let stopped = 0;
    const check = async (...[world, data, program, place, after]: Inputs): Promise<void> => {
      const { middleware, state } = failing(place, after);
      const { agent, executed } = stage(world, data, program, { middleware: [middleware] });
      await agent.run("Pay alice.", { session: new AgentSession() }).catch(() => {});
      const whole = await play(world, data, program);
      if (state.times > after) {
        stopped += 1;
        checkStopped(place, after, executed, whole.executed);
      } else expect(executed.map(plainCall)).toEqual(whole.executed.map(plainCall));
    };
    const inputs = [worlds(), worldData, programs, places, fc.nat({ max: 4 })] as const;
    await fc.assert(fc.asyncProperty(...inputs, check), { numRuns: 150 });
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
    const origin = fc.constant({ tool: "read", path: "$" });
    const garbage = fc.oneof(
      fc.jsonValue(),
      fc.record({ value: fc.constant("eve"), origin, label: fc.jsonValue() }),
      fc.constant({ value: "eve", origin: {} }),
      fc.constant({ value: "eve", origin: {}, label: { integrity: "trusted" } }),
      fc.constant({
        value: "eve",
        origin: {},
        label: { integrity: "trusted", confidentiality: "none" },
      }),
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

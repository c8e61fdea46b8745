import type { JsonValue } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { explain, labelOf } from "../src/index.js";
import { payloads, secrets, type World, type WorldData, worlds } from "./world/flow-world.js";
import { type Program, seenIn } from "./world/planner.js";
import { callsIn, type Executed, type Played, play, programs } from "./world/stage.js";

/** A trusted action with the arguments that have to be trusted; undefined for any other call. */
function trustedAction(
  world: World,
  { tool, args }: Executed,
): readonly [string, JsonValue] | undefined {
  const flow = world.policy.tools[tool];
  if (flow === undefined) return [tool, args];
  if (flow.rule !== "trusted_action" && flow.rule !== "both") return undefined;
  const guarded = Object.entries(args).filter(
    ([name]) => flow.arguments === undefined || flow.arguments[name]?.integrity === "trusted",
  );
  return [tool, Object.fromEntries(guarded)];
}

function trustedActions(world: World, executed: readonly Executed[]) {
  return executed.map((each) => trustedAction(world, each)).filter((each) => each !== undefined);
}

type Inputs = [World, WorldData["untrusted"], WorldData["untrusted"], WorldData["secret"], Program];

const inputs = [payloads, payloads, secrets, programs] as const;

describe("property 3: integrity non-interference", () => {
  it("whatever anybody writes into untrusted data, the same trusted actions run with the same guarded arguments", async () => {
    const seen = { actions: 0, differed: 0 };
    await fc.assert(
      fc.asyncProperty(
        worlds({ byLabels: true }),
        ...inputs,
        async (world, one, other, secret, any) => {
          const program = { ...any, guesses: false };
          const a = await play(world, { untrusted: one, secret }, program);
          const b = await play(world, { untrusted: other, secret }, program);
          const actions = trustedActions(world, a.executed);
          expect(trustedActions(world, b.executed)).toEqual(actions);
          seen.actions += actions.length;
          if (JSON.stringify(a.executed) !== JSON.stringify(b.executed)) seen.differed += 1;
        },
      ),
      { numRuns: 200 },
    );
    // It says something only where actions run, and where runs differ in other things.
    expect(seen.actions).toBeGreaterThan(40);
    expect(seen.differed).toBeGreaterThan(10);
  });
});

/** One answer of the model: what it saw, with which label, and what became of its calls. */
function roundsOf({ client, session, executed }: Played) {
  const answers = session.messages.filter(({ role }) => role === "assistant");
  return answers.map((message, at) => ({
    isTrusted: labelOf(message)?.integrity === "trusted",
    seen: seenIn(client.requests[at]?.messages ?? []).text,
    calls: callsIn([message]).map(({ callId }) => ({
      ran: executed.find((each) => each.callId === callId),
      rules: (explain(session, callId)?.violations ?? []).map(({ rule }) => rule),
    })),
  }));
}

/** Rules that look at values, and so may stop a call of one run that the other makes. */
const valueRules = new Set(["untrusted_link", "permitted_flow", "unknown_reference"]);

type Round = ReturnType<typeof roundsOf>[number];

/** How often which of the two could be seen. */
interface Counts {
  same: number;
  prevented: number;
  parted: number;
}

/** Until one of two models has untrusted data in view, both see the same, and act the same. */
function compare(world: World, a: readonly Round[], b: readonly Round[], counts: Counts): void {
  for (const [at, round] of a.entries()) {
    const twin = b[at];
    if (!round.isTrusted || !twin?.isTrusted) {
      counts.parted += 1;
      return;
    }
    expect(twin.seen).toBe(round.seen);
    for (const [index, call] of round.calls.entries()) {
      compareCalls(world, call, twin.calls[index], counts);
    }
  }
}

function compareCalls(
  world: World,
  call: Round["calls"][number],
  twin: Round["calls"][number] | undefined,
  counts: Counts,
): void {
  if (call.ran && twin?.ran) {
    expect(trustedAction(world, twin.ran)).toEqual(trustedAction(world, call.ran));
    counts.same += 1;
  } else if (call.ran || twin?.ran) {
    counts.prevented += 1;
    const rules = [...call.rules, ...(twin?.rules ?? [])];
    expect(rules.some((rule) => valueRules.has(rule))).toBe(true);
  }
}

describe("property 3, where rules look at values, and tools fail", () => {
  it("untrusted data can prevent a trusted action, but no model that it steers can take one", async () => {
    const counts: Counts = { same: 0, prevented: 0, parted: 0 };
    const check = async (...[world, one, other, secret, program]: Inputs): Promise<void> => {
      const a = roundsOf(await play(world, { untrusted: one, secret }, program));
      const b = roundsOf(await play(world, { untrusted: other, secret }, program));
      for (const { isTrusted, calls } of [...a, ...b]) {
        if (isTrusted) continue;
        expect(calls.filter(({ ran }) => ran && trustedAction(world, ran))).toEqual([]);
      }
      compare(world, a, b, counts);
    };
    const [, ...others] = inputs;
    const linked = fc.constant([
      "https://a.example",
      "https://b.example",
      "www.c.example",
    ] as const);
    // Half of all worlds hold links on one side, so that rules about values have something to find.
    const sides = fc.oneof(payloads, linked);
    await fc.assert(
      fc.asyncProperty(
        worlds({
          endorseBits: 0,
          sendRule: ["permitted_flow", "permitted_flow", "both", "either"],
        }),
        sides,
        ...others,
        check,
      ),
      {
        numRuns: 300,
      },
    );
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0);
  });
});

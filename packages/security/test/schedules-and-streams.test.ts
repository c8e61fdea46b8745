import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hiddenValues, labelOf } from "../src/index.js";
import { worldData, worlds } from "./world/flow-world.js";
import { contentsOf, decisionsOf, type Played, play, programs } from "./world/stage.js";

/** Lets calls that wait go on one by one, in an order that numbers decide on. */
function gate(order: readonly number[]) {
  const waiting: (() => void)[] = [];
  let turn = 0;
  const next = (): void => {
    const at = (order[turn % order.length] ?? 0) % waiting.length;
    turn += 1;
    waiting.splice(at, 1)[0]?.();
    if (waiting.length > 0) setImmediate(next);
  };
  return () =>
    new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(next);
    });
}

/** What was decided, what ran with what, and all labels: whatever the ids of hidden values are. */
function outcomeOf({ session, executed }: Played) {
  const byCall = [...executed].sort((a, b) => a.callId.localeCompare(b.callId));
  return {
    decisions: decisionsOf(session).map(({ verdict, violations, callId }) => [
      callId,
      verdict,
      violations.map(({ rule, argument }) => [rule, argument]),
    ]),
    ran: byCall.map(({ tool, args }) => [tool, args]),
    answers: session.messages.map((message) => labelOf(message)),
    results: contentsOf(session.messages, "function_result").map(({ contents }) =>
      contents.map((content) => labelOf(content)),
    ),
    hidden: hiddenValues(session)
      .map(({ label, origin: { callId, tool, path }, value }) =>
        JSON.stringify([callId, tool, path, label, value]),
      )
      .sort(),
  };
}

const orders = fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 8 });

describe("property 5: schedule independence", () => {
  it("the order in which calls of a batch finish changes no verdict, no label and nothing that runs", async () => {
    let reordered = 0;
    const inputs = [worlds({ without: ["write_note"] }), worldData, programs, orders] as const;
    await fc.assert(
      fc.asyncProperty(...inputs, async (world, data, any, order) => {
        // An id that is guessed, or read in untrusted text, stands for whatever was hidden under it.
        fc.pre(!JSON.stringify(data).includes("$ref"));
        const program = { ...any, guesses: false };
        const straight = await play(world, data, program, { before: gate([0]) });
        const other = await play(world, data, program, { before: gate(order) });
        expect(outcomeOf(other)).toEqual(outcomeOf(straight));
        const calls = ({ executed }: Played) => executed.map(({ callId }) => callId).join();
        if (calls(straight) !== calls(other)) reordered += 1;
      }),
      { numRuns: 150 },
    );
    expect(reordered).toBeGreaterThan(10);
  });
});

describe("property 6: streaming is the same as not streaming", () => {
  it("in decisions, labels, messages, and what is kept of the conversation", async () => {
    const sizes = fc.integer({ min: 1, max: 9 });
    await fc.assert(
      fc.asyncProperty(
        worlds(),
        worldData,
        programs,
        sizes,
        async (world, data, program, chunkSize) => {
          const whole = await play(world, data, program);
          const streamed = await play(world, data, program, {
            chunkSize,
            runOptions: { onUpdate: () => {} },
          });
          expect(JSON.parse(JSON.stringify(streamed.session))).toEqual(
            JSON.parse(JSON.stringify(whole.session)),
          );
          expect(outcomeOf(streamed)).toEqual(outcomeOf(whole));
        },
      ),
      { numRuns: 150 },
    );
  });
});

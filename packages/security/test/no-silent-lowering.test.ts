import type { Message } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EndorseRule, hiddenValues, labelOf, memoryFlowAudit } from "../src/index.js";
import type { ContentLabel } from "../src/labels/content-label.js";
import { defaultLattice as lattice } from "../src/labels/label-lattice.js";
import { worldData, worlds } from "./world/flow-world.js";
import { callsIn, contentsOf, type Played, play, programs } from "./world/stage.js";

const rules: readonly EndorseRule[] = [
  { type: "value", maxBits: 1 },
  { type: "lookup", results: ["upper"] },
];

/** The labels of results, without those of calls that did not run: the loop answers them in words of its own. */
function resultLabels(messages: readonly Message[]): readonly [string, ContentLabel][] {
  return contentsOf(messages, "function_result").flatMap(({ callId, contents }) =>
    contents.flatMap((content): [string, ContentLabel][] => {
      const label = labelOf(content);
      return label === undefined ? [] : [[callId, label]];
    }),
  );
}

/** By call id: the label of the message that made it, joined with those of the values that it refers to. */
function inputsOf({ session }: Played): ReadonlyMap<string, ContentLabel> {
  const hidden = new Map(hiddenValues(session).map(({ id, label }) => [id, label]));
  return new Map(
    session.messages.flatMap((message) =>
      callsIn([message]).map(({ callId, arguments: args }): [string, ContentLabel] => {
        const ids = JSON.stringify(args).match(/(?<="(?:\$ref|variable)":"|"refs":\[")v\d+/g) ?? [];
        const named = ids.map((id) => hidden.get(id) ?? lattice.bottom);
        return [callId, lattice.joinAll([labelOf(message) ?? lattice.top, ...named])];
      }),
    ),
  );
}

/** Everything that is less than what it was made of, by the call that made it. */
function lowered(played: Played): readonly string[] {
  const { session } = played;
  const inputs = inputsOf(played);
  const made = hiddenValues(session).map(({ origin, label }): [string, ContentLabel] => [
    origin.callId ?? "",
    label,
  ]);
  // A result that is hidden says what its call said; what is visible says all that it was made of.
  const shown = contentsOf(session.messages, "function_result").flatMap(({ callId, contents }) =>
    contents.flatMap((content): [string, ContentLabel][] => {
      const isHidden = content.type === "text" && content.text.includes('{"$ref":"v');
      const label = labelOf(content);
      return label === undefined || isHidden ? [] : [[callId, label]];
    }),
  );
  return [...made, ...shown].flatMap(([callId, label]) =>
    withoutBits(inputs.get(callId), label) ? [] : [callId],
  );
}

/** Bits apart: those of an answer are bounded by its form. */
function withoutBits(input: ContentLabel | undefined, label: ContentLabel): boolean {
  const plain = ({ capacity: _, ...rest }: ContentLabel) => lattice.label(rest);
  return lattice.flowsTo(plain(input ?? lattice.top), plain(label));
}

describe("property 2: no silent lowering", () => {
  it("an answer is labelled with all that stands before it", async () => {
    await fc.assert(
      fc.asyncProperty(
        worlds({ endorse: rules }),
        worldData,
        programs,
        async (world, data, program) => {
          const { session } = await play(world, data, program);
          let before = lattice.bottom;
          for (const message of session.messages) {
            const label = message.role === "assistant" ? labelOf(message) : undefined;
            if (label !== undefined) expect(lattice.flowsTo(before, label)).toBe(true);
            const results = resultLabels([message]).map(([, each]) => each);
            before = lattice.joinAll([before, ...results, ...(label ? [label] : [])]);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it("what comes out of a call is no less than what went in", async () => {
    await fc.assert(
      fc.asyncProperty(worlds(), worldData, programs, async (world, data, any) => {
        const program = { ...any, guesses: false };
        expect(lowered(await play(world, data, program))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it("but where the policy endorses it, and then it is written down", async () => {
    let endorsed = 0;
    await fc.assert(
      fc.asyncProperty(
        worlds({ endorse: rules, with: ["send", "upper"] }),
        worldData,
        programs,
        async (world, data, any) => {
          const program = { ...any, guesses: false };
          const audit = memoryFlowAudit();
          const less = lowered(await play(world, data, program, { audit }));
          const entries = audit.entries.filter(({ kind }) => kind === "endorse");
          const written = new Set(entries.map(({ details }) => details["callId"]));
          expect(less.filter((callId) => !written.has(callId))).toEqual([]);
          endorsed += less.length;
        },
      ),
      { numRuns: 200 },
    );
    expect(endorsed).toBeGreaterThan(0);
  });
});

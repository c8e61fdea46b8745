import { chatMiddleware, type Message } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { labelOf, withLabel } from "../src/index.js";
import type { ContentLabel } from "../src/labels/content-label.js";
import { defaultLattice as lattice } from "../src/labels/label-lattice.js";
import { worldData, worlds } from "./world/flow-world.js";
import { play, programs } from "./world/stage.js";

/** What stands at a message's parts; the words of the loop for a call that did not run say what the call said. */
function labelsOf(message: Message): readonly ContentLabel[] {
  const parts = message.contents.flatMap((content) =>
    content.type === "function_result" ? content.contents : [content],
  );
  return [ownLabel(message), ...parts.map((part) => labelOf(part))].flatMap((label) => label ?? []);
}

/** What the message itself says, without the hidden values that its parts have shown the user. */
function ownLabel(message: Message): ContentLabel | undefined {
  return labelOf({ ...message, contents: [] });
}

const joinOf = (messages: readonly Message[]): ContentLabel =>
  lattice.joinAll(messages.flatMap(labelsOf));

describe("property 8: the label of the context", () => {
  it("is the join of the parts that were sent, no less and no more", async () => {
    await fc.assert(
      fc.asyncProperty(worlds(), worldData, programs, async (world, data, program) => {
        const { client, session } = await play(world, data, program);
        const answers = session.messages.filter(({ role }) => role === "assistant");
        expect(answers.length).toBe(client.requests.length);
        for (const [at, { messages }] of client.requests.entries()) {
          expect(answers[at] && ownLabel(answers[at])).toEqual(joinOf(messages));
        }
      }),
      { numRuns: 150 },
    );
  });

  it("stays what it was when a summary with the join of what it replaces stands there instead", async () => {
    let tainted = 0;
    const kept = fc.integer({ min: 0, max: 3 });
    await fc.assert(
      fc.asyncProperty(worlds(), worldData, programs, kept, async (world, data, program, keep) => {
        const joins: ContentLabel[] = [];
        const compaction = chatMiddleware("compaction", (context, next) => {
          const { messages } = context;
          joins.push(joinOf(messages));
          context.messages = compacted(messages, keep, true);
          return next();
        });
        const { session } = await play(world, data, program, { middleware: [compaction] });
        const answers = session.messages.filter(({ role }) => role === "assistant");
        expect(answers.map(ownLabel)).toEqual(joins);
        tainted += joins.filter(({ integrity }) => integrity === "untrusted").length;
      }),
      { numRuns: 100 },
    );
    expect(tainted).toBeGreaterThan(10);
  });

  it("is the worst where a summary does not say what it was made of", async () => {
    await fc.assert(
      fc.asyncProperty(worlds(), worldData, programs, async (world, data, program) => {
        const compaction = chatMiddleware("compaction", (context, next) => {
          context.messages = compacted(context.messages, 1, false);
          return next();
        });
        const { session } = await play(world, data, program, { middleware: [compaction] });
        const [first, second, ...others] = session.messages.filter(
          ({ role }) => role === "assistant",
        );
        // The first of them has nothing to sum up.
        expect(first && ownLabel(first)).toEqual(lattice.bottom);
        for (const each of [second, ...others]) expect(each && ownLabel(each)).toEqual(lattice.top);
      }),
      { numRuns: 40 },
    );
  });
});

/** A summary instead of all but the user's and the last messages. */
function compacted(
  messages: readonly Message[],
  keep: number,
  labelled: boolean,
): readonly Message[] {
  const from = Math.max(0, messages.length - keep);
  const old = messages.slice(0, from).filter(({ role }) => role !== "user");
  if (old.length === 0) return messages;
  const whole: Message = {
    id: `summary_${from}`,
    role: "system",
    contents: [{ type: "text", text: `What was said before: ${old.length}.` }],
    createdAt: 0,
  };
  return [
    labelled ? withLabel(whole, joinOf(old)) : whole,
    ...messages.slice(0, from).filter(({ role }) => role === "user"),
    ...messages.slice(from),
  ];
}

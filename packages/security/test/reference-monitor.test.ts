import type { AgentSession } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { explain, hiddenValues, labelOf, type ValueOrigin } from "../src/index.js";
import { monitor } from "./reference-monitor.js";
import { worldData, worlds } from "./world/flow-world.js";
import { callsIn, type Played, play, programs } from "./world/stage.js";
import { isTainted, tagOf } from "./world/tag.js";
import { type Action, numbered } from "./world/trace.js";

/** What the model did, round by round, with what the tools really gave back. */
function traceOf({ session, executed }: Played): readonly (readonly Action[])[] {
  return session.messages.flatMap((message) => {
    const calls = callsIn([message]);
    if (calls.length === 0) return [];
    return [
      calls.map(({ callId, name, arguments: args = {} }) => {
        const { result } = executed.find((each) => each.callId === callId) ?? {};
        return { callId, tool: name, args, result };
      }),
    ];
  });
}

/** What is hidden in a session, by place. */
function hiddenIn(session: AgentSession) {
  const all = hiddenValues(session);
  const calls = new Set(all.map(({ origin }) => origin.callId));
  return [...calls].flatMap((callId) =>
    numbered(
      callId,
      all.flatMap((each) => (each.origin.callId === callId ? [[placeOf(each.origin), each]] : [])),
    ),
  );
}

/** The monitor counts the parts of an answer of the quarantine, whatever they are called. */
function placeOf({ tool, path }: ValueOrigin): string | undefined {
  return tool === "quarantined_llm" ? "$" : path;
}

describe("property 14: the engine agrees with a reference monitor", () => {
  it("on every verdict, on the label of every answer, and on what is hidden with which label", async () => {
    const seen = { denied: 0, ran: 0, hidden: 0, untrusted: 0 };
    await fc.assert(
      fc.asyncProperty(worlds(), worldData, programs, async (world, data, program) => {
        const played = await play(world, data, program);
        const { session } = played;
        const found = monitor(
          world,
          traceOf(played),
          Object.fromEntries(hiddenIn(session).map(([at, { id, value }]) => [id, { value, at }])),
        );
        const calls = callsIn(session.messages);
        const verdicts = calls.map(({ callId }) => [
          callId,
          explain(session, callId)?.verdict === "run",
        ]);
        expect(Object.fromEntries(verdicts)).toEqual(found.runs);
        const answers = session.messages.filter(({ role }) => role === "assistant");
        // What the model has said; the hidden values that it shows have labels of their own.
        const said = answers.map((each) => labelOf({ ...each, contents: [] }) ?? "untrusted");
        expect(said.map(tagOf)).toEqual(found.answers);
        const hidden = hiddenIn(session).map(([at, { label }]) => [at, tagOf(label)]);
        expect(Object.fromEntries(hidden)).toEqual(found.hidden);
        seen.hidden += hidden.length;
        for (const [, ran] of verdicts) seen[ran ? "ran" : "denied"] += 1;
        seen.untrusted += found.answers.filter(isTainted).length;
      }),
      { numRuns: 300 },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(50);
  });
});

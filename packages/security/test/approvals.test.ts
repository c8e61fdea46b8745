import { AgentSession, approve, deny, type FunctionApprovalRequestContent } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { explain } from "../src/index.js";
import { worldData, worlds } from "./world/flow-world.js";
import { callsIn, programs, stage } from "./world/stage.js";

/** What a person, or somebody who poses as one, does with a question. */
type Deed = "approve" | "deny" | "replay" | "restart" | "mix";

const deeds = fc.array(
  fc.constantFrom<Deed>("approve", "approve", "deny", "replay", "restart", "mix"),
  {
    minLength: 3,
    maxLength: 10,
  },
);

describe("property 9: a yes is for one call, once", () => {
  it("whatever is answered, again, for another call, or after a restart", async () => {
    const seen = { approved: 0, replayed: 0 };
    await fc.assert(
      fc.asyncProperty(worlds(), worldData, programs, deeds, async (world, data, program, list) => {
        const { agent, executed } = stage(world, data, program, { mode: "approve" });
        let session = new AgentSession({ id: "s" });
        const yes = new Set<string>();
        const old: FunctionApprovalRequestContent[] = [];
        await agent.run("Pay alice.", { session });
        for (const deed of list) {
          const [request, other] = session.pending;
          if (deed === "restart") {
            session = AgentSession.fromJSON(JSON.parse(JSON.stringify(session)));
            continue;
          }
          const answer = answerOf(deed, request, other, old);
          if (answer === undefined) continue;
          if (deed === "replay") seen.replayed += 1;
          if (deed !== "replay" && request) old.push(request);
          const isOpen = session.pending.some((each) => each.requestId === answer.requestId);
          if (answer.approved && isOpen) yes.add(callOfRequest(answer.requestId, session));
          await agent.run(answer, { session }).catch(() => {});
        }
        for (const { callId } of callsIn(session.messages)) {
          const times = executed.filter((each) => each.callId === callId).length;
          expect(times).toBeLessThanOrEqual(1);
          const violations = explain(session, callId)?.violations ?? [];
          if (times === 1 && violations.length > 0) {
            expect(yes).toContain(callId);
            seen.approved += 1;
          }
        }
        // Nothing runs that the log does not tell of.
        const logged = new Set(callsIn(session.messages).map(({ callId }) => callId));
        expect(executed.filter(({ callId }) => !logged.has(callId))).toEqual([]);
      }),
      { numRuns: 200 },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(5);
  });
});

function callOfRequest(requestId: string, { pending }: AgentSession): string {
  return pending.find((each) => each.requestId === requestId)?.call.callId ?? "";
}

function answerOf(
  deed: Deed,
  request: FunctionApprovalRequestContent | undefined,
  other: FunctionApprovalRequestContent | undefined,
  old: readonly FunctionApprovalRequestContent[],
) {
  const [before] = old;
  if (deed === "replay") return before && approve(before);
  if (request === undefined) return undefined;
  if (deed === "approve") return approve(request);
  if (deed === "deny") return deny(request);
  // The answer to one question, with the name of another call, or of none.
  return { ...approve(other ?? request), requestId: `${request.requestId}x` };
}

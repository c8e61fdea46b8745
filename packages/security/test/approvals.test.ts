import { AgentSession, approve, deny, type FunctionApprovalRequestContent } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { explain } from "../src/index.js";
import { type World, type WorldData, worldData, worlds } from "./world/flow-world.js";
import type { Program } from "./world/planner.js";
import { programs, type Stage, stage } from "./world/stage.js";

/** What a person, or somebody who poses as one, does with a question. */
type Deed = "approve" | "deny" | "replay" | "restart" | "mix";

const deeds = fc.array(
  fc.constantFrom<Deed>("approve", "approve", "deny", "replay", "restart", "mix"),
  {
    minLength: 3,
    maxLength: 10,
  },
);

interface Counts {
  approved: number;
  replayed: number;
}

type Inputs = [World, WorldData, Program, readonly Deed[]];

/** What a person has said yes to, by call id, while the question was open. */
async function deal(staged: Stage, begun: AgentSession, list: readonly Deed[], counts: Counts) {
  let session = begun;
  const yes = new Set<string>();
  const old: FunctionApprovalRequestContent[] = [];
  for (const deed of list) {
    if (deed === "restart") session = AgentSession.fromJSON(JSON.parse(JSON.stringify(session)));
    const [request, other] = session.pending;
    const answer = answerOf(deed, request, other, old);
    if (answer === undefined) continue;
    if (deed === "replay") counts.replayed += 1;
    else if (request) old.push(request);
    const asked = session.pending.find(({ requestId }) => requestId === answer.requestId);
    if (answer.approved && asked) yes.add(asked.call.callId);
    await staged.agent.run(answer, { session }).catch(() => {});
  }
  return { session, yes };
}

describe("property 9: a yes is for one call, once", () => {
  it("whatever is answered, again, for another call, or after a restart", async () => {
    const counts: Counts = { approved: 0, replayed: 0 };
    const checkAll = async (...[world, data, program, list]: Inputs): Promise<void> => {
      const staged = stage(world, data, program, { mode: "approve" });
      const begun = new AgentSession({ id: "s" });
      await staged.agent.run("Pay alice.", { session: begun });
      const { session, yes } = await deal(staged, begun, list, counts);
      const ran = staged.executed.map(({ callId }) => callId);
      expect(new Set(ran).size).toBe(ran.length);
      const broken = ran.filter((callId) => explain(session, callId)?.violations.length !== 0);
      for (const callId of broken) expect(yes).toContain(callId);
      counts.approved += broken.length;
    };
    const inputs = [worlds(), worldData, programs, deeds] as const;
    await fc.assert(fc.asyncProperty(...inputs, checkAll), { numRuns: 200 });
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(5);
  });
});

function answerOf(
  deed: Deed,
  request: FunctionApprovalRequestContent | undefined,
  other: FunctionApprovalRequestContent | undefined,
  old: readonly FunctionApprovalRequestContent[],
) {
  if (deed === "restart") return undefined;
  const [before] = old;
  if (deed === "replay") return before && approve(before);
  if (request === undefined) return undefined;
  if (deed === "approve") return approve(request);
  if (deed === "deny") return deny(request);
  // The answer to one question, with the name of another call, or of none.
  return { ...approve(other ?? request), requestId: `${request.requestId}x` };
}

import type { FunctionApprovalRequestContent } from "../messages/content.js";
import type { Message } from "../messages/message.js";
import { heldCallIds, isHosted, openRequests, requestsIn } from "../messages/requests.js";
import type { ApprovalKey } from "./approval-keys.js";
import { verifiesPause } from "./sign-batch.js";
import { callsBeside, type WaitingLog } from "./waiting-log.js";

type Request = FunctionApprovalRequestContent;

/**
 * The requests of a log that one of the keys has signed, with everything that stood beside them; of
 * those of a model service there is nothing to prove. One that is left out here is as if it were not
 * there: it is no question, and says nothing about which calls wait together.
 */
export async function genuineRequests(
  log: readonly Message[],
  waiting: WaitingLog,
  keys: readonly ApprovalKey[],
): Promise<readonly Request[]> {
  const all = requestsIn(log);
  const bySignature = new Map<unknown, Request[]>();
  for (const request of all) {
    if (isHosted(request)) continue;
    const pause = bySignature.get(request.signature) ?? [];
    bySignature.set(request.signature, pause);
    pause.push(request);
  }
  const genuine = new Set<unknown>();
  // Those whose calls are closed need no proof: nothing comes of them.
  for (const { signature } of openRequests(log, all)) {
    if (typeof signature !== "string" || genuine.has(signature)) continue;
    const requests = bySignature.get(signature) ?? [];
    if (await verifiesPause(keys, { requests, ...beside(requests, waiting) }, signature)) {
      genuine.add(signature);
    }
    // Forged ones are looked at once, however many there are of one signature.
    bySignature.delete(signature);
  }
  return all.filter((request) => isHosted(request) || genuine.has(request.signature));
}

/** What stands in a log beside the requests of one pause. */
function beside(requests: readonly Request[], waiting: WaitingLog) {
  const paused = new Set(
    requests.flatMap(({ requestId }) => waiting.stagesOf.get(requestId) ?? []),
  );
  return { calls: callsBeside(heldCallIds(requests), waiting), paused: [...paused] };
}

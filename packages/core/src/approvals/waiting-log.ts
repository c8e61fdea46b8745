import type { FunctionCallContent, PausedCallContent } from "../messages/content.js";
import { callsOf, type Message } from "../messages/message.js";
import { isStage } from "../messages/requests.js";

/** What of a log matters to calls that wait: read once, however many of them there are. */
export interface WaitingLog {
  /** By the id of each call: all calls of its message. */
  readonly siblings: ReadonlyMap<string, readonly FunctionCallContent[]>;
  /** Ids of the calls that have a result. */
  readonly closed: ReadonlySet<string>;
  /** Ids of those that got it from this input. */
  readonly closedNow: ReadonlySet<string>;
  /** Calls that have started, each as it was last. */
  readonly stages: ReadonlyMap<string, PausedCallContent>;
  /** The same by the requests they wait for. */
  readonly stagesOf: ReadonlyMap<string, PausedCallContent>;
}

/** @param from Where in the log the input begins. */
export function readWaiting(log: readonly Message[], from: number): WaitingLog {
  const siblings = new Map<string, readonly FunctionCallContent[]>();
  const closed = new Set<string>();
  const closedNow = new Set<string>();
  const stages = new Map<string, PausedCallContent>();
  const stagesOf = new Map<string, PausedCallContent>();
  for (const message of log) {
    const calls = callsOf(message);
    for (const { callId } of calls) if (!siblings.has(callId)) siblings.set(callId, calls);
    for (const stage of message.contents.filter(isStage)) {
      stages.set(stage.callId, stage);
      for (const id of stage.requestIds) stagesOf.set(id, stage);
    }
  }
  log.forEach(({ contents }, at) => {
    for (const content of contents) {
      if (content.type !== "function_result") continue;
      closed.add(content.callId);
      if (at >= from) closedNow.add(content.callId);
    }
  });
  return { siblings, closed, closedNow, stages, stagesOf };
}

/** All calls of the messages that hold some calls. */
export function callsBeside(
  ids: Iterable<string>,
  { siblings }: WaitingLog,
): readonly FunctionCallContent[] {
  const lists = new Set<readonly FunctionCallContent[]>();
  for (const id of ids) {
    const calls = siblings.get(id);
    if (calls) lists.add(calls);
  }
  return [...lists].flat();
}

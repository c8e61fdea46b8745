import type { Agent, AgentInput, AgentResponse, AgentSession } from "@tunic/core";
import { checkStream } from "./check-run.js";
import type { RunReport } from "./run-report.js";

/** Who talks, and who listens. */
export interface Conversation {
  readonly agent: Agent;
  readonly session: AgentSession;
  readonly report: RunReport;
  readonly signal: AbortSignal;
  /** Answers what waits in the session; undefined: somebody will, another time. */
  readonly answer: () => Promise<AgentInput | undefined>;
}

/**
 * Runs the agent until it has finished, or waits for an answer that is not given here. Between an
 * answer and the question before it any time may pass: each is a run of its own in one session.
 *
 * @returns what each run came to.
 */
export async function converse(
  { agent, session, report, signal, answer }: Conversation,
  first: AgentInput | undefined,
): Promise<readonly AgentResponse[]> {
  const responses: AgentResponse[] = [];
  for (let input = first; input !== undefined; input = await answer()) {
    report.begin();
    const stream = agent.stream(input, { session, onEvent: report.onEvent, signal });
    for await (const update of stream) report.onUpdate(update);
    const response = await stream.response;
    checkStream(report, response);
    responses.push(response);
    if (response.outcome !== "paused") break;
  }
  return responses;
}

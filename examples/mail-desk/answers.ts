import { createInterface } from "node:readline/promises";
import {
  approve,
  deny,
  describeRequest,
  type FunctionApprovalRequestContent,
  type FunctionApprovalResponseContent,
  promptForDecisions,
} from "@tunic/core/approvals";
import { type Answers, UsageError, waysToAnswer } from "./command-line.js";

type Requests = readonly FunctionApprovalRequestContent[];
type Decisions = readonly FunctionApprovalResponseContent[];

/** How questions are shown, and to whom. */
export interface AnswerOptions {
  readonly print: (text: string) => void;
  /** Where a person is asked. Not stdout where that is for a program. */
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

/**
 * Answers what a run asks.
 *
 * @returns undefined where that is left to another time.
 * @throws UsageError when there is nobody to ask.
 */
export async function answer(
  requests: Requests,
  who: Answers,
  { print, output, signal }: AnswerOptions,
): Promise<Decisions | undefined> {
  // Shows them itself.
  if (who === "person") return askPerson(requests, output, signal);
  for (const request of requests) print(`\nThe run asks:\n${describeRequest(request)}\n`);
  switch (who) {
    case "yes":
      print("Approved, as --yes says.\n\n");
      return requests.map((request) => approve(request, { reason: "--yes" }));
    case "no":
      print("Denied, as --no says.\n\n");
      return requests.map((request) =>
        deny(request, { reason: "The user has said no to everything here." }),
      );
    case "unattended":
      print(`Approved as with --yes: ${unattended}.\n\n`);
      return requests.map((request) => approve(request, { reason: unattended }));
    case "save":
      return undefined;
    default: {
      const names = requests.map(({ call }) => call.name).join(", ");
      throw new UsageError(
        `the run asks about ${names}, and nobody is there to answer: this is no terminal. Nothing was sent. ${waysToAnswer}`,
      );
    }
  }
}

const unattended = "there is no terminal to ask in, and this run is only a script";

async function askPerson(
  requests: Requests,
  output: NodeJS.WritableStream,
  signal: AbortSignal,
): Promise<Decisions> {
  const lines = createInterface({ input: process.stdin, output });
  const closed = new AbortController();
  // readline takes Ctrl-C for itself, and at the end of the input its question waits for ever.
  lines.once("SIGINT", () => process.emit("SIGINT"));
  lines.once("close", () => closed.abort(new Error("The input has ended: nothing was decided.")));
  const ended = AbortSignal.any([signal, closed.signal]);
  try {
    return await promptForDecisions(requests, {
      question: (text) => lines.question(text, { signal: ended }),
    });
  } catch (error) {
    throw ended.aborted ? ended.reason : error;
  } finally {
    lines.close();
  }
}

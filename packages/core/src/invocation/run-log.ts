import type { PauseContents, WaitingCall } from "../approvals/approval-request.js";
import type {
  FunctionApprovalRequestContent,
  FunctionCallContent,
  FunctionResultContent,
} from "../messages/content.js";
import { modelView } from "../messages/log.js";
import { callsOf, type Message } from "../messages/message.js";
import { asksHosted, waitingCallId } from "../messages/requests.js";
import type { DeltaUpdate } from "../messages/update.js";
import type { Run } from "../run/run.js";
import type { ToolResult } from "../tools/tool.js";
import { errorResult } from "../tools/tool-result.js";
import { resultContent } from "./result-content.js";

/** The calls of a response that are being worked on. */
export interface OpenBatch {
  /** The messages that hold the calls, not yet in the log; none where a batch goes on. */
  messages: readonly Message[];
  /** The calls to be answered. */
  readonly calls: readonly FunctionCallContent[];
  /** All calls of the batch: where it goes on, some may have their result. */
  readonly all: readonly FunctionCallContent[];
  /** Whether a batch goes on that stands in the log already. */
  readonly resumed: boolean;
  /** Id and time of the message that will hold the results. */
  readonly resultsId: string;
  readonly createdAt: number;
  /** By the call's place in `calls`: whether it was started. */
  readonly started: boolean[];
  /** By the call's place in `calls`. */
  readonly results: (FunctionResultContent | undefined)[];
  /** Calls that have started, and wait for answers. */
  waiting: WaitingCall[] | undefined;
  /** Further questions about a batch that went on. */
  questions: Message | undefined;
}

/**
 * The log of one run: what came in, what was added, and what the model sees of both. It only grows,
 * and {@link transcript} is valid at every moment.
 */
export class RunLog {
  readonly callIds = new Set<string>();
  readonly messageIds = new Set<string>();
  /** What the run has added. */
  readonly added: Message[] = [];
  readonly #asked = new Set<string>();
  readonly #run: Run;
  readonly #input: readonly Message[];
  #view: Message[];
  #batch: OpenBatch | undefined;
  /** Where in the view that begins which the service does not hold yet. */
  #unheld = 0;

  constructor(run: Run, messages: readonly Message[]) {
    this.#run = run;
    this.#input = messages;
    this.#view = [...modelView(messages)];
    for (const message of messages) this.#know(message);
    // An agent handler may have run the loop before.
    for (const message of (run.passOf ?? run).transcript) this.#know(message);
  }

  #know(message: Message): void {
    this.messageIds.add(message.id);
    for (const content of message.contents) {
      if (content.type === "function_call") this.callIds.add(content.callId);
      else if (content.type === "function_approval_request") this.#asked.add(content.requestId);
    }
  }

  /** What the model gets to see in the next round: a list of its own, of shared messages. */
  view(): readonly Message[] {
    return this.#view.slice(this.#unheld);
  }

  add(messages: readonly Message[]): void {
    for (const message of messages) {
      this.added.push(message);
      if (message.contents.length > 0) this.#view.push(message);
    }
  }

  open(messages: readonly Message[], calls: readonly FunctionCallContent[]): OpenBatch {
    return this.#begin(messages, calls, calls, false);
  }

  /** Goes on with a batch that stands in the log. */
  resume(calls: readonly FunctionCallContent[], all: readonly FunctionCallContent[]): OpenBatch {
    return this.#begin([], calls, all, true);
  }

  #begin(
    messages: readonly Message[],
    calls: readonly FunctionCallContent[],
    all: readonly FunctionCallContent[],
    resumed: boolean,
  ): OpenBatch {
    this.#batch = {
      messages,
      calls,
      all,
      resumed,
      resultsId: this.#run.newId("message"),
      createdAt: this.#run.now(),
      started: [],
      results: calls.map(() => undefined),
      waiting: undefined,
      questions: undefined,
    };
    return this.#batch;
  }

  /**
   * Notes the requests of a call that pauses.
   *
   * @returns one of them that this log has had before, under which an old answer would count for it.
   */
  repeatedRequest(requests: readonly FunctionApprovalRequestContent[]): string | undefined {
    const repeated = requests.find(({ requestId }) => this.#asked.has(requestId));
    for (const { requestId } of requests) this.#asked.add(requestId);
    return repeated?.requestId;
  }

  /**
   * Puts questions beside the calls of the batch; where it stands in the log already, which only
   * grows, into a message of their own.
   *
   * @returns what a consumer has to be sent.
   */
  ask(batch: OpenBatch, { requests, paused }: PauseContents): readonly DeltaUpdate[] {
    const role = "assistant";
    if (batch.resumed) {
      const contents = [...requests, ...paused];
      const createdAt = this.#run.now();
      batch.questions = { id: this.#run.newId("message"), role, contents, createdAt };
      return [{ type: "delta", messageId: batch.questions.id, role, contents, createdAt }];
    }
    const deltas: DeltaUpdate[] = [];
    batch.messages = batch.messages.map((message) => {
      const ids = new Set(callsOf(message).map((call) => call.callId));
      const contents = [
        ...requests.filter((request) => ids.has(waitingCallId(request))),
        ...paused.filter((stage) => ids.has(stage.callId)),
      ];
      if (contents.length === 0) return message;
      deltas.push({ type: "delta", messageId: message.id, role, contents });
      return { ...message, contents: [...message.contents, ...contents] };
    });
    return deltas;
  }

  /**
   * Puts the batch into the log, with the results that it has. Calls without one stay open.
   *
   * @param held the service holds the batch's own messages, so that only the results are news.
   */
  close(held: boolean): void {
    const batch = this.#batch;
    if (batch === undefined) return;
    this.#batch = undefined;
    const results = resultsMessage(batch);
    const closed = results ? [...batch.messages, results] : batch.messages;
    this.added.push(...closed);
    if (batch.questions) this.added.push(batch.questions);
    if (batch.resumed) this.#goOn(batch);
    else if (held) {
      this.#unheld = this.#view.length;
      if (results) this.#view.push(results);
    } else if (batch.messages.length === 1 && results?.contents.length === batch.calls.length) {
      // The usual case: one message and all its results stand as they are.
      this.#view.push(...closed);
    } else this.#view.push(...modelView(closed));
  }

  /** What the model sees of a batch that waited, once it is complete, comes at the end. */
  #goOn({ all }: OpenBatch): void {
    const ids = new Set(all.map((call) => call.callId));
    const log = [...this.#input, ...this.added];
    const own = log.filter(({ contents }) =>
      contents.some(
        (content) =>
          (content.type === "function_call" || content.type === "function_result") &&
          ids.has(content.callId),
      ),
    );
    // With questions of the service beside it, the batch may have to wait for their answers.
    if (own.some(asksHosted)) this.#view = [...modelView(log)];
    else this.#view.push(...modelView(own));
  }

  /** Gives every call of the batch that has no result one that says what is known of it. */
  interrupt(): OpenBatch | undefined {
    if (this.#batch && isUntouched(this.#batch)) this.#batch = undefined;
    if (this.#batch) interrupt(this.#batch);
    return this.#batch;
  }

  /** What the run has added so far; calls in flight are given the result that says so. */
  transcript(): readonly Message[] {
    if (this.#batch === undefined || isUntouched(this.#batch)) return [...this.added];
    const batch = { ...this.#batch, results: [...this.#batch.results] };
    interrupt(batch);
    const results = resultsMessage(batch);
    return [...this.added, ...batch.messages, ...(results ? [results] : [])];
  }
}

/** A batch that waited and of which nothing has started still waits: nothing about it is lost. */
function isUntouched({ resumed, started }: OpenBatch): boolean {
  return resumed && !started.includes(true);
}

function interrupt(batch: OpenBatch): void {
  for (const [index, { callId }] of batch.calls.entries()) {
    batch.results[index] ??= resultContent(callId, interrupted(batch.started[index] === true));
  }
}

function resultsMessage(batch: OpenBatch): Message | undefined {
  const contents = batch.results.filter((result) => result !== undefined);
  if (contents.length === 0) return undefined;
  return { id: batch.resultsId, role: "tool", contents, createdAt: batch.createdAt };
}

/** The answer to a call of a run that was ended in order. */
export function notRunAtEnd(): ToolResult {
  return errorResult({ code: "run_ended", message: "not run: the run was ended." });
}

/** What a call in flight comes to when its run breaks off. */
export function interrupted(started: boolean): ToolResult {
  return started
    ? errorResult({ code: "interrupted", message: "interrupted: may or may not have run." })
    : errorResult({
        code: "not_run",
        message: "not run: the run was interrupted before.",
        retryable: true,
      });
}

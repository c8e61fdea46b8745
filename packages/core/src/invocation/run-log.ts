import {
  type Content,
  type FunctionCallContent,
  type FunctionResultContent,
  isMadeContent,
} from "../messages/content.js";
import { copyWithRaw } from "../messages/json.js";
import { modelView, openCalls } from "../messages/log.js";
import { callsOf, type Message } from "../messages/message.js";
import type { Run } from "../run/run-context.js";
import { resultText } from "../tools/result-text.js";
import type { ToolResult } from "../tools/tool.js";
import { errorResult, isToolResult } from "../tools/tool-result.js";

/** The calls of a response that are being worked on. */
export interface OpenBatch {
  /** The messages that hold the calls, not yet in the log. */
  readonly messages: readonly Message[];
  readonly calls: readonly FunctionCallContent[];
  /** Id and time of the message that will hold the results. */
  readonly resultsId: string;
  readonly createdAt: number;
  /** By the call's place in `calls`: whether it was started. */
  readonly started: boolean[];
  /** By the call's place in `calls`. */
  readonly results: (FunctionResultContent | undefined)[];
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
  readonly #run: Run;
  readonly #view: Message[];
  #batch: OpenBatch | undefined;
  /** Where in the view that begins which the service does not hold yet. */
  #unheld = 0;

  constructor(run: Run, messages: readonly Message[]) {
    this.#run = run;
    this.#view = [...modelView(messages)];
    for (const message of messages) this.#know(message);
    // An agent handler may have run the loop before.
    for (const message of (run.passOf ?? run).transcript) this.#know(message);
  }

  #know(message: Message): void {
    this.messageIds.add(message.id);
    for (const content of message.contents) {
      if (content.type === "function_call") this.callIds.add(content.callId);
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
    this.#batch = {
      messages,
      calls,
      resultsId: this.#run.newId("message"),
      createdAt: this.#run.now(),
      started: [],
      results: calls.map(() => undefined),
    };
    return this.#batch;
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
    if (held) {
      this.#unheld = this.#view.length;
      if (results) this.#view.push(results);
    } else if (batch.messages.length === 1 && results?.contents.length === batch.calls.length) {
      // The usual case: one message and all its results stand as they are.
      this.#view.push(...closed);
    } else this.#view.push(...modelView(closed));
  }

  /** Puts the batch into the log with requests beside its calls, and without results: nothing of it ran. */
  pause(requests: ReadonlyMap<string, readonly Content[]>): void {
    const batch = this.#batch;
    if (batch === undefined) return;
    this.#batch = undefined;
    for (const message of batch.messages) {
      const added = requests.get(message.id);
      this.added.push(added ? { ...message, contents: [...message.contents, ...added] } : message);
    }
  }

  /** Gives every call of the batch that has no result one that says what is known of it. */
  interrupt(): OpenBatch | undefined {
    if (this.#batch) interrupt(this.#batch);
    return this.#batch;
  }

  /** What the run has added so far; calls in flight are given the result that says so. */
  transcript(): readonly Message[] {
    if (this.#batch === undefined) return [...this.added];
    const batch = { ...this.#batch, results: [...this.#batch.results] };
    interrupt(batch);
    const results = resultsMessage(batch);
    return [...this.added, ...batch.messages, ...(results ? [results] : [])];
  }
}

function interrupt(batch: OpenBatch): void {
  for (const [index, { callId }] of batch.calls.entries()) {
    batch.results[index] ??= resultContent(callId, interrupted(batch.started[index] === true));
  }
}

/** Whether a log ends with answers to a batch of which other calls still wait for theirs. */
export function waitsForAnswers(log: readonly Message[]): boolean {
  const last = log[log.length - 1];
  if (last?.role !== "tool") return false;
  const answered = new Set(
    last.contents.map((content) => (content.type === "function_result" ? content.callId : "")),
  );
  const open = new Set(openCalls(log).map((call) => call.callId));
  return log.some((message) => {
    const calls = callsOf(message);
    return (
      calls.some((call) => answered.has(call.callId)) && calls.some((call) => open.has(call.callId))
    );
  });
}

/** A tool's result as it stands in the log. */
export function resultContent(callId: string, result: ToolResult): FunctionResultContent {
  const { isError, error } = result;
  const contents = ownContents(result);
  if (!isError) return { type: "function_result", callId, contents };
  return { type: "function_result", callId, contents, isError: true, ...(error && { error }) };
}

/**
 * What is in a log never changes, whatever the tool still does with what it returned. Only what it
 * made itself can be in its hands; what a conversion made is nobody else's.
 */
function ownContents(result: ToolResult): readonly Content[] {
  const { contents } = result;
  if (!isToolResult(result) && !contents.some(isMadeContent)) return contents;
  try {
    return contents.map(copyWithRaw);
  } catch {
    // Something in them holds itself, which no log can.
    return [{ type: "text", text: resultText(contents) }];
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

function interrupted(started: boolean): ToolResult {
  return started
    ? errorResult({ code: "interrupted", message: "interrupted: may or may not have run." })
    : errorResult({
        code: "not_run",
        message: "not run: the run was interrupted before.",
        retryable: true,
      });
}

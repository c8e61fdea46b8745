import type { FunctionInvocationContext, MiddlewareTermination, ToolResult } from "@tunic/core";
import type { McpElicitation, McpElicitationAnswer } from "../asking/elicitation.js";
import type { Question } from "../asking/question.js";
import type { Cancellation } from "../client/cancellation.js";
import type { McpProgress } from "../client/mcp-client.js";
import { cancelled } from "../client/run-request.js";

/** What a call comes to. */
export type CallOutcome = ToolResult | MiddlewareTermination<ToolResult>;

interface OpenQuestion {
  question: Question;
  readonly answer: (answer: McpElicitationAnswer) => void;
}

/** The part of a flight that a run waits for: until the call is done, or somebody is asked. */
export interface Leg {
  readonly context: FunctionInvocationContext;
  /** Ends the request, of which the server is told. */
  readonly cancellation: Cancellation;
  readonly onProgress: (progress: McpProgress) => void;
}

/**
 * A call that a server works on. It can outlive the run that has made it: when the server asks a person, that
 * run ends, and another one goes on with the answer.
 */
export class Flight {
  #questions: readonly OpenQuestion[] = [];
  #leg: Leg | undefined;
  #cancellation: Cancellation | undefined;
  #outcome: Promise<CallOutcome> | undefined;
  #wake: (() => void) | undefined;
  #asked = 0;

  /** Of the run that waits for the call; undefined while none does. */
  get context(): FunctionInvocationContext | undefined {
    return this.#leg?.context;
  }

  /** What the server waits for. */
  get questions(): readonly Question[] {
    return this.#questions.map(({ question }) => question);
  }

  begin(leg: Leg, work: () => Promise<CallOutcome>): Promise<CallOutcome | undefined> {
    this.#cancellation = leg.cancellation;
    this.#leg = leg;
    this.#outcome = work();
    return this.#next(this.#outcome);
  }

  /** Another run waits for the call from now on. */
  goOn(leg: Leg): Promise<CallOutcome | undefined> {
    this.#leg = leg;
    leg.cancellation.addEventListener("abort", () => this.#cancellation?.abort(cancelled));
    return this.#next(this.#outcome);
  }

  /** Waits on: a question that has come is none any more. */
  leave(): void {
    this.#leg = undefined;
    this.#wake = undefined;
  }

  readonly progressed = (progress: McpProgress): void => this.#leg?.onProgress(progress);

  /** Resolves when somebody has answered; with `cancel` when the server takes it back. */
  ask(elicitation: McpElicitation, signal: AbortSignal): Promise<McpElicitationAnswer> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve({ action: "cancel" });
      const key = `${this.#asked++}`;
      const answer = (result: McpElicitationAnswer): void => {
        this.#questions = this.#questions.filter((each) => each !== open);
        signal.removeEventListener("abort", takeBack);
        resolve(result);
      };
      const takeBack = (): void => answer({ action: "cancel" });
      signal.addEventListener("abort", takeBack);
      const open: OpenQuestion = { question: { key, elicitation, tries: 0 }, answer };
      this.#questions = [...this.#questions, open];
      this.#wake?.();
    });
  }

  /** One of {@link questions} is answered. */
  answer(key: string, answer: McpElicitationAnswer): void {
    this.#open(key)?.answer(answer);
  }

  /** The same question once more. */
  askAgain(question: Question): void {
    const open = this.#open(question.key);
    if (open !== undefined) open.question = question;
  }

  /** Nobody will answer what is asked. */
  dismiss(): void {
    for (const { answer } of this.#questions) answer({ action: "cancel" });
  }

  /** Nobody will answer, and nobody waits. */
  abandon(): void {
    this.dismiss();
    this.#cancellation?.abort(cancelled);
  }

  /** Calls back when the server is done with it, whoever waits. */
  whenSettled(callback: () => void): void {
    this.#outcome?.then(callback, callback);
  }

  #open(wanted: string): OpenQuestion | undefined {
    return this.#questions.find(({ question }) => question.key === wanted);
  }

  /** Undefined where the server has asked. */
  #next(outcome: Promise<CallOutcome> | undefined): Promise<CallOutcome | undefined> {
    return new Promise((resolve, reject) => {
      this.#wake = () => resolve(undefined);
      if (this.#questions.length > 0) this.#wake();
      outcome?.then(resolve, reject);
    });
  }
}

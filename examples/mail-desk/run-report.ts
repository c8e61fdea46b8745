import {
  addUsage,
  foldUpdates,
  type RunEvent,
  totalTokens,
  type Update,
  type Usage,
} from "@tunic/core";

/** One tool call, as it ended. */
export interface CallReport {
  readonly round: number;
  readonly name: string;
  readonly arguments: object;
  readonly outcome: string;
  readonly errorCode?: string;
  readonly durationMs: number;
}

/** What there is to say about a call that has ended, line by line. */
export type Remarks = (callId: string) => readonly string[];

/** Watches runs of one session, tells about them while they happen and keeps what a summary needs. */
export class RunReport {
  readonly calls: CallReport[] = [];
  /** What a consumer of the last run's stream ends up with. */
  streamed = foldUpdates();
  rounds = 0;
  durationMs = 0;
  usage: Usage | undefined;
  readonly #print: (text: string) => void;
  readonly #earlier: number;
  readonly #remarks: Remarks;
  #midLine = false;

  /**
   * @param print Called with pieces of text that are meant to be read at once.
   * @param earlier How many rounds there were before, in another process.
   * @param remarks What else there is to say about a call. Default: nothing.
   */
  constructor(print: (text: string) => void, earlier = 0, remarks: Remarks = () => []) {
    this.#print = print;
    this.#earlier = earlier;
    this.#remarks = remarks;
  }

  /** The next run begins. */
  begin(): void {
    this.streamed = foldUpdates();
  }

  readonly onEvent = (event: RunEvent): void => {
    switch (event.type) {
      case "model.start":
        this.#line(`── round ${this.#earlier + this.rounds + event.iteration}`);
        break;
      case "model.end":
        this.#line(
          `   model ${event.outcome}, ${event.finishReason ?? "no answer"}, ${tokens(event.usage)}, ${ms(event.durationMs)}`,
        );
        break;
      case "call.end":
        this.#callEnded(event);
        break;
      case "run.end":
        this.rounds += event.rounds;
        this.durationMs += event.durationMs;
        this.usage = addUsage(this.usage, event.usage);
    }
  };

  onUpdate(update: Update): void {
    this.streamed.add(update);
    if (update.type === "retract") this.#line("   (the text above was taken back)");
    if (update.type !== "delta" || update.role !== "assistant") return;
    for (const content of update.contents) {
      if (content.type !== "text" || content.text === "") continue;
      this.#print(content.text);
      this.#midLine = !content.text.endsWith("\n");
    }
  }

  /** The last line. */
  summary(): void {
    const bad = this.calls.filter(({ outcome }) => outcome !== "completed");
    // A person who says no is no failure.
    const denied = bad.filter(({ errorCode }) => errorCode === "approval_denied").length;
    const failed = bad.length - denied;
    const notes = [
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(denied > 0 ? [`${denied} denied`] : []),
    ];
    const calls = `${count(this.calls.length, "call")}${notes.length > 0 ? ` (${notes.join(", ")})` : ""}`;
    this.#line(
      `${count(this.rounds, "round")}, ${calls}, ${tokens(this.usage)}, ${ms(this.durationMs)}`,
    );
  }

  #callEnded(event: RunEvent<"call.end">): void {
    const { toolName: name, iteration, outcome, errorCode, durationMs } = event;
    const round = this.#earlier + this.rounds + iteration;
    const args = event.arguments ?? {};
    const failure = errorCode !== undefined && { errorCode };
    this.calls.push({ round, name, arguments: args, outcome, ...failure, durationMs });
    const why = errorCode === undefined ? "" : ` (${errorCode})`;
    this.#line(`   ${name} ${short(args)} → ${outcome}${why}, ${ms(durationMs)}`);
    for (const remark of this.#remarks(event.callId)) this.#line(`      ${remark}`);
  }

  #line(text: string): void {
    this.#print(`${this.#midLine ? "\n" : ""}${text}\n`);
    this.#midLine = false;
  }
}

function count(number: number, name: string): string {
  return `${number} ${name}${number === 1 ? "" : "s"}`;
}

function short(args: object): string {
  const text = JSON.stringify(args);
  return text.length <= 72 ? text : `${text.slice(0, 71)}…`;
}

function tokens(usage: Usage | undefined): string {
  return usage === undefined
    ? "tokens unknown"
    : `${totalTokens(usage).toLocaleString("en")} tokens`;
}

function ms(duration: number): string {
  return duration < 1000 ? `${Math.round(duration)} ms` : `${(duration / 1000).toFixed(1)} s`;
}

import {
  type Content,
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

/** Watches one run, tells about it while it happens and keeps what a summary needs. */
export class RunReport {
  readonly calls: CallReport[] = [];
  /** What a consumer of the stream ends up with. */
  readonly streamed = foldUpdates();
  rounds = 0;
  durationMs = 0;
  usage: Usage | undefined;
  readonly #print: (text: string) => void;
  readonly #arguments = new Map<string, object>();
  #round = 0;
  #midLine = false;

  /** @param print Called with pieces of text that are meant to be read at once. */
  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  readonly onEvent = (event: RunEvent): void => {
    switch (event.type) {
      case "model.start":
        this.#round = event.iteration;
        this.#line(`── round ${event.iteration}`);
        break;
      case "model.end":
        this.#line(
          `   model ${event.outcome}, ${event.finishReason ?? "no answer"}, ${tokens(event.usage)}, ${ms(event.durationMs)}`,
        );
        break;
      case "call.start":
        this.#arguments.set(event.callId, event.arguments);
        break;
      case "call.end":
        this.#callEnded(event);
        break;
      case "run.end":
        this.rounds = event.rounds;
        this.durationMs = event.durationMs;
        this.usage = event.usage;
    }
  };

  onUpdate(update: Update): void {
    this.streamed.add(update);
    if (update.type === "delta" && update.role === "tool") this.#addNotRun(update.contents);
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
    const failed = this.calls.filter(({ outcome }) => outcome !== "completed").length;
    const calls = `${this.calls.length} calls${failed > 0 ? ` (${failed} failed)` : ""}`;
    this.#line(`${this.rounds} rounds, ${calls}, ${tokens(this.usage)}, ${ms(this.durationMs)}`);
  }

  /** A call that was refused, for its arguments perhaps, has a result without ever having run. */
  #addNotRun(contents: readonly Content[]): void {
    for (const result of contents) {
      if (result.type !== "function_result" || this.#arguments.has(result.callId)) continue;
      const call = this.streamed.messages
        .flatMap((message) => message.contents)
        .find((content) => content.type === "function_call" && content.callId === result.callId);
      if (call?.type !== "function_call") continue;
      this.#add({
        round: this.#round,
        name: call.name,
        arguments: call.arguments ?? {},
        outcome: "failed",
        ...(result.error && { errorCode: result.error.code }),
        durationMs: 0,
      });
    }
  }

  #callEnded(event: RunEvent<"call.end">): void {
    const { toolName: name, iteration: round, outcome, errorCode, durationMs } = event;
    this.#add({
      round,
      name,
      arguments: this.#arguments.get(event.callId) ?? {},
      outcome,
      ...(errorCode !== undefined && { errorCode }),
      durationMs,
    });
  }

  #add(call: CallReport): void {
    this.calls.push(call);
    const failure = call.errorCode === undefined ? "" : ` (${call.errorCode})`;
    this.#line(
      `   ${call.name} ${short(call.arguments)} → ${call.outcome}${failure}, ${ms(call.durationMs)}`,
    );
  }

  #line(text: string): void {
    this.#print(`${this.#midLine ? "\n" : ""}${text}\n`);
    this.#midLine = false;
  }
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

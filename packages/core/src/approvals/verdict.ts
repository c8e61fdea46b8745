import type { FunctionCallContent } from "../messages/content.js";
import type { JsonObject } from "../messages/json.js";
import type { Onion } from "../onion/onion.js";
import { observerOf, type RunContext } from "../run/run-context.js";
import type { AgentSession } from "../session/agent-session.js";
import type { FunctionTool } from "../tools/tool.js";

/** What is to become of a call. */
export type Verdict =
  | { readonly kind: "run" }
  | {
      /** A person decides: the run pauses with a request. */
      readonly kind: "ask";
      readonly reason?: string;
      /** The call in words for people. */
      readonly summary?: string;
      /** The rule that the call would break; no remembered decision ever covers it. */
      readonly violation?: string;
    }
  | {
      readonly kind: "deny";
      /** What the model is told. */
      readonly message: string;
    };

/** What a verdict handler sees of a call, before anything of its batch runs. */
export class VerdictContext {
  readonly tool: FunctionTool;
  readonly call: FunctionCallContent;
  /** As validated. */
  readonly arguments: JsonObject;
  /** All calls of the batch, in order. */
  readonly batch: readonly FunctionCallContent[];
  readonly run: RunContext;
  readonly #bound: AbortSignal | undefined;

  /** @internal */
  constructor(parts: VerdictParts, bound?: AbortSignal) {
    this.tool = parts.tool;
    this.call = parts.call;
    this.arguments = parts.arguments;
    this.batch = parts.batch;
    this.run = parts.run;
    this.#bound = bound;
  }

  /** A context of its own for the inside. @internal */
  inside(bound: AbortSignal | undefined): VerdictContext {
    return new VerdictContext(this, bound ?? this.#bound);
  }

  /** Fires when this work is to stop: with the run, or when a bound of an outer handler fires. */
  get signal(): AbortSignal {
    return this.#bound ?? this.run.signal;
  }

  /** Undefined when the caller gave none. */
  get session(): AgentSession | undefined {
    return this.run.session;
  }
}

type VerdictParts = Pick<VerdictContext, "tool" | "call" | "arguments" | "batch" | "run">;

const kinds: ReadonlySet<unknown> = new Set<Verdict["kind"]>(["run", "ask", "deny"]);

/** The rules of the verdicts: the outermost handler has the last word. */
export const verdictOnion: Onion<VerdictContext, Verdict> = {
  kind: "verdict",
  result: 'a verdict: { kind: "run" }, { kind: "ask" } or { kind: "deny", message }',
  inside: (own, signal) => own.inside(signal),
  signalOf: (own) => own.signal,
  observer: (own) => observerOf(own.run),
  isResult: (value): value is Verdict =>
    typeof value === "object" && value !== null && "kind" in value && kinds.has(value.kind),
  stray(own, error) {
    own.run.notice(error.code, error.message, error);
  },
  abandoned(own, outcome, error) {
    own.run.notice("verdict_abandoned", `A verdict that was given up has ${outcome}.`, error);
  },
};

import type { FunctionCallContent } from "../messages/content.js";
import type { JsonObject } from "../messages/json.js";
import type { Onion } from "../onion/compose.js";
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

  /** @internal */
  constructor(parts: VerdictParts) {
    this.tool = parts.tool;
    this.call = parts.call;
    this.arguments = parts.arguments;
    this.batch = parts.batch;
    this.run = parts.run;
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
  inside: (own) => new VerdictContext(own),
  signalOf: (own) => own.run.signal,
  observer: (own) => observerOf(own.run),
  isResult: (value): value is Verdict =>
    typeof value === "object" && value !== null && "kind" in value && kinds.has(value.kind),
};

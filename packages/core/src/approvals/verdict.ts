import type { FunctionCallContent } from "../messages/content.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../messages/json.js";
import type { Onion } from "../onion/onion.js";
import { observerOf } from "../run/run.js";
import type { RunContext } from "../run/run-context.js";
import type { AgentSession } from "../session/agent-session.js";
import type { RememberedDecision } from "../session/remembered-decision.js";
import type { ApprovalContext, ApprovalDecision, FunctionTool } from "../tools/tool.js";

/** What is to become of a call. */
export type Verdict =
  | { readonly kind: "run" }
  | {
      /** A person decides: the run pauses with a request. */
      readonly kind: "ask";
      readonly reason?: string;
      /** The call in words for people. */
      readonly summary?: string;
      /** The rule that the call would break; no remembered or automatic decision ever covers it. */
      readonly violation?: string;
      /**
       * The arguments as the tool would get them, where a handler knows better than the schema does, as
       * with references that stand for values. JSON. Default: as validated.
       */
      readonly effective?: JsonObject;
      /** Facts for who decides, put on the request as they are. JSON. */
      readonly additionalProperties?: JsonObject;
    }
  | {
      readonly kind: "deny";
      /** What the model is told. */
      readonly message: string;
    };

/** What a verdict handler sees of a call, before anything of its batch runs. */
export class VerdictContext implements ApprovalContext {
  readonly tool: FunctionTool;
  readonly call: FunctionCallContent;
  /** As validated, and as the model wrote them: where something stands for a value, it stands here. */
  readonly written: JsonObject;
  /** All calls of the batch, in order. */
  readonly batch: readonly FunctionCallContent[];
  readonly run: RunContext;
  readonly #parts: VerdictParts;
  readonly #bound: AbortSignal | undefined;

  /** @internal */
  constructor(parts: VerdictParts, bound?: AbortSignal) {
    this.tool = parts.tool;
    this.call = parts.call;
    this.written = parts.arguments;
    this.batch = parts.batch;
    this.run = parts.run;
    this.#parts = parts;
    this.#bound = bound;
  }

  /** As validated, and as the tool's function will get them: with the values that something stands for. */
  get arguments(): JsonObject {
    const parts = this.#parts;
    parts.meant ??= parts.tool.argumentsFor?.(parts.arguments, parts.run) ?? parts.arguments;
    return parts.meant;
  }

  /** A context of its own for the inside. @internal */
  inside(bound: AbortSignal | undefined): VerdictContext {
    return new VerdictContext(this.#parts, bound ?? this.#bound);
  }

  /** Fires when this work is to stop: with the run, or when a bound of an outer handler fires. */
  get signal(): AbortSignal {
    return this.#bound ?? this.run.signal;
  }

  /** The decision of the person who was asked about this call; undefined when nobody was. */
  get decision(): ApprovalDecision | undefined {
    return this.#parts.decision;
  }

  /** What the call is judged by, shared by all layers. @internal */
  static partsOf(context: VerdictContext): VerdictParts {
    return context.#parts;
  }

  /** Undefined when the caller gave none. */
  get session(): AgentSession | undefined {
    return this.run.session;
  }
}

/** What a call is judged by. */
export interface VerdictParts
  extends Pick<VerdictContext, "tool" | "call" | "arguments" | "batch" | "run"> {
  /** What the tool's function would receive. */
  readonly input: unknown;
  /** The arguments with the values that something in them stands for; worked out at most once. */
  meant?: JsonObject;
  /** Told who has ended the run with a verdict. */
  readonly ended: (by: string) => void;
  /** A person's, about this very call. */
  readonly decision?: ApprovalDecision | undefined;
  /** What a yes depends on, by key, as handlers have stated it. */
  facts?: Map<string, () => Promise<JsonValue | undefined>>;
  /** Whether the tool itself wants no approval for this call. */
  needless?: boolean;
  /** One that holds for this call; looked up at most once. */
  recalled?: Promise<RememberedDecision | undefined>;
}

const texts = ["reason", "summary", "violation"] as const;
const objects = ["effective", "additionalProperties"] as const;

function isVerdict(value: unknown): value is Verdict {
  if (!isJsonObject(value)) return false;
  if (value["kind"] === "run") return true;
  if (value["kind"] === "deny") return typeof value["message"] === "string";
  return (
    value["kind"] === "ask" &&
    texts.every((name) => isOptionalText(value[name])) &&
    objects.every((name) => value[name] === undefined || isJsonObject(value[name]))
  );
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

/** The rules of the verdicts: the outermost handler has the last word. */
export const verdictOnion: Onion<VerdictContext, Verdict> = {
  kind: "verdict",
  result: 'a verdict: { kind: "run" }, { kind: "ask", reason? } or { kind: "deny", message }',
  inside: (own, signal) => own.inside(signal),
  signalOf: (own) => own.signal,
  observer: (own) => observerOf(own.run),
  isResult: isVerdict,
  ending(own, { result, endedBy }) {
    VerdictContext.partsOf(own).ended(endedBy ?? "unknown");
    return result;
  },
  stray(own, error) {
    own.run.notice(error.code, error.message, error);
  },
  abandoned(own, outcome, error) {
    own.run.notice("verdict_abandoned", `A verdict that was given up has ${outcome}.`, error);
  },
};

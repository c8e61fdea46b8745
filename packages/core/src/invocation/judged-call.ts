import type { AskedCall } from "../approvals/approval-request.js";
import type { Ruling } from "../approvals/rulings.js";
import type { Verdict, VerdictContext } from "../approvals/verdict.js";
import type { FunctionCallContent } from "../messages/content.js";
import type { JsonObject } from "../messages/json.js";
import type { Core } from "../onion/onion.js";
import type { RunContext } from "../run/run-context.js";
import type { KeptOutcome } from "../run/settlement.js";
import type { RememberedDecision } from "../session/remembered-decision.js";
import type { FunctionTool, Tool, ToolResult } from "../tools/tool.js";
import type { DeniedCalls } from "./denied-calls.js";

/** Who judges: the handlers with the tool's own answer in their middle, or that alone. */
export type Judge = Core<VerdictContext, Verdict>;

/** A call that may run, with what its function will receive. */
export interface RunnableCall {
  readonly kind: "run";
  /** The call's place in its batch. */
  readonly index: number;
  readonly call: FunctionCallContent;
  readonly tool: FunctionTool;
  readonly arguments: JsonObject;
  readonly input: unknown;
  /** What people have decided about it. */
  readonly ruling?: Ruling | undefined;
  /** The remembered decision that lets it run. */
  readonly by?: RememberedDecision | undefined;
  /** What it was judged with, where handlers have judged it. */
  readonly context?: VerdictContext | undefined;
}

/** A call that somebody has to be asked about. */
export interface JudgedQuestion extends AskedCall {
  readonly kind: "ask";
  readonly index: number;
}

/** A call of a tool that the caller runs. */
export interface OpenCall {
  readonly kind: "open";
  readonly call: FunctionCallContent;
  readonly tool: FunctionTool;
  readonly arguments: JsonObject;
  readonly input: unknown;
}

/** What becomes of a call: it runs, it has its answer already, or it goes back to the caller. */
export type JudgedCall =
  | RunnableCall
  | JudgedQuestion
  | { readonly kind: "answered"; readonly result: ToolResult; readonly byPerson?: boolean }
  /** An earlier pass of the same run has seen to it. */
  | { readonly kind: "kept"; readonly outcome: KeptOutcome }
  | OpenCall;

/** What a batch is judged by. */
export interface BatchTerms {
  /** The tools that the request held which produced the batch, as finally sent. */
  readonly tools: readonly Tool[];
  /** Whether the token limit cut the response. */
  readonly cut: boolean;
  readonly terminateOnUnknownCalls: boolean;
  readonly run: RunContext;
  /** The composed verdicts; absent without verdict handlers. */
  readonly verdict: Judge | undefined;
  /** Told who has ended the run with a verdict. */
  readonly ended: (by: string) => void;
  /** Whether the tool choice was `none`: a call that comes all the same does not run. */
  readonly forbidden: boolean;
  /** Calls that a person has denied in this run. */
  readonly denied: DeniedCalls;
  /** Set where a batch that waited goes on. */
  readonly held?: HeldTerms | undefined;
}

/** What a batch that waited goes on with. */
export interface HeldTerms {
  /** What an earlier pass of the same run has come to, by call id. */
  readonly outcomes: ReadonlyMap<string, KeptOutcome>;
  /** What people have decided, by call id. */
  readonly rulings: ReadonlyMap<string, Ruling>;
  /** The calls that may run at all; the others were refused when they were made. */
  readonly ids: ReadonlySet<string>;
  /** All calls of the batch, those included that have their result. */
  readonly batch: readonly FunctionCallContent[];
}

import type { FunctionCallContent } from "../messages/content.js";
import type { JsonObject } from "../messages/json.js";
import type { Message } from "../messages/message.js";
import type { FinishReason } from "../messages/update.js";
import type { Usage } from "../messages/usage.js";

/** What every event tells about where it comes from. */
export interface RunEventSource {
  readonly runId: string;
  readonly parentRunId?: string;
  readonly sessionId?: string;
  readonly agentId?: string;
  readonly agentName?: string;
}

/** How a run ended: as the response says, or by an abort or an error. */
export type RunEndOutcome = "completed" | "paused" | "ended" | "limit" | "aborted" | "failed";

/** Which call an event tells about. */
export interface CallDetails {
  readonly callId: string;
  readonly toolName: string;
  readonly iteration: number;
  /** As validated, or as the model wrote them; absent where they were no object. */
  readonly arguments?: JsonObject;
}

/** What happens in a run, by name. Every start has exactly one end; durations are milliseconds. */
export interface RunEventMap {
  "run.start": { readonly messages: readonly Message[] };
  "run.end": {
    readonly outcome: RunEndOutcome;
    readonly durationMs: number;
    readonly rounds: number;
    readonly usage?: Usage;
    readonly error?: unknown;
    /** What the run added to its log. */
    readonly transcript: readonly Message[];
  };
  "model.start": { readonly iteration: number; readonly messages: readonly Message[] };
  "model.end": {
    readonly iteration: number;
    readonly outcome: "completed" | "failed" | "aborted";
    readonly durationMs: number;
    readonly usage?: Usage;
    readonly finishReason?: FinishReason;
    readonly error?: unknown;
  };
  "call.start": CallDetails;
  "call.end": CallDetails & {
    /**
     * `refused`: answered without running, because it was unknown, invalid, denied or over a limit.
     * `paused`: waits for answers, such as a sub-agent; it starts again with them.
     */
    readonly outcome: "completed" | "failed" | "interrupted" | "refused" | "paused";
    readonly durationMs: number;
    /** How often the tool's own function was started for this call. */
    readonly attempts: number;
    /** Length of the result as it is stored, in UTF-8 bytes of its JSON. */
    readonly bytes: number;
    readonly errorCode?: string;
    /** What was thrown; for logs, the model may not have seen it. */
    readonly error?: unknown;
  };
  /** A function went on after its run was over. One that only obeyed its signal is not told. */
  "call.abandoned": {
    readonly callId: string;
    readonly toolName: string;
    readonly outcome: "completed" | "failed";
    readonly error?: unknown;
  };
  "approval.requested": { readonly requestId: string; readonly call: FunctionCallContent };
  /** Sent when the decision takes effect; a request that has expired counts as denied. */
  "approval.decided": {
    readonly requestId: string;
    readonly approved: boolean;
    readonly decidedBy?: string;
  };
  /** A layer of an onion. Sent to listeners of this name only, not to `onEvent`. */
  "layer.start": { readonly kind: string; readonly middleware: string };
  "layer.end": {
    readonly kind: string;
    readonly middleware: string;
    readonly outcome: "completed" | "failed";
    readonly durationMs: number;
  };
  "tools.changed": { readonly added: readonly string[]; readonly removed: readonly string[] };
  /** Something went wrong that is deliberately not fatal. */
  notice: { readonly code: string; readonly message: string; readonly error?: unknown };
}

export type RunEventName = keyof RunEventMap;

const names: Readonly<Record<RunEventName, true>> = {
  "run.start": true,
  "run.end": true,
  "model.start": true,
  "model.end": true,
  "call.start": true,
  "call.end": true,
  "call.abandoned": true,
  "layer.start": true,
  "layer.end": true,
  "approval.requested": true,
  "approval.decided": true,
  "tools.changed": true,
  notice: true,
};

/** The names of all events. */
export const runEventNames: ReadonlySet<string> = new Set(Object.keys(names));

/** One event, by name: its members and where it comes from. */
export type RunEvent<Name extends RunEventName = RunEventName> = {
  [Each in Name]: { readonly type: Each } & RunEventSource & RunEventMap[Each];
}[Name];

export type RunEventListener<Name extends RunEventName = RunEventName> = (
  event: RunEvent<Name>,
) => unknown;

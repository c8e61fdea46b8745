import type { JsonObject } from "@tunic/core";
import type { FlowRemedy, FlowViolation } from "../policy/flow-policy.js";

/** What was decided on a call, and why. Plain JSON, without contents. */
export interface FlowDecision {
  readonly callId: string;
  /** As the policy calls it. */
  readonly tool: string;
  /** `run`: no rule is broken; `deny`, `ask`; `shadow`: would have been denied. */
  readonly verdict: "run" | "deny" | "ask" | "approved" | "shadow";
  /** Of the request that produced the call. */
  readonly callLabel: JsonObject;
  readonly violations: readonly FlowViolation[];
  /** Of the denial, where it tells of the values in the call: see `endorseBits`. */
  readonly told?: JsonObject;
  readonly remedies: readonly FlowRemedy[];
  /** What was let through although it is untrusted: where (empty: the whole call), and its bits. */
  readonly endorsed: readonly { readonly at: string; readonly bits: number }[];
  /** Hash of the policy. */
  readonly policy: string;
}

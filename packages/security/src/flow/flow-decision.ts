import type { JsonObject } from "@tunic/core";
import type { FlowRemedy, FlowViolation } from "../policy/flow-policy.js";

/** What was decided on a call, and why. Plain JSON, without contents. */
export interface FlowDecision {
  /** As in the log. */
  readonly callId: string;
  /** As the policy calls it. */
  readonly tool: string;
  /**
   * `run`: no rule is broken (the tool itself may still ask); `deny`; `ask`: a person is to decide;
   * `approved`: one has; `shadow`: it ran, and would have been denied.
   */
  readonly verdict: "run" | "deny" | "ask" | "approved" | "shadow";
  /** Of the request that produced the call. */
  readonly callLabel: JsonObject;
  /** What is wrong with the call; empty where nothing is. */
  readonly violations: readonly FlowViolation[];
  /** Of the denial, where it tells of untrusted values in the call, and there were no bits left for that. */
  readonly told?: JsonObject;
  /** What could be done instead. */
  readonly remedies: readonly FlowRemedy[];
  /** What was let through although it is untrusted: where (empty: the whole call), and its bits. */
  readonly endorsed: readonly { readonly at: string; readonly bits: number }[];
  /** Hash of the policy. */
  readonly policy: string;
}

import type { JsonObject } from "../messages/json.js";

/** A decision that holds for further calls of one tool. Plain JSON, part of its session. */
export interface RememberedDecision {
  readonly id: string;
  readonly approved: boolean;
  /** Name, owner and hash of the definition: another owner's tool, or a changed one, is not meant. */
  readonly tool: { readonly name: string; readonly owner?: string; readonly hash: string };
  /** Which calls: all, those with exactly these arguments, or those in which these members are equal. */
  readonly scope: "tool" | { readonly arguments: JsonObject } | { readonly matching: JsonObject };
  /** Milliseconds since the epoch. Absent: as long as the session lives. */
  readonly until?: number;
  /** For how many further calls. Absent: no limit. */
  readonly usesLeft?: number;
  readonly decidedBy?: string;
  /** The facts that the person was told: an approval holds for calls with the same only. */
  readonly additionalProperties?: JsonObject;
  /** The request that was answered so. */
  readonly requestId: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

import type { AgentSession } from "@tunic/core";
import { flowMemoryIn, type StoredVariable } from "./flow-memory.js";

/** A value that is hidden from the model of a conversation. */
export interface HiddenValue extends StoredVariable {
  /** Such as `v3`. */
  readonly id: string;
}

/** What is hidden in a conversation, the oldest first: for people, who may see it, never for a model. */
export function hiddenValues(session: AgentSession): readonly HiddenValue[] {
  return Object.entries(flowMemoryIn(session).variables).map(([id, stored]) => ({ id, ...stored }));
}

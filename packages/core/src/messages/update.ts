import type { Content } from "./content.js";
import type { JsonObject } from "./json.js";
import type { Message, Role } from "./message.js";
import type { Usage } from "./usage.js";

/** Why a model stopped. Further words of a service may come in. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | (string & {});

/** A piece of a message. Text and argument text append, other contents are added. */
export interface DeltaUpdate {
  readonly type: "delta";
  readonly messageId: string;
  readonly role: Role;
  readonly contents: readonly Content[];
  /** Milliseconds since the epoch; the first delta of a message carries it. */
  readonly createdAt?: number;
  readonly authorName?: string;
  readonly additionalProperties?: JsonObject;
}

/** A message is complete. */
export interface FinishUpdate {
  readonly type: "finish";
  readonly messageId: string;
  readonly finishReason?: FinishReason;
  readonly usage?: Usage;
  readonly responseId?: string;
}

/** Forget what was sent of these messages. */
export interface RetractUpdate {
  readonly type: "retract";
  readonly messageIds: readonly string[];
}

/** News from a running tool or a sub-agent. Shown, never folded. */
export interface ProgressUpdate {
  readonly type: "progress";
  readonly callId: string;
  readonly contents?: readonly Content[];
  readonly update?: Update;
}

/** What is pushed to `onUpdate` while a run goes on. */
export type Update = DeltaUpdate | FinishUpdate | RetractUpdate | ProgressUpdate;

/** The updates that say a finished message in one go. */
export function updatesOf(
  message: Message,
  finish?: Omit<FinishUpdate, "type" | "messageId">,
): Update[] {
  const delta: DeltaUpdate = {
    type: "delta",
    messageId: message.id,
    role: message.role,
    contents: message.contents,
    createdAt: message.createdAt,
    ...(message.authorName !== undefined && { authorName: message.authorName }),
    ...(message.additionalProperties && { additionalProperties: message.additionalProperties }),
  };
  return finish ? [delta, { type: "finish", messageId: message.id, ...finish }] : [delta];
}

import type { Content, FunctionCallContent } from "./content.js";
import type { JsonObject } from "./json.js";

export type Role = "system" | "user" | "assistant" | "tool";

/** One entry of a conversation: a plain JSON object, never changed once it is in a log. */
export interface Message {
  readonly id: string;
  readonly role: Role;
  readonly contents: readonly Content[];
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly authorName?: string;
  /** Belongs to Tunic and its users. Never sent to a model service. */
  readonly additionalProperties?: JsonObject;
}

/** A message as a caller may write it: the run adds what is missing. */
export interface MessageInput {
  readonly role: Role;
  /** A string stands for one text content. */
  readonly contents: string | readonly Content[];
  /** Default: made by the run. A session skips messages whose id it holds already. */
  readonly id?: string;
  /** Milliseconds since the epoch. Default: the run's clock. */
  readonly createdAt?: number;
  readonly authorName?: string;
  readonly additionalProperties?: JsonObject;
}

/** The text of a message: its text contents, one after the other. */
export function textOf(message: { readonly contents: readonly Content[] }): string {
  let text = "";
  for (const content of message.contents) if (content.type === "text") text += content.text;
  return text;
}

/** The calls of a message that somebody here has to answer; what the service ran itself is left out. */
export function callsOf(message: Message): readonly FunctionCallContent[] {
  if (message.role !== "assistant") return none;
  let calls: FunctionCallContent[] | undefined;
  for (const content of message.contents) {
    if (content.type !== "function_call" || content.informationalOnly) continue;
    if (calls) calls.push(content);
    else calls = [content];
  }
  return calls ?? none;
}

const none: readonly FunctionCallContent[] = [];

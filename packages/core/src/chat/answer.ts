import type { ChatResponse } from "./chat-client.js";

/** What of a response its value is read from. */
export type Answer = Pick<ChatResponse, "messages" | "finishReason" | "outcome">;

/** Reads the value of an answer, without waiting. */
export type ValueReader = (answer: Answer) => unknown;

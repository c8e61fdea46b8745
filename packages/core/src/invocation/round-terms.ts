import type { Ruling } from "../approvals/rulings.js";
import type { HeldBatch } from "../approvals/settle-answers.js";
import type { ChatResponse } from "../chat/chat-client.js";
import type { Message } from "../messages/message.js";
import type { BatchTerms, JudgedCall } from "./judged-call.js";

/** What a round says about its calls. */
export interface RoundTerms extends Pick<BatchTerms, "tools" | "cut" | "forbidden"> {
  /** What the model saw when it made the calls. */
  readonly seen: readonly Message[];
  /** Whether the service holds the answer, so that only the results are news to it. */
  readonly held: boolean;
  /** How the answer ended; what is streamed after it says the same. */
  readonly end: Pick<ChatResponse, "finishReason" | "responseId">;
}

/** What a batch came to. */
export interface BatchEnd {
  /** Whether calls wait for somebody outside. */
  readonly open: boolean;
  /** Who ended the run, if somebody did. */
  readonly endedBy: string | undefined;
}

/** Who goes on with batches that waited. */
export interface HeldBatchRunner {
  /** What becomes of the calls of a batch, now that it is decided. Nothing runs yet. */
  judgeHeld(
    batch: HeldBatch,
    rulings: ReadonlyMap<string, Ruling>,
    terms: RoundTerms,
  ): Promise<readonly JudgedCall[]>;
  /** Goes on with a batch that waited. */
  resume(batch: HeldBatch, judged: readonly JudgedCall[], terms: RoundTerms): Promise<BatchEnd>;
}

import { type ChatRequest, type ChatResponse, ResponseBuilder } from "@tunic/core";
import { filteredAnswer } from "./filtered-answer.js";
import { openAnswer, type Question } from "./open-answer.js";
import { type ErrorSurroundings, filteredInput } from "./openai-errors.js";

/** What reads the answers of one of the two APIs, chunk by chunk. */
interface AnswerReader {
  /** Whether what was read so far is a whole answer. */
  readonly finished: boolean;
  read(chunk: unknown): void | Promise<void>;
  finish(): Promise<ChatResponse>;
}

/** Asks, and reads the answer to its end. All failures are `ChatClientError`s. */
export async function readAnswer(
  request: ChatRequest,
  signal: AbortSignal,
  question: Question,
  readerFor: (builder: ResponseBuilder, surroundings: ErrorSurroundings) => AnswerReader,
): Promise<ChatResponse> {
  const builder = new ResponseBuilder(request);
  let reader: AnswerReader | undefined;
  try {
    const { chunks, surroundings } = await openAnswer(question, {
      now: () => request.run?.now() ?? Date.now(),
      finished: () => reader?.finished === true,
    });
    reader = readerFor(builder, surroundings);
    for await (const chunk of chunks) {
      // What has arrived already must not be shown any more.
      signal.throwIfAborted();
      await reader.read(chunk);
    }
    signal.throwIfAborted();
    return await reader.finish();
  } catch (error) {
    const reason = reader === undefined ? filteredInput(error) : undefined;
    if (reason === undefined || signal.aborted) throw error;
    return await filteredAnswer(builder, reason, error);
  }
}

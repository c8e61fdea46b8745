import type OpenAI from "openai";
import { Stream } from "openai/core/streaming";
import type { ChatCompletionCreateParamsBase } from "openai/resources/chat/completions";
import { DoneWatch } from "./done-watch.js";
import {
  cutStream,
  type ErrorSurroundings,
  lostConnection,
  malformed,
  toChatClientError,
  toStreamError,
} from "./openai-errors.js";

/** An answer on its way in. */
export interface OpenedAnswer {
  readonly surroundings: ErrorSurroundings;
  /** The chunks as they come, or the whole completion as the only one. */
  readonly chunks: AsyncIterable<unknown>;
}

/** What {@link openAnswer} needs to know of whoever reads. */
export interface Reading {
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Whether what was read so far is a whole answer. */
  finished(): boolean;
}

/** Sends a request. All failures, while the answer comes in too, are `ChatClientError`s. */
export async function openAnswer(
  client: OpenAI,
  body: ChatCompletionCreateParamsBase,
  reading: Reading,
): Promise<OpenedAnswer> {
  let response: Response;
  try {
    response = await client.chat.completions.create(body, { signal: reading.signal }).asResponse();
  } catch (error) {
    throw toChatClientError(error, reading.now(), client.baseURL);
  }
  const surroundings = { headers: response.headers, now: reading.now() };
  // What the server says it sends counts, not what was asked for: some cannot stream.
  const type = response.headers.get("content-type") ?? "";
  const streams = body.stream === true ? !type.includes("json") : type.includes("event-stream");
  return {
    surroundings,
    chunks: streams
      ? streamedAnswer(response, client, surroundings, reading)
      : wholeAnswer(response),
  };
}

async function* wholeAnswer(response: Response): AsyncGenerator<unknown> {
  let text: string;
  try {
    text = await response.text();
  } catch (cause) {
    throw lostConnection("The connection was lost before the answer was complete.", cause);
  }
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (error) {
    throw malformed(text.slice(0, 200), error);
  }
  yield answer;
}

async function* streamedAnswer(
  response: Response,
  client: OpenAI,
  surroundings: ErrorSurroundings,
  { finished }: Reading,
): AsyncGenerator<unknown> {
  const watch = new DoneWatch();
  const whole = (): boolean => finished() || watch.done;
  try {
    yield* Stream.fromSSEResponse(watch.over(response), new AbortController(), client);
  } catch (error) {
    const failure = watch.brokenOff
      ? cutStream(surroundings, error)
      : toStreamError(error, surroundings);
    // A connection that breaks behind the end of the answer has taken nothing with it.
    if (failure.code !== "cut_stream" || !whole()) throw failure;
  }
  if (!whole()) throw cutStream(surroundings);
}

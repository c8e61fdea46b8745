import type OpenAI from "openai";
import { Stream } from "openai/core/streaming";
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

/** A request, ready to be sent. */
export interface Question {
  readonly client: OpenAI;
  send(): Promise<Response>;
  /** Whether it asks for a stream. */
  readonly streamed: boolean;
  /** For error messages. Default: those of chat completions. */
  readonly words?: AnswerWords;
}

/** What {@link openAnswer} needs to know of whoever reads. */
interface Reading {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Whether what was read so far is a whole answer. */
  finished(): boolean;
}

/** How error messages speak of an answer. */
interface AnswerWords {
  /** Such as `chat completion`. */
  readonly answer: string;
  /** What ends one in a stream. */
  readonly end: string;
}

/** Sends a request. All failures, while the answer comes in too, are `ChatClientError`s. */
export async function openAnswer(
  { client, send, streamed, words }: Question,
  reading: Reading,
): Promise<OpenedAnswer> {
  let response: Response;
  try {
    response = await send();
  } catch (error) {
    throw toChatClientError(error, reading.now(), client.baseURL);
  }
  const surroundings = { headers: response.headers, now: reading.now() };
  // What the server says it sends counts, not what was asked for: some cannot stream, and a page is none.
  const type = response.headers.get("content-type") ?? "";
  const streams = streamed ? !/json|html/.test(type) : type.includes("event-stream");
  return {
    surroundings,
    chunks: streams
      ? streamedAnswer(response, client, surroundings, reading, words)
      : wholeAnswer(response, words),
  };
}

async function* wholeAnswer(response: Response, words?: AnswerWords): AsyncGenerator<unknown> {
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
    throw malformed(text.slice(0, 200), error, words?.answer);
  }
  yield answer;
}

async function* streamedAnswer(
  response: Response,
  client: OpenAI,
  surroundings: ErrorSurroundings,
  { finished }: Reading,
  words: AnswerWords | undefined,
): AsyncGenerator<unknown> {
  const watch = new DoneWatch();
  const whole = (): boolean => finished() || watch.done;
  try {
    yield* Stream.fromSSEResponse(watch.over(response), new AbortController(), client);
  } catch (error) {
    const failure = watch.brokenOff
      ? cutStream(surroundings, error, words?.end)
      : toStreamError(error, surroundings, words?.end);
    // A connection that breaks behind the end of the answer has taken nothing with it.
    if (failure.code !== "cut_stream" || !whole()) throw failure;
  }
  if (!whole()) throw cutStream(surroundings, undefined, words?.end);
}

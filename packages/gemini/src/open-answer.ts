import type {
  GenerateContentParameters,
  GenerateContentResponse,
  GoogleGenAI,
} from "@google/genai";
import { toChatClientError } from "./gemini-errors.js";

/**
 * Sends a request and gives the chunks of its answer as they come, or the whole answer as the only one.
 * All failures are `ChatClientError`s. The connection is closed when nobody reads any more.
 *
 * @param isWhole Whether what was read so far is a whole answer.
 */
export async function* openAnswer(
  sdk: GoogleGenAI,
  params: GenerateContentParameters,
  { streamed, signal, isWhole }: { streamed: boolean; signal: AbortSignal; isWhole(): boolean },
): AsyncGenerator<GenerateContentResponse> {
  // The SDK keeps its listener on the signal it is given, and leaves a stream open that nobody reads.
  const closing = new AbortController();
  const close = (): void => closing.abort(signal.reason);
  signal.addEventListener("abort", close, { once: true });
  const asked = { ...params, config: { ...params.config, abortSignal: closing.signal } };
  let phase: "asking" | "streaming" = "asking";
  try {
    if (!streamed) {
      yield await sdk.models.generateContent(asked);
      return;
    }
    const chunks = await sdk.models.generateContentStream(asked);
    phase = "streaming";
    for await (const chunk of chunks) yield chunk;
  } catch (error) {
    const failure = toChatClientError(error, phase);
    const isCut = "code" in failure && failure.code === "cut_stream";
    // A connection that breaks behind the end of the answer has taken nothing with it.
    if (!isCut || !isWhole()) throw failure;
  } finally {
    signal.removeEventListener("abort", close);
    close();
  }
}

import { bytesOf, type Content, dataContent, type JsonObject, textContent } from "@tunic/core";
import { malformed } from "../openai-errors.js";
import { isRecord, textAt, type WireRecord } from "../wire-values.js";
import type { AnswerSource } from "./answer-source.js";

/** Media types of the sound that can be asked for. */
const mediaTypes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    wav: "audio/wav",
    mp3: "audio/mpeg",
    flac: "audio/flac",
    opus: "audio/opus",
    aac: "audio/aac",
    pcm16: "audio/pcm",
  }),
);

/** @throws ChatClientError `malformed_response` for what is no base64. */
function bytesIn(data: string): Uint8Array {
  try {
    return bytesOf(dataContent(data, "audio/pcm"));
  } catch (error) {
    throw malformed("its sound is not base64.", error);
  }
}

/** Reads spoken answers: their words are text while they come, their sound is one file at the end. */
export class AudioReader {
  readonly #source: AnswerSource;
  readonly #pieces: Uint8Array[] = [];
  #id = "";
  #transcript = "";
  #expiresAt: number | undefined;

  constructor(source: AnswerSource) {
    this.#source = source;
  }

  /** Takes a delta or a whole message. */
  take(message: WireRecord): Content[] {
    const { audio } = message;
    if (!isRecord(audio)) return [];
    this.#id ||= textAt(audio, "id");
    const { expires_at } = audio;
    if (typeof expires_at === "number") this.#expiresAt = expires_at * 1000;
    const data = textAt(audio, "data");
    // Each piece is encoded for itself, so that their texts cannot just be put together.
    if (data !== "") this.#pieces.push(bytesIn(data));
    const transcript = textAt(audio, "transcript");
    this.#transcript += transcript;
    return transcript === "" ? [] : [textContent(transcript)];
  }

  /** The sound as a whole. */
  end(): Content[] {
    if (this.#id === "" && this.#pieces.length === 0) return [];
    const bytes = new Uint8Array(this.#pieces.reduce((size, piece) => size + piece.length, 0));
    let at = 0;
    for (const piece of this.#pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    const { origin, audioFormat = "wav" } = this.#source;
    const audio: JsonObject = {
      origin,
      id: this.#id,
      transcript: this.#transcript,
      ...(this.#expiresAt !== undefined && { expiresAt: this.#expiresAt }),
    };
    const mediaType = mediaTypes.get(audioFormat) ?? `audio/${audioFormat}`;
    return [
      dataContent(bytes, mediaType, this.#id === "" ? {} : { providerData: { openai: { audio } } }),
    ];
  }
}

import {
  type ChatResponse,
  type Content,
  errorContent,
  type JsonValue,
  type ResponseBuilder,
  textContent,
  type Usage,
} from "@tunic/core";
import { fromFinishReason } from "../finish-reason.js";
import { keptJson } from "../kept-json.js";
import {
  type ErrorSurroundings,
  fromErrorObject,
  malformed,
  metadataOf,
} from "../openai-errors.js";
import { isRecord, listAt, shownJson, textAt, type WireRecord } from "../wire-values.js";
import type { AnswerSource } from "./answer-source.js";
import { AudioReader } from "./audio-reader.js";
import { CallAssembler } from "./call-assembler.js";
import { ReasoningReader } from "./reasoning-reader.js";
import { usageIn } from "./usage-in.js";

/**
 * Reads an answer of the service: chunk by chunk, or one whole completion, which is read as a
 * single chunk. So both come to the same messages by construction.
 */
export class AnswerReader {
  readonly #builder: ResponseBuilder;
  readonly #surroundings: ErrorSurroundings;
  readonly #calls: CallAssembler;
  readonly #reasoning: ReasoningReader;
  readonly #audio: AudioReader;
  readonly #annotations: JsonValue[] = [];
  #refusal = "";
  #finishReason: string | undefined;
  #usage: Usage | undefined;
  #responseId = "";
  #model = "";
  #answered = false;
  #streamed = false;

  constructor(builder: ResponseBuilder, surroundings: ErrorSurroundings, source: AnswerSource) {
    this.#builder = builder;
    this.#surroundings = surroundings;
    this.#calls = new CallAssembler(builder, source);
    this.#reasoning = new ReasoningReader(source);
    this.#audio = new AudioReader(source);
  }

  /** Whether the service has said why the model stopped. */
  get finished(): boolean {
    return this.#finishReason !== undefined;
  }

  /**
   * Takes a chunk or a whole completion. Await what it returns.
   *
   * @throws ChatClientError where an error came in the place of an answer.
   */
  read(answer: unknown): void | Promise<void> {
    if (!isRecord(answer)) throw malformed(shownJson(answer, 200));
    this.#throwError(answer);
    this.#responseId ||= textAt(answer, "id");
    this.#model ||= textAt(answer, "model");
    const choice = firstChoice(answer);
    // Counts are cumulative where they come more than once: the last ones stand.
    this.#usage = usageIn(answer, choice) ?? this.#usage;
    if (choice === undefined) return;
    this.#answered = true;
    this.#finishReason = textAt(choice, "finish_reason") || this.#finishReason;
    const contents = this.#contentsOf(choice);
    if (contents.length > 0) return this.#builder.add(...contents);
  }

  /** Ends the answer. */
  async finish(): Promise<ChatResponse> {
    if (!this.#answered) throw malformed("there is no choice in it.");
    const finishReason = fromFinishReason(this.#finishReason);
    const rest: Content[] = [
      ...this.#reasoning.end(),
      ...this.#audio.end(),
      ...this.#calls.end(finishReason),
    ];
    if (this.#annotations.length > 0) {
      // Known only when the text has been said, and of no use to whoever gets the message back.
      const openai = { annotations: this.#annotations };
      rest.push({ type: "text", text: "", providerData: { openai } });
    }
    if (this.#refusal !== "") rest.push(errorContent(this.#refusal, { code: "refusal" }));
    if (rest.length > 0) await this.#builder.add(...rest);
    return this.#builder.finish({
      finishReason,
      rawFinishReason: this.#finishReason,
      usage: this.#usage,
      responseId: this.#responseId || undefined,
      model: this.#model || undefined,
      metadata: metadataOf(this.#surroundings),
    });
  }

  #throwError(answer: WireRecord): void {
    const { error } = answer;
    if (isRecord(error)) throw fromErrorObject(error, this.#surroundings);
    // An empty text is no error: some servers write down all of their members.
    if (typeof error === "string" && error !== "") {
      throw fromErrorObject({ message: error }, this.#surroundings);
    }
    // Some servers send the error object bare.
    if (answer["choices"] === undefined && textAt(answer, "message") !== "") {
      throw fromErrorObject(answer, this.#surroundings);
    }
    for (const choice of listAt(answer, "choices")) {
      if (isRecord(choice) && isRecord(choice["error"])) {
        throw fromErrorObject(choice["error"], this.#surroundings);
      }
    }
  }

  #contentsOf(choice: WireRecord): Content[] {
    if (isRecord(choice["delta"])) {
      this.#streamed = true;
      return this.#contentsIn(choice["delta"], listAt(choice["delta"], "tool_calls"), false);
    }
    // Some servers repeat the whole message behind its deltas.
    if (this.#streamed || !isRecord(choice["message"])) return [];
    const { message } = choice;
    return this.#contentsIn(message, listAt(message, "tool_calls").map(withIndex), true);
  }

  #contentsIn(message: WireRecord, calls: readonly unknown[], whole: boolean): Content[] {
    const contents: Content[] = [
      ...this.#reasoning.take(message, whole),
      ...this.#fromContent(message["content"]),
      ...this.#audio.take(message),
    ];
    const annotations = listAt(message, "annotations") as readonly JsonValue[];
    this.#annotations.push(...keptJson(annotations, "An annotation"));
    this.#refusal += textAt(message, "refusal");
    contents.push(...this.#calls.take(calls));
    const legacy = message["function_call"];
    // Whoever sends both forms sends the same call twice.
    if (isRecord(legacy) && calls.length === 0) {
      contents.push(...this.#calls.take([{ index: "function_call", function: legacy }]));
    }
    return contents;
  }

  /** Text, or (with some servers) a list of parts. */
  #fromContent(content: unknown): Content[] {
    if (typeof content === "string") return content === "" ? [] : [textContent(content)];
    if (!Array.isArray(content)) return [];
    return content.filter(isRecord).flatMap((part) => this.#fromPart(part));
  }

  #fromPart(part: WireRecord): Content[] {
    if (part["type"] === "text") return this.#fromContent(part["text"]);
    if (part["type"] === "refusal") this.#refusal += textAt(part, "refusal");
    if (part["type"] !== "thinking") return [];
    const pieces = listAt(part, "thinking");
    const text = pieces.map((piece) => (isRecord(piece) ? textAt(piece, "text") : "")).join("");
    return this.#reasoning.takePart(text);
  }
}

function firstChoice(answer: WireRecord): WireRecord | undefined {
  const choices = listAt(answer, "choices").filter(isRecord);
  return choices.find((choice) => (choice["index"] ?? 0) === 0);
}

/** In a whole answer each entry is a call of its own, whatever its id. */
function withIndex(call: unknown, index: number): unknown {
  return isRecord(call) ? { ...call, index } : call;
}

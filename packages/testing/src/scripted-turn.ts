import type { ChatRequest, Content, FinishReason, JsonObject, Usage } from "@tunic/core";

/** A call that the model makes. */
export interface ScriptedCall {
  readonly name: string;
  /** An object, or the text that the model writes, which may be broken. Default `{}`. */
  readonly arguments?: JsonObject | string | undefined;
  /** The service's id. Default: made by the run. */
  readonly id?: string | undefined;
}

/** One answer of the model. Its parts come in this order: reasoning, text, contents, calls. */
export interface ScriptedAnswer {
  readonly reasoning?: string | undefined;
  readonly text?: string | undefined;
  /** Contents as they are, each in one piece. */
  readonly contents?: readonly Content[] | undefined;
  readonly calls?: readonly ScriptedCall[] | undefined;
  /** Default: `tool_calls` with calls, else `stop`. */
  readonly finishReason?: FinishReason | undefined;
  readonly usage?: Usage | undefined;
  readonly responseId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly model?: string | undefined;
  /** Characters per piece of text, reasoning and argument text. Default: the client's. */
  readonly chunkSize?: number | undefined;
  /** Whether the fragments of parallel calls come in turn. Default false: one call after the other. */
  readonly interleave?: boolean | undefined;
  /** Milliseconds before each piece, on the client's clock. Default: the client's. */
  readonly delayMs?: number | undefined;
  /** Thrown instead of the end of the answer. */
  readonly error?: unknown;
  /** After how many pieces `error` is thrown. Default 0. */
  readonly errorAfter?: number | undefined;
  /** Called before each piece, for a test that aborts at a certain point; the first piece is 0. */
  readonly beforePiece?: ((piece: number) => void) | undefined;
}

/** An answer, a text that stands for one, or a function that looks at the request first. */
export type ScriptedTurn =
  | string
  | ScriptedAnswer
  | ((request: ChatRequest) => string | ScriptedAnswer | Promise<string | ScriptedAnswer>);

/** A piece of an answer on the wire: a content, or a fragment of call number `call`. */
export type Piece =
  | { readonly content: Content }
  | { readonly call: number; readonly fragment: string };

/** The pieces of an answer in the order in which they come. */
export function piecesOf(answer: ScriptedAnswer, chunkSize: number): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const text of chunks(answer.reasoning ?? "", chunkSize)) {
    pieces.push({ content: { type: "text_reasoning", text } });
  }
  for (const text of chunks(answer.text ?? "", chunkSize))
    pieces.push({ content: { type: "text", text } });
  for (const content of answer.contents ?? []) pieces.push({ content });
  const calls = (answer.calls ?? []).map((call, index): Piece[] => {
    const text = argumentsText(call);
    // A call without any argument text still has to be announced.
    const fragments = text === "" ? [""] : chunks(text, chunkSize);
    return fragments.map((fragment) => ({ call: index, fragment }));
  });
  return [...pieces, ...(answer.interleave ? inTurn(calls) : calls.flat())];
}

function argumentsText(call: ScriptedCall): string {
  if (typeof call.arguments === "string") return call.arguments;
  return JSON.stringify(call.arguments ?? {});
}

/** Cuts between code points: what a service streams is text, not half characters. */
function chunks(text: string, size: number): string[] {
  const points = [...text];
  const pieces: string[] = [];
  for (let at = 0; at < points.length; at += size)
    pieces.push(points.slice(at, at + size).join(""));
  return pieces;
}

function inTurn(lists: readonly Piece[][]): Piece[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat();
}

import type { Part } from "@google/genai";
import type { FunctionResultContent, RunContext } from "@tunic/core";
import { describeMedia, fitsIntoResponse, toMediaPart } from "./to-gemini-media.js";

/** A call as it goes out, for the response that answers it. */
export interface WireCall {
  readonly callId: string;
  readonly part: Part;
  readonly name: string;
  /** The id that the service gave it; ids of others are not sent. */
  readonly id?: string;
  /** The arguments' text, where it did not parse: the part could not carry it. */
  readonly written?: string;
}

/** A result of ours, without what it needs from its call: a name, and an id where there is one. */
export interface ResultDraft {
  readonly callId: string;
  readonly isError: boolean;
  readonly text: string;
  readonly media: readonly Part[];
}

/**
 * Reads a result. Its texts become one; what Gemini cannot take is told in it. The text goes under
 * `output` or `error` whatever it says: a tool's JSON must not pose as another member of the response.
 */
export function toResultDraft(
  result: FunctionResultContent,
  notice?: RunContext["notice"],
): ResultDraft {
  const texts: string[] = [];
  const media: Part[] = [];
  for (const content of result.contents) {
    switch (content.type) {
      case "text":
        texts.push(content.text);
        break;
      case "error":
        texts.push(content.message);
        break;
      case "data":
      case "uri": {
        const part = toMediaPart(content);
        if (part) media.push(part);
        else texts.push(`(The result also held ${describeMedia(content)}, which cannot be shown.)`);
        break;
      }
      default:
        notice?.(
          "content_left_out",
          `A content of type "${content.type}" has no form in a result for Gemini and was left out of the request.`,
        );
    }
  }
  const text = texts.filter((each) => each.trim() !== "").join("\n");
  return {
    callId: result.callId,
    isError: result.isError === true,
    text: text || emptyText(result, media.length > 0),
    media,
  };
}

function emptyText({ isError, error }: FunctionResultContent, hasMedia: boolean): string {
  if (!isError) return hasMedia ? "Done; the media are the output." : "Done, no output.";
  return error?.message.trim() ? error.message : "Error: the call failed and gave no reason.";
}

/** A result as it goes out: the response, and what has to stand behind all responses. */
export interface WireResult {
  readonly response: Part;
  readonly behind: readonly Part[];
}

interface Answered {
  readonly call: WireCall;
  readonly generation: number;
  readonly result: WireResult;
}

const answered = new WeakMap<ResultDraft, Answered>();

/**
 * The response to a call. Media stand inside of it from Gemini 3 on, as far as it takes their kinds
 * there; for older models, and of other kinds, they follow as parts of the same content.
 */
export function toWireResult(draft: ResultDraft, call: WireCall, generation: number): WireResult {
  const known = answered.get(draft);
  if (known?.call === call && known.generation === generation) return known.result;
  const { name, id } = call;
  const inside = generation >= 3 ? draft.media.filter(fitsIntoResponse) : [];
  const result: WireResult = {
    response: {
      functionResponse: {
        ...(id !== undefined && { id }),
        name,
        response: { [draft.isError ? "error" : "output"]: explained(draft.text, call) },
        ...(inside.length > 0 && { parts: inside.map(({ inlineData = {} }) => ({ inlineData })) }),
      },
    },
    behind: draft.media.filter((part) => !inside.includes(part)),
  };
  answered.set(draft, { call, generation, result });
  return result;
}

/** The call could not carry text that is no JSON object, so its response says what the model wrote. */
function explained(text: string, { written }: WireCall): string {
  if (written === undefined || text.includes(written)) return text;
  return `${text}\nThe arguments of the call were: ${written}`;
}

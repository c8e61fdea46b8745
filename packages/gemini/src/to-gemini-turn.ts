import type { Part, Content as WireContent } from "@google/genai";
import {
  type Content,
  type FunctionCallContent,
  isJsonObject,
  type JsonObject,
  type Message,
  type RunContext,
} from "@tunic/core";
import { toMediaPart, unsupportedMedia } from "./to-gemini-media.js";
import { type ResultDraft, toResultDraft, type WireCall } from "./to-gemini-result.js";
import { toWireName } from "./wire-names.js";

/** Told of what is left out of a request. */
export type Notice = RunContext["notice"];

/** One of our messages in Gemini's words; where it stands among others is not yet decided. */
export interface WireTurn {
  readonly role: "system" | "user" | "model";
  /** Answers to the calls of the turn before; names and ids they get from those. */
  readonly results: readonly ResultDraft[];
  readonly parts: readonly Part[];
  readonly calls: readonly WireCall[];
  /** The parts as one content, for a turn that keeps its place alone. */
  readonly content: WireContent;
}

/** Messages never change, so each is converted once, however many requests carry it. */
const converted = new WeakMap<Message, WireTurn>();

/**
 * The context-free part of the conversion of one message.
 *
 * @throws ChatClientError `unsupported` for media that Gemini does not take.
 */
export function toWireTurn(message: Message, notice?: Notice): WireTurn {
  const known = converted.get(message);
  if (known) return known;
  const turn =
    message.role === "assistant" ? modelTurn(message, notice) : givenTurn(message, notice);
  converted.set(message, turn);
  return turn;
}

function modelTurn({ contents }: Message, notice?: Notice): WireTurn {
  const parts: Part[] = [];
  const calls: WireCall[] = [];
  for (const content of contents) {
    const part = modelPart(content, notice);
    if (part === undefined) continue;
    parts.push(part);
    if (content.type === "function_call") calls.push(wireCall(content, part));
  }
  return { role: "model", results: [], parts, calls, content: { role: "model", parts } };
}

function givenTurn({ role, contents }: Message, notice?: Notice): WireTurn {
  const results: ResultDraft[] = [];
  const parts: Part[] = [];
  for (const content of contents) {
    if (content.type === "function_result") results.push(toResultDraft(content, notice));
    else {
      const part = givenPart(content, notice);
      if (part) parts.push(part);
    }
  }
  return {
    role: role === "system" ? "system" : "user",
    results,
    parts,
    calls: [],
    content: { role: "user", parts },
  };
}

/** A part of what the model itself said; signatures go back on the very part that they came on. */
function modelPart(content: Content, notice?: Notice): Part | undefined {
  const own = content.providerData?.["gemini"];
  switch (content.type) {
    case "text":
      if (content.text.trim() === "" && !isSigned(own)) return undefined;
      return wirePart({ ...own, text: content.text });
    case "text_reasoning":
      // The text is a summary for people; what the model knows itself by is the signature.
      return isSigned(own) ? wirePart({ ...own, text: "", thought: true }) : undefined;
    case "function_call":
      return content.informationalOnly ? leftOut(content, notice) : callPart(content, own);
    case "hosted_tool_call":
      return hostedPart("executableCode", own, content.input) ?? leftOut(content, notice);
    case "hosted_tool_result":
      return hostedPart("codeExecutionResult", own, content.output) ?? leftOut(content, notice);
    case "data":
    case "uri": {
      const part = toMediaPart(content);
      return part ? { ...part, ...own } : leftOut(content, notice);
    }
    case "error":
    case "function_approval_request":
    case "function_approval_response":
    case "paused_call":
      return undefined;
    default:
      return isJsonObject(own?.["part"]) ? wirePart(own["part"]) : leftOut(content, notice);
  }
}

function isSigned(own: JsonObject | undefined): boolean {
  const signature = own?.["thoughtSignature"];
  return typeof signature === "string" && signature !== "";
}

function callPart(call: FunctionCallContent, own: JsonObject | undefined): Part {
  const { id, ...beside } = own ?? {};
  return wirePart({
    ...beside,
    functionCall: {
      ...(id !== undefined && { id }),
      name: toWireName(call.name),
      // An object is demanded even where there was none; the response tells the model what it wrote.
      args: call.arguments ?? {},
    },
  });
}

function wireCall(call: FunctionCallContent, part: Part): WireCall {
  const id = part.functionCall?.id;
  const written = call.arguments === undefined ? call.argumentsText : undefined;
  return {
    callId: call.callId,
    part,
    name: toWireName(call.name),
    ...(id !== undefined && { id }),
    ...(written && { written }),
  };
}

/** What a tool of the service did, as it came: `field` says which kind of part it was. */
function hostedPart(usual: string, own: JsonObject | undefined, value: unknown): Part | undefined {
  if (own === undefined || !isJsonObject(value)) return undefined;
  const { field = usual, id, ...beside } = own;
  return wirePart({ ...beside, [String(field)]: { ...value, ...(id !== undefined && { id }) } });
}

/** A part of what the model is given by the user. */
function givenPart(content: Content, notice?: Notice): Part | undefined {
  switch (content.type) {
    case "text":
      return textPart(content.text);
    case "error":
      return textPart(content.message);
    case "data":
    case "uri": {
      const part = toMediaPart(content);
      if (part === undefined) throw unsupportedMedia(content);
      return part;
    }
    case "text_reasoning":
    case "function_approval_request":
    case "function_approval_response":
    case "paused_call":
      return undefined;
    default:
      return leftOut(content, notice);
  }
}

function textPart(text: string): Part | undefined {
  return text.trim() === "" ? undefined : { text };
}

/** Says that a content has no form here. */
function leftOut(content: Content, notice?: Notice): undefined {
  notice?.(
    "content_left_out",
    `A content of type "${content.type}" has no form in Gemini's API here and was left out of the request.`,
  );
}

/** What came from Gemini goes back as it came; its members need not be known here. */
function wirePart(part: JsonObject): Part {
  return part as Part;
}

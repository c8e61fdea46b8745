import type Anthropic from "@anthropic-ai/sdk";
import {
  type Content,
  type FunctionCallContent,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Message,
} from "@tunic/core";
import { toWireArguments } from "./argument-names.js";
import { toWireResult, userBlock } from "./to-anthropic-given.js";
import { type Block, cacheMark, leftOut, type Notice, textBlock, wireBlock } from "./wire-block.js";
import { toWireCallId, wireToolName } from "./wire-names.js";

/** What a call's result has to say of it. */
export interface CallNote {
  /** The arguments' text, where it did not parse. */
  readonly written?: string;
  /** The family of the service's own tools that the call belongs to. */
  readonly toolset?: string;
}

/** Where code of the service's runs, for further requests. */
export interface Container {
  readonly id: string;
  /** An ISO date. */
  readonly expires_at?: string;
}

/** One of our messages in Anthropic's words; where it stands among others is not yet decided. */
export interface WireTurn {
  readonly role: "system" | "user" | "assistant";
  /** Answers to the calls of the turn before. They must stand first. */
  readonly results: readonly Anthropic.ToolResultBlockParam[];
  readonly blocks: readonly Block[];
  /** Results and blocks as one message, for a turn that keeps its place alone. */
  readonly param: Anthropic.MessageParam;
  /** By call id, where a result has to say more than its own. */
  readonly notes: ReadonlyMap<string, CallNote>;
  readonly container?: Container;
}

/** Messages never change, so each is converted once, however many requests carry it. */
const converted = new WeakMap<Message, WireTurn>();

/**
 * The context-free part of the conversion of one message.
 *
 * @throws ChatClientError `unsupported` for media that Anthropic does not take.
 */
export function toWireTurn(message: Message, notice?: Notice): WireTurn {
  const known = converted.get(message);
  if (known) return known;
  const turn =
    message.role === "assistant" ? assistantTurn(message, notice) : otherTurn(message, notice);
  converted.set(message, turn);
  return turn;
}

function assistantTurn({ contents }: Message, notice?: Notice): WireTurn {
  const blocks: Block[] = [];
  const notes = new Map<string, CallNote>();
  let container: Container | undefined;
  for (const content of contents) {
    const block = assistantBlock(content, notice);
    if (block) blocks.push(block);
    const note = content.type === "function_call" ? noteOf(content) : undefined;
    if (note && content.type === "function_call") notes.set(toWireCallId(content.callId), note);
    container = containerOf(content) ?? container;
  }
  return {
    role: "assistant",
    results: [],
    blocks,
    param: { role: "assistant", content: blocks },
    notes,
    ...(container && { container }),
  };
}

const noNotes: WireTurn["notes"] = new Map();

function otherTurn({ role, contents }: Message, notice?: Notice): WireTurn {
  const results: Anthropic.ToolResultBlockParam[] = [];
  const blocks: Block[] = [];
  for (const content of contents) {
    if (content.type === "function_result") {
      const { result, behind } = toWireResult(content, notice);
      results.push(result);
      blocks.push(...behind);
    } else {
      const block = userBlock(content, notice);
      if (block) blocks.push(block);
    }
  }
  return {
    role: role === "system" ? "system" : "user",
    results,
    blocks,
    param: { role: "user", content: [...results, ...blocks] },
    notes: noNotes,
  };
}

function noteOf({
  parseError,
  argumentsText,
  providerData,
}: FunctionCallContent): CallNote | undefined {
  const toolset = providerData?.["anthropic"]?.["toolset_name"];
  if (parseError === undefined && typeof toolset !== "string") return undefined;
  return {
    ...(parseError !== undefined && { written: argumentsText ?? "" }),
    ...(typeof toolset === "string" && { toolset }),
  };
}

function containerOf({ providerData }: Content): Container | undefined {
  const container = providerData?.["anthropic"]?.["container"];
  if (!isJsonObject(container) || typeof container["id"] !== "string") return undefined;
  const { id, expires_at } = container;
  return { id, ...(typeof expires_at === "string" && { expires_at }) };
}

/** A part of what the model itself said. Only what Anthropic signed goes back as reasoning. */
function assistantBlock(content: Content, notice?: Notice): Block | undefined {
  const own = content.providerData?.["anthropic"];
  switch (content.type) {
    case "text":
      return citedBlock(content.text, own);
    case "text_reasoning":
      return reasoningBlock(content.text, own);
    case "function_call":
      return content.informationalOnly ? leftOut(content, notice) : callBlock(content, own);
    case "hosted_tool_call":
      if (typeof own?.["type"] !== "string") return leftOut(content, notice);
      return wireBlock({
        ...own,
        id: content.callId,
        name: content.name,
        input: content.input ?? {},
      });
    case "hosted_tool_result":
      if (typeof own?.["type"] !== "string") return leftOut(content, notice);
      return wireBlock({ ...own, tool_use_id: content.callId, content: content.output ?? [] });
    case "error":
    case "function_approval_request":
    case "function_approval_response":
    case "paused_call":
      return undefined;
    default:
      return isJsonObject(own?.["block"]) ? wireBlock(own["block"]) : leftOut(content, notice);
  }
}

function citedBlock(
  text: string,
  own: JsonObject | undefined,
): Anthropic.TextBlockParam | undefined {
  const block = textBlock(text, own);
  const citations = own?.["citations"];
  if (block === undefined || !Array.isArray(citations)) return block;
  return { ...block, citations: citations.map(toCitationParam) };
}

/** An answer's citation has one member that the request's has not. */
function toCitationParam(citation: JsonValue): Anthropic.TextCitationParam {
  if (!isJsonObject(citation) || !("file_id" in citation)) {
    return citation as unknown as Anthropic.TextCitationParam;
  }
  const { file_id: _, ...param } = citation;
  return param as unknown as Anthropic.TextCitationParam;
}

function reasoningBlock(text: string, own: JsonObject | undefined): Block | undefined {
  const { data, signature } = own ?? {};
  if (typeof data === "string") return { type: "redacted_thinking", data };
  if (typeof signature !== "string" || signature === "") return undefined;
  return { type: "thinking", thinking: text, signature };
}

function callBlock(call: FunctionCallContent, own: JsonObject | undefined): Block {
  return wireBlock({
    type: "tool_use",
    id: toWireCallId(call.callId),
    name: wireToolName(call.name),
    // An object is demanded even where there was none; the result tells the model what it wrote.
    input: toWireArguments(call.arguments ?? {}, own?.["argument_names"]),
    ...(own?.["caller"] !== undefined && { caller: own["caller"] }),
    ...(own?.["toolset_name"] !== undefined && { toolset_name: own["toolset_name"] }),
    ...(cacheMark(own) && { cache_control: own?.["cache_control"] ?? null }),
  });
}

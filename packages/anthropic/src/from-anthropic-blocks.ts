import {
  type Content,
  type ContentBase,
  type FunctionCallContent,
  foreignType,
  type HostedToolCallContent,
  type HostedToolResultContent,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type TextContent,
  type TextReasoningContent,
} from "@tunic/core";
import type { CalledTool } from "./to-anthropic-tools.js";

/** A content block of an answer, of a known type or not. */
export type WireBlock = JsonObject & { readonly type: string };

/** A piece of text of the block at this place of the answer. */
export function textPiece(id: string, text: string, own?: JsonObject): TextContent {
  return { type: "text", text, id, ...(own && { providerData: { anthropic: own } }) };
}

/** A piece of thinking of the block at this place of the answer. */
export function thinkingPiece(id: string, text: string, own?: JsonObject): TextReasoningContent {
  return { type: "text_reasoning", text, id, ...(own && { providerData: { anthropic: own } }) };
}

/** The beginning of a call; its arguments follow as text. */
export function callStart(
  callId: string,
  block: WireBlock,
  tool?: CalledTool,
): FunctionCallContent {
  const { id, caller, toolset_name } = block;
  const name = tool?.name ?? string(block["name"]);
  const own: JsonObject = {
    ...(id !== callId && id !== undefined && { id }),
    // "direct" is what everybody assumes.
    ...(isJsonObject(caller) && caller["type"] !== "direct" && { caller }),
    ...(typeof toolset_name === "string" && { toolset_name }),
    // Old calls go back as they were written, whatever the tool is called by then.
    ...(tool?.arguments && { argument_names: Object.fromEntries(tool.arguments) }),
  };
  return {
    type: "function_call",
    callId,
    name,
    ...(Object.keys(own).length > 0 && { providerData: { anthropic: own } }),
  };
}

/** A block that comes whole: what the service's own tools did, and what is not known here. */
export function wholeBlock(block: WireBlock, id: string): Content {
  if (block.type === "redacted_thinking")
    return thinkingPiece(id, "", { data: string(block["data"]) });
  if (block.type.endsWith("tool_use")) return hostedCall(block);
  if (block.type.endsWith("tool_result")) return hostedResult(block);
  // Under the vendor's key, not spread: members of a block must not pose as members of a content.
  const kept: { readonly type: string } & ContentBase = {
    type: foreignType(block.type, "anthropic"),
    providerData: { anthropic: { block } },
  };
  return kept as Content;
}

/**
 * Where the service's code ran: an empty text that nobody shows, and whose data says where further
 * requests are to run theirs.
 */
export function containerPiece({ id, expires_at }: WireBlock | JsonObject): TextContent {
  const container = {
    id: string(id),
    ...(typeof expires_at === "string" && { expires_at }),
  };
  return textPiece("container", "", { container });
}

function hostedCall({ id, name, input, ...own }: WireBlock): HostedToolCallContent {
  return {
    type: "hosted_tool_call",
    callId: string(id),
    name: string(name),
    ...(input !== undefined && { input }),
    providerData: { anthropic: own },
  };
}

function hostedResult({ tool_use_id, content, ...own }: WireBlock): HostedToolResultContent {
  return {
    type: "hosted_tool_result",
    callId: string(tool_use_id),
    ...(content !== undefined && { output: content }),
    providerData: { anthropic: own },
  };
}

/** What is no text counts as an empty one. */
export function string(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A piece of the text of a call's arguments. */
export function fragment(callId: string, argumentsText: string) {
  return { type: "function_call", callId, name: "", argumentsText } as const;
}

/** Text, so that an `input` that is no object meets the same reader as streamed text. */
export function inputText(input: JsonValue | undefined): string {
  return typeof input === "string" ? input : JSON.stringify(input ?? {});
}

/** A block with its input, which was streamed as text. */
export function withInput(block: WireBlock, input: string): WireBlock {
  if (input.trim() === "") return block;
  try {
    const parsed: JsonValue = JSON.parse(input);
    return { ...block, input: parsed };
  } catch {
    return { ...block, input };
  }
}

/** What came out of JSON is JSON; the vendor's types do not say so. */
export function asJson(value: object): WireBlock {
  return value as WireBlock;
}

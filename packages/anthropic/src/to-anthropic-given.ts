import type Anthropic from "@anthropic-ai/sdk";
import { type Content, type FunctionResultContent, isJsonObject } from "@tunic/core";
import { toldMedia, toMediaBlock, unsupportedMedia } from "./to-anthropic-media.js";
import { type Block, cacheMark, leftOut, type Notice, textBlock, wireBlock } from "./wire-block.js";
import { toWireCallId } from "./wire-names.js";

type ResultBlock = Exclude<Anthropic.ToolResultBlockParam["content"], string | undefined>[number];

/** A result as the service takes it, and what of it has to follow behind all results. */
export interface WireResult {
  readonly result: Anthropic.ToolResultBlockParam;
  readonly behind: readonly Block[];
}

/**
 * A part of what the user gives the model. A content of another type goes in as the block that its
 * `providerData.anthropic.block` holds (`search_result`, `container_upload`, a file of the Files API).
 *
 * @throws ChatClientError `unsupported` for media that Anthropic does not take.
 */
export function userBlock(content: Content, notice?: Notice): Block | undefined {
  if (content.type !== "data" && content.type !== "uri") return givenBlock(content, notice);
  const block = toMediaBlock(content);
  if (block === undefined) throw unsupportedMedia(content);
  return block;
}

/** The result of a call. "All content must be type `text` if `is_error` is true": the rest follows. */
export function toWireResult(result: FunctionResultContent, notice?: Notice): WireResult {
  const { callId, contents, isError } = result;
  const id = toWireCallId(callId);
  const content: ResultBlock[] = [];
  const behind: Block[] = [];
  for (const each of contents) {
    const block = resultPart(each, notice);
    if (block === undefined) continue;
    if (isError && block.type !== "text") behind.push(block);
    else content.push(block as ResultBlock);
  }
  if (content.length === 0) {
    content.push({ type: "text", text: emptyResultText(result, behind.length > 0) });
  }
  if (behind.length > 0) {
    behind.unshift({ type: "text", text: `Returned by the failed call ${id}:` });
  }
  const own = result.providerData?.["anthropic"];
  return {
    result: {
      type: "tool_result",
      tool_use_id: id,
      content,
      ...(isError && { is_error: true }),
      ...cacheMark(own),
    },
    behind,
  };
}

function resultPart(content: Content, notice?: Notice): Block | undefined {
  if (content.type !== "data" && content.type !== "uri") return givenBlock(content, notice);
  return toMediaBlock(content) ?? { type: "text", text: toldMedia(content) };
}

function givenBlock(content: Content, notice?: Notice): Block | undefined {
  const own = content.providerData?.["anthropic"];
  switch (content.type) {
    case "text":
      return textBlock(content.text, own);
    case "error":
      return textBlock(content.message, own);
    case "text_reasoning":
    case "function_approval_request":
    case "function_approval_response":
    case "paused_call":
      return undefined;
    default:
      return isJsonObject(own?.["block"]) ? wireBlock(own["block"]) : leftOut(content, notice);
  }
}

function emptyResultText({ isError, error }: FunctionResultContent, hasMore: boolean): string {
  if (!isError) return "Done, no output.";
  if (error?.message.trim()) return error.message;
  return hasMore ? "Error: the call failed." : "Error: the call failed and gave no reason.";
}

import type Anthropic from "@anthropic-ai/sdk";
import type {
  Content,
  FunctionCallContent,
  FunctionResultContent,
  JsonObject,
  Message,
  RunContext,
} from "@tunic/core";
import { toMediaBlock } from "./to-anthropic-media.js";
import { toWireCallId, toWireToolName } from "./wire-names.js";

/** Told of what is left out of a request. */
export type Notice = RunContext["notice"];

type Block = Anthropic.ContentBlockParam;
type ResultBlock = Exclude<Anthropic.ToolResultBlockParam["content"], string | undefined>[number];

/** One of our messages in Anthropic's words; where it stands among others is not yet decided. */
export interface WireTurn {
  readonly role: "system" | "user" | "assistant";
  /** Answers to the calls of the turn before. They must stand first. */
  readonly results: readonly Anthropic.ToolResultBlockParam[];
  readonly blocks: readonly Block[];
  /** Results and blocks as one message, for a turn that keeps its place alone. */
  readonly param: Anthropic.MessageParam;
  /** By call id: the arguments' text of calls whose arguments did not parse. */
  readonly unparsed: ReadonlyMap<string, string>;
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
  const unparsed = new Map<string, string>();
  for (const content of contents) {
    const block = assistantBlock(content, notice);
    if (block) blocks.push(block);
    if (content.type === "function_call" && content.parseError !== undefined) {
      unparsed.set(toWireCallId(content.callId), content.argumentsText ?? "");
    }
  }
  return {
    role: "assistant",
    results: [],
    blocks,
    param: { role: "assistant", content: blocks },
    unparsed,
  };
}

const nothingUnparsed: ReadonlyMap<string, string> = new Map();

function otherTurn({ role, contents }: Message, notice?: Notice): WireTurn {
  const results: Anthropic.ToolResultBlockParam[] = [];
  const blocks: Block[] = [];
  for (const content of contents) {
    if (content.type === "function_result") results.push(resultBlock(content, notice));
    else {
      const block = givenBlock(content, notice);
      if (block) blocks.push(block);
    }
  }
  return {
    role: role === "system" ? "system" : "user",
    results,
    blocks,
    param: { role: "user", content: [...results, ...blocks] },
    unparsed: nothingUnparsed,
  };
}

/** A part of what the model itself said. Only what Anthropic signed goes back as reasoning. */
function assistantBlock(content: Content, notice?: Notice): Block | undefined {
  const own = content.providerData?.["anthropic"];
  switch (content.type) {
    case "text":
      return textBlock(content.text, own);
    case "text_reasoning":
      return reasoningBlock(content.text, own);
    case "function_call":
      return content.informationalOnly ? leftOut(content, notice) : callBlock(content, own);
    case "hosted_tool_call":
      if (!own) return leftOut(content, notice);
      return wireBlock({
        ...own,
        id: content.callId,
        name: content.name,
        input: content.input ?? {},
      });
    case "hosted_tool_result":
      if (!own) return leftOut(content, notice);
      return wireBlock({ ...own, tool_use_id: content.callId, content: content.output ?? [] });
    case "error":
    case "function_approval_request":
    case "function_approval_response":
    case "paused_call":
      return undefined;
    default:
      return isObject(own?.["block"]) ? wireBlock(own["block"]) : leftOut(content, notice);
  }
}

function textBlock(
  text: string,
  own: JsonObject | undefined,
): Anthropic.TextBlockParam | undefined {
  // A block without a visible character has the whole request refused.
  if (text.trim() === "") return undefined;
  const citations = own?.["citations"];
  if (!Array.isArray(citations)) return { type: "text", text };
  return { type: "text", text, citations };
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
    name: toWireToolName(call.name),
    // An object is demanded even where there was none; the result tells the model what it wrote.
    input: call.arguments ?? {},
    ...(own?.["caller"] !== undefined && { caller: own["caller"] }),
    ...(own?.["toolset_name"] !== undefined && { toolset_name: own["toolset_name"] }),
  });
}

function resultBlock(
  result: FunctionResultContent,
  notice?: Notice,
): Anthropic.ToolResultBlockParam {
  const content: ResultBlock[] = [];
  for (const each of result.contents) {
    const block = givenBlock(each, notice);
    if (block) content.push(block);
  }
  if (content.length === 0) content.push({ type: "text", text: emptyResultText(result) });
  return {
    type: "tool_result",
    tool_use_id: toWireCallId(result.callId),
    content,
    ...(result.isError && { is_error: true }),
  };
}

function emptyResultText({ isError, error }: FunctionResultContent): string {
  if (!isError) return "Done, no output.";
  return error?.message.trim() ? error.message : "Error: the call failed and gave no reason.";
}

/** A part of what the model is given: by the user, or as a tool's result. */
function givenBlock(
  content: Content,
  notice?: Notice,
): Anthropic.TextBlockParam | Anthropic.ImageBlockParam | Anthropic.DocumentBlockParam | undefined {
  switch (content.type) {
    case "text":
      return textBlock(content.text, undefined);
    case "error":
      return textBlock(content.message, undefined);
    case "data":
    case "uri":
      return toMediaBlock(content);
    case "text_reasoning":
    case "function_approval_request":
    case "function_approval_response":
    case "paused_call":
      return undefined;
    default:
      return leftOut(content, notice);
  }
}

function leftOut(content: Content, notice?: Notice): undefined {
  notice?.(
    "content_left_out",
    `A content of type "${content.type}" has no form in Anthropic's Messages API here and was left out of the request.`,
  );
}

/** What came from Anthropic goes back as it came; its types need not be known here. */
function wireBlock(block: JsonObject): Block {
  return block as unknown as Block;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

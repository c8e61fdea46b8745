import {
  ChatClientError,
  type Content,
  type FunctionCallContent,
  type FunctionResultContent,
  type Message,
  type TextContent,
} from "@tunic/core";
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
  ChatCompletionToolMessageParam,
  ChatCompletionUserMessageParam,
} from "openai/resources/chat/completions";
import { toContentPart } from "../to-openai-content.js";
import { toWireCall, toWireCallId } from "../wire-call.js";
import { type OwnMembers, ownMembersOf } from "./assistant-replay.js";

/** What one message comes to, whatever stands around it. */
export interface ConvertedMessage {
  readonly messages: readonly ChatCompletionMessageParam[];
  /** Files of tool results: the service takes them in a user message only. */
  readonly media: readonly ChatCompletionContentPart[];
  /** Types of contents that could not be sent. */
  readonly leftOut: readonly string[];
  /** What the service that wrote it may want back. */
  readonly own: OwnMembers | undefined;
}

/** Messages never change, so each one is converted once in its life. */
const converted = new WeakMap<Message, ConvertedMessage>();

/** Converts one message. `onLeftOut` is told once what of it cannot be sent. */
export function convertMessage(
  message: Message,
  onLeftOut: (types: readonly string[]) => void,
): ConvertedMessage {
  const known = converted.get(message);
  if (known) return known;
  const conversion = new Conversion();
  const results = message.contents.filter((content) => content.type === "function_result");
  const rest = message.contents.filter((content) => content.type !== "function_result");
  const messages: ChatCompletionMessageParam[] = results.map((result) => conversion.result(result));
  const own = conversion.message(message.role, rest);
  if (own) messages.push(own);
  const { media, leftOut } = conversion;
  const made = { messages, media, leftOut, own: ownMembersOf(rest) };
  if (leftOut.length > 0) onLeftOut(leftOut);
  converted.set(message, made);
  return made;
}

/** Contents that are for the framework, or for the service that made them: never sent, not missed. */
const notForTheModel: ReadonlySet<string> = new Set([
  "text_reasoning",
  "function_approval_request",
  "function_approval_response",
  "paused_call",
]);

class Conversion {
  readonly media: ChatCompletionContentPart[] = [];
  readonly leftOut: string[] = [];

  message(
    role: Message["role"],
    contents: readonly Content[],
  ): ChatCompletionMessageParam | undefined {
    if (role === "user") return this.#user(contents);
    if (role === "assistant") return this.#assistant(contents);
    const texts = contents.filter((content) => content.type === "text");
    const sent = role === "system" ? texts : [];
    for (const content of contents) {
      if (!sent.some((text) => text === content)) this.#leaveOut(content);
    }
    const text = joinTexts(sent.map((content) => content.text));
    return text === "" ? undefined : { role: "system", content: text };
  }

  result(result: FunctionResultContent): ChatCompletionToolMessageParam {
    const id = toWireCallId(result.callId);
    const texts: string[] = [];
    const media: ChatCompletionContentPart[] = [];
    for (const content of result.contents) {
      const part = this.#resultPart(content);
      if (part === undefined) continue;
      if (part.type === "text") texts.push(part.text);
      else media.push(part);
    }
    if (media.length > 0) {
      this.media.push({ type: "text", text: `Returned by the tool call ${id}:` }, ...media);
    }
    const text = texts.filter((each) => each !== "").join("\n");
    return { role: "tool", tool_call_id: id, content: text || wordless(result, media.length > 0) };
  }

  #user(contents: readonly Content[]): ChatCompletionUserMessageParam | undefined {
    const parts: ChatCompletionContentPart[] = [];
    for (const content of contents) {
      const part = this.#userPart(content);
      if (part !== undefined && !(part.type === "text" && part.text === "")) parts.push(part);
    }
    return parts.length === 0 ? undefined : { role: "user", content: plainWhereText(parts) };
  }

  #userPart(content: Content): ChatCompletionContentPart | undefined {
    if (content.type === "text") return { type: "text", text: content.text };
    if (content.type === "error") return { type: "text", text: `Error: ${content.message}` };
    if (content.type !== "data" && content.type !== "uri") {
      this.#leaveOut(content);
      return undefined;
    }
    const part = toContentPart(content);
    if (part) return part;
    const what = content.type === "uri" ? `the address ${content.uri} of type` : "a file of type";
    throw new ChatClientError(
      "unsupported",
      `Chat completions take no ${content.mediaType} here: ${what} ${content.mediaType} cannot be ` +
        `sent. Send images (as data or by http address with their media type), wav or mp3 sound, ` +
        `PDF or text.`,
    );
  }

  /** A tool's file must not end the run: what cannot be shown is told. */
  #resultPart(content: Content): ChatCompletionContentPart | undefined {
    if (content.type !== "data" && content.type !== "uri") return this.#userPart(content);
    const part = toContentPart(content);
    if (part) return part;
    const text =
      content.type === "uri"
        ? `${content.uri} (${content.mediaType})`
        : `[A file of type ${content.mediaType}, which cannot be shown to this model.]`;
    return { type: "text", text };
  }

  #assistant(contents: readonly Content[]): ChatCompletionAssistantMessageParam | undefined {
    let text = "";
    let last: Content | undefined;
    const calls: FunctionCallContent[] = [];
    const refusals: string[] = [];
    for (const content of contents) {
      if (content.type === "text") text += between(text, last) + content.text;
      else if (content.type === "function_call" && !content.informationalOnly) calls.push(content);
      else if (content.type === "error" && content.code?.startsWith("refusal")) {
        refusals.push(content.message);
      } else this.#leaveOut(content);
      last = content;
    }
    if (text === "" && calls.length === 0 && refusals.length === 0) return undefined;
    return {
      role: "assistant",
      content: text === "" ? null : text,
      ...(refusals.length > 0 && { refusal: refusals.join("\n") }),
      ...(calls.length > 0 && { tool_calls: calls.map(toWireCall) }),
    };
  }

  #leaveOut(content: Content): void {
    // Of a spoken answer there are the words.
    const isSpoken = content.type === "data" && content.providerData?.["openai"]?.["audio"];
    if (!isSpoken && !notForTheModel.has(content.type)) this.leftOut.push(content.type);
  }
}

/** Neighbours are pieces of one text; what something else stands between are paragraphs. */
function between(before: string, last: Content | undefined): string {
  return before === "" || last?.type === "text" ? "" : "\n\n";
}

/** Plain text where there is nothing else: some servers take no parts. */
export function plainWhereText(
  parts: readonly ChatCompletionContentPart[],
): string | ChatCompletionContentPart[] {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.type !== "text") return [...parts];
    texts.push(part.text);
  }
  return joinTexts(texts);
}

/** Texts that are complete in themselves, one paragraph each. */
export function joinTexts(texts: readonly TextContent["text"][]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

/** The service takes no empty result, and a model misreads one. */
function wordless(result: FunctionResultContent, hasMedia: boolean): string {
  if (result.isError) return `Error: ${result.error?.message || "the call failed."}`;
  return hasMedia ? "The result follows in the next message." : "Done; there is no output.";
}

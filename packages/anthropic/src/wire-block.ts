import type Anthropic from "@anthropic-ai/sdk";
import { type Content, isJsonObject, type JsonObject, type RunContext } from "@tunic/core";

/** Told of what is left out of a request. */
export type Notice = RunContext["notice"];

/** A part of a message on its way out. */
export type Block = Anthropic.ContentBlockParam;

/** What came from Anthropic goes back as it came; its types need not be known here. */
export function wireBlock(block: JsonObject): Block {
  return block as unknown as Block;
}

/** A text, with what Anthropic keeps beside it; undefined without a visible character. */
export function textBlock(
  text: string,
  own: JsonObject | undefined,
): Anthropic.TextBlockParam | undefined {
  // A block without a visible character has the whole request refused.
  if (text.trim() === "") return undefined;
  return { type: "text", text, ...cacheMark(own) };
}

/** A mark of the user's own: everything up to here is to be cached. */
export function cacheMark(own: JsonObject | undefined) {
  const mark = own?.["cache_control"];
  return isJsonObject(mark)
    ? { cache_control: mark as unknown as Anthropic.CacheControlEphemeral }
    : undefined;
}

/** Reports a content that has no form there. */
export function leftOut(content: Content, notice?: Notice): undefined {
  notice?.(
    "content_left_out",
    `A content of type "${content.type}" has no form in Anthropic's Messages API here and was left out of the request.`,
  );
}

import type { Content, JsonObject } from "@tunic/core";

/**
 * What a content remembers of the output item it came from, as `providerData.openai`. Chat completions
 * know none of it and leave it alone.
 */
export interface ItemData {
  /** The id of the item; one item may have come to several contents. */
  readonly itemId?: string;
  /** The id of the reasoning item that stood directly before: the service takes them together only. */
  readonly after?: string;
  /** The service that made it: its host, with its port. */
  readonly origin?: string;
  /** The stored response that the item belongs to. */
  readonly responseId?: string;
  /** The service's conversation that the item belongs to. */
  readonly conversationId?: string;
  /** Of a message: whether it is commentary or the final answer. */
  readonly phase?: string;
  /** Of a text: what it cites. */
  readonly annotations?: readonly JsonObject[];
  /** Of a reasoning item: whether the text is a part of its summary or of itself. */
  readonly part?: "summary" | "content";
  readonly encryptedContent?: string;
  /** The item itself, without what other contents of the message hold of it. */
  readonly item?: JsonObject;
  /** Under which name the item holds what this content is. */
  readonly member?: string;
}

/** What a content remembers of its item; empty for contents of other origin. */
export function itemData(content: Content): ItemData {
  return (content.providerData?.["openai"] as ItemData | undefined) ?? nothing;
}

/** A content as another service may see it: without what only the one that made it understands. */
export function withoutForeignData(content: Content, origin: string | undefined): Content {
  const { origin: made } = itemData(content);
  if (made === undefined || origin === undefined || made === origin) return content;
  const { openai: _, ...others } = content.providerData ?? {};
  return { ...content, providerData: others };
}

const nothing: ItemData = Object.freeze({});

/** `providerData` with these members, those that say something. */
export function asProviderData(data: Readonly<Record<string, unknown>>): {
  providerData?: { openai: JsonObject };
} {
  const given = Object.entries(data).filter(([, value]) => value !== undefined && value !== "");
  if (given.length === 0) return {};
  return { providerData: { openai: Object.fromEntries(given) as JsonObject } };
}

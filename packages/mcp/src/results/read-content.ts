import {
  type Content,
  type ContentExtras,
  dataContent,
  isJsonObject,
  type JsonObject,
  textContent,
  uriContent,
} from "@tunic/core";
import { labelFromMeta } from "./result-label.js";

/**
 * A block of an MCP result or message as a content. A block that cannot be read, or is of a kind that nobody
 * knows, becomes its JSON as text: nothing of it is lost.
 *
 * @param meta Of the result around it.
 */
export function readContent(block: unknown, meta?: JsonObject): Content {
  if (!isJsonObject(block)) return textContent(jsonText(block), extrasOf({}, meta));
  const { type, text, data, mimeType, resource, uri } = block;
  const extras = extrasOf(block, meta);
  switch (type) {
    case "text":
      return typeof text === "string" ? textContent(text, extras) : unknownBlock(block, extras);
    case "image":
    case "audio":
      return readBytes(data, mimeType, extras) ?? unknownBlock(block, extras);
    case "resource_link":
      return readUri(uri, mimeType, extras) ?? unknownBlock(block, extras);
    case "resource":
      return isJsonObject(resource)
        ? readResource(resource, extrasOf({ ...block, ...resource }, meta, ofResource(resource)))
        : unknownBlock(block, extras);
    default:
      return unknownBlock(block, extras);
  }
}

/** The content of a resource, embedded or read. */
function readResource(resource: JsonObject, extras?: ContentExtras): Content {
  const { text, blob, mimeType } = resource;
  const own = extras ?? extrasOf(resource, undefined);
  if (typeof text === "string") return textContent(text, own);
  return readBytes(blob, mimeType, own) ?? unknownBlock(resource, own);
}

function readBytes(data: unknown, mimeType: unknown, extras: ContentExtras): Content | undefined {
  if (typeof data !== "string") return undefined;
  const type = typeof mimeType === "string" ? mimeType : "application/octet-stream";
  try {
    return dataContent(asBase64(data), type, extras);
  } catch {
    return undefined;
  }
}

/** Servers write line breaks into it, take the alphabet of URLs, and leave out the padding. */
function asBase64(text: string): string {
  if (/^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0) return text;
  const plain = text
    .replace(/\s+/g, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/=+$/, "");
  return plain.padEnd(Math.ceil(plain.length / 4) * 4, "=");
}

function readUri(uri: unknown, mimeType: unknown, extras: ContentExtras): Content | undefined {
  if (typeof uri !== "string") return undefined;
  try {
    return uriContent(uri, typeof mimeType === "string" ? mimeType : undefined, extras);
  } catch {
    return undefined;
  }
}

function unknownBlock(block: JsonObject, extras: ContentExtras): Content {
  return textContent(jsonText(block), extras);
}

/** JSON as text; never nothing. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value) ?? "null";
}

/** What stands beside the content itself: never sent to a model. */
const besides = ["uri", "name", "title", "description", "size", "annotations"] as const;

/** And beside a resource that becomes a text, which has no type of its own. */
function ofResource({ text }: JsonObject): readonly string[] {
  return typeof text === "string" ? [...besides, "mimeType"] : besides;
}

function extrasOf(
  block: JsonObject,
  meta: JsonObject | undefined,
  members: readonly string[] = besides,
): ContentExtras {
  const own = isJsonObject(block["_meta"]) ? block["_meta"] : undefined;
  const all = own || meta ? { ...meta, ...own } : undefined;
  const mcp: Record<string, unknown> = {};
  for (const member of members) if (block[member] !== undefined) mcp[member] = block[member];
  if (all !== undefined) mcp["meta"] = all;
  const label = labelFromMeta(all);
  if (Object.keys(mcp).length === 0) return {};
  // What JSON can say and cannot write again, such as 1e400, would be another message once it was stored.
  const plain = JSON.parse(JSON.stringify(mcp)) as JsonObject;
  return { additionalProperties: { mcp: plain, ...(label && { label }) } };
}

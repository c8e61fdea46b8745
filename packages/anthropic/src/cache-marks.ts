import type Anthropic from "@anthropic-ai/sdk";
import { isJsonObject } from "@tunic/core";

type Params = Anthropic.MessageCreateParams;
type Mark = Anthropic.CacheControlEphemeral;
type Ttl = NonNullable<Mark["ttl"]>;

/** How a client marks what the service is to cache. */
export interface PromptCaching {
  /** How long the cache keeps it after the last use. Default `5m`. */
  readonly ttl?: Ttl | undefined;
}

/** "A maximum of 4 blocks with cache_control may be provided." */
const mostMarks = 4;

/**
 * The request with marks. The service's own automatic mark (`cache_control` of the request) moves with
 * the end of the conversation; further ones stand at the end of the instructions, of the tools, and of
 * the user message before the last, so that a round finds what the round before has written however
 * many blocks lie in between (the service looks back over 20). Marks of the user's own come first: as
 * many as there are, so many fewer are set. Of more than four, the latest stand.
 *
 * Marks are set on copies: blocks are kept for other requests, and marks are no part of what the
 * service compares with its cache.
 */
export function withCacheMarks(params: Params, caching: PromptCaching | undefined): Params {
  const own = ownMarks(params);
  if (own.length === 0 && caching === undefined) return params;
  const fitting = own.length > mostMarks ? withoutFirst(params, own.length - mostMarks) : params;
  if (caching === undefined || own.length >= mostMarks) return fitting;
  return addMarks(fitting, own, caching);
}

/** A mark and its place; the order is the one in which the service reads: tools, system, messages. */
interface Placed {
  readonly place: number;
  readonly ttl: Ttl;
}

/** Places of the parts of a request, in the order in which the service reads them. */
const places = { tools: 0, system: 1, messages: 2, end: Number.POSITIVE_INFINITY };

function addMarks(params: Params, own: readonly Placed[], { ttl = "5m" }: PromptCaching): Params {
  let left = mostMarks - own.length;
  let marked = params;
  const mark: Mark = ttl === "5m" ? { type: "ephemeral" } : { type: "ephemeral", ttl };
  const before = params.messages.length - 3;
  const steps: readonly (readonly [place: number, (from: Params) => Params])[] = [
    [places.end, (from) => withMarkAtEnd(from, mark)],
    [places.system, (from) => withSystemMark(from, mark)],
    [places.messages + before, (from) => withMessageMark(from, before, mark)],
    [places.tools, (from) => withToolMark(from, mark)],
  ];
  for (const [place, step] of steps) {
    if (left === 0 || !inOrder(place, ttl, own)) continue;
    const next = step(marked);
    if (next !== marked) left--;
    marked = next;
  }
  return marked;
}

/** What is kept longer must stand before what is kept shorter. */
function inOrder(place: number, ttl: Ttl, own: readonly Placed[]): boolean {
  return own.every((other) =>
    ttl === "1h"
      ? other.ttl === "1h" || other.place >= place
      : other.ttl === "5m" || other.place < place,
  );
}

function withMarkAtEnd(params: Params, mark: Mark): Params {
  if (params.cache_control !== undefined) return params;
  return isMarked(lastBlock(params.messages.at(-1))) ? params : { ...params, cache_control: mark };
}

function withSystemMark(params: Params, mark: Mark): Params {
  const { system } = params;
  const blocks = typeof system === "string" ? [{ type: "text" as const, text: system }] : system;
  const last = blocks?.at(-1);
  if (blocks === undefined || last === undefined || isMarked(last)) return params;
  return { ...params, system: [...blocks.slice(0, -1), { ...last, cache_control: mark }] };
}

/** A tool that is loaded later stands outside of what is cached, and takes no mark. */
function withToolMark(params: Params, mark: Mark): Params {
  const tools = params.tools ?? [];
  const at = tools.findLastIndex((tool) => !("defer_loading" in tool && tool.defer_loading));
  const tool = tools[at];
  if (tool === undefined || isMarked(tool)) return params;
  return { ...params, tools: tools.with(at, { ...tool, cache_control: mark }) };
}

function withMessageMark(params: Params, at: number, mark: Mark): Params {
  const message = params.messages[at];
  const last = lastBlock(message);
  if (message?.role !== "user" || last === undefined || isMarked(last)) return params;
  const blocks = blocksOf(message);
  const marked = { ...last, cache_control: mark } as Anthropic.ContentBlockParam;
  const content = [...blocks.slice(0, -1), marked];
  return { ...params, messages: params.messages.with(at, { ...message, content }) };
}

function ownMarks({ tools, system, messages, cache_control }: Params): readonly Placed[] {
  const found: Placed[] = [];
  const look = (value: object, place: number): void => {
    for (const part of partsOf(value)) look(part, place);
    const mark = "cache_control" in value ? value.cache_control : undefined;
    if (isJsonObject(mark)) found.push({ place, ttl: mark["ttl"] === "1h" ? "1h" : "5m" });
  };
  for (const tool of tools ?? []) look(tool, places.tools);
  if (Array.isArray(system)) for (const block of system) look(block, places.system);
  messages.forEach((message, at) => {
    for (const block of blocksOf(message)) look(block, places.messages + at);
  });
  look({ cache_control }, places.end);
  return found;
}

/** The request without its first marks, in the order in which the service reads them. */
function withoutFirst(params: Params, count: number): Params {
  const { tools, system } = params;
  const drop = { left: count };
  return {
    ...params,
    ...(tools && { tools: withoutMarks(tools, drop) }),
    ...(Array.isArray(system) && { system: withoutMarks(system, drop) }),
    messages: params.messages.map((message) => {
      if (drop.left === 0 || !Array.isArray(message.content)) return message;
      const content = withoutMarks(message.content, drop);
      return { ...message, content } as Anthropic.MessageParam;
    }),
  };
}

function withoutMarks<Item extends object>(items: readonly Item[], drop: { left: number }): Item[] {
  return items.map((item) => {
    if (drop.left === 0) return item;
    const parts = partsOf(item);
    const kept = parts.some(isMarked) ? { ...item, content: withoutMarks(parts, drop) } : item;
    if (drop.left === 0 || !isMarked(kept)) return kept;
    drop.left--;
    const copy: Item & { cache_control?: unknown } = { ...kept };
    delete copy.cache_control;
    return copy;
  });
}

/** What a block holds that can have marks of its own, as the result of a call does. */
function partsOf(block: object): readonly object[] {
  return "content" in block && Array.isArray(block.content) && block.content.every(isJsonObject)
    ? block.content
    : [];
}

function blocksOf(message: Anthropic.MessageParam): readonly Anthropic.ContentBlockParam[] {
  return Array.isArray(message.content) ? message.content : [];
}

function lastBlock(message: Anthropic.MessageParam | undefined) {
  return message && blocksOf(message).at(-1);
}

function isMarked(block: object | undefined): boolean {
  return block !== undefined && "cache_control" in block && isJsonObject(block.cache_control);
}

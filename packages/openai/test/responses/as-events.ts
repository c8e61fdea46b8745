import type { JsonObject, JsonValue } from "@tunic/core";
import type { Item } from "./build.js";

/** How a stream tells an answer. */
export interface Telling {
  /** Cuts a text into its deltas. Default: one for each character. */
  readonly cut?: (text: string) => readonly string[];
  /** Whether arguments come in deltas, too, before they come whole. Default true. */
  readonly deltas?: boolean;
}

/** The events that say a response, as the service sends them. */
export function asEvents(answer: JsonObject, telling: Telling = {}): JsonObject[] {
  const output = (answer["output"] ?? []) as readonly Item[];
  const begun = { ...answer, status: "in_progress", output: [], usage: null };
  const { status } = answer;
  const events: JsonObject[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...output.flatMap((item, output_index) => itemEvents(item, output_index, telling)),
    { type: `response.${status}`, response: answer },
  ];
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}

function itemEvents(item: Item, output_index: number, telling: Telling): JsonObject[] {
  const place = { output_index, item_id: item["id"] ?? "" };
  return [
    { type: "response.output_item.added", output_index, item: beginning(item) },
    ...pieces(item, place, telling),
    { type: "response.output_item.done", output_index, item },
  ];
}

/** An item before anything of it has come. */
function beginning(item: Item): Item {
  const started: Record<string, JsonValue> = { ...item };
  if ("status" in item) started["status"] = "in_progress";
  if (item.type === "message") started["content"] = [];
  if (item.type === "function_call") started["arguments"] = "";
  if (item.type === "reasoning") {
    started["summary"] = [];
    delete started["content"];
    delete started["encrypted_content"];
  }
  return started as Item;
}

function pieces(item: Item, place: JsonObject, telling: Telling): JsonObject[] {
  const { cut = (text: string) => [...text], deltas = true } = telling;
  if (item.type === "function_call") {
    const text = item["arguments"];
    const done = { type: "response.function_call_arguments.done", ...place, arguments: text ?? "" };
    if (!deltas || typeof text !== "string") return [done];
    const type = "response.function_call_arguments.delta";
    return [...cut(text).map((delta) => ({ type, ...place, delta })), done];
  }
  const texts = (member: string, name: string, index: string): JsonObject[] =>
    parts(item[member]).flatMap((part, at) =>
      partEvents(part, name, { ...place, [index]: at }, cut),
    );
  if (item.type === "message") return texts("content", "", "content_index");
  if (item.type !== "reasoning") return [];
  return [
    ...texts("summary", "reasoning_summary_text", "summary_index"),
    ...texts("content", "reasoning_text", "content_index"),
  ];
}

function partEvents(
  part: JsonObject,
  name: string,
  place: JsonObject,
  cut: (text: string) => readonly string[],
): JsonObject[] {
  const member = part["type"] === "refusal" ? "refusal" : "text";
  const kind = name || (member === "refusal" ? "refusal" : "output_text");
  const text = part[member];
  if (typeof text !== "string") return [];
  const annotations = parts(part["annotations"]);
  return [
    ...cut(text).map((delta) => ({ type: `response.${kind}.delta`, ...place, delta })),
    ...annotations.map((annotation, annotation_index) => ({
      type: "response.output_text.annotation.added",
      ...place,
      annotation_index,
      annotation,
    })),
    { type: `response.${kind}.done`, ...place, [member]: text },
  ];
}

function parts(value: JsonValue | undefined): readonly JsonObject[] {
  return (value ?? []) as readonly JsonObject[];
}

import type Anthropic from "@anthropic-ai/sdk";
import {
  type ChatResponse,
  type Content,
  foldUpdates,
  ResponseBuilder,
  type Update,
} from "@tunic/core";
import { expect } from "vitest";
import { AnswerReader } from "../src/from-anthropic.js";
import { asEvents, type Cut, type Wire } from "./as-events.js";
import { answer } from "./build.js";

/** An answer that came in one piece. */
export async function readWhole(wire: Anthropic.Message): Promise<ChatResponse> {
  const reader = new AnswerReader(new ResponseBuilder({ messages: [], options: {} }));
  await reader.message(wire);
  await reader.endAnswer();
  return await reader.finish();
}

/** An answer that came as events, and the updates it was handed on as. */
export async function readEvents(
  events: readonly object[],
): Promise<{ response: ChatResponse; updates: Update[] }> {
  const updates: Update[] = [];
  const onUpdate = (update: Update): void => void updates.push(update);
  const reader = new AnswerReader(new ResponseBuilder({ messages: [], options: {}, onUpdate }));
  for (const event of events) await reader.event(event as Anthropic.RawMessageStreamEvent);
  await reader.endAnswer();
  return { response: await reader.finish(), updates };
}

/** The parts of a response that do not differ from run to run. */
export function parts({ messages, ...rest }: ChatResponse) {
  return { ...rest, contents: messages.flatMap(({ contents }) => contents) };
}

/** Reads an answer whole and streamed; both must come to the same, and so must what was streamed. */
export async function sameBothWays(
  wire: Anthropic.Message,
  cut?: Cut,
): Promise<ReturnType<typeof parts>> {
  const whole = parts(await readWhole(wire));
  const { response, updates } = await readEvents(asEvents(wire, cut));
  expect(parts(response)).toEqual(whole);
  expect(foldUpdates(updates).messages).toEqual(response.messages);
  return whole;
}

/** The calls of an answer. */
export const calls = ({ contents }: { contents: readonly Content[] }) =>
  contents.filter((content) => content.type === "function_call");

/** The first event of any stream. */
export const start = { type: "message_start", message: answer([]) };
/** The last events of a stream. */
export const end = (stop_reason: string): Wire[] => [
  { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 4 } },
  { type: "message_stop" },
];
/** The events of one block. */
export const block = (
  index: number,
  content_block: object,
  ...deltas: readonly object[]
): Wire[] => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];
/** A block that calls a tool. */
export const toolUse = (id: string, input: unknown = {}) => ({
  type: "tool_use",
  id,
  name: "lamp",
  input,
});
/** A piece of the text of arguments. */
export const json = (partial_json: string) => ({ type: "input_json_delta", partial_json });

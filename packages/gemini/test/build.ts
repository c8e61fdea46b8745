import {
  type ChatRequest,
  type ChatResponse,
  type Content,
  type FunctionCallContent,
  type FunctionTool,
  foldUpdates,
  functionResultContent,
  type JsonObject,
  type Message,
  type Role,
  textContent,
  type Update,
} from "@tunic/core";
import { expect } from "vitest";
import type { GeminiChatClient } from "../src/index.js";

let ids = 0;

/** A message of the log. A string stands for one text. */
export function message(role: Role, ...contents: readonly (string | Content)[]): Message {
  return {
    id: `m${++ids}`,
    role,
    createdAt: 0,
    contents: contents.map((each) => (typeof each === "string" ? textContent(each) : each)),
  };
}

export function call(
  callId: string,
  name = "lamp",
  args: JsonObject = {},
  own?: JsonObject,
): FunctionCallContent {
  const beside = own && { providerData: { gemini: own } };
  return { type: "function_call", callId, name, arguments: args, ...beside };
}

export const result = functionResultContent;

/** A tool by its data alone. */
export function functionTool(
  name: string,
  parameters: JsonObject = { type: "object", properties: { room: { type: "string" } } },
  more: Partial<FunctionTool> = {},
): FunctionTool {
  return {
    type: "function",
    name,
    description: `The ${name}.`,
    parameters,
    invoke: () => Promise.reject(new Error("not run here")),
    ...more,
  };
}

/** What is left of a log after it was stored and loaded. */
export function stored<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}

/** A chunk of an answer, or a whole one, with these parts. */
export function answer(parts: readonly object[], finishReason?: string, more: object = {}): object {
  return {
    candidates: [
      { content: { role: "model", parts }, index: 0, ...(finishReason && { finishReason }) },
    ],
    modelVersion: "gemini-3.5-flash",
    responseId: "r1",
    ...more,
  };
}

/** The end of a stream. */
export const stop = (parts: readonly object[] = [], finishReason = "STOP"): object =>
  answer(parts, finishReason, {
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 4, totalTokenCount: 14 },
  });

/** Asks for a stream and keeps what it sent. */
export async function askStreamed(
  client: GeminiChatClient,
  request: Partial<ChatRequest> = {},
): Promise<{ response: ChatResponse; updates: readonly Update[] }> {
  const updates: Update[] = [];
  const response = await client.getResponse({
    messages: [message("user", "hi")],
    options: {},
    onUpdate: (update) => void updates.push(update),
    ...request,
  });
  expect(foldUpdates(updates).messages).toEqual(response.messages);
  return { response, updates };
}

/** Asks twice, streamed and whole; both must come to the same. */
export async function askBothWays(
  client: GeminiChatClient,
  request: Partial<ChatRequest> = {},
): Promise<ReturnType<typeof parts>> {
  const { response } = await askStreamed(client, request);
  const whole = await client.getResponse({
    messages: [message("user", "hi")],
    options: {},
    ...request,
  });
  expect(parts(response)).toEqual(parts(whole));
  return parts(whole);
}

/** The parts of a response that do not differ from run to run; ids that were made are `made`. */
export function parts({ messages, ...rest }: ChatResponse) {
  const contents = messages.flatMap(({ contents: each }) => each).map(withoutMadeId);
  return { ...rest, contents };
}

function withoutMadeId(content: Content): Content {
  if (!("callId" in content)) return content;
  return { ...content, callId: content.callId.replace(/^call_.*_(\d+)$/, "made") };
}

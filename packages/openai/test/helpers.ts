import {
  type ChatOptions,
  type ChatRequest,
  type ChatResponse,
  type Content,
  type FunctionResultContent,
  type FunctionTool,
  foldUpdates,
  type JsonObject,
  type Message,
  type Role,
  type RunContext,
  type Update,
} from "@tunic/core";
import OpenAI from "openai";
import { expect } from "vitest";
import { OpenAIChatClient, type OpenAIChatClientOptions } from "../src/index.js";

let ids = 0;

/** A client that believes to ask OpenAI (or the service at `address`), and asks the server. */
export function clientAt(
  server: { readonly url: string },
  settings: Partial<OpenAIChatClientOptions> = {},
  address = "https://api.openai.com/v1",
): OpenAIChatClient {
  const client = new OpenAI({
    apiKey: "k",
    baseURL: address,
    maxRetries: 0,
    fetch: (url, init) => fetch(String(url).replace(address, server.url), init),
  });
  return new OpenAIChatClient({ model: "test-model", client, ...settings });
}

/** A message; a string stands for one text. */
export function message(role: Role, ...contents: readonly (string | Content)[]): Message {
  return {
    id: `m${++ids}`,
    role,
    contents: contents.map((content) =>
      typeof content === "string" ? { type: "text", text: content } : content,
    ),
    createdAt: 0,
  };
}

export function call(callId: string, name: string, args: JsonObject = {}): Content {
  return { type: "function_call", callId, name, arguments: args };
}

export function result(
  callId: string,
  ...contents: readonly (string | Content)[]
): FunctionResultContent {
  const { contents: made } = message("tool", ...contents);
  return { type: "function_result", callId, contents: made };
}

/** A tool as its definition; what it does is of no interest here. */
export function tool(name: string, parameters: JsonObject = { type: "object" }): FunctionTool {
  return {
    type: "function",
    name,
    description: `Does ${name}.`,
    parameters,
    invoke: () => Promise.reject(new Error("not here")),
  };
}

export function request(
  messages: readonly Message[] = [message("user", "Hello")],
  options: ChatOptions = {},
): ChatRequest {
  return { messages, options };
}

/** Asks with streaming, and proves that what was streamed is the response. */
export async function stream(client: OpenAIChatClient, asked: ChatRequest): Promise<ChatResponse> {
  const updates: Update[] = [];
  const response = await client.getResponse({
    ...asked,
    onUpdate: (update) => {
      updates.push(update);
    },
  });
  expect(foldUpdates(updates).messages).toEqual(response.messages);
  return response;
}

/** The contents of the one message of a response. */
export function contentsOf(response: ChatResponse): readonly Content[] {
  expect(response.messages).toHaveLength(1);
  return response.messages.flatMap((each) => each.contents);
}

/** What a rejected promise was rejected with. */
export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.fail("It did not fail."),
    (error: unknown) => error,
  );
}

/** As much of a run as a chat client sees, with its notices kept. */
export function noticingRun(notices: string[]): RunContext {
  const run: Pick<RunContext, "now" | "newId" | "notice"> = {
    now: () => 0,
    newId: (kind) => `${kind}_${++ids}`,
    notice: (code, text) => {
      notices.push(`${code}: ${text}`);
    },
  };
  return run as RunContext;
}

/** A chunk of a stream with one delta. */
export function chunk(delta: object, finishReason: string | null = null): object {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "test-model",
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  };
}

/** A whole completion with one message. */
export function completion(answer: object, finishReason: string | null = "stop"): object {
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "test-model",
    choices: [{ index: 0, message: { role: "assistant", ...answer }, finish_reason: finishReason }],
  };
}

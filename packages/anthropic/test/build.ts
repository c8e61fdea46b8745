import { readFileSync } from "node:fs";
import type Anthropic from "@anthropic-ai/sdk";
import {
  type Content,
  type FunctionCallContent,
  type FunctionTool,
  functionResultContent,
  type JsonObject,
  type Message,
  type Role,
  textContent,
} from "@tunic/core";
import { wireProblems } from "@tunic/testing/wire";

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

export function call(callId: string, name = "lamp", args: JsonObject = {}): FunctionCallContent {
  return { type: "function_call", callId, name, arguments: args };
}

export const result = functionResultContent;

/** A tool by its data alone. */
export function functionTool(
  name: string,
  parameters: JsonObject = { type: "object", properties: {} },
): FunctionTool {
  return {
    type: "function",
    name,
    description: `The ${name}.`,
    parameters,
    invoke: () => Promise.reject(new Error("not run here")),
  };
}

/** What the service would say of a request with these messages. */
export function messageProblems(messages: readonly unknown[]): readonly string[] {
  return wireProblems("anthropic", { model: "claude-sonnet-4-5", max_tokens: 1024, messages });
}

/** What is left of a log after it was stored and loaded. */
export function stored<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}

/** A whole answer with these blocks. */
export function answer(
  content: readonly object[],
  stop_reason: string = "end_turn",
  more: object = {},
): Anthropic.Message {
  const whole = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content,
    stop_reason,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 4 },
    ...more,
  };
  return whole as unknown as Anthropic.Message;
}

/** A file of `test/fixtures`. */
export function fixture(name: string): string {
  return readFileSync(new URL(`./fixtures/${name}`, import.meta.url), "utf8");
}

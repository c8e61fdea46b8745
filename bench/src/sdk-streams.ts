import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { AnthropicChatClient } from "@tunic/anthropic";
import type { ChatClient } from "@tunic/core";
import { GeminiChatClient } from "@tunic/gemini";
import { OpenAIChatClient, OpenAIResponsesClient } from "@tunic/openai";
import OpenAI from "openai";
import { wholeText } from "./streamed-bodies.js";

/** The services whose streams are measured. */
export const services = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const;
export type Service = (typeof services)[number];

/** Reads a whole streamed answer and returns its text. */
type Read = () => Promise<string>;

/**
 * Time to read an answer of 2,000 pieces through our client, as a ratio to the vendor's SDK alone:
 * best of several rounds in turn, so that noise hits both alike.
 */
export async function sdkStreamRatio(service: Service, rounds = 30): Promise<number> {
  const server = fork(fileURLToPath(new URL("./stream-server.ts", import.meta.url)), {
    execArgv: ["--import", "tsx"],
  });
  try {
    const port = await new Promise<number>((resolve, reject) => {
      server.once("message", (message) => resolve(Number(message)));
      server.once("exit", () => reject(new Error("bench: the server of streams ended")));
    });
    const [sdk, tunic] = readers(service, `http://127.0.0.1:${port}`);
    const best = { sdk: Infinity, tunic: Infinity };
    for (let round = 0; round < rounds; round++) {
      best.sdk = Math.min(best.sdk, await timeOf(sdk));
      best.tunic = Math.min(best.tunic, await timeOf(tunic));
    }
    return best.tunic / best.sdk;
  } finally {
    server.kill();
  }
}

async function timeOf(read: Read): Promise<number> {
  const started = performance.now();
  const text = await read();
  const time = performance.now() - started;
  if (text !== wholeText) throw new Error("bench: the stream's text is not what was sent");
  return time;
}

const hello = "hello";
const settings = { apiKey: "none", maxRetries: 0 };

function readers(service: Service, address: string): readonly [sdk: Read, tunic: Read] {
  switch (service) {
    case "openai-chat":
      return chatCompletions(address);
    case "openai-responses":
      return responses(address);
    case "anthropic":
      return anthropic(address);
    case "gemini":
      return gemini(address);
  }
}

function chatCompletions(address: string): readonly [sdk: Read, tunic: Read] {
  const client = new OpenAI({ ...settings, baseURL: `${address}/v1` });
  const model = "gpt-5";
  const sdk = async (): Promise<string> => {
    let text = "";
    const stream = await client.chat.completions.create({
      model,
      messages: [{ role: "user", content: hello }],
      stream: true,
    });
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
    return text;
  };
  return [sdk, through(new OpenAIChatClient({ model, client }))];
}

function responses(address: string): readonly [sdk: Read, tunic: Read] {
  const client = new OpenAI({ ...settings, baseURL: `${address}/v1` });
  const model = "gpt-5";
  const sdk = async (): Promise<string> => {
    let text = "";
    const stream = await client.responses.create({ model, input: hello, stream: true });
    for await (const event of stream) {
      if (event.type === "response.output_text.delta") text += event.delta;
    }
    return text;
  };
  return [sdk, through(new OpenAIResponsesClient({ model, client }))];
}

function anthropic(address: string): readonly [sdk: Read, tunic: Read] {
  const client = new Anthropic({ ...settings, baseURL: address });
  const model = "claude-sonnet-5";
  const sdk = async (): Promise<string> => {
    let text = "";
    const stream = await client.messages.create({
      model,
      max_tokens: 5000,
      messages: [{ role: "user", content: hello }],
      stream: true,
    });
    for await (const event of stream) {
      if (event.type === "content_block_delta" && event.delta.type === "text_delta") {
        text += event.delta.text;
      }
    }
    return text;
  };
  return [sdk, through(new AnthropicChatClient({ model, client }))];
}

function gemini(address: string): readonly [sdk: Read, tunic: Read] {
  const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: address } });
  const model = "gemini-3.5-flash";
  const sdk = async (): Promise<string> => {
    let text = "";
    const stream = await client.models.generateContentStream({ model, contents: hello });
    for await (const chunk of stream) text += chunk.text ?? "";
    return text;
  };
  return [sdk, through(new GeminiChatClient({ model, client }))];
}

function through(client: ChatClient): Read {
  return async () => {
    let text = "";
    await client.getResponse({
      messages: [
        { id: "m1", role: "user", contents: [{ type: "text", text: hello }], createdAt: 0 },
      ],
      options: {},
      onUpdate(update) {
        if (update.type !== "delta") return;
        for (const content of update.contents) if (content.type === "text") text += content.text;
      },
    });
    return text;
  };
}

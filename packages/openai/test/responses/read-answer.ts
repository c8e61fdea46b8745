import {
  type ChatRequest,
  type ChatResponse,
  type Content,
  foldUpdates,
  type Update,
} from "@tunic/core";
import { expect } from "vitest";
import { OpenAIResponsesClient } from "../../src/index.js";
import { request } from "../helpers.js";
import type { WireReply } from "../wire-server.js";
import { ResponsesServer } from "./responses-server.js";

/** Asks with streaming, and proves that what was streamed is the response. */
export async function streamed(
  client: OpenAIResponsesClient,
  asked: ChatRequest,
): Promise<{ response: ChatResponse; updates: readonly Update[] }> {
  const updates: Update[] = [];
  const response = await client.getResponse({
    ...asked,
    onUpdate: (update) => {
      updates.push(update);
    },
  });
  expect(foldUpdates(updates).messages).toEqual(response.messages);
  return { response, updates };
}

/** What a client makes of one streamed reply. */
export async function readStream(
  chunks: readonly unknown[],
  own: Omit<WireReply, "chunks"> = {},
  asked: ChatRequest = request(),
): Promise<ChatResponse> {
  await using server = await ResponsesServer.start();
  server.reply({ chunks, ...own });
  const client = new OpenAIResponsesClient({ model: "m", baseURL: server.url });
  return (await streamed(client, asked)).response;
}

/** What a client makes of one whole reply. */
export async function readWhole(
  body: unknown,
  own: Omit<WireReply, "body"> = {},
  asked: ChatRequest = request(),
): Promise<ChatResponse> {
  await using server = await ResponsesServer.start();
  server.reply({ body, ...own });
  const client = new OpenAIResponsesClient({ model: "m", baseURL: server.url });
  return await client.getResponse(asked);
}

/** The contents of the one message of a response, without what the service must get back. */
export function plainContents(response: ChatResponse): readonly Content[] {
  expect(response.messages).toHaveLength(1);
  return response.messages.flatMap(({ contents }) => contents).map(withoutData);
}

function withoutData(content: Content): Content {
  const { providerData: _, ...rest } = content;
  if (rest.type !== "text" && rest.type !== "text_reasoning") return rest;
  const { id: __, ...flowing } = rest;
  return flowing;
}

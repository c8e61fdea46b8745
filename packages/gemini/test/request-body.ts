import type { ChatOptions } from "@tunic/core";
import { expect } from "vitest";
import type { GeminiChatClientOptions } from "../src/index.js";
import { message, stop } from "./build.js";
import { either, wireServer } from "./wire-server.js";

/** The body of a request with these options. */
export async function bodyFor(options: ChatOptions, own: Partial<GeminiChatClientOptions> = {}) {
  await using server = await wireServer(either(stop()));
  await server.client(own).getResponse({ messages: [message("user", "hi")], options });
  const { contents: _, ...body } = server.bodies[0] ?? { contents: [] };
  return body;
}

/** What a request with these options fails with; nothing is sent. */
export async function failureFor(options: ChatOptions, own: Partial<GeminiChatClientOptions> = {}) {
  await using server = await wireServer(either(stop()));
  const asked = server.client(own).getResponse({ messages: [message("user", "hi")], options });
  const failure = await asked.then(
    () => undefined,
    (error: Error & { code?: string }) => error,
  );
  expect(server.asked).toEqual([]);
  return failure;
}

import type { JsonObject, Message } from "@tunic/core";
import { wireProblems } from "@tunic/testing/wire";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OpenAIResponsesClient, toOpenAIResponsesInput } from "../../src/index.js";
import { message, request, result } from "../helpers.js";
import { asEvents } from "./as-events.js";
import type { Item } from "./build.js";
import { streamed } from "./read-answer.js";
import { ResponsesServer } from "./responses-server.js";
import { wireResponses } from "./wire-responses.js";

let server: ResponsesServer;
beforeAll(async () => {
  server = await ResponsesServer.start();
});
afterAll(() => server.stop());

describe.each([true, false])("any answer, with store: %s", (store) => {
  it("is the same, streamed and whole, and goes back without losing what must go back", async () => {
    const client = new OpenAIResponsesClient({ model: "m", baseURL: server.url, store });
    await fc.assert(
      fc.asyncProperty(wireResponses, fc.integer({ min: 1, max: 9 }), async (answer, size) => {
        const cut = (text: string) => inPieces(text, size);
        server.reply({ body: answer }, { chunks: asEvents(answer, { cut }) });
        const whole = await client.getResponse(request());
        const { response } = await streamed(client, request());
        expect(withoutIds(response.messages)).toEqual(withoutIds(whole.messages));
        const log: readonly Message[] = JSON.parse(JSON.stringify(whole.messages));
        const items = (answer["output"] ?? []) as readonly Item[];
        const sent = toOpenAIResponsesInput(log, { store }).map(plain);
        expect(sent).toEqual(replayed(items, store));
        const input = toOpenAIResponsesInput(continued(log), { store });
        expect(wireProblems("openai-responses", { model: "m", store, input })).toEqual([]);
      }),
      { numRuns: 80 },
    );
  }, 60_000);
});

function inPieces(text: string, size: number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
  return pieces;
}

function withoutIds(messages: readonly Message[]): unknown {
  return messages.map(({ contents }) => contents);
}

/** A log that goes on behind an answer: its calls have results, and the user says something. */
function continued(log: readonly Message[]): readonly Message[] {
  const results = log
    .flatMap(({ contents }) => contents)
    .flatMap((content) =>
      content.type === "function_call" ? [result(content.callId, "done")] : [],
    );
  return [message("user", "Hi."), ...log, message("tool", ...results), message("user", "Go on.")];
}

/** Of an answer, the items that the next request must hold. */
function replayed(output: readonly Item[], store: boolean): readonly unknown[] {
  const items: unknown[] = [];
  const isSent = (at: number): boolean => {
    const item = output[at];
    if (item === undefined) return false;
    if (item.type !== "reasoning") return true;
    return (store || item["encrypted_content"] !== undefined) && isSent(at + 1);
  };
  output.forEach((item, at) => {
    if (!isSent(at)) return;
    const before = output[at - 1];
    const alone = before?.type === "reasoning" && !isSent(at - 1);
    items.push(plain(alone ? withoutId(item) : item));
  });
  return items;
}

/** An item that the service knows together with reasoning only, which cannot be sent. */
function withoutId(item: Item): JsonObject {
  const { id: _, status: __, ...rest } = item;
  if (item.type === "function_call") return rest;
  if (item.type !== "message") return item;
  const content = ((item["content"] ?? []) as readonly JsonObject[])
    .map((part) => part["text"] ?? part["refusal"])
    .join("");
  return { ...rest, content };
}

/** An item without what says nothing, and with its arguments as what they say. */
function plain(item: object): unknown {
  const { status: _, ...rest }: Record<string, unknown> = { ...item };
  if (rest["type"] === "function_call")
    return { ...rest, arguments: JSON.parse(`${rest["arguments"]}`) };
  return rest;
}

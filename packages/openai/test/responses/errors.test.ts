import { ChatClientError } from "@tunic/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { OpenAIResponsesClient } from "../../src/index.js";
import { failureOf, request } from "../helpers.js";
import { asEvents } from "./as-events.js";
import { response, said } from "./build.js";
import { streamed } from "./read-answer.js";
import { ResponsesServer } from "./responses-server.js";

let server: ResponsesServer;
let client: OpenAIResponsesClient;

beforeEach(async () => {
  server = await ResponsesServer.start();
  client = new OpenAIResponsesClient({ model: "m", baseURL: server.url });
});
afterEach(() => server.stop());

const answer = response([said("Half of it.")]);
const events = asEvents(answer);
const headers = { "x-request-id": "req_1" };

describe("a response that failed", () => {
  it.each([
    ["server_error", "server_error", true],
    ["rate_limit_exceeded", "rate_limit", true],
    ["vector_store_timeout", "timeout", true],
    ["invalid_prompt", "bad_request", false],
    ["image_too_large", "bad_request", false],
    ["bio_policy", "bad_request", false],
    ["insufficient_quota", "rate_limit", false],
    ["something_new", "unknown", false],
  ])("%s, in an event, by an error event, and whole", async (word, code, retryable) => {
    const error = { code: word, message: "It failed." };
    const failed = { ...answer, status: "failed", output: [], error };
    const ends = [
      [{ type: "response.failed", response: failed }],
      [{ type: "error", ...error, param: null }],
      [{ type: "error", error: { ...error, type: "" } }],
    ];
    for (const end of ends) {
      server.reply({ chunks: [...events.slice(0, 6), ...end], headers });
      const failure = await failureOf(streamed(client, request()));
      expect(failure).toBeInstanceOf(ChatClientError);
      expect(failure).toMatchObject({ code, retryable, requestId: "req_1" });
      expect(Object(failure).message).toContain("It failed.");
    }
    server.reply({ body: failed, headers });
    expect(await failureOf(client.getResponse(request()))).toMatchObject({ code, retryable });
  });

  it("without saying why, or because somebody cancelled it", async () => {
    for (const status of ["failed", "cancelled"]) {
      server.reply({ body: { ...answer, status } });
      const failure = await failureOf(client.getResponse(request()));
      expect(failure).toMatchObject({ code: "unknown", message: expect.stringContaining(status) });
    }
  });
});

describe("a stream that ends before its answer", () => {
  it.each([
    ["with a broken connection", { end: "destroy" }],
    ["just so", { end: "close" }],
    ["with [DONE]", { end: "done" }],
  ] as const)("%s", async (_, how) => {
    server.reply({ chunks: events.slice(0, -1), headers, ...how });
    expect(await failureOf(streamed(client, request()))).toMatchObject({
      code: "cut_stream",
      retryable: true,
      requestId: "req_1",
      message: expect.stringContaining("response.completed"),
    });
  });

  it.each(["destroy", "close", "done"] as const)(
    "is none where the answer was over: %s",
    async (end) => {
      server.reply({ chunks: events, end });
      const { response: made } = await streamed(client, request());
      expect(made.messages).toMatchObject([{ contents: [{ text: "Half of it." }] }]);
    },
  );
});

describe("what is no response", () => {
  it.each([
    ["a page", "<html>"],
    ["a list", []],
    ["a chat completion", { id: "c", object: "chat.completion", choices: [] }],
    ["one that is made in the background", { ...answer, status: "queued" }],
  ])("is told: %s", async (_, body) => {
    server.reply({ body });
    expect(await failureOf(client.getResponse(request()))).toMatchObject({
      code: "malformed_response",
      message: expect.stringContaining("no response"),
    });
  });

  it("is told in a stream, too", async () => {
    server.reply({ chunks: ["[1]"] });
    expect(await failureOf(streamed(client, request()))).toMatchObject({
      code: "malformed_response",
    });
  });

  it("an error with status 200 is one", async () => {
    for (const body of [{ error: { message: "No.", code: "server_error" } }, { message: "No." }]) {
      server.reply({ body });
      expect(await failureOf(client.getResponse(request()))).toMatchObject({ message: "No." });
    }
  });
});

it("an error of the service has its status, its wait and the id of the request", async () => {
  server.reply({
    status: 429,
    headers: { ...headers, "retry-after": "2" },
    body: { error: { message: "Slow down.", type: "rate_limit_error" } },
  });
  expect(await failureOf(client.getResponse(request()))).toMatchObject({
    code: "rate_limit",
    status: 429,
    retryable: true,
    retryAfterMs: 2000,
    requestId: "req_1",
  });
});

it("an input that Azure's filter has refused is an answer, though none with words", async () => {
  server.reply({
    status: 400,
    body: { error: { message: "Filtered.", code: "content_filter", param: "prompt" } },
  });
  expect(await client.getResponse(request())).toMatchObject({
    finishReason: "content_filter",
    messages: [{ contents: [{ type: "error", code: "refusal_content_filter" }] }],
  });
});

it("a response has the id of its request and what is left of the limits", async () => {
  const limits = {
    "x-ratelimit-limit-requests": "60",
    "x-ratelimit-remaining-requests": "59",
  };
  server.reply({ body: answer, headers: { ...headers, ...limits } }, { chunks: events, headers });
  expect((await client.getResponse(request())).metadata).toEqual({
    requestId: "req_1",
    rateLimits: { requests: { limit: 60, remaining: 59 } },
  });
  expect((await streamed(client, request())).response.metadata).toEqual({ requestId: "req_1" });
});

describe("an abort", () => {
  it("rejects with the reason itself, closes the connection and shows nothing more", async () => {
    const controller = new AbortController();
    const reason = { not: "an error" };
    server.reply({ chunks: events.slice(0, 8), end: "never" });
    let shown = 0;
    const asked = client.getResponse({
      ...request(),
      signal: controller.signal,
      onUpdate: () => {
        shown++;
        controller.abort(reason);
      },
    });
    await expect(asked).rejects.toBe(reason);
    await server.closedByClient;
    expect(shown).toBe(1);
  });

  it("rejects while a consumer holds it up, and while the service is silent", async () => {
    for (const chunks of [events.slice(0, 4), []]) {
      const controller = new AbortController();
      server.reply({ chunks, end: "never" });
      const before = server.requests.length;
      const asked = client.getResponse({
        ...request(),
        signal: controller.signal,
        onUpdate: () => new Promise(() => {}),
      });
      const checked = expect(asked).rejects.toBe("enough");
      while (server.requests.length === before) await new Promise(setImmediate);
      controller.abort("enough");
      await checked;
    }
  });
});

it("what a consumer throws is the consumer's own", async () => {
  server.reply({ chunks: events });
  const thrown = new Error("no screen");
  const asked = client.getResponse({
    ...request(),
    onUpdate: () => {
      throw thrown;
    },
  });
  await expect(asked).rejects.toBe(thrown);
});

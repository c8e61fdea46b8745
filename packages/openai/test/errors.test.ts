import { ChatClientError } from "@tunic/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { OpenAIChatClient } from "../src/index.js";
import { chunk, completion, failureOf, request, stream } from "./helpers.js";
import { WireServer } from "./wire-server.js";

let server: WireServer;
let client: OpenAIChatClient;

beforeEach(async () => {
  server = await WireServer.start();
  client = new OpenAIChatClient({ model: "test-model", baseURL: server.url });
});
afterEach(() => server.stop());

const ask = () => failureOf(client.getResponse(request()));
const askStreaming = () => failureOf(stream(client, request()));

describe("a refused request", () => {
  it.each([
    [400, "bad_request", false],
    [401, "authentication", false],
    [402, "permission", false],
    [403, "permission", false],
    [404, "not_found", false],
    [408, "timeout", true],
    [409, "rate_limit", true],
    [413, "bad_request", false],
    [422, "bad_request", false],
    [429, "rate_limit", true],
    [500, "server_error", true],
    [501, "server_error", false],
    [503, "overloaded", true],
    [529, "overloaded", true],
  ])("with status %i is %s", async (status, code, retryable) => {
    const reply = {
      status,
      headers: { "x-request-id": "req_1" },
      body: { error: { message: "No.", type: "whatever" } },
    };
    server.reply(reply, reply);
    for (const failure of [await ask(), await askStreaming()]) {
      expect(failure).toBeInstanceOf(ChatClientError);
      expect(failure).toMatchObject({ code, status, retryable, requestId: "req_1" });
      expect(failure).toHaveProperty("cause.status", status);
    }
    // Asked once each: the SDK's own retries are off.
    expect(server.requests).toHaveLength(2);
  });

  it("for a used-up quota is not worth a retry", async () => {
    const error = { message: "You exceeded your quota.", code: "insufficient_quota" };
    server.reply({ status: 429, body: { error } });
    expect(await ask()).toMatchObject({ code: "rate_limit", retryable: false });
  });

  it("is not worth a retry where the service says so", async () => {
    server.reply({ status: 500, headers: { "x-should-retry": "false" }, body: {} });
    expect(await ask()).toMatchObject({ code: "server_error", retryable: false });
  });

  it("keeps the text of a proxy that speaks no JSON", async () => {
    server.reply({ status: 502, headers: { "content-type": "text/html" }, body: "<h1>Bad</h1>" });
    expect(await ask()).toMatchObject({ code: "server_error", message: "502 <h1>Bad</h1>" });
  });

  it("is retried by the SDK only where that was asked for", async () => {
    const patient = new OpenAIChatClient({ model: "m", baseURL: server.url, maxRetries: 1 });
    server.reply(
      { status: 503, headers: { "retry-after-ms": "1" }, body: {} },
      { body: completion({ content: "ok" }) },
    );
    await patient.getResponse(request());
    expect(server.requests).toHaveLength(2);
  });
});

describe("a lost connection", () => {
  it("that never was is a connection error", async () => {
    await server.stop();
    const { host } = new URL(server.url);
    expect(await ask()).toMatchObject({
      code: "connection",
      retryable: true,
      message: `Connection error: connect ECONNREFUSED ${host}`,
    });
  });

  it("in the middle of a whole answer is one too", async () => {
    const headers = { "content-type": "application/json" };
    server.reply({ headers, chunks: ["half"], end: "destroy" });
    expect(await ask()).toMatchObject({
      code: "connection",
      retryable: true,
      message: "The connection was lost before the answer was complete: other side closed",
    });
  });

  it.each(["close", "destroy"] as const)("in a stream (%s) gives no half message", async (end) => {
    const headers = { "x-request-id": "req_2" };
    server.reply({ headers, chunks: [chunk({ content: "Half a" })], end });
    expect(await askStreaming()).toMatchObject({
      code: "cut_stream",
      retryable: true,
      requestId: "req_2",
    });
  });

  it.each(["close", "destroy"] as const)("behind the end (%s) takes nothing away", async (end) => {
    server.reply({ chunks: [chunk({ content: "Whole" }), chunk({}, "stop")], end });
    const response = await stream(client, request());
    expect(response.messages).toMatchObject([{ contents: [{ type: "text", text: "Whole" }] }]);
  });

  it("in the middle of an event is a cut stream", async () => {
    server.reply({
      chunks: [chunk({ content: "Half a" }), chunk({}, "stop")],
      cut: (bytes) => [bytes.slice(0, bytes.length - 80)],
      end: "close",
    });
    expect(await askStreaming()).toMatchObject({ code: "cut_stream" });
  });
});

describe("an address at which nothing is found", () => {
  it("is told with a hint about /v1, where that is missing", async () => {
    const { origin } = new URL(server.url);
    const bare = new OpenAIChatClient({ model: "test-model", baseURL: origin });
    server.reply({ status: 404, body: { error: { message: "No." } } });
    expect(await failureOf(bare.getResponse(request()))).toMatchObject({
      code: "not_found",
      message: expect.stringContaining(`most servers want it with /v1: ${origin}/v1.`),
    });
    const whole = new OpenAIChatClient({ model: "test-model", baseURL: `${origin}/v1` });
    server.reply({ status: 404, body: { error: { message: "No." } } });
    expect(await failureOf(whole.getResponse(request()))).toMatchObject({ message: "404 No." });
  });
});

describe("what is no answer", () => {
  it.each([
    ["no JSON", "{oh"],
    ["a text", '"oh"'],
    ["nothing", ""],
    ["no choices", { id: "x", object: "chat.completion" }],
    ["an empty list of choices", { id: "x", choices: [] }],
  ])("%s is a malformed response", async (_, body) => {
    server.reply({ body });
    expect(await ask()).toMatchObject({ code: "malformed_response", retryable: true });
  });

  it("a chunk that is no JSON is one in a stream", async () => {
    server.reply({ chunks: [chunk({ content: "a" }), "{oh"] });
    expect(await askStreaming()).toMatchObject({ code: "malformed_response" });
  });

  it("a stream without a choice is one", async () => {
    server.reply({ chunks: [{ id: "x", choices: [] }] });
    expect(await askStreaming()).toMatchObject({ code: "malformed_response" });
  });
});

describe("an error in the place of an answer", () => {
  const error = { message: "Provider returned error", code: 502 };

  it.each([
    ["an error object", { error }],
    ["an error object, bare", { object: "error", type: "x", ...error }],
    ["a choice with an error", { choices: [{ index: 0, finish_reason: "error", error }] }],
  ])("is thrown where %s comes", async (_, body) => {
    const expected = { code: "server_error", message: "Provider returned error", retryable: true };
    server.reply({ body });
    expect(await ask()).toMatchObject(expected);
    server.reply({ chunks: [chunk({ content: "a" }), body] });
    expect(await askStreaming()).toMatchObject(expected);
  });

  it.each([
    [{ type: "server_error" }, "server_error", true],
    [{ type: "overloaded_error" }, "overloaded", true],
    [{ code: "rate_limit_exceeded" }, "rate_limit", true],
    [{ code: "insufficient_quota" }, "rate_limit", false],
    [{ type: "invalid_request_error" }, "bad_request", false],
    [{ type: "odd" }, "unknown", false],
  ])("reads its words: %j", async (words, code, retryable) => {
    server.reply({ chunks: [{ error: { message: "No.", ...words } }] });
    expect(await askStreaming()).toMatchObject({ code, message: "No.", retryable });
  });
});

import { describe, expect, it } from "vitest";
import { answer, askStreamed, message, stop } from "./build.js";
import { asText, cut, failure, type Reply, streamed, whole, wireServer } from "./wire-server.js";

const request = { messages: [message("user", "hi")], options: {} };
const quota = (quotaId: string) => ({
  "@type": "type.googleapis.com/google.rpc.QuotaFailure",
  violations: [{ quotaId }],
});
const retry = (retryDelay: string) => ({
  "@type": "type.googleapis.com/google.rpc.RetryInfo",
  retryDelay,
});

/** What both ways of asking fail with. */
async function failureOf(reply: Reply) {
  await using server = await wireServer(reply);
  const client = server.client();
  const failures: unknown[] = [];
  for (const more of [{}, { onUpdate: () => {} }]) {
    failures.push(await client.getResponse({ ...request, ...more }).catch((error) => error));
  }
  const [first, second] = failures;
  expect(second).toMatchObject({ code: (first as { code: string }).code });
  return first;
}

describe("failures of the service", () => {
  it.each<[number, string, string, boolean]>([
    [400, "INVALID_ARGUMENT", "bad_request", false],
    [401, "UNAUTHENTICATED", "authentication", false],
    [403, "PERMISSION_DENIED", "permission", false],
    [404, "NOT_FOUND", "not_found", false],
    [409, "ABORTED", "bad_request", true],
    [429, "RESOURCE_EXHAUSTED", "rate_limit", true],
    [500, "INTERNAL", "server_error", true],
    [501, "UNIMPLEMENTED", "server_error", false],
    [503, "UNAVAILABLE", "overloaded", true],
    [504, "DEADLINE_EXCEEDED", "timeout", true],
  ])("%d %s is %s, to be tried again: %s", async (status, word, code, retryable) => {
    expect(await failureOf(failure(status, word))).toMatchObject({
      name: "ChatClientError",
      code,
      status,
      retryable,
      message: `that is ${word}`,
    });
  });

  it("a wrong key is an authentication error, though its status is 400", async () => {
    const details = [{ reason: "API_KEY_INVALID", domain: "googleapis.com" }];
    expect(await failureOf(failure(400, "INVALID_ARGUMENT", details))).toMatchObject({
      code: "authentication",
      retryable: false,
    });
    const words = "API key not valid. Please pass a valid API key.";
    expect(await failureOf(failure(400, "INVALID_ARGUMENT", [], words))).toMatchObject({
      code: "authentication",
    });
  });

  it.each([
    ["17s", 17_000],
    ["0.5s", 500],
    ["soon", undefined],
  ])("the delay %s of a 429", async (delay, retryAfterMs) => {
    const details = [quota("GenerateRequestsPerMinutePerProject"), retry(delay)];
    const failed = await failureOf(failure(429, "RESOURCE_EXHAUSTED", details));
    expect(failed).toMatchObject({ code: "rate_limit", retryable: true });
    expect((failed as { retryAfterMs?: number }).retryAfterMs).toBe(retryAfterMs);
  });

  it("a quota of the day is not there again after a wait", async () => {
    const details = [quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier"), retry("40s")];
    expect(await failureOf(failure(429, "RESOURCE_EXHAUSTED", details))).toMatchObject({
      code: "rate_limit",
      retryable: false,
    });
  });

  it("a body that is no JSON, of a proxy for one", async () => {
    const reply: Reply = (response) => {
      response.writeHead(502, { "content-type": "text/html" });
      response.end("<h1>Bad gateway</h1>");
    };
    expect(await failureOf(reply)).toMatchObject({
      code: "server_error",
      status: 502,
      message: "<h1>Bad gateway</h1>",
    });
  });

  it("a body that does not call itself JSON", async () => {
    const reply: Reply = (response) => {
      response.writeHead(429, { "content-type": "text/plain" });
      const error = { code: 429, message: "slow down", details: [retry("3s")] };
      response.end(JSON.stringify({ error }));
    };
    expect(await failureOf(reply)).toMatchObject({
      code: "rate_limit",
      message: "slow down",
      retryAfterMs: 3000,
    });
  });

  it("inside of a stream", async () => {
    const error = { code: 503, message: "the model is overloaded", status: "UNAVAILABLE" };
    await using server = await wireServer(streamed(asText([answer([{ text: "It" }]), { error }])));
    await expect(askStreamed(server.client())).rejects.toMatchObject({
      code: "overloaded",
      status: 503,
      retryable: true,
      message: "the model is overloaded",
    });
  });
});

describe("answers that are none", () => {
  it.each<[string, Reply]>([
    ["no JSON", (response) => void response.end("hello")],
    ["a text", whole("hello")],
    ["no candidates", whole({ usageMetadata: { promptTokenCount: 3 } })],
    ["an empty list of candidates", whole({ candidates: [] })],
    ["an error with status 200", whole({ error: { code: 500, message: "oops" } })],
  ])("%s", async (_, reply) => {
    await using server = await wireServer(reply);
    await expect(server.client().getResponse(request)).rejects.toMatchObject({
      code: "malformed_response",
      retryable: true,
    });
  });

  it("a chunk that is no JSON", async () => {
    await using server = await wireServer(streamed("data: {oops\n\n"));
    await expect(askStreamed(server.client())).rejects.toMatchObject({
      code: "malformed_response",
      retryable: true,
    });
  });

  it.each([
    "MALFORMED_FUNCTION_CALL",
    "UNEXPECTED_TOOL_CALL",
    "MALFORMED_RESPONSE",
    "TOO_MANY_TOOL_CALLS",
  ])("%s: the model wrote what is no call, and asking again helps", async (word) => {
    const call = { functionCall: { name: "lamp", args: {} } };
    expect(
      await failureOf(async (response, one) => {
        const end = stop([call], word);
        await (one.streams ? streamed(asText([end])) : whole(end))(response, one);
      }),
    ).toMatchObject({
      code: "malformed_response",
      retryable: true,
      message: expect.stringContaining(word),
    });
  });
});

describe("connections", () => {
  it("none at all", async () => {
    await using server = await wireServer();
    const client = server.client({ baseURL: "http://127.0.0.1:1" });
    for (const more of [{}, { onUpdate: () => {} }]) {
      await expect(client.getResponse({ ...request, ...more })).rejects.toMatchObject({
        code: "connection",
        retryable: true,
        message: expect.stringMatching(/ECONNREFUSED|bad port/),
      });
    }
  });

  it("broken off in a whole answer", async () => {
    await using server = await wireServer(async (response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      await new Promise<void>((sent) => response.write("{", () => sent()));
      response.destroy();
    });
    await expect(server.client().getResponse(request)).rejects.toMatchObject({
      code: "connection",
      retryable: true,
    });
  });

  it.each<[string, Reply]>([
    ["broken off", cut(asText([answer([{ text: "It is" }])]))],
    ["ended without a reason", streamed(asText([answer([{ text: "It is" }])]))],
    ["ended without anything", streamed("")],
  ])("a stream that %s is cut, and says so", async (_, reply) => {
    await using server = await wireServer(reply);
    await expect(askStreamed(server.client())).rejects.toMatchObject({
      code: "cut_stream",
      retryable: true,
    });
  });

  it("the SDK's own time limit", async () => {
    await using server = await wireServer(() => {});
    const options = { providerOptions: { gemini: { httpOptions: { timeout: 20 } } } };
    await expect(server.client().getResponse({ ...request, options })).rejects.toMatchObject({
      code: "timeout",
      retryable: true,
    });
  });
});

it("what the consumer of the updates throws comes out as it is", async () => {
  await using server = await wireServer(streamed(asText([answer([{ text: "a" }]), stop()])));
  const thrown = new TypeError("mine");
  const asked = server.client().getResponse({
    ...request,
    onUpdate() {
      throw thrown;
    },
  });
  await expect(asked).rejects.toBe(thrown);
});

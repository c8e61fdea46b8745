import { APIConnectionError, APIConnectionTimeoutError, APIError } from "@anthropic-ai/sdk";
import { ChatClientError } from "@tunic/core";
import { describe, expect, test } from "vitest";
import { toChatClientError } from "./anthropic-errors.js";

const now = Date.parse("2026-01-01T00:00:00Z");
const asking = { phase: "asking", now } as const;

function service(
  status: number | undefined,
  type = "some_error",
  headers: Record<string, string> = {},
) {
  const body = { type: "error", error: { type, message: "no" } };
  return APIError.generate(status ?? 400, body, undefined, new Headers(headers));
}

describe("a failure of the service", () => {
  test.each([
    [400, "bad_request", false],
    [401, "authentication", false],
    [402, "permission", false],
    [403, "permission", false],
    [404, "not_found", false],
    [408, "timeout", true],
    [409, "bad_request", true],
    [413, "bad_request", false],
    [422, "bad_request", false],
    [429, "rate_limit", true],
    [500, "server_error", true],
    [503, "server_error", true],
    [504, "timeout", true],
    [529, "overloaded", true],
  ])("%d is %s", (status, code, retryable) => {
    const cause = service(status, "some_error", { "request-id": "req_1" });
    const error = toChatClientError(cause, asking);
    expect(error).toBeInstanceOf(ChatClientError);
    expect(error).toMatchObject({ code, retryable, status, requestId: "req_1", cause });
  });

  test("that finds nothing at an address with /v1 says to leave it out", () => {
    const at = (baseURL: string) => toChatClientError(service(404), { ...asking, baseURL }).message;
    expect(at("http://127.0.0.1:1/v1")).toMatch(/leave it out/);
    expect(at("http://127.0.0.1:1/v1/")).toMatch(/leave it out/);
    expect(at("http://127.0.0.1:1")).not.toMatch(/leave it out/);
  });

  test.each([
    ["overloaded_error", "overloaded", true],
    ["rate_limit_error", "rate_limit", true],
    ["api_error", "server_error", true],
    ["invalid_request_error", "bad_request", false],
    ["a_new_error", "unknown", false],
  ])("inside a stream, %s is %s", (type, code, retryable) => {
    const cause = new APIError(undefined, { error: { type } }, undefined, new Headers(), null);
    expect(toChatClientError(cause, { ...asking, phase: "streaming" })).toMatchObject({
      code,
      retryable,
    });
  });

  test("the service's own word on retrying counts", () => {
    expect(
      toChatClientError(service(400, "x", { "x-should-retry": "true" }), asking),
    ).toMatchObject({ retryable: true });
    expect(
      toChatClientError(service(500, "x", { "x-should-retry": "false" }), asking),
    ).toMatchObject({ retryable: false });
  });
});

describe("a failure on the way", () => {
  test.each([
    ["a refused connection", new APIConnectionError({ message: "no" }), "asking", "connection"],
    ["a timeout", new APIConnectionTimeoutError(), "asking", "timeout"],
    ["a body that breaks off", new TypeError("terminated"), "asking", "connection"],
    ["a stream that breaks off", new TypeError("terminated"), "streaming", "cut_stream"],
  ] as const)("%s can be tried again", (_, cause, phase, code) => {
    expect(toChatClientError(cause, { now, phase })).toMatchObject({
      code,
      retryable: true,
      cause,
    });
  });

  test("what cannot be read is told as that", () => {
    expect(toChatClientError(new SyntaxError("x"), asking)).toMatchObject({
      code: "malformed_response",
    });
    expect(toChatClientError(new TypeError("x"), { now, phase: "reading" })).toMatchObject({
      code: "malformed_response",
    });
    expect(toChatClientError("what?", asking)).toMatchObject({ code: "unknown", cause: "what?" });
  });
});

test.each(["constructor", "toString", "__proto__"])(
  "a failure that calls itself %s is an unknown one",
  (type) => {
    const error = new APIError(
      undefined,
      { error: { type } },
      undefined,
      new Headers(),
      type as never,
    );
    expect(toChatClientError(error, asking)).toMatchObject({ code: "unknown" });
  },
);

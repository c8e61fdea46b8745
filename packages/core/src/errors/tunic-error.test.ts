import { describe, expect, it } from "vitest";
import { ChatClientError } from "./chat-client-error.js";
import { InputError, StreamClosedError, UnknownToolError } from "./run-errors.js";
import {
  ToolAuthError,
  ToolError,
  ToolInvalidArgumentsError,
  ToolRateLimitError,
  ToolServiceError,
  ToolTimeoutError,
} from "./tool-errors.js";
import { TunicError } from "./tunic-error.js";

describe("every error of a run", () => {
  it.each([
    [new TunicError("my_code", "m"), "TunicError", "my_code"],
    [new ChatClientError("rate_limit", "m"), "ChatClientError", "rate_limit"],
    [new InputError("system_message", "m"), "InputError", "system_message"],
    [new UnknownToolError("lamp"), "UnknownToolError", "unknown_tool"],
    [new StreamClosedError(), "StreamClosedError", "stream_closed"],
    [new ToolError("m"), "ToolError", "tool_error"],
    [new ToolError("m", { code: "no_such_room" }), "ToolError", "no_such_room"],
    [new ToolTimeoutError("m"), "ToolTimeoutError", "tool_timeout"],
    [new ToolRateLimitError("m"), "ToolRateLimitError", "tool_rate_limit"],
    [new ToolAuthError("m"), "ToolAuthError", "tool_auth"],
    [new ToolInvalidArgumentsError("m"), "ToolInvalidArgumentsError", "invalid_arguments"],
    [new ToolServiceError("m"), "ToolServiceError", "tool_service"],
  ])("%s is a TunicError with its name and code", (error, name, code) => {
    expect(error).toBeInstanceOf(TunicError);
    expect([error.name, error.code]).toEqual([name, code]);
    expect(error.message).not.toBe("");
    expect(error.transcript).toBeUndefined();
    expect(error).not.toHaveProperty("cause");
  });

  it("keeps its cause, also one that is undefined", () => {
    const cause = new Error("underneath");
    expect(new ToolServiceError("m", { cause }).cause).toBe(cause);
    expect(new ChatClientError("unknown", "m", { cause: undefined })).toHaveProperty("cause");
  });
});

describe("whether the same may succeed later", () => {
  it.each([
    [new ToolError("m"), false],
    [new ToolAuthError("m"), false],
    [new ToolInvalidArgumentsError("m"), false],
    [new ToolTimeoutError("m"), true],
    [new ToolRateLimitError("m", { retryAfter: 5 }), true],
    [new ToolServiceError("m"), true],
    [new ToolServiceError("m", { retryable: false }), false],
    [new ToolError("m", { retryable: true }), true],
    [new ChatClientError("overloaded", "m"), false],
    [new ChatClientError("overloaded", "m", { retryable: true }), true],
  ])("is said by %s: %s", (error, retryable) => {
    expect(error.retryable).toBe(retryable);
  });
});

it("a chat client's error says what the service said, and nothing that it did not", () => {
  const known = { status: 429, requestId: "r1", retryable: true, retryAfterMs: 1500 };
  expect(new ChatClientError("rate_limit", "m", known)).toMatchObject(known);
  const bare = new ChatClientError("connection", "m");
  expect([bare.status, bare.requestId, bare.retryAfterMs]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

it("a tool's error carries its hint for the model and its wait", () => {
  expect(new ToolRateLimitError("m", { fix: "Wait.", retryAfter: 5 })).toMatchObject({
    fix: "Wait.",
    retryAfter: 5,
  });
  expect(new ToolError("m").fix).toBeUndefined();
});

import { ChatClientError } from "@tunic/core";
import { APIConnectionTimeoutError, APIUserAbortError } from "openai";
import { describe, expect, it } from "vitest";
import { toChatClientError } from "./openai-errors.js";

describe("failures of the SDK", () => {
  it("that waited too long are timeouts, worth a retry", () => {
    const cause = new APIConnectionTimeoutError();
    expect(toChatClientError(cause, 0)).toMatchObject({ code: "timeout", retryable: true, cause });
  });

  it("of any other kind are kept as the cause", () => {
    for (const cause of [new APIUserAbortError(), new Error("odd"), "odd"]) {
      expect(toChatClientError(cause, 0)).toMatchObject({
        code: "unknown",
        retryable: false,
        cause,
      });
    }
  });

  it("that are translated already stay as they are", () => {
    const error = new ChatClientError("unsupported", "No.");
    expect(toChatClientError(error, 0)).toBe(error);
  });
});

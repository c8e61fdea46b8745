import {
  approve,
  type FunctionApprovalRequestContent,
  type FunctionApprovalResponseContent,
  type Message,
} from "@tunic/core";
import { expect } from "vitest";

/** Answers to requests whose calls have their results. */
export function settledAnswers(
  log: readonly Message[],
  pending: readonly FunctionApprovalRequestContent[],
): readonly FunctionApprovalResponseContent[] {
  const waiting = new Set(pending.map((request) => request.requestId));
  const results = new Set(
    log.flatMap((message) =>
      message.contents.flatMap((content) =>
        content.type === "function_result" ? [content.callId] : [],
      ),
    ),
  );
  return log.flatMap((message) =>
    message.contents.flatMap((content) =>
      content.type === "function_approval_request" &&
      !waiting.has(content.requestId) &&
      results.has(content.path?.[0]?.callId ?? content.call.callId)
        ? [approve(content)]
        : [],
    ),
  );
}

/** Each message with calls is followed by one with exactly their results; nothing steers approvals. */
export function expectValid(view: readonly Message[]): void {
  view.forEach((message, at) => {
    const calls = message.contents.flatMap((content) =>
      content.type === "function_call" ? [content.callId] : [],
    );
    const results = (view[at + 1]?.contents ?? []).flatMap((content) =>
      content.type === "function_result" ? [content.callId] : [],
    );
    if (calls.length > 0) expect(results).toEqual(calls);
    if (message.role === "tool") {
      expect(view[at - 1]?.contents.some((content) => content.type === "function_call")).toBe(true);
    }
    const types = message.contents.map((content) => content.type);
    expect(types).not.toContain("function_approval_request");
    expect(types).not.toContain("function_approval_response");
    expect(types).not.toContain("paused_call");
  });
}

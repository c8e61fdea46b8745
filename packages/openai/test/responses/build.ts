import type { JsonObject } from "@tunic/core";

/** An output item, or a part of one, in the service's words. */
export type Item = JsonObject & { readonly type: string };

/** A whole response. */
export function response(output: readonly Item[], own: JsonObject = {}): JsonObject {
  return {
    id: "resp_1",
    object: "response",
    created_at: 1,
    status: "completed",
    error: null,
    incomplete_details: null,
    model: "test-model",
    output,
    ...own,
  };
}

/** A response that was cut. */
export function cutResponse(output: readonly Item[], reason = "max_output_tokens"): JsonObject {
  return response(output, { status: "incomplete", incomplete_details: { reason } });
}

export function said(text: string, own: JsonObject = {}): Item {
  return {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
    ...own,
  };
}

export function refused(refusal: string): Item {
  return { ...said(""), content: [{ type: "refusal", refusal }] };
}

export function called(
  call_id: string,
  name: string,
  args: JsonObject | string = {},
  own: JsonObject = {},
): Item {
  return {
    type: "function_call",
    id: `fc_${call_id}`,
    call_id,
    name,
    arguments: typeof args === "string" ? args : JSON.stringify(args),
    status: "completed",
    ...own,
  };
}

export function thought(id: string, encrypted?: string, ...summary: readonly string[]): Item {
  return {
    type: "reasoning",
    id,
    summary: summary.map((text) => ({ type: "summary_text", text })),
    ...(encrypted !== undefined && { encrypted_content: encrypted }),
  };
}

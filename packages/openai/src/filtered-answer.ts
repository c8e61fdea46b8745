import {
  ChatClientError,
  type ChatResponse,
  errorContent,
  type ResponseBuilder,
} from "@tunic/core";

/** An input that the service's filter has refused: an answer, though one without an answer in it. */
export async function filteredAnswer(
  builder: ResponseBuilder,
  reason: string,
  error: unknown,
): Promise<ChatResponse> {
  await builder.add(errorContent(reason, { code: "refusal_content_filter" }));
  const requestId = error instanceof ChatClientError ? error.requestId : undefined;
  return builder.finish({
    finishReason: "content_filter",
    rawFinishReason: "content_filter",
    metadata: requestId === undefined ? undefined : { requestId },
  });
}

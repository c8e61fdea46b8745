import { type ChatResponse, errorContent, type ResponseBuilder } from "@tunic/core";

/** An input that the service's filter has refused: an answer, though one without an answer in it. */
export async function filteredAnswer(
  builder: ResponseBuilder,
  reason: string,
): Promise<ChatResponse> {
  await builder.add(errorContent(reason, { code: "refusal_content_filter" }));
  return builder.finish({ finishReason: "content_filter", rawFinishReason: "content_filter" });
}

import type { ChatResponse, Content, JsonObject } from "@tunic/core";

const reasons: Readonly<Record<string, string>> = {
  stop: "endTurn",
  length: "maxTokens",
  tool_calls: "toolUse",
};

/**
 * What a model has answered, as a server gets it: texts, files and calls, and nothing of what the model has thought.
 *
 * @param withTools Whether the server takes several blocks, as those do that have sent tools.
 */
export function samplingAnswer(
  { messages, finishReason, model }: ChatResponse,
  defaultModel: string | undefined,
  withTools: boolean,
): JsonObject {
  const contents = messages
    .filter(({ role }) => role === "assistant")
    .flatMap((message) => message.contents);
  const blocks = contents.flatMap(blockOf);
  const calls = blocks.some(({ type }) => type === "tool_use");
  const reason = calls ? "toolUse" : finishReason && (reasons[finishReason] ?? finishReason);
  return {
    role: "assistant",
    model: model ?? defaultModel ?? "unknown",
    ...(reason !== undefined && { stopReason: reason }),
    content: withTools ? blocks : single(blocks),
  };
}

function blockOf(content: Content): readonly JsonObject[] {
  switch (content.type) {
    case "text":
      return [{ type: "text", text: content.text }];
    case "data": {
      const { data, mediaType } = content;
      const [kind] = mediaType.split("/");
      return kind === "image" || kind === "audio"
        ? [{ type: kind, data, mimeType: mediaType }]
        : [];
    }
    case "function_call": {
      const { callId: id, name, arguments: input = {} } = content;
      return [{ type: "tool_use", id, name, input }];
    }
    default:
      return [];
  }
}

/** All texts as one; else the first block. */
function single(blocks: readonly JsonObject[]): JsonObject {
  const texts = blocks.flatMap(({ type, text }) =>
    type === "text" && typeof text === "string" ? [text] : [],
  );
  const [first] = blocks;
  return texts.length > 0 || first === undefined ? { type: "text", text: texts.join("") } : first;
}

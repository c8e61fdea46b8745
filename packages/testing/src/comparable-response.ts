import type { ChatResponse, Content } from "@tunic/core";

/** What two answers have in common when only ids and times differ. */
export function comparable(response: ChatResponse): unknown {
  return {
    messages: response.messages.map(({ role, contents }) => ({
      role,
      contents: contents.map(({ providerData, ...content }) => ({
        ...content,
        // Its ids are new with each answer.
        ...(providerData && { providerData: kindsIn(providerData) }),
      })),
    })),
    finishReason: response.finishReason,
    usage: response.usage,
  };
}

function kindsIn(data: NonNullable<Content["providerData"]>): unknown {
  return JSON.parse(JSON.stringify(data), (_key, value) =>
    typeof value === "string" ? "(text)" : value,
  );
}

/** The calls of an answer. */
export function callsIn(response: ChatResponse) {
  return response.messages.flatMap((message) =>
    message.contents.filter((content) => content.type === "function_call"),
  );
}

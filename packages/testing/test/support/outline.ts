import type { Content, FunctionResultContent, Message } from "@tunic/core";

/**
 * Messages as short lines for literal comparison: `assistant: thinking aloud | lamp({"on":true})`.
 * Reasoning stands in brackets, an error result begins with `!`.
 */
export function outline(messages: readonly Message[]): string[] {
  return messages.map(({ role, contents }) => `${role}: ${contents.map(sketch).join(" | ")}`);
}

/** The results of a log, in its order. */
export function resultsIn(messages: readonly Message[]): readonly FunctionResultContent[] {
  return messages.flatMap((message) =>
    message.contents.filter((content) => content.type === "function_result"),
  );
}

/** The ids of the calls of a log, in its order. */
export function callIdsIn(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) =>
    message.contents.flatMap((content) =>
      content.type === "function_call" ? [content.callId] : [],
    ),
  );
}

/** What the model reads in the results of a log. */
export function resultTexts(messages: readonly Message[]): readonly string[] {
  return resultsIn(messages).map((result) => result.contents.map(sketch).join(" | "));
}

function sketch(content: Content): string {
  switch (content.type) {
    case "text":
      return content.text;
    case "text_reasoning":
      return `[${content.text}]`;
    case "function_call":
      return `${content.name}(${JSON.stringify(content.arguments) ?? content.argumentsText})`;
    case "function_result":
      return `${content.isError ? "!" : ""}${content.contents.map(sketch).join(" | ")}`;
    default:
      return `<${content.type}>`;
  }
}

import type { Content, Message } from "@tunic/core";

const shown = new WeakMap<Message, Message>();

/** A message as the model gets it: where an answer has shown the user a hidden value, the reference. */
export function withoutShown(message: Message): Message {
  if (message.role !== "assistant" || !message.contents.some(isShown)) return message;
  const known = shown.get(message);
  if (known !== undefined) return known;
  const made = { ...message, contents: message.contents.map(hidden) };
  shown.set(message, made);
  return made;
}

/** Whether a content is a hidden value that an answer has shown. */
export function isShown({ additionalProperties }: Content): boolean {
  return typeof additionalProperties?.["variable"] === "string";
}

function hidden(content: Content): Content {
  const variable = content.additionalProperties?.["variable"];
  if (typeof variable !== "string") return content;
  return { type: "text", text: JSON.stringify({ $ref: variable }) };
}

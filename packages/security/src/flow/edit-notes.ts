import type { Content, Message } from "@tunic/core";

const quiet = new WeakMap<Message, Message>();

/** What stands instead of what a person has changed: the values may be what is hidden. */
const note: Content = {
  type: "text",
  text: "Note: a person changed the arguments before the call ran.\n",
};

/** A message without the values of arguments that a person has changed, which the loop writes before a result. */
export function withoutEdits(message: Message): Message {
  if (message.role !== "tool" || !message.contents.some(isEdited)) return message;
  const known = quiet.get(message);
  if (known !== undefined) return known;
  const contents = message.contents.map((content): Content => {
    if (content.type !== "function_result" || content.edited === undefined) return content;
    const { edited: _, ...result } = content;
    return { ...result, contents: [note, ...content.contents.slice(1)] };
  });
  const made = { ...message, contents };
  quiet.set(message, made);
  return made;
}

function isEdited(content: Content): boolean {
  return content.type === "function_result" && content.edited !== undefined;
}

import type { Content } from "./content.js";
import type { Message } from "./message.js";

/** Whether a value has the shape of contents; for what may come from plain JavaScript. */
export function areContents(value: unknown): value is readonly Content[] {
  return Array.isArray(value) && value.every((content) => typeof content?.type === "string");
}

/** Whether a value has the shape of messages; for what may come from plain JavaScript. */
export function areMessages(value: unknown): value is readonly Message[] {
  return (
    Array.isArray(value) &&
    value.every((message) => typeof message?.role === "string" && areContents(message.contents))
  );
}

import { messageOf } from "../errors/thrown.js";
import { areMessages } from "../messages/shapes.js";
import type { Mistake } from "../onion/onion.js";
import { type ChatOptions, checkChatOptions } from "./chat-options.js";

/** What is wrong with messages that a handler has put into its context. */
export function wrongMessages(messages: unknown): Mistake | undefined {
  if (holds(() => areMessages(messages))) return undefined;
  return {
    code: "wrong_request",
    message:
      "put something else than a list of messages into `context.messages`. A message has a `role` and a list of `contents`.",
  };
}

/** What is wrong with options that a handler has put into its context. */
export function wrongOptions(options: unknown): Mistake | undefined {
  try {
    if (typeof options === "object" && options !== null) {
      checkChatOptions(options as ChatOptions, "context.options");
      return undefined;
    }
    return { code: "wrong_request", message: "put no object into `context.options`." };
  } catch (error) {
    return { code: "wrong_request", message: `changed its request wrongly. ${messageOf(error)}` };
  }
}

/** What lets nobody look is not what it should be. */
function holds(test: () => boolean): boolean {
  try {
    return test();
  } catch {
    return false;
  }
}

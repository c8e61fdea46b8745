import type Anthropic from "@anthropic-ai/sdk";
import { isJsonObject } from "@tunic/core";
import type { Container } from "./to-anthropic-blocks.js";

type Given = Anthropic.MessageCreateParams["container"];

/** The container of a conversation, as long as it lives. */
export function livingContainer(known: Container | undefined, now: number): string | undefined {
  if (known?.expires_at !== undefined && Date.parse(known.expires_at) <= now) return undefined;
  return known?.id;
}

/** What a request says of its container, with the one that is there where it names none itself. */
export function withContainerId(given: Given, id: unknown): Given {
  if (typeof id !== "string" || typeof given === "string") return given;
  return isJsonObject(given) ? { id, ...given } : id;
}

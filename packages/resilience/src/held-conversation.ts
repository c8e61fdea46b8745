import {
  type ChatOptions,
  type ChatRequest,
  type ChatResponse,
  ConfigurationError,
  checkHistory,
  createStateKey,
  type Message,
} from "@tunic/core";
import { ownerOf, tagged } from "./conversation-id.js";
import type { Target } from "./fallback-targets.js";

/**
 * What the services hold of the conversations that began in this run, by id. Once a service holds a conversation,
 * requests bring only what is new to it.
 */
const heldMessages = createStateKey(
  "messages that services hold",
  () => new Map<string, readonly Message[]>(),
);

/** The conversation that a request goes on with, if a service holds one, and which clients can do so. */
export class HeldConversation {
  /** As it stands in the request; empty where there is none. */
  readonly id: string;
  /** Whom to ask, the holder first. */
  readonly inOrder: readonly [Target, ...Target[]];
  /** All messages of it; undefined where nobody here knows them. */
  readonly #whole: readonly Message[] | undefined;
  readonly #owner: Target | undefined;
  readonly #ownId: string;
  readonly #request: ChatRequest;

  /** @throws ConfigurationError `conversation_lost` where no service holds it, nor do the messages. */
  constructor(request: ChatRequest, targets: readonly [Target, ...Target[]]) {
    const { conversationId } = request.options;
    const { owner, id } =
      conversationId === undefined
        ? { owner: undefined, id: "" }
        : (ownerOf(conversationId, targets) ?? { owner: targets[0], id: conversationId });
    this.#request = request;
    this.id = conversationId ?? "";
    this.#ownId = id;
    this.#owner = id === "" ? undefined : owner;
    this.#whole = wholeOf(request);
    const holder = this.#owner;
    this.inOrder = holder ? [holder, ...targets.filter((each) => each !== holder)] : targets;
    if (holder === undefined && !this.movable) {
      throw new ConfigurationError(
        "conversation_lost",
        `fallbackClient: no service holds the conversation "${this.id}" any more: it was answered by a client that holds none. Send the whole history, without conversationId.`,
      );
    }
  }

  /** Whether clients that hold nothing can be asked. */
  get movable(): boolean {
    return this.#whole !== undefined;
  }

  /** The request as a client can take it: its own conversation goes on, to all others everything is new. */
  requestFor(target: Target): ChatRequest {
    const options = this.#optionsFor(target);
    if (target === this.#owner) return { ...this.#request, options };
    if (this.#owner) {
      const message = `"${target.name}" does not hold the conversation "${this.id}": it gets all messages instead.`;
      this.#request.run?.notice("conversation_left", message);
    }
    return { ...this.#request, options, messages: this.#whole ?? this.#request.messages };
  }

  /** The options of the first as they are, where there is no conversation. */
  #optionsFor(target: Target): ChatOptions {
    const { options, run } = this.#request;
    const { conversationId, model, ...rest } = options;
    const theirs = !target.first && model !== undefined;
    if (conversationId === undefined && !theirs) return options;
    const named = theirs ? target.models.get(model) : model;
    if (theirs) {
      const instead = named === undefined ? "its default model" : `the model "${named}"`;
      const message = `"${target.name}" is asked for ${instead}, not for "${model}".`;
      run?.notice("model_replaced", message);
    }
    return {
      ...rest,
      ...(named !== undefined && { model: named }),
      ...(target === this.#owner && { conversationId: this.#ownId }),
    };
  }

  /** The response, with an id that leads back to the client that has answered. */
  answered(target: Target, response: ChatResponse): ChatResponse {
    const { run, options } = this.#request;
    const { conversationId } = response;
    const stays = conversationId === undefined && target === this.#owner;
    const none = conversationId === undefined && options.conversationId === undefined;
    if (stays || none) return response;
    // An id without a conversation says that the one before is not to be gone on with.
    const id = tagged(target, conversationId ?? "");
    if (this.#whole) run?.state.get(heldMessages).set(id, [...this.#whole, ...response.messages]);
    return { ...response, conversationId: id };
  }
}

/** All messages of a request's conversation; undefined where they are not known, or do not fit together. */
function wholeOf({ messages, options, run }: ChatRequest): readonly Message[] | undefined {
  const { conversationId } = options;
  if (conversationId === undefined) return messages;
  const held = run?.state.get(heldMessages).get(conversationId);
  if (held === undefined) return undefined;
  const whole = [...held, ...messages];
  // The loop may have given a call another id than the service did: its result would answer nothing.
  return checkHistory(whole).length === 0 ? whole : undefined;
}

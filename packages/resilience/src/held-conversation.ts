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

/** What a service holds: each part is what one request and its answer brought. */
interface HeldPart {
  readonly before: HeldPart | undefined;
  readonly messages: readonly Message[];
}

/**
 * What the services hold of the conversations that began in this run, by id. Once a service holds a conversation,
 * requests bring only what is new to it.
 */
const heldParts = createStateKey("messages that services hold", () => new Map<string, HeldPart>());

/** The conversation that a request goes on with, if a service holds one, and which clients can do so. */
export class HeldConversation {
  /** As it stands in the request; empty where there is none. */
  readonly id: string;
  /** Whom to ask, the holder first. */
  readonly inOrder: readonly [Target, ...Target[]];
  /** What was said before this request; undefined where nothing was, or nobody here knows it. */
  readonly #before: HeldPart | undefined;
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
    this.#before = request.run?.state.get(heldParts).get(this.id);
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

  /**
   * All messages of it; undefined where they are not known, or do not fit together. Put together only
   * when another client has to be asked: a round costs what is new in it.
   */
  get #whole(): readonly Message[] | undefined {
    const { messages, options } = this.#request;
    if (options.conversationId === undefined) return messages;
    if (this.#before === undefined) return undefined;
    const whole = [...messagesOf(this.#before), ...messages];
    // The loop may have given a call another id than the service did: its result would answer nothing.
    return checkHistory(whole).length === 0 ? whole : undefined;
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
    const { run, options, messages } = this.#request;
    const { conversationId } = response;
    const stays = conversationId === undefined && target === this.#owner;
    const none = conversationId === undefined && options.conversationId === undefined;
    if (stays || none) return response;
    // An id without a conversation says that the one before is not to be gone on with.
    const id = tagged(target, conversationId ?? "");
    const known = options.conversationId === undefined || this.#before !== undefined;
    if (known) {
      const part = { before: this.#before, messages: [...messages, ...response.messages] };
      run?.state.get(heldParts).set(id, part);
    }
    return { ...response, conversationId: id };
  }
}

function messagesOf(last: HeldPart): readonly Message[] {
  const parts: HeldPart[] = [];
  for (let part: HeldPart | undefined = last; part !== undefined; part = part.before) {
    parts.push(part);
  }
  return parts.reverse().flatMap(({ messages }) => messages);
}

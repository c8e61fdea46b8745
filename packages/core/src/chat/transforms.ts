import type { Content } from "../messages/content.js";
import { UpdateFold } from "../messages/fold-updates.js";
import { type DeltaUpdate, type FinishUpdate, type Update, updatesOf } from "../messages/update.js";
import { type ChatResponse, endOf } from "./chat-client.js";

type Emit = (update: DeltaUpdate) => void | Promise<void>;

/** What a transform does with one message. */
export interface Transform {
  /** Takes a piece of the message, and emits what may be seen of it: now, later, changed or not at all. */
  update(update: DeltaUpdate, emit: Emit): void | Promise<void>;
  /** The message is complete: emits what was held back. */
  end?(emit: Emit): void | Promise<void>;
}

/** Makes a transform; called once for each message and attempt. */
export type TransformFactory = () => Transform;

/**
 * Transforms on the way of a stream, or of a whole answer cut into one piece. They may hold back,
 * change, split and add; calls, results and approvals pass as they are, whatever a transform does.
 */
export class TransformStage {
  readonly #factories: readonly TransformFactory[];
  readonly #emit: (update: Update) => void | Promise<void>;
  readonly #open = new Map<string, MessageTransforms>();
  readonly #out = new UpdateFold();
  #pending: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  /** What those outside have thrown: it passes through, it is no transform's. */
  #refusal: { readonly error: unknown } | undefined;

  /** @param factories in the order of their registration; the last one is the innermost. */
  constructor(
    factories: readonly TransformFactory[],
    emit: ((update: Update) => void | Promise<void>) | undefined,
  ) {
    this.#factories = factories;
    this.#emit = emit ?? (() => {});
  }

  /** What a transform has failed with: after that nothing more is let through. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Takes the next update from the inside. One after the other, however they are pushed. */
  readonly feed = (update: Update): void | Promise<void> => {
    if (this.#pending === undefined) {
      const work = this.#take(update);
      if (work !== undefined) this.#wait(work);
      return work;
    }
    const next = this.#pending.then(() => this.#take(update));
    this.#wait(next);
    return next;
  };

  /** The response outside: the fold of what was let through. */
  async finish(response: ChatResponse, streamed: boolean): Promise<ChatResponse> {
    if (!streamed) {
      const last = response.messages.at(-1);
      for (const message of response.messages) {
        for (const update of updatesOf(message, message === last ? endOf(response) : {})) {
          await this.feed(update);
        }
      }
    }
    if (this.#failure) throw this.#failure.error;
    for (const id of [...this.#open.keys()]) await this.#end(id);
    return { ...response, messages: this.#out.messages };
  }

  #wait(work: Promise<void>): void {
    const done = (): void => {
      if (this.#pending === work) this.#pending = undefined;
    };
    this.#pending = work;
    work.then(done, done);
  }

  #take(update: Update): void | Promise<void> {
    if (this.#failure) throw this.#failure.error;
    if (update.type === "delta")
      return this.#guarded(() => this.#transforms(update).update(update));
    if (update.type === "finish") return this.#finished(update);
    if (update.type === "retract") return this.#retract(update.messageIds);
    return this.#emit(update);
  }

  #transforms(update: DeltaUpdate): MessageTransforms {
    let transforms = this.#open.get(update.messageId);
    if (transforms === undefined) {
      transforms = new MessageTransforms(this.#factories, this.#let);
      this.#open.set(update.messageId, transforms);
    }
    return transforms;
  }

  readonly #let = (update: Update): void | Promise<void> => {
    this.#out.add(update);
    const refused = (error: unknown): never => {
      this.#refusal = { error };
      throw error;
    };
    return attempt(() => this.#emit(update), refused);
  };

  async #finished(update: FinishUpdate): Promise<void> {
    await this.#end(update.messageId);
    // A message of which nothing was let through is none outside.
    if (this.#out.messages.some((message) => message.id === update.messageId))
      await this.#let(update);
  }

  async #end(id: string): Promise<void> {
    const transforms = this.#open.get(id);
    this.#open.delete(id);
    await this.#guarded(() => transforms?.end());
  }

  /** Remembers a failure: a client may do with it what it likes, but must not hide it. */
  #guarded(work: () => void | Promise<void>): void | Promise<void> {
    return attempt(work, (error) => {
      if (this.#refusal?.error !== error) this.#failure ??= { error };
      throw error;
    });
  }

  #retract(ids: readonly string[]): void | Promise<void> {
    for (const id of ids) this.#open.delete(id);
    const gone = new Set(ids);
    const messageIds = this.#out.messages.map((each) => each.id).filter((id) => gone.has(id));
    if (messageIds.length > 0) return this.#let({ type: "retract", messageIds });
  }
}

/** The chain of transforms of one message. */
class MessageTransforms {
  readonly #chain: readonly Transform[];
  readonly #out: (update: Update) => void | Promise<void>;
  readonly #kept = new Map<Content, DeltaUpdate>();

  constructor(
    factories: readonly TransformFactory[],
    out: (update: Update) => void | Promise<void>,
  ) {
    this.#chain = factories.map((make) => make());
    this.#out = out;
  }

  update(update: DeltaUpdate): void | Promise<void> {
    for (const content of update.contents) if (isKept(content)) this.#kept.set(content, update);
    return this.#into(this.#chain.length - 1, update);
  }

  async end(): Promise<void> {
    for (let index = this.#chain.length - 1; index >= 0; index--) {
      await this.#chain[index]?.end?.((update) => this.#into(index - 1, update));
    }
    // What a transform has kept to itself but must not is let through all the same.
    for (const [content, update] of [...this.#kept]) {
      await this.#leave({ ...update, contents: [content] });
    }
  }

  #into(index: number, update: DeltaUpdate): void | Promise<void> {
    const transform = this.#chain[index];
    if (transform === undefined) return this.#leave(update);
    return transform.update(update, (passed) => this.#into(index - 1, passed));
  }

  #leave(update: DeltaUpdate): void | Promise<void> {
    const contents = update.contents.filter(
      (content) => !isKept(content) || this.#kept.delete(content),
    );
    if (contents.length > 0 || update.contents.length === 0)
      return this.#out({ ...update, contents });
  }
}

/** Calls, results and approvals are not a transform's to drop or to change. */
function isKept(content: Content): boolean {
  return content.type.startsWith("function_");
}

/** Catches what a piece of work throws, whether it throws at once or later. */
function attempt(
  work: () => void | Promise<void>,
  failed: (error: unknown) => never,
): void | Promise<void> {
  try {
    return work()?.then(undefined, failed);
  } catch (error) {
    return failed(error);
  }
}

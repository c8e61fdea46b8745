import { isJsonObject, type JsonObject, type RunEnvironment } from "@tunic/core";
import { internalError, invalidParams, ProtocolError } from "../protocol-error.js";
import type { Reply } from "./reply.js";
import { metaKeys, type StatelessRequest } from "./revision.js";

interface Subscription {
  readonly id: string | number;
  readonly reply: Reply;
  end(): void;
}

/** Clients that want to hear when there are other tools. */
export class Subscriptions {
  readonly #open = new Set<Subscription>();
  readonly #most: number;
  readonly #longestMs: number;
  readonly #clock: Pick<RunEnvironment, "setTimer">;

  constructor(most: number, longestMs: number, clock: Pick<RunEnvironment, "setTimer">) {
    this.#most = most;
    this.#longestMs = longestMs;
    this.#clock = clock;
  }

  /**
   * Answers `subscriptions/listen`: with a stream that ends when the client goes, after a while, or with the server.
   *
   * @param meta Of its result.
   * @throws ProtocolError
   */
  listen(
    { id, params: { notifications } }: StatelessRequest,
    reply: Reply,
    meta: JsonObject,
  ): void {
    if (!isJsonObject(notifications)) {
      throw new ProtocolError(invalidParams, "Invalid params: `notifications` must be an object");
    }
    if (this.#open.size >= this.#most) {
      throw new ProtocolError(internalError, "Subscription limit reached");
    }
    const isWanted = notifications["toolsListChanged"] === true;
    const stamp = { [metaKeys.subscription]: id };
    reply.notify("notifications/subscriptions/acknowledged", {
      notifications: isWanted ? { toolsListChanged: true } : {},
      _meta: stamp,
    });
    const result = { resultType: "complete", _meta: { ...meta, ...stamp } };
    // Nothing else changes here.
    if (!isWanted) {
      reply.result(result);
      return;
    }
    const forget = (): void => {
      stopWaiting();
      this.#open.delete(subscription);
    };
    const subscription: Subscription = {
      id,
      reply,
      end() {
        forget();
        reply.result(result);
      },
    };
    const stopWaiting = this.#clock.setTimer(() => subscription.end(), this.#longestMs);
    this.#open.add(subscription);
    reply.onGone(forget);
  }

  toolsChanged(): void {
    for (const { id, reply } of this.#open) {
      reply.notify("notifications/tools/list_changed", { _meta: { [metaKeys.subscription]: id } });
    }
  }

  close(): void {
    for (const subscription of this.#open) subscription.end();
  }
}

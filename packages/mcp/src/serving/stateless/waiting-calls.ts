import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { JsonObject, Principal } from "@tunic/core";
import { invalidParams, ProtocolError } from "../protocol-error.js";
import type { OpenCall } from "./open-call.js";

/** Calls that wait until their client calls again. Each goes on once, for whoever made it, as it was made. */
export class WaitingCalls {
  readonly #calls = new Map<string, OpenCall>();

  /** Returns what the client has to send back. */
  add(call: OpenCall): string {
    // 256 bits.
    const state = randomBytes(32).toString("base64url");
    this.#calls.set(state, call);
    call.signal.addEventListener("abort", () => this.#calls.delete(state), { once: true });
    return state;
  }

  /** @throws ProtocolError -32602 for what is unknown, over, or another's. */
  take(state: unknown, params: JsonObject, principal: Principal | undefined): OpenCall {
    const call = typeof state === "string" ? this.#calls.get(state) : undefined;
    // With other roles it would be another call, too.
    if (
      call === undefined ||
      !isDeepStrictEqual(call.principal, principal) ||
      !isSame(call, params)
    ) {
      throw new ProtocolError(invalidParams, "Invalid or expired requestState");
    }
    this.#calls.delete(state as string);
    return call;
  }
}

function isSame({ params: made }: OpenCall, params: JsonObject): boolean {
  const { name, arguments: args = {} } = params;
  return made["name"] === name && isDeepStrictEqual(made["arguments"] ?? {}, args);
}

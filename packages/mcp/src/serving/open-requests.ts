import type { Writable } from "node:stream";
import type {
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import { internalError, invalidRequest } from "./protocol-error.js";

/** A transport of the SDK; over HTTP, each request has a stream for its answer. */
export interface AnsweringTransport extends Transport {
  closeSSEStream?(requestId: RequestId): void;
}

export const idIsTaken = "Another request with this id is not answered";

/** A request that has no answer yet. */
interface OpenRequest {
  readonly controller: AbortController;
  /** Answers to others go out over the same stream: it must not be closed for this one. */
  readonly sharesStream: boolean;
  readonly output: Writable | undefined;
}

/** Requests that have come in one body, and are not open yet. */
type Arrival = Pick<OpenRequest, "sharesStream" | "output">;

/**
 * A transport that knows which of its client's requests are open. Each ends with the connection, or when it is cancelled;
 * the SDK's own books lose one where two have the same id, cannot cancel the id 0, and leave the streams of cancelled
 * requests open.
 */
export class OpenRequests implements Transport {
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  onmessage?: Transport["onmessage"];
  readonly #transport: AnsweringTransport;
  readonly #output: Writable | undefined;
  readonly #open = new Map<RequestId, OpenRequest>();
  readonly #arriving = new Map<RequestId, Arrival>();

  /** @param output What the transport writes to, where that is one stream. */
  constructor(transport: AnsweringTransport, output?: Writable) {
    this.#transport = transport;
    this.#output = output;
  }

  get sessionId(): string | undefined {
    return this.#transport.sessionId;
  }

  /** Fires when the request is cancelled, or the connection is over. */
  signalOf(id: RequestId): AbortSignal | undefined {
    return this.#open.get(id)?.controller.signal;
  }

  /** What is told of a request goes out here; undefined where that is not known. */
  outputOf(id: RequestId): Writable | undefined {
    return this.#open.get(id)?.output;
  }

  /**
   * Says that a body is about to be given to the transport, which would send answers to a request that is open to where the
   * later one with its id came from. Undefined where the body has such a request: then it must not be given. Else it returns
   * what to call when the body has been dealt with.
   *
   * @param output Where its answers go out.
   */
  arrive(body: unknown, output: Writable): (() => void) | undefined {
    const ids = (Array.isArray(body) ? body : [body])
      .filter((message) => isJSONRPCRequest(message))
      .map(({ id }) => id);
    const isTaken = (id: RequestId): boolean => this.#open.has(id) || this.#arriving.has(id);
    if (new Set(ids).size < ids.length || ids.some(isTaken)) return undefined;
    const arrival: Arrival = { sharesStream: ids.length > 1, output };
    for (const id of ids) this.#arriving.set(id, arrival);
    return () => {
      for (const id of ids) if (this.#arriving.get(id) === arrival) this.#arriving.delete(id);
    };
  }

  async start(): Promise<void> {
    const transport = this.#transport;
    transport.onclose = () => {
      for (const request of this.#open.values()) end(request, "The connection has ended.");
      this.#open.clear();
      this.onclose?.();
    };
    transport.onerror = (error) => this.onerror?.(error);
    transport.onmessage = (message, extra) => {
      if (this.#takes(message)) this.onmessage?.(message, extra);
    };
    await transport.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!isJSONRPCResultResponse(message) && !isJSONRPCErrorResponse(message)) {
      const about = options?.relatedRequestId;
      // What has waited to be told of a request that is answered by now is told to nobody.
      if (about !== undefined && !this.#open.has(about)) return;
      return this.#transport.send(message, options);
    }
    const { id } = message;
    const request = id === undefined ? undefined : this.#open.get(id);
    if (id === undefined || request === undefined) return this.#transport.send(message, options);
    this.#open.delete(id);
    if (!request.controller.signal.aborted) return this.#transport.send(message, options);
    if (request.sharesStream) {
      const error = { code: internalError, message: "The call was cancelled" };
      return this.#transport.send({ jsonrpc: "2.0", id, error }, options);
    }
    // A cancelled request has no answer, but a stream that has to end. Then the transport forgets it with its answer.
    if (this.#transport.closeSSEStream === undefined) return;
    this.#transport.closeSSEStream(id);
    await this.#transport.send(message, options).catch(() => {});
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Whether a message is for the protocol to act on. */
  #takes(message: JSONRPCMessage): boolean {
    if (isJSONRPCRequest(message)) return this.#begins(message);
    if (!isJSONRPCNotification(message) || message.method !== "notifications/cancelled")
      return true;
    const id = message.params?.["requestId"];
    const request =
      typeof id === "string" || typeof id === "number" ? this.#open.get(id) : undefined;
    if (request !== undefined) end(request, "The client has cancelled the request.");
    return false;
  }

  #begins({ id }: { readonly id: RequestId }): boolean {
    if (!this.#open.has(id)) {
      const { sharesStream = false, output = this.#output } = this.#arriving.get(id) ?? {};
      this.#arriving.delete(id);
      this.#open.set(id, { controller: new AbortController(), sharesStream, output });
      return true;
    }
    const error = { code: invalidRequest, message: idIsTaken };
    this.#transport
      .send({ jsonrpc: "2.0", id, error })
      .catch((error: Error) => this.onerror?.(error));
    return false;
  }
}

/** What the client gives as a reason is its own text, and stays outside. */
function end({ controller }: OpenRequest, message: string): void {
  controller.abort(new DOMException(message, "AbortError"));
}

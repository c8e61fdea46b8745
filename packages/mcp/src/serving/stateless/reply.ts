import type { ServerResponse } from "node:http";
import type { JsonObject, RunEnvironment } from "@tunic/core";
import { methodNotFound, type ProtocolError } from "../protocol-error.js";
import { tellNewest } from "../tell-newest.js";
import {
  headerMismatch,
  missingCapability,
  type RequestId,
  unsupportedVersion,
} from "./revision.js";

/** A stream on which nothing is sent for long is given up by what stands in between, or by the client. */
const keepAliveMs = 15_000;

const statusOf: Readonly<Record<number, number>> = {
  [methodNotFound]: 404,
  [headerMismatch]: 400,
  [missingCapability]: 400,
  [unsupportedVersion]: 400,
};

/** The answer to one request: a JSON text, or a stream of events where something has to be said before. */
export class Reply {
  readonly #response: ServerResponse;
  readonly #id: RequestId;
  readonly #clock: Pick<RunEnvironment, "setTimer">;
  readonly #gone: (() => void)[] = [];
  /** By method. */
  readonly #tell = new Map<string, (params: JsonObject) => void>();
  #stopWaiting: () => void;

  constructor(response: ServerResponse, id: RequestId, clock: Pick<RunEnvironment, "setTimer">) {
    this.#response = response;
    this.#id = id;
    this.#clock = clock;
    this.#stopWaiting = clock.setTimer(() => this.#keepAlive(), keepAliveMs);
    response.once("close", () => {
      this.#stopWaiting();
      if (!response.writableFinished) for (const callback of this.#gone) callback();
    });
  }

  /** Calls back when the client goes before it has its answer. */
  onGone(callback: () => void): void {
    this.#gone.push(callback);
    if (this.#response.destroyed && !this.#response.writableFinished) callback();
  }

  /** Says something before the answer; to a client that does not read, of each method the newest. */
  notify(method: string, params: JsonObject): void {
    let tell = this.#tell.get(method);
    if (tell === undefined) {
      tell = tellNewest(this.#response, (told: JsonObject) => {
        this.#event({ jsonrpc: "2.0", method, params: told });
      });
      this.#tell.set(method, tell);
    }
    tell(params);
  }

  result(result: JsonObject): void {
    this.#end({ jsonrpc: "2.0", id: this.#id, result }, 200);
  }

  /** @param status Default: the one that its code has. */
  error({ code, message, data }: ProtocolError, status = statusOf[code] ?? 200): void {
    const error = { code, message, ...(data && { data }) };
    this.#end({ jsonrpc: "2.0", id: this.#id, error }, status);
  }

  #end(message: JsonObject, status: number): void {
    this.#stopWaiting();
    const response = this.#response;
    if (response.destroyed) return;
    if (response.headersSent) {
      this.#event(message);
      response.end();
      return;
    }
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(message));
  }

  #event(message: JsonObject): void {
    this.#stream(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  #keepAlive(): void {
    this.#stream(": waiting\n\n");
    this.#stopWaiting = this.#clock.setTimer(() => this.#keepAlive(), keepAliveMs);
  }

  #stream(text: string): void {
    const response = this.#response;
    if (response.writableEnded || response.destroyed) return;
    if (!response.headersSent) {
      response.writeHead(200, {
        "content-type": "text/event-stream",
        "cache-control": "no-cache, no-transform",
        "x-accel-buffering": "no",
      });
    }
    response.write(text);
  }
}

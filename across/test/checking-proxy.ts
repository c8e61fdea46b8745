import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { wireProblems } from "@tunic/testing/wire";
import { formatOf } from "./wire-format.js";

/** Stands before a server that takes anything, and notes down what a vendor would refuse. */
export class CheckingProxy {
  readonly problems: string[] = [];
  /** How many requests came by. */
  requests = 0;
  address = "";
  readonly #target: string;
  readonly #server = createServer((request, response) => void this.#pass(request, response));

  private constructor(target: string) {
    this.#target = target;
  }

  static async before(target: string): Promise<CheckingProxy> {
    const proxy = new CheckingProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    proxy.address = `http://127.0.0.1:${(proxy.#server.address() as AddressInfo).port}`;
    return proxy;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces).toString();
    const path = request.url ?? "/";
    this.requests++;
    this.problems.push(...wireProblems(formatOf(path), JSON.parse(body)));
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    try {
      const answer = await fetch(this.#target + path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
        signal: gone.signal,
      });
      const type = answer.headers.get("content-type") ?? "application/json";
      response.writeHead(answer.status, { "content-type": type });
      if (answer.body === null) response.end();
      else
        Readable.fromWeb(answer.body)
          .on("error", () => response.destroy())
          .pipe(response);
    } catch {
      // Whoever asked has gone.
      response.destroy();
    }
  }
}

import type { Principal, RunEnvironment } from "@tunic/core";
import { tool } from "@tunic/core";
import { expect } from "vitest";
import { type HttpServeOptions, serveTools, type ToolServer } from "../../src/server.js";
import { initialize, type RawRequest, rawRequest } from "./raw-request.js";

/** On whose behalf the tool below was called. */
export const callers: (Principal | undefined)[] = [];

const who = tool({
  name: "who",
  description: "",
  parameters: {},
  execute: (_input, { run }) => {
    callers.push(run.principal);
    return run.principal?.id ?? "nobody";
  },
});

const servers: ToolServer[] = [];

/** Serves a tool over HTTP until {@link stopServing}. Returns where. */
export async function serveHttp(
  http: HttpServeOptions = {},
  environment?: RunEnvironment,
): Promise<string> {
  const server = await serveTools(who, { transport: { http }, environment, onError: () => {} });
  servers.push(server);
  return server.url ?? "";
}

export async function stopServing(): Promise<void> {
  for (const server of servers.splice(0)) await server.close();
}

/** Begins a session by hand. Returns its id. */
export async function begin(url: string, headers: RawRequest["headers"] = {}): Promise<string> {
  const response = await rawRequest(url, { body: initialize, headers });
  expect(response.status).toBe(200);
  return String(response.headers["mcp-session-id"]);
}

export const tokenOf = (name: string): string => `${name}-${"x".repeat(16)}`;
export const bearer = (name: string) => ({ authorization: `Bearer ${tokenOf(name)}` });
export const two: HttpServeOptions = {
  auth: {
    bearer: ["mara", "otto"].map((id) => ({ secret: tokenOf(id), principal: { id } })),
  },
};

/** Time that stands still unless a test says otherwise. */
export class TestClock implements RunEnvironment {
  time = 1_000_000;
  readonly #timers = new Set<() => void>();
  #ids = 0;

  now(): number {
    return this.time;
  }

  setTimer(callback: () => void): () => void {
    this.#timers.add(callback);
    return () => this.#timers.delete(callback);
  }

  fire(): void {
    const due = [...this.#timers];
    this.#timers.clear();
    for (const callback of due) callback();
  }

  randomId(): string {
    return `id${this.#ids++}`;
  }
}

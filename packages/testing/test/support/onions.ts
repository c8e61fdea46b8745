import { Agent, type AgentOptions, type Middleware, type RunOptions } from "@tunic/core";
import { ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import { afterAll, beforeAll, expect } from "vitest";
import { lamp, lampIn } from "./tools.js";

export const kinds = ["agent", "chat", "verdict", "function"] as const;
export type Kind = (typeof kinds)[number];

/** What every kind of context has. */
interface AnyContext {
  readonly run: RunOptions["parent"] & object;
  readonly signal: AbortSignal;
}

export type AnyHandler = (
  context: AnyContext,
  next: (bounds?: { readonly signal?: AbortSignal }) => Promise<never>,
) => Promise<never>;

/** One handler under the key of any kind; what it returns is the test's matter. */
export function middlewareOf(
  kind: Kind,
  name: string,
  handler: (...args: Parameters<AnyHandler>) => unknown,
): Middleware {
  const middleware: object = { name, [kind]: handler };
  return middleware as Middleware;
}

/** Every onion, streamed and not. */
export const everyOnion = kinds.flatMap((kind) => [
  { kind, manner: "whole", options: {} },
  { kind, manner: "streamed", options: { onUpdate: (): void => {} } },
]);

/** An agent whose model lights one lamp and then says so. */
export function lampAgent(
  middleware: readonly Middleware[],
  options: Partial<AgentOptions> = {},
  turns: readonly ScriptedTurn[] = [{ calls: [lampIn("hall", "c1")] }, "done"],
): Agent {
  const client = new ScriptedChatClient(turns, { chunkSize: 4 });
  return new Agent({ client, tools: lamp, middleware, ...options });
}

/** Fails the file when a rejection of its tests was nobody's. */
export function expectNoUnhandledRejections(): void {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => {
    unhandled.push(error);
  };
  beforeAll(() => {
    process.on("unhandledRejection", note);
  });
  afterAll(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });
}

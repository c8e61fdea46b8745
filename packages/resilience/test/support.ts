import {
  Agent,
  type AgentOptions,
  type AgentResponse,
  type ChatClient,
  ChatClientError,
  type ChatClientErrorOptions,
  type ChatRequest,
  type ChatResponse,
  foldUpdates,
  type Message,
  type RunEvent,
  type RunOptions,
  type Update,
} from "@tunic/core";
import type { ScriptedTurn } from "@tunic/testing";
import { type ManualEnvironment, manualEnvironment, ScriptedChatClient } from "@tunic/testing";
import { expect } from "vitest";

/** A failure of a service that may be gone later. */
export function busy(options: ChatClientErrorOptions = {}): ChatClientError {
  return new ChatClientError("overloaded", "Busy.", { retryable: true, ...options });
}

/** A client of a provider, with its script. */
export function scripted(provider: string, turns: readonly ScriptedTurn[]): ScriptedChatClient {
  return new ScriptedChatClient(turns, {
    metadata: { provider, defaultModel: `${provider}-model` },
    chunkSize: 4,
  });
}

export const hi: Message = {
  id: "hi",
  role: "user",
  contents: [{ type: "text", text: "Hi" }],
  createdAt: 0,
};

/** A request without an agent. */
export function request(options: ChatRequest["options"] = {}): ChatRequest {
  return { messages: [hi], options };
}

/** A question to a bare client, streamed or not; what a consumer has folded must be the response. */
export async function askBare(
  client: ChatClient,
  asked: ChatRequest,
  streamed: boolean,
): Promise<ChatResponse> {
  if (!streamed) return client.getResponse(asked);
  const updates: Update[] = [];
  const response = await client.getResponse({
    ...asked,
    onUpdate: (update) => void updates.push(update),
  });
  const fold = foldUpdates(updates);
  expect(fold.messages).toEqual(response.messages);
  expect(fold.usage).toEqual(response.usage);
  return response;
}

/** A run on a clock that stands still, and what could be seen of it. */
export interface Played {
  readonly environment: ManualEnvironment;
  readonly running: Promise<AgentResponse>;
  readonly updates: readonly Update[];
  readonly events: readonly RunEvent[];
  /** Settles with the run, while time goes on in steps. Fails where the run hangs. */
  finish(): Promise<AgentResponse>;
  /** What the run rejects with. */
  failure(): Promise<unknown>;
}

/** Starts a run. */
export function play(
  options: AgentOptions,
  { streamed = false, ...run }: Omit<RunOptions, "onUpdate"> & { streamed?: boolean } = {},
): Played {
  const environment = manualEnvironment();
  const updates: Update[] = [];
  const events: RunEvent[] = [];
  const agent = new Agent({ environment, ...options });
  const running = agent.run("go", {
    ...run,
    onEvent: (event) => void events.push(event),
    ...(streamed && { onUpdate: (update: Update) => void updates.push(update) }),
  });
  running.catch(() => {});
  const settle = async (): Promise<AgentResponse> => {
    let over = false;
    const stop = (): void => {
      over = true;
    };
    running.then(stop, stop);
    // A day is longer than any wait here. Again, since the compiler of schemas is loaded in real time.
    while (!over) await environment.advance(86_400_000);
    return running;
  };
  return {
    environment,
    running,
    updates,
    events,
    async finish() {
      const response = await settle();
      if (streamed) {
        const fold = foldUpdates(updates);
        expect(fold.messages).toEqual(response.messages);
        expect(fold.usage).toEqual(response.usage);
      }
      expect(environment.timers).toBe(0);
      return response;
    },
    async failure() {
      const outcome = await settle().then(
        () => ({ failed: false, error: undefined }),
        (error: unknown) => ({ failed: true, error }),
      );
      expect(outcome.failed, "the run should have failed").toBe(true);
      expect(environment.timers).toBe(0);
      return outcome.error;
    },
  };
}

/** The codes of all notices. */
export function noticesOf(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === "notice" ? [event.code] : []));
}

/** The texts of all notices. */
export function noticeTexts(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === "notice" ? [event.message] : []));
}

/** Streamed and not. */
export const bothManners = [
  { manner: "whole", streamed: false },
  { manner: "streamed", streamed: true },
] as const;

/** What a promise rejects with; fails when it does not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    () => ({ rejected: false, reason: undefined }),
    (reason: unknown) => ({ rejected: true, reason }),
  );
  expect(outcome.rejected, "the promise should have rejected").toBe(true);
  return outcome.reason;
}

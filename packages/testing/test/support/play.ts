import {
  Agent,
  type AgentInput,
  type AgentOptions,
  type AgentResponse,
  type ChatRequest,
  checkHistory,
  foldUpdates,
  type Message,
  type RunEvent,
  type RunOptions,
  type Update,
} from "@tunic/core";
import { type RecordedRequest, ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import { describe, expect } from "vitest";

/** An agent on a scripted model, and one run of it. */
interface Scenario {
  readonly turns: readonly ScriptedTurn[] | ((request: ChatRequest) => ScriptedTurn);
  readonly agent?: Omit<AgentOptions, "client">;
  /** Default: "go". */
  readonly input?: AgentInput;
  readonly run?: Omit<RunOptions, "onUpdate">;
}

/** What came of a run. */
interface Played {
  readonly response: AgentResponse;
  readonly requests: readonly RecordedRequest[];
  /** Empty when nothing was streamed. */
  readonly updates: readonly Update[];
  readonly events: readonly RunEvent[];
}

export type Play = (scenario: Scenario) => Promise<Played>;

/** Declares the same tests twice: for a run that answers as a whole, and for a streamed one. */
export function inBothManners(tests: (play: Play, streamed: boolean) => void): void {
  describe.each([
    { manner: "whole", streamed: false },
    { manner: "streamed", streamed: true },
  ])("$manner", ({ streamed }) => {
    tests((scenario) => playOnce(scenario, streamed), streamed);
  });
}

/**
 * One run. Whatever the test is about, the log it leaves must be valid, and what a consumer of the
 * stream has folded must be the response.
 */
async function playOnce(scenario: Scenario, streamed: boolean): Promise<Played> {
  const client = new ScriptedChatClient(scenario.turns, { chunkSize: 4 });
  const agent = new Agent({ client, ...scenario.agent });
  const updates: Update[] = [];
  const events: RunEvent[] = [];
  const response = await agent.run(scenario.input ?? "go", {
    onEvent: (event) => {
      events.push(event);
    },
    ...scenario.run,
    ...(streamed && {
      onUpdate: (update) => {
        updates.push(update);
      },
    }),
  });
  if (scenario.run?.session === undefined) {
    const given = [scenario.input ?? []].flat().filter(isStored);
    expect(checkHistory([...given, ...response.newMessages])).toEqual([]);
  }
  if (streamed) expectFold(updates, response);
  return { response, requests: client.requests, updates, events };
}

/** Whether a part of an input is a message of an earlier run. */
function isStored(part: unknown): part is Message {
  return typeof part === "object" && part !== null && "role" in part && "id" in part;
}

/** What a consumer has folded is the response. */
export function expectFold(updates: readonly Update[], response: AgentResponse): void {
  const fold = foldUpdates(updates);
  expect(fold.messages).toEqual(response.messages);
  expect(fold.usage).toEqual(response.usage);
}

/** What a promise rejects with; fails when it does not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    () => ({ rejected: false, reason: undefined }),
    (reason: unknown) => ({ rejected: true, reason }),
  );
  expect(outcome.rejected, "the promise should have rejected").toBe(true);
  return outcome.reason;
}

/** A promise with its handles. */
export function deferred<Value = void>(): {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: unknown) => void;
} {
  let resolve: (value: Value) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<Value>((...handles) => {
    [resolve, reject] = handles;
  });
  return { promise, resolve, reject };
}

/** Lets everything that can go on go on: a macrotask comes after all microtasks. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Freezes a value and everything in it. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}

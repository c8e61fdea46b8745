import {
  Agent,
  type AgentInput,
  type AgentOptions,
  type AgentResponse,
  AgentSession,
  type FunctionApprovalRequestContent,
  type FunctionResultContent,
  foldUpdates,
  type JsonObject,
  type Message,
  type RunOptions,
  type Update,
} from "@tunic/core";
import { ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import { expect } from "vitest";
import type { McpLogEntry } from "../../src/index.js";

/** How a run is asked for. What comes of it is the same. */
export type Mode = "whole" | "streamed";

/** Both lines of the SDK in both modes. */
export const linesAndModes = ([1, 2] as const).flatMap((sdk) =>
  (["whole", "streamed"] as const).map((mode) => ({ sdk, mode })),
);

/** An agent whose model makes these calls, one round each, and then gives these answers. */
export function scripted(
  calls: readonly (readonly [name: string, args?: JsonObject])[],
  options: Omit<AgentOptions, "client"> = {},
  answers: readonly ScriptedTurn[] = ["done"],
): { readonly agent: Agent; readonly client: ScriptedChatClient } {
  const turns: ScriptedTurn[] = calls.map(([name, args = {}]) => ({
    calls: [{ name, arguments: args }],
  }));
  const client = new ScriptedChatClient([...turns, ...answers]);
  return { agent: new Agent({ client, ...options }), client };
}

/**
 * A run in either mode. Where it is streamed, what a reader has folded is the response.
 *
 * @param onUpdate Gets what is streamed.
 */
export async function runIn(
  mode: Mode,
  agent: Agent,
  input: AgentInput,
  options: RunOptions = {},
  onUpdate?: (update: Update) => void,
): Promise<AgentResponse> {
  if (mode === "whole") return agent.run(input, options);
  const stream = agent.stream(input, options);
  const updates: Update[] = [];
  for await (const update of stream) {
    updates.push(update);
    onUpdate?.(update);
  }
  const response = await stream.response;
  expect(foldUpdates(updates).messages).toEqual(response.messages);
  return response;
}

/** What somebody is asked, when it is one thing. */
export function onlyRequest({
  outcome,
  approvalRequests,
}: Pick<AgentResponse, "outcome" | "approvalRequests">): FunctionApprovalRequestContent {
  const [request, ...more] = approvalRequests;
  if (outcome !== "paused" || request === undefined || more.length > 0) {
    throw new Error(`${approvalRequests.length} requests, and the run is ${outcome}`);
  }
  return request;
}

/** The session as another process would read it. */
export function stored(session: AgentSession): AgentSession {
  return AgentSession.fromJSON(JSON.parse(JSON.stringify(session)));
}

/** The results of all calls, in order. */
export function resultsOf(messages: readonly Message[]): readonly FunctionResultContent[] {
  return messages
    .flatMap(({ contents }) => contents)
    .filter((content): content is FunctionResultContent => content.type === "function_result");
}

/** The result, where there was one call. */
export function onlyResult({ messages }: Pick<AgentResponse, "messages">): FunctionResultContent {
  const [result, ...more] = resultsOf(messages);
  if (result === undefined || more.length > 0) throw new Error("there is one result");
  return result;
}

/** What a model reads of a result. */
export function readable({ contents }: Pick<FunctionResultContent, "contents">): string {
  return contents
    .map((content) => (content.type === "text" ? content.text : `[${content.type}]`))
    .join("\n");
}

/** A log that can be waited on. */
export interface TestLog {
  readonly onLog: (entry: McpLogEntry) => void;
  readonly entries: readonly McpLogEntry[];
  /** Resolves when a text has been logged, which may have been before. */
  seen(text: string): Promise<void>;
}

export function testLog(): TestLog {
  const entries: McpLogEntry[] = [];
  const waiting = new Map<string, () => void>();
  return {
    entries,
    onLog(entry) {
      entries.push(entry);
      for (const [text, resolve] of waiting) if (has(entry, text)) resolve();
    },
    seen(text) {
      if (entries.some((entry) => has(entry, text))) return Promise.resolve();
      return new Promise((resolve) => waiting.set(text, resolve));
    },
  };
}

function has({ data }: McpLogEntry, text: string): boolean {
  return JSON.stringify(data ?? null).includes(text);
}

import {
  Agent,
  type AgentOptions,
  type FunctionResultContent,
  type JsonObject,
  type Message,
} from "@tunic/core";
import { ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import type { McpLogEntry } from "../../src/index.js";

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

/** The results of all calls, in order. */
export function resultsOf(messages: readonly Message[]): readonly FunctionResultContent[] {
  return messages
    .flatMap(({ contents }) => contents)
    .filter((content): content is FunctionResultContent => content.type === "function_result");
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

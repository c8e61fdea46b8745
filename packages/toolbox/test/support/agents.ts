import {
  Agent,
  type AgentInput,
  type AgentOptions,
  type AgentResponse,
  type AgentSession,
  type FunctionResultContent,
  type FunctionTool,
  type JsonObject,
  type Message,
  tool,
} from "@tunic/core";
import { ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";

export const modes = ["run", "stream"] as const;

/** An agent whose model answers turn by turn; calls are written `["name", { … }]`. */
export function scripted(
  turns: readonly (ScriptedTurn | readonly [name: string, args?: JsonObject])[],
  options: Omit<AgentOptions, "client">,
): { readonly agent: Agent; readonly client: ScriptedChatClient } {
  const client = new ScriptedChatClient(
    turns.map((turn) =>
      isCall(turn) ? { calls: [{ name: turn[0], arguments: turn[1] ?? {} }] } : turn,
    ),
  );
  return { agent: new Agent({ client, ...options }), client };
}

function isCall(
  turn: ScriptedTurn | readonly [name: string, args?: JsonObject],
): turn is readonly [name: string, args?: JsonObject] {
  return Array.isArray(turn);
}

/** One run, in either mode. */
export async function run(
  mode: (typeof modes)[number],
  agent: Agent,
  input: AgentInput,
  session?: AgentSession,
): Promise<AgentResponse> {
  const options = session ? { session } : {};
  return mode === "run"
    ? await agent.run(input, options)
    : await agent.stream(input, options).response;
}

/** The names that the model was offered, round by round. */
export function offered(client: ScriptedChatClient): readonly (readonly string[])[] {
  return client.requests.map(({ options }) => options.tools?.map(({ name }) => name) ?? []);
}

export function resultsOf(messages: readonly Message[]): readonly FunctionResultContent[] {
  return messages
    .flatMap(({ contents }) => contents)
    .filter((content): content is FunctionResultContent => content.type === "function_result");
}

export function textOfResult({ contents }: FunctionResultContent): string {
  return contents.map((content) => (content.type === "text" ? content.text : "")).join("");
}

/** What the model was told that a search has found. */
export function foundIn(result: FunctionResultContent | undefined): readonly string[] {
  if (result === undefined) throw new Error("a result");
  const { tools } = JSON.parse(textOfResult(result)) as { tools: readonly { name: string }[] };
  return tools.map(({ name }) => name);
}

/** A tool that does nothing but say that it ran. */
export function plain(name: string, description = ""): FunctionTool {
  return tool({ name, description, execute: () => `${name} ran` });
}

import {
  Agent,
  AgentSession,
  approve,
  type ChatClient,
  type ChatOptions,
  type ChatRequest,
  type Content,
  deny,
  type FunctionApprovalRequestContent,
  isJsonObject,
  type JsonObject,
  type Message,
  type Tool,
  textContent,
  textOf,
  tool,
} from "@tunic/core";
import { type SecureAgentOptions, secureAgent } from "@tunic/security";
import type {
  Episode,
  EpisodeAgent,
  EpisodeOptions,
  ModelTurn,
  SeenMessage,
  SeenRequest,
} from "./harness.js";

/** How references are written, for the harness' planner: `{"$ref":"v3"}`, quoted once more inside a text. */
export const references: Required<EpisodeOptions>["references"] = {
  find: (text) =>
    [...text.matchAll(/\{\\*"\$ref\\*":\\*"(v\d+[^"\\]*)\\*"\}/g)].map(([, ref = ""]) => ({
      ref,
      hint: "",
    })),
  toArg: (ref) => ({ $ref: ref }),
};

/** What an agent is defended with: a policy, and how it is applied. */
export type Defence = Omit<SecureAgentOptions, "tools" | "quarantine">;

/** An agent for the harness: its model, its tools, and its person, who is asked about what breaks a rule. */
export function episodeAgent(defence?: Defence): EpisodeAgent {
  return async (episode) => {
    const tools = episode.tools.map(({ name, description, parameters, execute }) =>
      tool({ name, description, parameters, execute: (args) => execute(argumentsOf(args)) }),
    );
    const agent = new Agent({
      client: clientOf((request) => episode.model.next(request)),
      ...(defence
        ? { contextProviders: [secureAgent({ ...defence, tools, quarantine: isolated(episode) })] }
        : { tools }),
      // The harness' model decides when it has had enough.
      invocation: { maxIterations: 1000, maxConsecutiveErrors: 1000 },
    });
    const session = new AgentSession();
    let response = await agent.run(episode.prompt, { session });
    while (response.outcome === "paused") {
      const answers = response.approvalRequests.map((request) => answerOf(episode, request));
      response = await agent.run(answers, { session });
    }
    return response.text;
  };
}

/** The person sees what the tool would get. */
function answerOf(episode: Episode, request: FunctionApprovalRequestContent) {
  const { call, effective } = request;
  const args = effective ?? argumentsOf(call.arguments);
  return episode.approve({ name: call.name, args }) ? approve(request) : deny(request);
}

function isolated(episode: Episode): ChatClient {
  return clientOf(async (request) => ({ text: (await episode.quarantine(request)).text }));
}

function clientOf(answer: (request: SeenRequest) => Promise<ModelTurn>): ChatClient {
  return {
    metadata: { provider: "harness" },
    async getResponse({ messages, options, run }: ChatRequest) {
      const { text = "", calls } = await answer(seen(messages, options));
      const contents: readonly Content[] = calls
        ? calls.map(({ id, name, args }) => ({
            type: "function_call",
            callId: id,
            name,
            arguments: args,
          }))
        : [textContent(text)];
      const id = run?.newId("message") ?? "";
      return { messages: [{ id, role: "assistant", contents, createdAt: run?.now() ?? 0 }] };
    },
  };
}

/** A request with everything in it that a provider would be sent. */
function seen(messages: readonly Message[], options: ChatOptions): SeenRequest {
  const { instructions = [], tools = [], responseFormat } = options;
  const rules =
    typeof instructions === "string"
      ? instructions
      : instructions.map(({ text }) => text).join("\n");
  const format: unknown = responseFormat;
  const schema =
    isJsonObject(format) && isJsonObject(format["schema"]) ? format["schema"] : undefined;
  const system: readonly SeenMessage[] = rules === "" ? [] : [{ role: "system", text: rules }];
  return {
    messages: [...system, ...messages.map((message) => seenMessage(message, messages))],
    tools: tools.flatMap(seenTool),
    ...(schema && { schema: schema }),
  };
}

function seenTool(each: Tool): SeenRequest["tools"] {
  if (each.type !== "function") return [];
  const { name, description, parameters } = each;
  return [{ name, description, parameters }];
}

function seenMessage(message: Message, all: readonly Message[]): SeenMessage {
  const toolCalls = message.contents.flatMap((content) =>
    content.type === "function_call"
      ? [{ id: content.callId, name: content.name, args: argumentsOf(content.arguments) }]
      : [],
  );
  const toolResults = message.contents.flatMap((content) =>
    content.type === "function_result"
      ? [
          {
            id: content.callId,
            name: nameOf(content.callId, all),
            text: content.contents.map(seenContent).join("\n"),
            isError: content.isError === true,
          },
        ]
      : [],
  );
  return {
    role: message.role,
    text: textOf(message),
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(toolResults.length > 0 && { toolResults }),
  };
}

function seenContent(content: Content): string {
  return content.type === "text" ? content.text : JSON.stringify(content);
}

function nameOf(callId: string, messages: readonly Message[]): string {
  for (const { contents } of messages) {
    for (const content of contents)
      if (content.type === "function_call" && content.callId === callId) return content.name;
  }
  return "";
}

function argumentsOf(args: unknown): JsonObject {
  return isJsonObject(args) ? args : {};
}

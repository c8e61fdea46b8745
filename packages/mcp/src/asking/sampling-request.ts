import { randomUUID } from "node:crypto";
import {
  type ChatOptions,
  type Content,
  type FunctionResultContent,
  isJsonObject,
  type JsonObject,
  type Message,
  type Role,
  type Tool,
  tool,
} from "@tunic/core";
import { isDeeperThan } from "../json-depth.js";
import { McpError } from "../mcp-error.js";
import { readContent } from "../results/read-content.js";
import { whyUncheckable } from "../tools/schema-size.js";

/** What a server wants a model to answer. All of it is the server's. */
export interface McpSamplingRequest {
  /** The label of the server that asks. */
  readonly server: string;
  readonly messages: readonly Message[];
  readonly systemPrompt?: string;
  /** Not above `maxSamplingTokens`. */
  readonly maxTokens: number;
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  /** Which the server runs by itself, when the model calls them. */
  readonly tools: readonly Tool[];
  readonly toolChoice?: "auto" | "required" | "none";
  /** As it came, with the server's wishes for a model. */
  readonly params: JsonObject;
}

/** Characters of a request: what a model reads costs, too. */
const longestRequest = 1024 * 1024;
const mostLevels = 100;

/**
 * Reads the parameters of a `sampling/createMessage`.
 *
 * @param mostTokens Of one answer.
 * @throws McpError with rpcCode -32602.
 */
export function readSamplingRequest(
  params: JsonObject,
  server: string,
  mostTokens: number,
  now: number,
): McpSamplingRequest {
  const { messages, systemPrompt, maxTokens, temperature, stopSequences, tools, toolChoice } =
    params;
  if (isDeeperThan(params, mostLevels)) throw invalid("The request is nested too deeply.");
  if (JSON.stringify(params).length > longestRequest) throw invalid("The request is too large.");
  if (!Array.isArray(messages) || messages.length === 0) throw invalid("messages must be a list.");
  const wanted =
    typeof maxTokens === "number" && maxTokens >= 1 ? Math.floor(maxTokens) : mostTokens;
  const { mode } = isJsonObject(toolChoice) ? toolChoice : {};
  return {
    server,
    messages: messages.flatMap((message: unknown) => readMessage(message, now)),
    ...(typeof systemPrompt === "string" && systemPrompt !== "" && { systemPrompt }),
    maxTokens: Math.min(wanted, mostTokens),
    ...(typeof temperature === "number" && Number.isFinite(temperature) && { temperature }),
    ...(Array.isArray(stopSequences) && {
      stopSequences: stopSequences.filter((each) => typeof each === "string"),
    }),
    tools: Array.isArray(tools) ? tools.map((each: unknown) => readTool(each, server)) : [],
    ...((mode === "auto" || mode === "required" || mode === "none") && { toolChoice: mode }),
    params,
  };
}

/** The same, as a chat client is asked. */
export function samplingOptions(request: McpSamplingRequest): ChatOptions {
  const {
    server,
    systemPrompt,
    maxTokens,
    temperature,
    stopSequences = [],
    tools,
    toolChoice,
  } = request;
  return {
    maxTokens,
    ...(systemPrompt !== undefined && {
      instructions: [{ source: `mcp:${server}`, text: systemPrompt, provided: true as const }],
    }),
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences.length > 0 && { stop: stopSequences }),
    ...(tools.length > 0 && { tools, ...(toolChoice && { toolChoice }) }),
  };
}

/** Results of calls stand in messages of their own. */
function readMessage(message: unknown, now: number): readonly Message[] {
  const { role, content } = isJsonObject(message) ? message : {};
  if (role !== "user" && role !== "assistant") throw invalid("A message has no role.");
  const blocks = Array.isArray(content) ? content : [content];
  const contents = blocks.map((block: unknown) => readBlock(block));
  const results = contents.filter((each) => each.type === "function_result");
  const others = contents.filter((each) => each.type !== "function_result");
  const messageOf = (by: Role, list: readonly Content[]): Message => ({
    id: randomUUID(),
    role: by,
    contents: list,
    createdAt: now,
  });
  return [
    ...(results.length > 0 ? [messageOf("tool", results)] : []),
    ...(others.length > 0 ? [messageOf(role, others)] : []),
  ];
}

function readBlock(block: unknown): Content {
  if (!isJsonObject(block)) throw invalid("A message has content that is none.");
  const { type, id, name, input, toolUseId, content, isError } = block;
  if (type === "tool_use") {
    if (typeof id !== "string" || typeof name !== "string" || !isJsonObject(input)) {
      throw invalid("A tool_use needs id, name and input.");
    }
    return { type: "function_call", callId: id, name, arguments: input };
  }
  if (type !== "tool_result") return readContent(block);
  if (typeof toolUseId !== "string") throw invalid("A tool_result needs toolUseId.");
  const result: FunctionResultContent = {
    type: "function_result",
    callId: toolUseId,
    contents: (Array.isArray(content) ? content : []).map((each: unknown) => readContent(each)),
    ...(isError === true && { isError }),
  };
  return result;
}

/** Without a function: the server runs it. */
function readTool(definition: unknown, owner: string): Tool {
  const { name, description, inputSchema } = isJsonObject(definition) ? definition : {};
  if (typeof name !== "string") throw invalid("A tool has no name.");
  const parameters: JsonObject = isJsonObject(inputSchema) ? inputSchema : { type: "object" };
  const why = whyUncheckable(parameters);
  if (why !== undefined) throw invalid(`A tool cannot be used: ${why}.`);
  try {
    return tool({
      name,
      description: typeof description === "string" ? description : "",
      parameters: parameters["properties"] ? parameters : { ...parameters, properties: {} },
      owner,
      trust: "external",
    }) as Tool;
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : "A tool cannot be used.");
  }
}

function invalid(message: string): McpError {
  return new McpError("mcp_wrong_answer", message, { rpcCode: -32602 });
}

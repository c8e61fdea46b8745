import { type Content, isJsonObject, type JsonObject, type MessageInput } from "@tunic/core";
import type { McpServer } from "../connection/mcp-server.js";
import { McpError } from "../mcp-error.js";
import { readResult } from "../results/read-result.js";
import { shortened } from "../transports/noise-log.js";
import { type AskOptions, askServer } from "./ask-server.js";

/** A message of a prompt, with its block as it came. */
interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly block: unknown;
}

/** The blocks of a resource, as a result has them. */
export async function askForResource(
  server: McpServer,
  uri: string,
  options: AskOptions,
): Promise<JsonObject> {
  const { contents, _meta } = await askServer(server, "resources/read", { uri }, options);
  if (!Array.isArray(contents)) throw wrong("resource", "contents");
  const content = contents.map((resource) => ({ type: "resource", resource }));
  return { content, ...(_meta !== undefined && { _meta }) };
}

/** A prompt as its server fills it in. */
export function askForPrompt(
  server: McpServer,
  name: string,
  args: JsonObject,
  options: AskOptions,
): Promise<JsonObject> {
  return askServer(server, "prompts/get", { name, arguments: args }, options);
}

/** The contents of a resource, for the input of a run or its context. */
export async function readResource(
  server: McpServer,
  uri: string,
  options: AskOptions,
): Promise<readonly Content[]> {
  return contentsOf(server, await askForResource(server, uri, options));
}

/** The same, for the context of each run. A refusal names where the address comes from. */
export async function readContextResource(
  server: McpServer,
  uri: string,
  signal: AbortSignal,
): Promise<readonly Content[]> {
  try {
    return await readResource(server, uri, { signal });
  } catch (error) {
    if (!(error instanceof McpError) || error.code !== "mcp_request_failed") throw error;
    const { code, rpcCode, data, notSent } = error;
    const shown = JSON.stringify(shortened(uri, 200));
    const message = `The MCP server "${server.label}" does not give ${shown} of contextResources: ${error.message}`;
    throw new McpError(code, message, { cause: error, rpcCode, data, notSent });
  }
}

/** The messages of a prompt, for the input of a run. */
export async function readPrompt(
  server: McpServer,
  name: string,
  args: Readonly<Record<string, string>>,
  options: AskOptions,
): Promise<readonly MessageInput[]> {
  const answer = await askForPrompt(server, name, args, options);
  const { _meta } = answer;
  return promptMessages(answer).map(({ role, block }) => ({
    role,
    contents: contentsOf(server, {
      content: [block as never],
      ...(_meta !== undefined && { _meta }),
    }),
  }));
}

/** What a prompt says, as one result: with the roles, where somebody else than the user speaks in it. */
export function promptAsResult(answer: JsonObject): JsonObject {
  const messages = promptMessages(answer);
  const isPlain = messages.every(({ role }) => role === "user");
  const content = messages.flatMap(({ role, block }) =>
    isPlain ? [block] : [{ type: "text", text: `${role}:` }, block],
  );
  const { _meta } = answer;
  return { content: content as never, ...(_meta !== undefined && { _meta }) };
}

function promptMessages({ messages }: JsonObject): readonly PromptMessage[] {
  if (!Array.isArray(messages)) throw wrong("prompt", "messages");
  return messages.map((message: unknown) => {
    const { role, content } = isJsonObject(message) ? message : {};
    return { role: role === "assistant" ? "assistant" : "user", block: content ?? message };
  });
}

/**
 * Contents that nobody takes for the user's own words: they count as untrusted wherever information flow is
 * watched, unless the server says something stricter.
 */
function contentsOf(server: McpServer, answer: JsonObject): readonly Content[] {
  const { contents, error } = readResult(answer, server.options.limits.maxResultBytes);
  if (error !== undefined) throw new McpError("mcp_wrong_answer", error.message);
  return contents.map((content) => ({
    ...content,
    additionalProperties: { label: untrusted, ...content.additionalProperties },
  }));
}

const untrusted = { integrity: "untrusted", confidentiality: "public" } as const;

function wrong(what: string, member: string): McpError {
  return new McpError("mcp_wrong_answer", `The server's ${what} has no \`${member}\`.`);
}

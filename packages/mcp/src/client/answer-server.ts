import { isJsonObject, type JsonObject } from "@tunic/core";
import { McpError } from "../mcp-error.js";
import type { McpHooks, ServerRequestContext, ServerRequestHandler } from "./mcp-client.js";
import { transportEntry } from "./read-answers.js";

const internalError = -32603;

/**
 * Answers a request of a server. What goes wrong is told to it where it is meant for it; anything else is
 * the program's own matter, and stays in the log.
 *
 * @throws an Error with a JSON-RPC `code`, as both lines of the SDK send one.
 */
export async function answerServer(
  hooks: McpHooks,
  handler: ServerRequestHandler,
  params: unknown,
  context: ServerRequestContext,
): Promise<JsonObject> {
  try {
    return await handler(isJsonObject(params) ? params : {}, context);
  } catch (error) {
    if (error instanceof McpError) {
      throw Object.assign(new Error(error.message), { code: error.rpcCode ?? internalError });
    }
    if (!context.signal.aborted) hooks.log?.({ ...transportEntry(error), level: "error" });
    throw Object.assign(new Error("The client could not answer."), { code: internalError });
  }
}

import { type FunctionTool, type JsonObject, tool } from "@tunic/core";
import { approvalOf } from "../approval-option.js";
import { asResult } from "../calls/call-tool.js";
import type { McpServer } from "../connection/mcp-server.js";
import { madeHeaders } from "../header-values.js";
import { McpError } from "../mcp-error.js";
import { readResult } from "../results/read-result.js";
import type { AskOptions } from "./ask-server.js";

export interface OfferToolTerms {
  /** For the model. */
  readonly name: string;
  /** By which the options name it. */
  readonly optionName: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly parameters: JsonObject;
  /** Asks the server; what comes is read as a result of a call is. */
  readonly ask: (args: JsonObject, options: AskOptions) => Promise<JsonObject>;
}

/** A tool that reads what a server offers beside its tools. It is as little trusted as those. */
export function offerTool(server: McpServer, terms: OfferToolTerms): FunctionTool {
  const { options, label } = server;
  const { name, optionName, title, description, parameters } = terms;
  const approvalMode = approvalOf(options.approval, optionName);
  return tool({
    name,
    ...(title !== undefined && { title }),
    description,
    parameters,
    owner: label,
    trust: "external",
    ...(options.readOnly.has(optionName) && { readOnly: true }),
    ...(approvalMode !== undefined && { approvalMode }),
    async execute(args, context) {
      try {
        const { signal } = context;
        const headers = await madeHeaders(options.headers, context);
        const answer = await terms.ask(args as JsonObject, { signal, headers });
        return readResult(answer, options.limits.maxResultBytes);
      } catch (error) {
        if (!(error instanceof McpError)) throw error;
        return asResult(label, error);
      }
    },
  }) as FunctionTool;
}

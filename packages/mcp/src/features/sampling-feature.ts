import { type ChatClient, createStateKey, type JsonObject, withAbort } from "@tunic/core";
import { askContext } from "../asking/ask-context.js";
import { samplingAnswer } from "../asking/sampling-answer.js";
import {
  type McpSamplingRequest,
  readSamplingRequest,
  samplingOptions,
} from "../asking/sampling-request.js";
import { McpError } from "../mcp-error.js";
import type { McpToolsOptions } from "../options.js";
import type { FeatureTerms, McpFeature } from "./feature.js";
import { runClient } from "./run-client.js";

/** Of the specification: the user said no. */
const refusedCode = -1;

interface Count {
  requests: number;
}

/** Servers may ask a model: only where there is a function that decides about it, and so often. */
export function samplingFeature(
  { samplingApproval, samplingClient }: McpToolsOptions,
  { label, settings, flights, log }: FeatureTerms,
): McpFeature | undefined {
  if (samplingApproval === undefined) return undefined;
  const { maxSamplingRequests, maxSamplingTokens } = settings;
  const inRun = createStateKey(`mcp:${label}:sampling`, (): Count => ({ requests: 0 }));
  let outside: Count = { requests: 0 };
  const refused = (why: string, cause?: unknown): McpError => {
    log({ level: "warning", logger: "sampling", data: `Not asked: ${why}` });
    return new McpError("mcp_request_failed", `Sampling was refused: ${why}`, {
      cause,
      rpcCode: refusedCode,
    });
  };

  async function decide(request: McpSamplingRequest, context: ReturnType<typeof askContext>) {
    let approved: unknown;
    try {
      approved = await samplingApproval?.(request, context);
    } catch (error) {
      throw refused("nobody could decide about it.", error);
    }
    if (approved !== true) throw refused("it was not approved.");
  }

  return {
    capabilities: { sampling: { tools: {} } },
    async connected() {
      outside = { requests: 0 };
    },
    requests: {
      "sampling/createMessage": async (params, { signal, origin }) => {
        const behalf = await flights.onBehalfOf(origin, signal);
        const context = askContext(label, behalf, signal);
        const { run } = context;
        const count = run?.state.get(inRun) ?? outside;
        count.requests += 1;
        if (count.requests > maxSamplingRequests) {
          throw refused(`at most ${maxSamplingRequests} requests are taken.`);
        }
        const now = run?.now() ?? Date.now();
        const request = readSamplingRequest(params, label, maxSamplingTokens, now);
        const client = samplingClient ?? run?.state.get(runClient);
        if (client === undefined) throw refused("it is not clear which model to ask.");
        await decide(request, context);
        return await withAbort(signal, (inner) => ask(client, request, inner, samplingClient, run));
      },
    },
  };
}

/** A model of one's own is asked inside the run, too: its budgets count what it costs. */
async function ask(
  client: ChatClient,
  request: McpSamplingRequest,
  signal: AbortSignal,
  own: ChatClient | undefined,
  run: ReturnType<typeof askContext>["run"],
): Promise<JsonObject> {
  const { messages, tools } = request;
  const response = await client.getResponse({
    messages,
    options: samplingOptions(request),
    signal,
    ...(own && run && { run: run.child() }),
  });
  return samplingAnswer(response, client.metadata.defaultModel, tools.length > 0);
}

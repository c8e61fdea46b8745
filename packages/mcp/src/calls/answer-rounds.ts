import {
  type FunctionInvocationContext,
  isJsonObject,
  type JsonObject,
  MiddlewareTermination,
  type ToolResult,
} from "@tunic/core";
import { readElicitation } from "../asking/elicitation.js";
import type { Question } from "../asking/question.js";
import type { McpRequestOptions } from "../client/mcp-client.js";
import type { McpServer } from "../connection/mcp-server.js";
import { McpError } from "../mcp-error.js";
import { pauseWith, type Round } from "./paused-call.js";

/** A call whose answers may be questions. */
interface AskingCall {
  readonly server: McpServer;
  readonly context: FunctionInvocationContext;
}

/** So often one call is sent, with or without people between. */
const mostRounds = 10;
/** Of one answer. */
const mostRequests = 20;

const urlsRequired = -32042;

/**
 * Sends a call, and sends it again with what the server asks for in its answers (`input_required` of revision
 * 2026-07-28, and the error that demands that a page is opened first), until there is a result or a person has to be asked.
 *
 * @param send Gets what goes beside name and arguments.
 * @throws McpError `mcp_wrong_answer` where the server asks for what it was not offered, or without end.
 */
export async function answerRounds(
  call: AskingCall,
  first: Round,
  options: McpRequestOptions,
  send: (params: JsonObject | undefined) => Promise<JsonObject>,
): Promise<JsonObject | MiddlewareTermination<ToolResult>> {
  let round = first;
  for (;;) {
    const asked = await sendRound(round, send);
    if (!("requests" in asked)) return asked.answer;
    if (round.sent + 1 >= mostRounds) {
      throw wrong(`The server has asked ${mostRounds} times, and still asks.`);
    }
    const { requests, requestState } = asked;
    const { questions, responses } = await answerAll(call, requests, options);
    const isError = asked.isError === true;
    if (isError) refuseUnaccepted(responses);
    round = {
      sent: round.sent + 1,
      ...(requestState !== undefined && { requestState }),
      ...(!isError && { inputResponses: responses }),
    };
    if (questions.length > 0) return pauseWith(questions, { round }, call.context);
  }
}

export function isPause(value: unknown): value is MiddlewareTermination<ToolResult> {
  return value instanceof MiddlewareTermination;
}

type Sent =
  | { readonly answer: JsonObject }
  | {
      readonly requests: readonly (readonly [key: string, request: unknown])[];
      readonly requestState: string | undefined;
      /** The server has refused the call, until these are dealt with. */
      readonly isError?: true;
    };

async function sendRound(
  round: Round,
  send: (params: JsonObject | undefined) => Promise<JsonObject>,
): Promise<Sent> {
  try {
    const answer = await send(paramsOf(round));
    if (answer["resultType"] !== "input_required") return { answer };
    const { inputRequests, requestState: state } = answer;
    const requests = isJsonObject(inputRequests) ? Object.entries(inputRequests) : [];
    return { requests, requestState: typeof state === "string" ? state : undefined };
  } catch (error) {
    if (!(error instanceof McpError) || error.rpcCode !== urlsRequired) throw error;
    const list = isJsonObject(error.data) ? error.data["elicitations"] : undefined;
    if (!Array.isArray(list) || list.length === 0) throw error;
    const requests = list.map((params: unknown, at): [string, unknown] => [
      `${at}`,
      {
        method: "elicitation/create",
        params: { ...(isJsonObject(params) && params), mode: "url" },
      },
    ]);
    return { requests, requestState: undefined, isError: true };
  }
}

/** What a round has to say beside name and arguments. */
function paramsOf({ requestState, inputResponses = {} }: Round): JsonObject | undefined {
  const hasResponses = Object.keys(inputResponses).length > 0;
  if (requestState === undefined && !hasResponses) return undefined;
  return {
    ...(requestState !== undefined && { requestState }),
    ...(hasResponses && { inputResponses }),
  };
}

async function answerAll(
  call: AskingCall,
  requests: readonly (readonly [key: string, request: unknown])[],
  { signal = call.context.signal, origin }: McpRequestOptions,
): Promise<{ readonly questions: readonly Question[]; readonly responses: JsonObject }> {
  if (requests.length > mostRequests) {
    throw wrong(`The server asks for ${requests.length} things at once.`);
  }
  const { server } = call;
  const questions: Question[] = [];
  const responses: [string, JsonObject][] = [];
  await Promise.all(
    requests.map(async ([key, request]) => {
      const { method, params } = isJsonObject(request) ? request : {};
      if (method === "elicitation/create" && server.options.elicitation === "pause") {
        const { label, options } = server;
        const elicitation = readElicitation(params, label, options.limits.maxSchemaBytes);
        questions.push({ key, elicitation, tries: 0 });
        return;
      }
      const { requests: handlers = {} } = server;
      const handler =
        typeof method === "string" && Object.hasOwn(handlers, method)
          ? handlers[method]
          : undefined;
      if (handler === undefined) {
        throw wrong(`The server asks for ${JSON.stringify(method)}, which it was not offered.`);
      }
      responses.push([key, await handler(isJsonObject(params) ? params : {}, { signal, origin })]);
    }),
  );
  return { questions, responses: Object.fromEntries(responses) };
}

function refuseUnaccepted(responses: JsonObject): void {
  const isAccepted = Object.values(responses).every(
    (response) => isJsonObject(response) && response["action"] === "accept",
  );
  if (isAccepted) return;
  throw new McpError("mcp_request_failed", "Not run: the server's page was not opened.");
}

function wrong(message: string): McpError {
  return new McpError("mcp_wrong_answer", message);
}

import {
  Agent,
  type AgentInput,
  type AgentResponse,
  AgentSession,
  type FunctionApprovalRequestContent,
  type FunctionTool,
  type JsonObject,
  textContent,
  textOf,
  type Update,
} from "@tunic/core";
import { withLabel } from "@tunic/security";
import { answerRequests, canDecide } from "./answer-requests.js";
import { callClient } from "./call-client.js";
import type { CallingClient } from "./calling-client.js";
import type { ServedCall, ServeOptions, ServeSettings } from "./serve-options.js";
import { bindClient } from "./served-client.js";
import { refusal, resultIn, writeResult } from "./write-result.js";

/** Runs one call of a served tool and answers as `tools/call` does. */
export type RunCall = (
  tool: FunctionTool,
  args: JsonObject,
  client: CallingClient,
) => Promise<JsonObject>;

/** How often a call may ask: a sub-agent can have one question after the other. */
const mostQuestions = 20;

/**
 * What runs calls: an agent without a model, so that agent handlers, verdicts, function handlers, approvals and budgets
 * hold for a call from outside as for one of a model. Each call is a run in a session of its own.
 *
 * @throws ConfigurationError for layers that do not fit together.
 */
export function callRunner(name: string, options: ServeOptions, settings: ServeSettings): RunCall {
  const { middleware, contextProviders, invocation, services, environment } = options;
  const client = callClient();
  const agent = new Agent({
    client,
    name,
    middleware,
    contextProviders,
    invocation,
    services,
    environment,
  });
  // A provider such as `secureAgent` brings the served tools itself, in a form of its own.
  const provided = new Set([contextProviders ?? []].flat().flatMap(({ tools }) => namesOf(tools)));
  let running = 0;

  async function run(
    tool: FunctionTool,
    args: JsonObject,
    caller: CallingClient,
    session: AgentSession,
  ): Promise<JsonObject> {
    const { principal, signal, progress } = caller;
    const { onEvent } = settings;
    const call: ServedCall = { tool: tool.name, principal };
    const turn = (input: AgentInput): Promise<AgentResponse> =>
      agent.run(input, {
        session,
        signal,
        principal,
        ...(!provided.has(tool.name) && { tools: tool }),
        ...(onEvent && { onEvent: (event) => onEvent(event, call) }),
        ...(progress && { onUpdate: (update) => tell(update, progress) }),
      });
    let response = await turn({ role: "user", contents: [inWords(tool, args)] });
    for (let asked = 0; response.outcome === "paused"; asked++) {
      const requests = response.approvalRequests;
      const answers =
        requests.length === 0 || asked === mostQuestions
          ? undefined
          : await answerRequests(requests, settings, caller);
      signal.throwIfAborted();
      if (answers === undefined) return notApproved(requests, settings, caller);
      response = await turn(answers);
    }
    const result = resultIn(response.messages);
    if (result !== undefined) return writeResult(result);
    return refusal(response.text || "The result is withheld.");
  }

  /** What guards of the input get to read. */
  function inWords(tool: FunctionTool, args: JsonObject) {
    const content = textContent(`Call ${tool.name} with ${JSON.stringify(args)}`);
    return settings.trustCalls ? content : withLabel(content, "untrusted");
  }

  return async (tool, args, caller) => {
    if (running >= settings.maxConcurrentCalls) {
      return refusal("Not run: the server is busy. Try again later.");
    }
    running++;
    const session = new AgentSession();
    client.expect(session, { name: tool.name, arguments: args });
    const answered = bindClient(session, caller, settings.approvalTimeoutMs);
    try {
      return await run(tool, args, caller, session);
    } finally {
      answered();
      running--;
    }
  };
}

function notApproved(
  requests: readonly FunctionApprovalRequestContent[],
  settings: ServeSettings,
  caller: CallingClient,
): JsonObject {
  const [request] = requests;
  const isAsked =
    requests.length > 0 && requests.every((each) => canDecide(each, settings, caller));
  const nobody = isAsked ? "has given it" : "can give it here";
  const about = request?.violation ?? request?.reason;
  return refusal(
    `Not run: this call needs somebody's approval, and nobody ${nobody}.${about === undefined ? "" : ` ${about}`}`,
  );
}

/** Of a sub-agent only that it goes on: what it writes on the way is not its answer. */
function tell(update: Update, progress: (message: string | undefined) => void): void {
  if (update.type !== "progress") return;
  const { contents } = update;
  if (contents) progress(textOf({ contents }) || undefined);
  else if (update.update?.type === "finish") progress(undefined);
}

function namesOf(tools: unknown): readonly string[] {
  if (Array.isArray(tools)) return tools.flatMap(namesOf);
  if (typeof tools !== "object" || tools === null) return [];
  if ("tools" in tools) return namesOf(tools.tools);
  return "name" in tools && typeof tools.name === "string" ? [tools.name] : [];
}

import { randomUUID } from "node:crypto";
import {
  type AgentSession,
  type Content,
  checkOptionNames,
  isJsonObject,
  type JsonObject,
  type RunContext,
  textOf,
  withAbort,
} from "@tunic/core";
import type { McpElicitationAnswer } from "../asking/elicitation.js";
import { fillIn } from "../asking/question.js";
import type { McpRoot } from "../asking/roots.js";
import { McpError } from "../mcp-error.js";
import { readContent } from "../results/read-content.js";
import {
  abilitiesOf,
  type CallingClient,
  type ClientAbilities,
  type Question,
} from "./calling-client.js";

/** What a served tool asks the person at its client. */
export type ServedElicitation =
  | {
      readonly message: string;
      /** A JSON Schema: an object of texts, numbers, booleans and choices. Nothing secret: it passes the client. */
      readonly requestedSchema: JsonObject;
    }
  | {
      readonly message: string;
      /** A page to be opened, such as one to sign in; `http` or `https`. What happens there, the client does not see. */
      readonly url: string;
    };

/** What a served tool asks the client's model. */
export interface ServedSamplingRequest {
  /** As the protocol has them: `{ role: "user", content: { type: "text", text } }`. */
  readonly messages: readonly JsonObject[];
  readonly maxTokens: number;
  readonly systemPrompt?: string | undefined;
  readonly temperature?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
  readonly modelPreferences?: JsonObject | undefined;
  /** As `tools/list` has them; the tool runs what the model calls, and asks again. */
  readonly tools?: readonly JsonObject[] | undefined;
  readonly toolChoice?: JsonObject | undefined;
}

/** What the client's model has answered. It is as little trusted as the client. */
export interface ServedSample {
  readonly contents: readonly Content[];
  readonly text: string;
  readonly model: string | undefined;
  readonly stopReason: string | undefined;
  /** As it came. */
  readonly raw: JsonObject;
}

/** How something is asked. */
export interface ServedAskOptions {
  /** Milliseconds that an answer may take. Default: `approvalTimeoutMs` of the server. */
  readonly timeoutMs?: number | undefined;
  /** The question's name in an answer of revision 2026-07-28, unique within a call. Default: any. */
  readonly id?: string | undefined;
}

/** The client whose call a served tool works on. */
export interface ServedClient {
  /** What it says that it can be asked. */
  readonly can: ClientAbilities;
  /**
   * Asks the person there. What is filled in fits the schema, with its defaults.
   *
   * @throws McpError `mcp_not_supported` where the client cannot, `mcp_wrong_answer` for what does not fit, and what the
   * connection throws when there is no answer in time; `mcp_closed` once the call is answered.
   */
  elicit(question: ServedElicitation, options?: ServedAskOptions): Promise<McpElicitationAnswer>;
  /** Asks the model there. Throws as `elicit` does, also where the client does not want it. */
  sample(request: ServedSamplingRequest, options?: ServedAskOptions): Promise<ServedSample>;
  /** Where the client wants work to be done. Throws as `elicit` does. */
  listRoots(options?: ServedAskOptions): Promise<readonly McpRoot[]>;
}

const clients = new WeakMap<AgentSession, ServedClient>();

/**
 * The client whose call is worked on, for tools that {@link serveTools} serves; also in the runs of agents inside such a
 * call. Undefined in any other run.
 *
 * @param context Of the tool, or of a handler.
 */
export function servedClient(context: { readonly run: RunContext }): ServedClient | undefined {
  for (let run: RunContext | undefined = context.run; run !== undefined; run = run.parent) {
    const client = run.session && clients.get(run.session);
    if (client !== undefined) return client;
  }
  return undefined;
}

/**
 * Lets the runs of a session find the client that has made their call. Returns what to call when it is answered: nothing
 * would reach the client any more.
 */
export function bindClient(
  session: AgentSession,
  client: CallingClient,
  timeoutMs: number,
): () => void {
  const answered = new AbortController();
  clients.set(session, clientFor(client, timeoutMs, answered.signal));
  return () => {
    const message = "The call has been answered: its client can be asked nothing more.";
    answered.abort(new McpError("mcp_closed", message));
  };
}

function clientFor(client: CallingClient, usualMs: number, answered: AbortSignal): ServedClient {
  const can = abilitiesOf(client.capabilities);
  const ask = (question: Question, isAble: boolean, timeoutMs = usualMs): Promise<JsonObject> => {
    if (isAble) return withAbort(answered, () => client.ask(question, timeoutMs));
    client.missed(question);
    const message = `The client cannot be asked for ${question.method}.`;
    return Promise.reject(new McpError("mcp_not_supported", message, { notSent: true }));
  };
  const asks: Omit<ServedClient, "can"> = {
    async elicit(question, options = {}) {
      checkOptionNames("elicit()", question, questionNames);
      const { timeoutMs, id } = readAskOptions("elicit()", options);
      const params = elicitationParams(question);
      const isAble = "url" in question ? can.pages : can.forms;
      const answer = await ask({ method: "elicitation/create", params, id }, isAble, timeoutMs);
      return readAnswer(answer, question);
    },
    async sample(request, options = {}) {
      const { timeoutMs, id } = readAskOptions("sample()", options);
      const params = JSON.parse(JSON.stringify(request)) as JsonObject;
      const needsTools = request.tools !== undefined || request.toolChoice !== undefined;
      const isAble = needsTools ? can.samplingTools : can.sampling;
      return readSample(
        await ask({ method: "sampling/createMessage", params, id }, isAble, timeoutMs),
      );
    },
    async listRoots(options = {}) {
      const { timeoutMs, id } = readAskOptions("listRoots()", options);
      const answer = await ask({ method: "roots/list", params: {}, id }, can.roots, timeoutMs);
      return readRoots(answer);
    },
  };
  return {
    can,
    elicit: (...asked) => left(asks.elicit(...asked)),
    sample: (...asked) => left(asks.sample(...asked)),
    listRoots: (...asked) => left(asks.listRoots(...asked)),
  };
}

/** A tool may leave its question behind: that it has no answer then must not be where the process ends. */
function left<Answer>(answer: Promise<Answer>): Promise<Answer> {
  answer.catch(() => {});
  return answer;
}

const questionNames: ReadonlySet<string> = new Set(["message", "requestedSchema", "url"]);
const askNames: ReadonlySet<string> = new Set<keyof ServedAskOptions>(["timeoutMs", "id"]);

function readAskOptions(what: string, options: ServedAskOptions): ServedAskOptions {
  checkOptionNames(`${what}: options`, options, askNames);
  return options;
}

function elicitationParams(question: ServedElicitation): JsonObject {
  const { message } = question;
  if ("url" in question) {
    return { mode: "url", message, url: question.url, elicitationId: randomUUID() };
  }
  return { mode: "form", message, requestedSchema: question.requestedSchema };
}

async function readAnswer(
  { action, content = {} }: JsonObject,
  question: ServedElicitation,
): Promise<McpElicitationAnswer> {
  if (action === "decline" || action === "cancel") return { action };
  if (action !== "accept" || !isJsonObject(content)) throw noAnswer("elicitation/create");
  if ("url" in question) return { action };
  const filled = await fillIn(question.requestedSchema, ofForm(question.requestedSchema, content));
  if (typeof filled !== "string") return { action, content: filled };
  throw new McpError("mcp_wrong_answer", `The client's answer does not fit the form: ${filled}`);
}

/** What the form asks for, of what was filled in: a tool may pass all of it on. */
export function ofForm({ properties }: JsonObject, content: JsonObject): JsonObject {
  const fields = isJsonObject(properties) ? properties : {};
  return Object.fromEntries(
    Object.entries(content).filter(([name]) => Object.hasOwn(fields, name)),
  );
}

function readSample(raw: JsonObject): ServedSample {
  const { content, model, stopReason } = raw;
  const blocks = Array.isArray(content) ? content : [content];
  if (!blocks.every(isJsonObject)) throw noAnswer("sampling/createMessage");
  const contents = blocks.map((block) => readContent(block));
  return {
    contents,
    text: textOf({ contents }),
    model: typeof model === "string" ? model : undefined,
    stopReason: typeof stopReason === "string" ? stopReason : undefined,
    raw,
  };
}

function readRoots({ roots }: JsonObject): readonly McpRoot[] {
  if (!Array.isArray(roots)) throw noAnswer("roots/list");
  return roots.flatMap((root): McpRoot[] => {
    if (!isJsonObject(root) || typeof root["uri"] !== "string") return [];
    const { uri, name } = root;
    return [{ uri, ...(typeof name === "string" && { name }) }];
  });
}

function noAnswer(method: Question["method"]): McpError {
  return new McpError("mcp_wrong_answer", `The client's answer to ${method} is none.`);
}

import {
  type ChatClient,
  type ChatRequest,
  type ChatResponse,
  ConfigurationError,
  checkOptionNames,
  isJsonObject,
  withAbort,
} from "@tunic/core";
import { ownerOf, tagged } from "./conversation-id.js";
import {
  checkedResponse,
  checkName,
  checkToolsOfAll,
  checkUnique,
  type NamedClient,
} from "./named-client.js";
import { invalid, isChatClient } from "./option-checks.js";

/** Which requests go to which client. */
export interface RouteRule {
  /** How the client is called in conversation ids, notices and errors; no colon, and not `otherwise`. */
  readonly name: string;
  /** Whether a request is for this client. Reads the request only; the first rule that says true counts. */
  readonly when: (request: ChatRequest) => boolean | Promise<boolean>;
  readonly client: ChatClient;
}

/** What a route does beside its rules. */
export interface RouteClientOptions {
  /** Who is asked where no rule fits. Default: nobody, and such a request is an error (`no_route`). */
  readonly otherwise?: ChatClient | undefined;
}

const what = "routeClient";
const ruleNames: ReadonlySet<string> = new Set<keyof RouteRule>(["name", "when", "client"]);
const optionNames: ReadonlySet<string> = new Set<keyof RouteClientOptions>(["otherwise"]);

/**
 * A chat client that chooses among several by rules, in their order; the first that fits counts. Each choice is a
 * notice (`model_routed`). A rule that fails, or says neither true nor false, fails the request
 * (`ConfigurationError`, `rule_failed`): no request goes where nobody sent it.
 *
 * A conversation that a service holds stays with its client, whatever the rules say: its id has the rule's name before
 * it (`name:id`, `otherwise:id`). An id without one is refused (`unknown_conversation`).
 *
 * `metadata` is that of `otherwise`, or of the first rule. Options go to the chosen client as they are, `model` too.
 *
 * @throws ConfigurationError `unknown_option` or `invalid_option`.
 */
export function routeClient(
  rules: readonly RouteRule[],
  options: RouteClientOptions = {},
): ChatClient {
  if (!Array.isArray(rules)) throw invalid(`${what} takes a list of rules.`);
  for (const [index, rule] of rules.entries()) checkRule(`${what}: rules[${index}]`, rule);
  checkOptionNames(what, options, optionNames);
  const { otherwise } = options;
  if (otherwise !== undefined && !isChatClient(otherwise)) {
    throw invalid(`${what}: otherwise must be a chat client.`);
  }
  const fixed = [...rules];
  const last = otherwise && { name: "otherwise", client: otherwise };
  const clients: readonly NamedClient[] = last ? [...fixed, last] : fixed;
  const [first] = clients;
  if (first === undefined) throw invalid(`${what} needs a rule, or { otherwise }.`);
  checkUnique(what, clients);
  return {
    metadata: (last ?? first).client.metadata,
    checkTools: (tools) => checkToolsOfAll(what, clients, tools),
    async getResponse(request) {
      request.signal?.throwIfAborted();
      const { conversationId } = request.options;
      if (conversationId !== undefined) return goOn(request, conversationId, clients);
      const chosen = (await firstFitting(fixed, request)) ?? last ?? noRoute();
      request.run?.notice("model_routed", `"${chosen.name}" is asked.`);
      return withTag(chosen, checkedResponse(chosen, await chosen.client.getResponse(request)));
    },
  };
}

function noRoute(): never {
  throw new ConfigurationError(
    "no_route",
    `${what}: no rule fits this request. Add one, or say who is asked then: { otherwise: client }.`,
  );
}

function checkRule(place: string, rule: unknown): void {
  if (!isJsonObject(rule)) throw invalid(`${place} must be a rule: { name, when, client }.`);
  checkOptionNames(place, rule, ruleNames);
  const { name, when, client }: Partial<Record<keyof RouteRule, unknown>> = rule;
  checkName(`${place}: name`, name);
  if (typeof when !== "function") throw invalid(`${place}: when must be a function.`);
  if (!isChatClient(client)) throw invalid(`${place}: client must be a chat client.`);
}

/** The client that holds the conversation is asked; no other knows anything of it. */
async function goOn(
  request: ChatRequest,
  conversationId: string,
  clients: readonly NamedClient[],
): Promise<ChatResponse> {
  const held = ownerOf(conversationId, clients);
  if (held === undefined || held.id === "") {
    const forms = clients.map(({ name }) => `"${name}:…"`).join(", ");
    throw new ConfigurationError(
      "unknown_conversation",
      `${what}: the conversationId "${conversationId}" does not say which client holds it. Write the client's name before it: ${forms}.`,
    );
  }
  const { owner, id } = held;
  request.run?.notice("model_routed", `"${owner.name}" is asked: it holds the conversation.`);
  const options = { ...request.options, conversationId: id };
  return withTag(
    owner,
    checkedResponse(owner, await owner.client.getResponse({ ...request, options })),
  );
}

function withTag(client: NamedClient, response: ChatResponse): ChatResponse {
  const { conversationId } = response;
  if (conversationId === undefined) return response;
  return { ...response, conversationId: tagged(client, conversationId) };
}

async function firstFitting(
  rules: readonly RouteRule[],
  request: ChatRequest,
): Promise<RouteRule | undefined> {
  for (const rule of rules) if (await fits(rule, request)) return rule;
  return undefined;
}

async function fits({ name, when }: RouteRule, request: ChatRequest): Promise<boolean> {
  let answer: unknown;
  try {
    answer = await withAbort(request.signal, async () => when(request));
  } catch (error) {
    if (request.signal?.aborted) throw request.signal.reason;
    throw ruleFailed(`the rule "${name}" failed: ${messageOf(error)}`, error);
  }
  if (typeof answer === "boolean") return answer;
  throw ruleFailed(`the rule "${name}" gave ${typeof answer}; it must give true or false.`);
}

function ruleFailed(why: string, cause?: unknown): ConfigurationError {
  const options = cause === undefined ? {} : { cause };
  return new ConfigurationError("rule_failed", `${what}: ${why}`, options);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

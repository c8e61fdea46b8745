import {
  type ChatClient,
  ChatClientError,
  type ChatRequest,
  type ChatResponse,
  checkOptionNames,
} from "@tunic/core";
import { attemptUpdates } from "./attempt-updates.js";
import { conversationIsHeld, type Failure, failureOf } from "./fallback-failure.js";
import { type FallbackTarget, readTargets, type Target } from "./fallback-targets.js";
import { HeldConversation } from "./held-conversation.js";
import { checkedResponse, checkToolsOfAll } from "./named-client.js";
import { checkBoolean, checkFunction } from "./option-checks.js";

export type { FallbackTarget } from "./fallback-targets.js";

/** When a fallback goes on to its next client. */
export interface FallbackClientOptions {
  /**
   * Whether another client may help after a failure; a target's own `when` counts before it. Default: after
   * every `ChatClientError` but two: `bad_request`, which is as wrong elsewhere (a text that is too long for one model is
   * one, too: say so here if the next one takes more), and `unsupported`, which fails with every call before it is sent.
   */
  readonly fallbackOn?: ((error: ChatClientError) => boolean | Promise<boolean>) | undefined;
  /**
   * Whether to ask another client after something of the answer was streamed; it is taken back then. Default
   * false.
   */
  readonly afterUpdates?: boolean | undefined;
}

interface Settings {
  readonly fallbackOn: (error: ChatClientError) => boolean | Promise<boolean>;
  readonly afterUpdates: boolean;
}

const what = "fallbackClient";
const optionNames: ReadonlySet<string> = new Set<keyof FallbackClientOptions>([
  "fallbackOn",
  "afterUpdates",
]);

/**
 * A chat client around several: asks the first, and after a failure the next. Aborts, and errors that are no
 * `ChatClientError`, go straight out.
 *
 * `metadata` is that of the first. `options.model` is for the first: the others are asked for what their `models` say,
 * or else for their own default. A conversation that a service holds stays with its client: its id has the client's
 * name before it (`name:id`; without a name it is the first one's). Requests bring only what is new to that service, so
 * others are asked only where the conversation began in the same run: they get all of it. Otherwise the failure goes
 * out, and says so.
 *
 * Notices: `model_fallback` for each further client that is asked, `model_replaced` where it is asked for another model,
 * `conversation_left` where a conversation id is left out for it. When all have failed, see the `ChatClientError`: its `cause` is an `AggregateError` of what each of
 * them said.
 *
 * @throws ConfigurationError `unknown_option` or `invalid_option`.
 */
export function fallbackClient(
  clients: readonly (ChatClient | FallbackTarget)[],
  options: FallbackClientOptions = {},
): ChatClient {
  const targets = readTargets(clients);
  checkOptionNames(what, options, optionNames);
  const { fallbackOn = helpsElsewhere, afterUpdates = false } = options;
  checkFunction(`${what}: fallbackOn`, fallbackOn);
  checkBoolean(`${what}: afterUpdates`, afterUpdates);
  const settings = { fallbackOn, afterUpdates };
  return {
    metadata: targets[0].client.metadata,
    checkTools: (tools) => checkToolsOfAll(what, targets, tools),
    getResponse: (request) => askInTurn(request, targets, settings),
  };
}

function helpsElsewhere({ code }: ChatClientError): boolean {
  return code !== "bad_request" && code !== "unsupported";
}

async function askInTurn(
  request: ChatRequest,
  targets: readonly [Target, ...Target[]],
  settings: Settings,
): Promise<ChatResponse> {
  const held = new HeldConversation(request, targets);
  const [first, ...others] = held.inOrder;
  let outcome = await ask(first, request, held);
  if (!("error" in outcome)) return outcome.response;
  const failures: [Failure, ...Failure[]] = [outcome];
  for (const target of others) {
    if (!(await (target.when ?? settings.fallbackOn)(outcome.error))) continue;
    request.signal?.throwIfAborted();
    if (outcome.shown && !settings.afterUpdates) break;
    if (!held.movable) throw conversationIsHeld(outcome, held.id);
    await outcome.takeBack();
    tell(request, outcome, target);
    outcome = await ask(target, request, held);
    if (!("error" in outcome)) return outcome.response;
    failures.push(outcome);
  }
  throw failureOf(failures);
}

/** A failed attempt, and what of it the consumer has. */
interface FailedAttempt extends Failure {
  readonly shown: boolean;
  takeBack(): void | Promise<void>;
}

async function ask(
  target: Target,
  request: ChatRequest,
  held: HeldConversation,
): Promise<{ readonly response: ChatResponse } | FailedAttempt> {
  request.signal?.throwIfAborted();
  const updates = attemptUpdates(request.onUpdate);
  const { onUpdate } = updates;
  try {
    const asked = { ...held.requestFor(target), onUpdate };
    const response = checkedResponse(target, await target.client.getResponse(asked));
    return { response: held.answered(target, response) };
  } catch (error) {
    const signal = request.signal ?? request.run?.signal;
    // Not every client tells an abort from a failure.
    if (signal?.aborted) throw signal.reason;
    if (!(error instanceof ChatClientError)) throw error;
    const { shown, takeBack } = updates;
    return { target, error, shown, takeBack };
  } finally {
    updates.close();
  }
}

function tell({ run }: ChatRequest, { target, error }: Failure, next: Target): void {
  const message = `"${target.name}" failed (${error.code}); "${next.name}" is asked.`;
  run?.notice("model_fallback", message, error);
}

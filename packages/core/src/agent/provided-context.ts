import type { ChatClient } from "../chat/chat-client.js";
import { type ChatOptions, checkChatOptions, type Instruction } from "../chat/chat-options.js";
import { ConfigurationError, checkOptionNames } from "../errors/configuration-error.js";
import { ContextProviderError } from "../errors/run-errors.js";
import { inputStart, waitsForPeople } from "../invocation/left-open.js";
import { pusher } from "../invocation/push-updates.js";
import { isJsonObject } from "../messages/json.js";
import type { Message, MessageInput } from "../messages/message.js";
import { conductRun } from "../run/conduct-run.js";
import { Run } from "../run/run.js";
import type { Tool } from "../tools/tool.js";
import { normalizeTools } from "../tools/tool-list.js";
import type { ContextProvider, ProvidedContext, ProviderContext } from "./context-provider.js";
import { readInput } from "./read-input.js";

/** What the loop is asked with. */
export interface Asked {
  readonly messages: readonly Message[];
  readonly options: ChatOptions;
  /** Where in the messages that begins which the run is about; undefined where nobody knows. */
  readonly inputFrom: number | undefined;
}

/** Who provides, and for which run. */
export interface ProvideTerms {
  readonly providers: readonly ContextProvider[];
  readonly run: Run;
  /** The run's input, as the agent handlers left it. */
  readonly input: readonly Message[];
  readonly client: ChatClient;
}

/** What one provider adds to a run. */
interface Provided {
  readonly name: string;
  readonly instructions: string | undefined;
  readonly tools: readonly Tool[] | undefined;
  readonly messages: readonly Message[];
}

/** By the run, of which an agent handler may have several passes: what was provided holds for all. */
const providedTo = new WeakMap<Run, readonly Provided[]>();

/**
 * Asks all providers at once, and puts what they provide where it belongs, in the order of their list.
 * What was there stays the same objects.
 *
 * @throws ContextProviderError when one of them throws.
 * @throws ConfigurationError when one provides what cannot be used.
 */
export async function withProvided(asked: Asked, terms: ProvideTerms): Promise<Asked> {
  const { run, client } = terms;
  const from = asked.inputFrom ?? inputStart(asked.messages, undefined);
  // The model will not be asked.
  if (from === asked.messages.length && waitsForPeople(asked.messages, run.session)) return asked;
  const root = run.passOf ?? run;
  const provided = providedTo.get(root) ?? (await provideAll(terms));
  providedTo.set(root, provided);
  const messages = provided.flatMap((each) => each.messages);
  return {
    messages: asked.messages.toSpliced(from, 0, ...messages),
    options: extended(asked.options, provided, client),
    inputFrom: from + messages.length,
  };
}

/** The same options where nothing is added to them. */
function extended(
  options: ChatOptions,
  provided: readonly Provided[],
  client: ChatClient,
): ChatOptions {
  let { tools = [] } = options;
  for (const { name, tools: own } of provided) {
    if (own)
      tools = normalizeTools([tools, own], `tools of the run and context provider "${name}"`);
  }
  const hasTools = tools.length > 0 && tools !== options.tools;
  if (hasTools) client.checkTools?.(tools);
  const added = provided.flatMap(({ name, instructions }) =>
    instructions ? [{ source: name, text: instructions, provided: true as const }] : [],
  );
  if (!hasTools && added.length === 0) return options;
  const instructions = [...instructionsOf(options), ...added];
  return {
    ...options,
    ...(hasTools && { tools }),
    ...(added.length > 0 && { instructions }),
  };
}

/** An agent handler may have written one text. */
function instructionsOf({ instructions = [] }: ChatOptions): readonly Instruction[] {
  return typeof instructions === "string"
    ? [{ source: "agent", text: instructions }]
    : instructions;
}

async function provideAll({
  providers,
  run,
  input,
  client,
}: ProvideTerms): Promise<readonly Provided[]> {
  run.gate.throwIfAborted();
  const context: ProviderContext = {
    run,
    session: run.session,
    messages: input,
    agent: run.agent,
    client: clientInside(run, client),
    // Made where somebody looks at it.
    get signal() {
      return run.signal;
    },
  };
  return Promise.all(providers.map((provider) => provideOne(provider, context, run)));
}

/** Each question is a run of its own inside the given one. */
function clientInside(run: Run, client: ChatClient): ChatClient {
  const { metadata } = client;
  return {
    metadata,
    getResponse({ messages, options, signal, onUpdate }) {
      checkChatOptions(options);
      const child = new Run({ parent: run, ...(signal && { signal }) });
      const emit = onUpdate && pusher(child, onUpdate);
      return conductRun(child, messages, () =>
        client.getResponse({ messages, options, run: child, ...(emit && { onUpdate: emit }) }),
      );
    },
  };
}

async function provideOne(
  provider: ContextProvider,
  context: ProviderContext,
  run: Run,
): Promise<Provided> {
  const { name } = provider;
  // async: a throw before the first promise is a rejection too.
  const work = (async (): Promise<unknown> => provider.provide?.(context))();
  let given: unknown;
  try {
    given = await run.gate.pass(work);
  } catch (error) {
    if (!run.gate.aborted) throw new ContextProviderError(name, error);
    tellOfLate(name, work, run);
    throw run.gate.reason;
  }
  return readProvided(name, given, run);
}

/** What ignores the signal is given up. */
function tellOfLate(name: string, work: Promise<unknown>, run: Run): void {
  const { reason } = run.gate;
  const tell = (outcome: string, error?: unknown): void => {
    if (error === reason) return;
    const message = `The context provider "${name}" was given up, and has ${outcome} after that.`;
    run.notice("provider_abandoned", message, error);
  };
  work.then(
    () => tell("finished"),
    (error: unknown) => tell("failed", error),
  );
}

const members: ReadonlySet<string> = new Set<keyof ProvidedContext>([
  "instructions",
  "tools",
  "messages",
]);

function readProvided(name: string, given: unknown, run: Run): Provided {
  if (given === undefined) return { name, instructions: undefined, tools: undefined, messages: [] };
  const what = `What the context provider "${name}" provides`;
  if (!isJsonObject(given)) {
    throw wrong(what, "must be an object such as { instructions, tools, messages }, or undefined");
  }
  checkOptionNames(what, given, members);
  const { instructions, tools, messages = [] } = given as ProvidedContext;
  if (instructions !== undefined && typeof instructions !== "string") {
    throw wrong(what, "has `instructions` that are no string");
  }
  if (!Array.isArray(messages)) throw wrong(what, "has `messages` that are no list");
  return {
    name,
    instructions,
    tools: tools === undefined ? undefined : normalizeTools(tools, `${what}: tools`),
    messages: readMessages(name, messages, what, run),
  };
}

/** Copies of this run: with ids that are new to its log, and the mark of who has provided them. */
function readMessages(
  name: string,
  messages: readonly MessageInput[],
  what: string,
  run: Run,
): readonly Message[] {
  for (const message of messages) checkMessage(message, what);
  const marked = messages.map(({ id: _, ...message }) => ({
    ...message,
    additionalProperties: { ...message.additionalProperties, contextProvider: name },
  }));
  try {
    return readInput(marked, run, false).messages;
  } catch (error) {
    throw new ContextProviderError(name, error);
  }
}

/** Seen from outside its types. What steers the loop comes from models and people alone. */
function checkMessage(message: MessageInput, what: string): void {
  if (!isJsonObject(message)) {
    throw wrong(what, 'has a message that is none: write { role: "user", contents: "…" }');
  }
  if (message.role === "system") {
    throw wrong(what, "has a message with the role `system`: write it as `instructions`");
  }
  if (message.role !== "user" && message.role !== "assistant") {
    throw wrong(what, 'has a message of another role than "user" and "assistant"');
  }
  const { contents } = message;
  if (!Array.isArray(contents)) return;
  for (const content of contents) {
    const type = String(content?.type);
    if (!type.startsWith("function_") && type !== "paused_call") continue;
    throw wrong(what, `has a message with a content of the type "${type}", which only runs make`);
  }
}

function wrong(what: string, why: string): ConfigurationError {
  return new ConfigurationError("invalid_provided", `${what} ${why}.`);
}

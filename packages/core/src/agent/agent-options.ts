import type { ChatClient } from "../chat/chat-client.js";
import {
  type ChatOptions,
  checkChatOptions,
  checkToolChoice,
  type Instruction,
} from "../chat/chat-options.js";
import { ConfigurationError, nearestName } from "../errors/configuration-error.js";
import type { RunEventListener } from "../events/run-events.js";
import type { FunctionInvocationConfiguration } from "../invocation/function-invocation-configuration.js";
import { defined } from "../messages/defined.js";
import { isJsonObject } from "../messages/json.js";
import type { Update } from "../messages/update.js";
import type { RunEnvironment } from "../run/environment.js";
import { Run } from "../run/run.js";
import type { Principal, RunContext, Services } from "../run/run-context.js";
import { AgentSession } from "../session/agent-session.js";
import type { SchemaInput } from "../tools/schema.js";
import type { Tool, ToolInput } from "../tools/tool.js";
import { normalizeTools } from "../tools/tool-list.js";
import { checkModelPlaces, checkPlaces, type OptionPlace } from "./check-places.js";
import { type ContextProvider, readProviders } from "./context-provider.js";
import type { Middleware } from "./middleware.js";

/** What is said to the model beside instructions and tools, which have places of their own. */
export type ModelOptions<Schema extends SchemaInput = SchemaInput> = Omit<
  ChatOptions<Schema>,
  "instructions" | "tools"
>;

/** What an agent is made of. */
export interface AgentOptions {
  readonly client: ChatClient;
  /** Default: a random id. */
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** What the agent is for; for people, and for a model to which it is a tool. */
  readonly description?: string | undefined;
  readonly instructions?: string | undefined;
  readonly tools?: ToolInput | undefined;
  /** Defaults for every run. */
  readonly options?: ModelOptions | undefined;
  /** Layers around every run, model call and tool call; the first is the outermost. */
  readonly middleware?: readonly Middleware[] | undefined;
  /** What adds knowledge and abilities, in each run anew: skills, memory, retrieval. */
  readonly contextProviders?: readonly ContextProvider[] | undefined;
  /** Budgets and manners of the tool loop. */
  readonly invocation?: FunctionInvocationConfiguration | undefined;
  /** What tools and handlers find in `context.services`. */
  readonly services?: Services | undefined;
  /** Whether input may hold messages with role `system`. Default false. */
  readonly allowSystemMessages?: boolean | undefined;
  /** Clock, timers and random ids; for tests. Default: the platform's. */
  readonly environment?: RunEnvironment | undefined;
}

/** What one run can be told. */
export interface RunOptions<Schema extends SchemaInput = SchemaInput> {
  /** The conversation that the run continues and grows. */
  readonly session?: AgentSession | undefined;
  /** Stops the run: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Present: stream. A promise it returns is back-pressure. */
  readonly onUpdate?: ((update: Update) => unknown) | undefined;
  /** Sees every event of this run and of the runs inside it. */
  readonly onEvent?: RunEventListener | undefined;
  /** Added to the agent's. */
  readonly instructions?: string | undefined;
  /** Added to the agent's. */
  readonly tools?: ToolInput | undefined;
  /** In place of the agent's, member by member. */
  readonly options?: ModelOptions<Schema> | undefined;
  /** Inside the agent's; one of the same name takes the place of the agent's. */
  readonly middleware?: readonly Middleware[] | undefined;
  /** In place of the agent's, member by member. */
  readonly invocation?: FunctionInvocationConfiguration | undefined;
  /** On whose behalf the run acts; readable in every context. */
  readonly principal?: Principal | undefined;
  /** In place of the agent's, member by member. */
  readonly services?: Services | undefined;
  /** The run inside which this one happens, such as `context.run` of a tool: it shares that run's signal, budgets and services. */
  readonly parent?: RunContext | undefined;
}

const agentOptionNames: ReadonlySet<string> = new Set<keyof AgentOptions>([
  "client",
  "id",
  "name",
  "description",
  "instructions",
  "tools",
  "options",
  "middleware",
  "contextProviders",
  "invocation",
  "services",
  "allowSystemMessages",
  "environment",
]);

const runOptionNames: ReadonlySet<string> = new Set<keyof RunOptions>([
  "session",
  "signal",
  "onUpdate",
  "onEvent",
  "instructions",
  "tools",
  "options",
  "middleware",
  "invocation",
  "principal",
  "services",
  "parent",
]);

const ofAgent: OptionPlace = {
  what: "new Agent",
  known: agentOptionNames,
  elsewhere: {
    names: runOptionNames,
    advice: (name) =>
      `\`${name}\` is of one run, pass it to agent.run: agent.run(input, { ${name}: … })`,
  },
};

const ofRun: OptionPlace = {
  what: "agent.run",
  known: runOptionNames,
  elsewhere: {
    names: agentOptionNames,
    advice: (name) => `\`${name}\` is of the agent, write new Agent({ ${name}: … })`,
  },
};

/** What an agent is made of, checked. */
export interface ReadAgentOptions {
  /** The chat options of a run that says nothing of its own. */
  readonly defaults: ChatOptions;
  readonly providers: readonly ContextProvider[];
}

/**
 * Checks what an agent is made of.
 *
 * @throws ConfigurationError saying what to write.
 */
export function readAgentOptions(options: AgentOptions): ReadAgentOptions {
  if (!isJsonObject(options)) {
    throw new ConfigurationError(
      "invalid_option",
      "new Agent takes an object: new Agent({ client, … }).",
    );
  }
  checkPlaces(options, ofAgent);
  if (typeof options.client?.getResponse !== "function") {
    throw new ConfigurationError(
      "invalid_option",
      "new Agent needs a `client` with a method getResponse.",
    );
  }
  if (typeof options.client.metadata?.provider !== "string") {
    throw new ConfigurationError(
      "invalid_option",
      "The `client` must have `metadata` that names its provider: { provider: … }.",
    );
  }
  const providers = readProviders(options.contextProviders ?? []);
  return { providers, defaults: mergeOptions({}, options, "agent", options.client, providers) };
}

/** The chat options of one run: the agent's, and over them the run's. */
export function readRunOptions(
  agent: ChatOptions,
  options: RunOptions,
  client: ChatClient,
  providers: readonly ContextProvider[],
): ChatOptions {
  checkPlaces(options, ofRun);
  checkRunObjects(options);
  const { instructions, tools, options: model } = options;
  if (instructions === undefined && tools === undefined && model === undefined) return agent;
  return mergeOptions(agent, options, "run", client, providers);
}

function checkRunObjects({ session, signal, parent, principal }: RunOptions): void {
  if (session !== undefined && !(session instanceof AgentSession)) {
    throw new ConfigurationError(
      "invalid_option",
      "`session` must be an AgentSession; AgentSession.fromJSON(data) makes one of stored data.",
    );
  }
  checkSignal(signal);
  if (parent !== undefined && !(parent instanceof Run)) {
    throw new ConfigurationError(
      "invalid_option",
      "`parent` must be a run, such as `context.run` of a tool.",
    );
  }
  checkPrincipal(principal);
}

function checkPrincipal(principal: unknown): void {
  if (principal === undefined || isPrincipal(principal)) return;
  throw new ConfigurationError(
    "invalid_option",
    '`principal` must be an object such as { id: "mara" }, with `roles` as a list of strings and `tenant` as a string where there are any.',
  );
}

function isPrincipal(value: unknown): value is Principal {
  if (!isJsonObject(value)) return false;
  const { id, roles, tenant } = value;
  if (typeof id !== "string" || id === "") return false;
  if (tenant !== undefined && typeof tenant !== "string") return false;
  return (
    roles === undefined || (Array.isArray(roles) && roles.every((role) => typeof role === "string"))
  );
}

/** @throws ConfigurationError when a signal is none. */
export function checkSignal(signal: AbortSignal | null | undefined): void {
  if (signal === undefined || typeof signal?.addEventListener === "function") return;
  throw new ConfigurationError(
    "invalid_option",
    "`signal` must be an AbortSignal; of an AbortController it is `controller.signal`.",
  );
}

function mergeOptions(
  base: ChatOptions,
  added: Pick<AgentOptions, "instructions" | "tools" | "options">,
  source: "agent" | "run",
  client: ChatClient,
  providers: readonly ContextProvider[],
): ChatOptions {
  const model = added.options ?? {};
  checkModelPlaces(model);
  checkChatOptions(model, `options (${source})`);
  for (const name of ["instructions", "tools"] as const) {
    if (!(name in model)) continue;
    throw new ConfigurationError(
      "two_sources",
      `Write \`${name}\` beside \`options\`, not inside it.`,
    );
  }
  checkProviderNames(model, client);
  let tools = joinTools(base.tools, added.tools, source);
  let instructions = joinInstructions(base.instructions, added.instructions, source);
  if (source === "agent") {
    for (const provider of providers) {
      tools = joinTools(tools, provider.tools, `context provider "${provider.name}"`);
      instructions = joinInstructions(instructions, provider.instructions, provider.name);
    }
  }
  if (tools.length > 0 && tools !== base.tools) client.checkTools?.(tools);
  const merged = {
    ...base,
    ...defined(model),
    ...(instructions.length > 0 && { instructions }),
    ...(tools.length > 0 && { tools }),
  };
  // An agent may rely on tools that come with each run; a run has to know all of its tools, but for
  // those that are provided: the loop looks again.
  if ((source === "run" || tools.length > 0) && !providers.some((each) => each.provide)) {
    checkToolChoice(merged.toolChoice, tools);
  }
  return merged;
}

/** A misspelt name would be left out silently: it is taken for another service. */
function checkProviderNames(
  { providerOptions = {} }: ModelOptions,
  { metadata }: ChatClient,
): void {
  const provider: string | undefined = metadata?.provider;
  const name = Object.keys(providerOptions).find(
    (each) => each !== provider && provider && nearestName(each, [provider]) !== undefined,
  );
  if (name === undefined) return;
  throw new ConfigurationError(
    "invalid_option",
    `providerOptions: the service is called "${provider}"; write { ${provider}: … }, not "${name}".`,
  );
}

function joinTools(
  base: readonly Tool[] | undefined,
  added: ToolInput | undefined,
  source: string,
): readonly Tool[] {
  if (added === undefined) return base ?? [];
  const own = normalizeTools(added, `tools of the ${source}`);
  return base === undefined || base.length === 0
    ? own
    : normalizeTools([base, own], `tools of agent and ${source}`);
}

function joinInstructions(
  base: ChatOptions["instructions"],
  added: string | undefined,
  source: string,
): readonly Instruction[] {
  if (added !== undefined && typeof added !== "string") {
    throw new ConfigurationError("invalid_option", "`instructions` must be a string.");
  }
  const before = Array.isArray(base) ? (base as readonly Instruction[]) : [];
  if (!added) return before;
  // Those of context providers come last.
  const at = source === "run" ? Number(before[0]?.source === "agent") : before.length;
  return before.toSpliced(at, 0, { source, text: added });
}

import type { ChatClient } from "../chat/chat-client.js";
import { ConfigurationError, checkOptionNames } from "../errors/configuration-error.js";
import { isJsonObject } from "../messages/json.js";
import type { Message, MessageInput } from "../messages/message.js";
import type { AgentIdentity, RunContext } from "../run/run-context.js";
import type { AgentSession } from "../session/agent-session.js";
import type { ToolInput } from "../tools/tool.js";
import type { Middleware } from "./middleware.js";
import { isPlain } from "./sort-middleware.js";

/**
 * Adds knowledge and abilities to an agent: skills, memory, retrieval, a security set-up. A plain
 * object or a class; holds configuration only, because it serves any number of runs at once: state
 * belongs to `context.run.state` or to the session.
 */
export interface ContextProvider {
  /** Unique among the agent's providers; names the source of its instructions. Not `agent` or `run`. */
  readonly name: string;
  /** Fixed when the agent is made. After the agent's and the run's. */
  readonly instructions?: string | undefined;
  /** Fixed when the agent is made. After the agent's. */
  readonly tools?: ToolInput | undefined;
  /** Layers inside the agent's and the run's, checked together with them. No run can replace one. */
  readonly middleware?: readonly Middleware[] | undefined;
  /**
   * Called once for each run, inside the agent onion and before the first model call, together with
   * the other providers. What it returns holds for this run. A throw fails the run with a
   * `ContextProviderError`.
   */
  provide?(
    context: ProviderContext,
  ): ProvidedContext | undefined | Promise<ProvidedContext | undefined>;
  /** Gives back what it holds outside of runs, such as connections. Called by `agent.close()`. */
  close?(): void | Promise<void>;
}

/** What a context provider sees of a run. */
export interface ProviderContext {
  readonly run: RunContext;
  /** Undefined when the caller gave none. */
  readonly session: AgentSession | undefined;
  /** The run's input as the agent handlers left it; the conversation before it is the session's. */
  readonly messages: readonly Message[];
  readonly agent: AgentIdentity | undefined;
  /**
   * The agent's model, for what a provider or its tools ask by themselves, now or while the run lasts. Each question is a
   * run inside this one, with the agent's chat handlers around it; tools without a function are not run, but answered back.
   */
  readonly client: ChatClient;
  /** Fires when this work is to stop: with the run, or when a bound of an agent handler fires. */
  readonly signal: AbortSignal;
}

/** What a context provider adds to one run. */
export interface ProvidedContext {
  /** After all instructions that are fixed. */
  readonly instructions?: string | undefined;
  /** After the tools that the run has already. */
  readonly tools?: ToolInput | undefined;
  /**
   * With role `user` or `assistant`, and without calls. The model sees them in every round, before the
   * run's own input and after what was there; no session stores them, and no response holds them. Each
   * gets an id from the run, and in `additionalProperties.contextProvider` the provider's name.
   */
  readonly messages?: readonly MessageInput[] | undefined;
}

const members: ReadonlySet<string> = new Set<keyof ContextProvider>([
  "name",
  "instructions",
  "tools",
  "middleware",
  "provide",
  "close",
]);

/**
 * Checks context providers, and takes from each what is fixed.
 *
 * @throws ConfigurationError `invalid_provider` or `unknown_option`, saying what to write.
 */
export function readProviders(list: readonly ContextProvider[]): readonly ContextProvider[] {
  if (!Array.isArray(list)) throw invalid("s: write a list, [first, second]");
  // Whose instructions are whose is told by these names.
  const names = new Set(["agent", "run"]);
  return list.map((provider: ContextProvider, at) => {
    if (!isProvider(provider)) {
      throw invalid(
        `s[${at}]: write { name: "…" } and at least one of instructions (a text), tools, middleware (a list) and provide (a function)`,
      );
    }
    const { name, instructions, tools, middleware, provide } = provider;
    if (names.size === names.add(name).size) {
      throw invalid(` "${name}": the name is taken; give one of them another \`name\``);
    }
    // Members of a class are its own matter.
    if (isPlain(provider)) checkOptionNames(`Context provider "${name}"`, provider, members);
    return {
      name,
      instructions,
      tools,
      middleware: middleware && [...middleware],
      ...(provide && { provide: provide.bind(provider) }),
    };
  });
}

/** Seen from outside its types. */
function isProvider(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { name, instructions, tools, middleware, provide } = value as Record<string, unknown>;
  return (
    typeof name === "string" &&
    name !== "" &&
    (middleware === undefined || Array.isArray(middleware)) &&
    (provide === undefined || typeof provide === "function") &&
    [instructions, tools, middleware, provide].some((part) => part !== undefined)
  );
}

function invalid(what: string): ConfigurationError {
  return new ConfigurationError("invalid_provider", `Context provider${what}.`);
}

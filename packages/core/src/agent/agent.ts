import type { ChatOptions } from "../chat/chat-options.js";
import { loadReader } from "../chat/read-value.js";
import type { ValueOf } from "../chat/response-format.js";
import { openStream, type ResponseStream, type StreamOptions } from "../chat/response-stream.js";
import { openSegment } from "../chat/update-segment.js";
import { ConfigurationError } from "../errors/configuration-error.js";
import { MiddlewareTermination } from "../errors/middleware-termination.js";
import { isA } from "../errors/thrown.js";
import { EventHub } from "../events/event-hub.js";
import type { RunEventListener, RunEventName } from "../events/run-events.js";
import type { FunctionInvocationConfiguration } from "../invocation/function-invocation-configuration.js";
import type { FunctionInvocationLayer } from "../invocation/function-invocation-layer.js";
import { pusher } from "../invocation/push-updates.js";
import { defined } from "../messages/defined.js";
import { isThenable } from "../onion/is-thenable.js";
import { conductRun } from "../run/conduct-run.js";
import { systemEnvironment } from "../run/environment.js";
import { Run } from "../run/run.js";
import type { AgentIdentity, Services } from "../run/run-context.js";
import { holdSession } from "../session/agent-session.js";
import type { SchemaInput } from "../tools/schema.js";
import type { FunctionTool } from "../tools/tool.js";
import { prepareSchema } from "../tools/validate-arguments.js";
import { type AgentToolOptions, agentAsTool } from "./agent-as-tool.js";
import { openAgentContext, sendInstead } from "./agent-context.js";
import {
  type AgentOptions,
  checkSignal,
  type RunOptions,
  readAgentOptions,
  readRunOptions,
} from "./agent-options.js";
import { AgentResponse } from "./agent-response.js";
import type { ContextProvider } from "./context-provider.js";
import { handedDown } from "./hand-down.js";
import { keepInterrupted, keepTurn } from "./keep-turn.js";
import { type AgentLayers, layersAround } from "./layers.js";
import type { Middleware } from "./middleware.js";
import { type PreparedInput, prepareInput } from "./prepare-run.js";
import { type AgentInput, readInput } from "./read-input.js";
import { mergeMiddleware } from "./sort-middleware.js";

/** Where listeners are added. */
export interface AgentEvents {
  /**
   * Calls `listener` at each event of that name, of every run. Returns the function that ends it.
   *
   * @throws ConfigurationError `unknown_event` for a name that there is not.
   */
  on<Name extends RunEventName>(name: Name, listener: RunEventListener<Name>): () => void;
}

/**
 * A model with instructions and tools. Holds configuration only: one agent serves any number of
 * runs and users at once.
 */
export class Agent {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly events: AgentEvents;
  readonly #hub = new EventHub();
  readonly #identity: AgentIdentity;
  readonly #layers: AgentLayers;
  readonly #middleware: readonly Middleware[];
  readonly #defaults: ChatOptions;
  readonly #providers: readonly ContextProvider[];
  readonly #options: AgentOptions;

  /** @throws ConfigurationError when something does not fit, saying what to write. */
  constructor(options: AgentOptions) {
    const { defaults, providers } = readAgentOptions(options);
    this.#defaults = defaults;
    this.#providers = providers;
    this.#options = options;
    const { client, invocation, middleware = [] } = options;
    this.#layers = layersAround(client, invocation, middleware, providers);
    this.#middleware = Object.freeze([...middleware]);
    this.id = options.id ?? `agent_${systemEnvironment.randomId()}`;
    if (options.name !== undefined) this.name = options.name;
    if (options.description !== undefined) this.description = options.description;
    this.#identity = { id: this.id, ...(this.name !== undefined && { name: this.name }) };
    this.events = this.#hub;
  }

  /**
   * Does now what would take time at a first call: loads what judges calls, and compiles every tool's
   * schema, so that a broken one is found now.
   *
   * @throws ConfigurationError `schema_does_not_compile`, naming the tool.
   */
  async prepare(): Promise<void> {
    await import("../invocation/approval-flow.js");
    if (this.#providers.length > 0) await import("./agent-flow.js");
    for (const tool of this.#defaults.tools ?? []) {
      if (tool.type === "function") await prepareSchema(tool);
    }
  }

  /**
   * Closes what its context providers hold, such as connections to servers. A provider that several agents
   * share is closed for all of them.
   *
   * @throws AggregateError when some could not be closed; the others are.
   */
  async close(): Promise<void> {
    await (await import("./agent-flow.js")).closeProviders(this.#options);
  }

  /**
   * Runs the agent once: the model, its tools, and the model again until it has answered.
   *
   * @throws SessionBusyError while the session has another run.
   * @throws InputError when the input cannot be used.
   * @throws ChatClientError when the model service fails; `transcript` holds what was done before.
   * @throws `signal.reason`, untouched, when the signal fires.
   */
  run<const Schema extends SchemaInput = never>(
    input: AgentInput,
    options: RunOptions<Schema> = {},
  ): Promise<AgentResponse<ValueOf<Schema>>> {
    // What reads the value follows the schema; the compiler cannot see that far.
    return this.#run(input, options) as Promise<AgentResponse<ValueOf<Schema>>>;
  }

  async #run(input: AgentInput, options: RunOptions): Promise<AgentResponse> {
    const chatOptions = readRunOptions(
      this.#defaults,
      options,
      this.#options.client,
      this.#providers,
    );
    const layers = this.#layersFor(options);
    const release = options.session && holdSession(options.session);
    try {
      const run = this.#newRun(options, layers.loop);
      try {
        const read = readInput(input, run, this.#options.allowSystemMessages ?? false);
        const prepared = prepareInput(options.session, read, run);
        run.onlyAnswers = prepared.onlyAnswers;
        run.handedDown = handedDown(options);
        if (prepared.resumes && options.session?.paused) run.budget.resume(options.session.paused);
        return await conductRun(run, prepared.fresh, () =>
          this.#turn(layers, run, prepared, chatOptions, options.onUpdate),
        );
      } finally {
        // Also when the input was refused, before the run was conducted.
        run.gate.release();
      }
    } finally {
      release?.();
    }
  }

  /**
   * Runs the agent and gives the answer as a stream. The work starts at once. Leaving the iteration
   * early stops the run.
   */
  stream<const Schema extends SchemaInput = never>(
    input: AgentInput,
    options: Omit<RunOptions<Schema>, "onUpdate"> & StreamOptions = {},
  ): ResponseStream<AgentResponse<ValueOf<Schema>>> {
    if ("onUpdate" in options && options.onUpdate !== undefined) {
      throw new ConfigurationError(
        "two_sources",
        "agent.stream gives its updates to whoever iterates it; use agent.run with `onUpdate`, or no `onUpdate`.",
      );
    }
    checkSignal(options.signal);
    const { highWaterMark, ...runOptions } = options;
    return openStream(
      (onUpdate, signal) => this.run<Schema>(input, { ...runOptions, onUpdate, signal }),
      options.signal,
      highWaterMark === undefined ? {} : { highWaterMark },
    );
  }

  /**
   * The agent as a tool of another one; its run is a child of the run that calls it.
   *
   * @throws ConfigurationError for an unknown option or a missing name.
   */
  asTool(options: AgentToolOptions = {}): FunctionTool {
    return agentAsTool(this, options);
  }

  async #turn(
    layers: AgentLayers,
    run: Run,
    prepared: PreparedInput,
    options: ChatOptions,
    onUpdate: RunOptions["onUpdate"],
  ): Promise<AgentResponse> {
    const { session } = run;
    const { responseFormat } = options;
    const input = {
      before: session?.messages ?? [],
      fresh: prepared.fresh,
      history: prepared.log,
      inputFrom: prepared.inputFrom,
      news: prepared.news,
      options,
      read: responseFormat && (await loadReader(responseFormat)),
    };
    const failures: unknown[] = [];
    const push =
      onUpdate &&
      pusher(
        run,
        (update) => asRoom(onUpdate(update)),
        (error) => failures.push(error),
      );
    let over = false;
    // A handler that was deaf to an abort may still want to say something: nobody listens any more.
    const segment = push && openSegment((update) => (over ? undefined : push(update)));
    const context = openAgentContext(run, prepared.fresh, options, segment, input);
    try {
      const work = layers.agent(context);
      // A handler may be deaf to an abort; the loop itself is not.
      const response = await (layers.handled ? run.passOutside(work) : work).catch(
        (error: unknown) => sendInstead(context, responseOf(error)),
      );
      if (failures.length > 0) throw failures[0];
      if (session) keepTurn(session, run, prepared, response);
      return response;
    } catch (error) {
      if (session) keepInterrupted(session, run, prepared);
      throw error;
    } finally {
      over = true;
    }
  }

  /** A run with layers or budgets of its own has them composed anew. */
  #layersFor({ middleware, invocation }: RunOptions): AgentLayers {
    if (middleware === undefined && invocation === undefined) return this.#layers;
    const { client } = this.#options;
    const { configuration } = this.#layers.loop;
    return layersAround(
      client,
      mergeInvocation(configuration, invocation ?? {}),
      mergeMiddleware(this.#middleware, middleware ?? []),
      this.#providers,
      false,
    );
  }

  #newRun(options: RunOptions, layer: FunctionInvocationLayer): Run {
    const { session, signal, onEvent, parent, principal } = options;
    const services = servicesOf(this.#options.services, options.services, parent?.services);
    return new Run({
      agent: this.#identity,
      events: this.#hub,
      limits: layer.settings.limits,
      ...(this.#options.environment && { environment: this.#options.environment }),
      ...(parent instanceof Run && { parent }),
      ...(session && { session }),
      ...(principal && { principal }),
      ...(signal && { signal }),
      ...(onEvent && { onEvent }),
      ...(services && { services }),
    });
  }
}

/** A handler may end the run in order, with a response. */
function responseOf(error: unknown): AgentResponse {
  if (
    !isA<MiddlewareTermination>(error, MiddlewareTermination) ||
    !(error.result instanceof AgentResponse)
  ) {
    throw error;
  }
  const { endedBy } = error;
  return error.result.with({ outcome: "ended", ...(endedBy !== undefined && { endedBy }) });
}

/** Member by member, those of `approvals` too: a run that says one thing about them keeps the secret. */
function mergeInvocation(
  base: FunctionInvocationConfiguration,
  { approvals, ...rest }: FunctionInvocationConfiguration,
): FunctionInvocationConfiguration {
  const merged = { ...base, ...defined(rest) };
  if (approvals === undefined) return merged;
  return { ...merged, approvals: { ...base.approvals, ...defined(approvals) } };
}

function servicesOf(...parts: readonly (Services | undefined)[]): Services | undefined {
  const [agent, run, parent] = parts;
  if (agent === undefined && run === undefined) return undefined;
  return { ...parent, ...agent, ...run };
}

/** What a consumer returns counts only where it can be waited for. */
function asRoom(returned: unknown): void | Promise<void> {
  if (isThenable(returned)) return Promise.resolve(returned).then(() => {});
}

import type {
  ChatClient,
  ChatClientMetadata,
  ChatRequest,
  ChatResponse,
} from "../chat/chat-client.js";
import { checkChatOptions } from "../chat/chat-options.js";
import { conductRun } from "../run/conduct-run.js";
import type { RunEnvironment } from "../run/environment.js";
import { Run } from "../run/run.js";
import type { Tool } from "../tools/tool.js";
import {
  type FunctionInvocationConfiguration,
  type InvocationSettings,
  invocationSettings,
} from "./function-invocation-configuration.js";
import { Invocation } from "./invocation.js";
import {
  checkLayers,
  composeOnions,
  type InvocationLayers,
  type InvocationOnions,
} from "./invocation-onions.js";
import { pusher } from "./push-updates.js";

/**
 * The tool loop around a chat client, and itself a chat client: it asks the model, runs the calls,
 * hands the results back and asks again, until the model answers or a budget ends it. The response
 * holds the whole turn.
 */
export class FunctionInvocationLayer implements ChatClient {
  readonly metadata: ChatClientMetadata;
  readonly settings: InvocationSettings;
  readonly configuration: FunctionInvocationConfiguration;
  readonly client: ChatClient;
  /** The composed onions, once for all runs; absent where there are no handlers of the kind. */
  readonly onions: InvocationOnions;
  /** The handlers that the onions are made of, as they were given. */
  readonly layers: InvocationLayers | undefined;
  readonly #environment: RunEnvironment | undefined;

  /**
   * @throws ConfigurationError when the configuration makes no sense, or `wrong_kind` for layers with
   * agent handlers.
   */
  constructor(
    client: ChatClient,
    configuration: FunctionInvocationConfiguration = {},
    { environment, layers }: InvocationParts = {},
  ) {
    this.client = client;
    this.metadata = client.metadata;
    this.settings = invocationSettings(configuration);
    if (layers) checkLayers(layers);
    this.layers = layers;
    this.onions = layers ? composeOnions(client, layers) : {};
    this.configuration = configuration;
    this.#environment = environment;
  }

  checkTools(tools: readonly Tool[]): void {
    this.client.checkTools?.(tools);
  }

  async getResponse(request: ChatRequest): Promise<ChatResponse> {
    // Whoever owns the run guards its consumer, too.
    if (request.run instanceof Run) {
      return new Invocation(this, request, request.run, request.onUpdate).go();
    }
    checkChatOptions(request.options);
    const run = new Run({
      limits: this.settings.limits,
      ...(this.#environment && { environment: this.#environment }),
      ...(request.signal && { signal: request.signal }),
    });
    const emit = request.onUpdate && pusher(run, request.onUpdate);
    return conductRun(run, request.messages, () => new Invocation(this, request, run, emit).go());
  }
}

/** What else a loop can be given. */
export interface InvocationParts {
  /** Clock, timers and random ids; for tests. */
  readonly environment?: RunEnvironment;
  /** Sorted middleware: see `sortMiddleware`. */
  readonly layers?: InvocationLayers;
}

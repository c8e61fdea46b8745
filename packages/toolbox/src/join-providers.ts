import {
  ConfigurationError,
  type ContextProvider,
  checkOptionNames,
  type FunctionInvocationContext,
  isJsonObject,
  type Middleware,
  normalizeTools,
  type ProvidedContext,
  type ProviderContext,
  type RunContext,
  type ToolInput,
} from "@tunic/core";

/** Several context providers as one. */
export interface JoinedProviders {
  readonly instructions: string | undefined;
  readonly tools: ToolInput;
  readonly middleware: readonly Middleware[];
  provide(context: ProviderContext): Promise<Provided>;
  close(): Promise<void>;
}

interface Provided extends ProvidedContext {
  readonly tools: ToolInput;
}

/** Told of tools that the middleware of a provider has added to a run, as a server does whose list has changed. */
type OnAdded = (run: RunContext, names: readonly string[]) => void;

/** @throws ConfigurationError `invalid_provider` for what is no context provider. */
export function joinProviders(
  providers: readonly ContextProvider[],
  onAdded: OnAdded,
): JoinedProviders {
  checkProviders(providers);
  const brought = providers.flatMap(({ middleware = [] }) => middleware);
  return {
    instructions: paragraphs(providers.map(({ instructions }) => instructions)),
    tools: providers.flatMap(({ tools = [] }) => tools),
    middleware: brought.map((each) => watched(each, onAdded)),
    async provide(context) {
      const given = await Promise.all(providers.map((each) => provideOne(each, context)));
      return {
        instructions: paragraphs(given.map(({ instructions }) => instructions)),
        tools: given.flatMap(({ tools = [] }) => tools),
        messages: given.flatMap(({ messages = [] }) => messages),
      };
    },
    async close() {
      const settled = await Promise.allSettled(providers.map(async (each) => each.close?.()));
      const errors = settled.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
      if (errors.length > 0) {
        throw new AggregateError(errors, "toolSearch: some providers could not be closed.");
      }
    },
  };
}

const members: ReadonlySet<string> = new Set<keyof ProvidedContext>([
  "instructions",
  "tools",
  "messages",
]);

async function provideOne(
  provider: ContextProvider,
  context: ProviderContext,
): Promise<ProvidedContext> {
  const given = (await provider.provide?.(context)) ?? {};
  checkOptionNames(`What the context provider "${provider.name}" provides`, given, members);
  return given;
}

/** The same middleware; what it adds to a run is told. */
function watched(middleware: Middleware, onAdded: OnAdded): Middleware {
  const { name, placement, agent, chat, verdict, function: around } = middleware;
  return {
    name,
    ...(placement && { placement }),
    ...(agent && { agent: agent.bind(middleware) }),
    ...(chat && { chat: chat.bind(middleware) }),
    ...(verdict && { verdict: verdict.bind(middleware) }),
    ...(around && {
      function: (context, next) => around.call(middleware, telling(context, onAdded), next),
    }),
  };
}

/** The very context, so that what the handler assigns counts, but for `addTools`. */
function telling(context: FunctionInvocationContext, onAdded: OnAdded): FunctionInvocationContext {
  const addTools: FunctionInvocationContext["addTools"] = (tools) => {
    context.addTools(tools);
    onAdded(
      context.run,
      normalizeTools(tools).map(({ name }) => name),
    );
  };
  return new Proxy(context, {
    get: (target, member) => (member === "addTools" ? addTools : Reflect.get(target, member)),
  });
}

function paragraphs(texts: readonly (string | undefined)[]): string | undefined {
  return texts.filter(Boolean).join("\n\n") || undefined;
}

/** Seen from outside its types. */
function checkProviders(providers: unknown): void {
  if (!Array.isArray(providers)) throw invalid("providers must be a list: [mcpTools(…)]");
  const names = new Set<string>();
  for (const [at, provider] of providers.entries()) {
    if (!isJsonObject(provider) || typeof provider["name"] !== "string") {
      throw invalid(`providers[${at}] is no context provider`);
    }
    const { name } = provider;
    if (names.size === names.add(name as string).size) throw invalid(`two providers are "${name}"`);
  }
}

function invalid(what: string): ConfigurationError {
  return new ConfigurationError("invalid_provider", `toolSearch: ${what}.`);
}

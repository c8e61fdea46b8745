import {
  ConfigurationError,
  type Content,
  type ContextProvider,
  createStateKey,
  type FunctionInvocationContext,
  type FunctionTool,
  isJsonObject,
  type JsonObject,
  type MessageInput,
  type Middleware,
  type Next,
  type ProvidedContext,
  type ProviderContext,
  type RunContext,
  type StateKey,
  type ToolResult,
  withAbort,
} from "@tunic/core";
import { Flights } from "./calls/flights.js";
import type { McpClient, McpServerInfo } from "./client/mcp-client.js";
import type { FinishSignIn } from "./client/sign-in.js";
import { createMcpServer, type McpServer } from "./connection/mcp-server.js";
import { featureHooks, type McpFeature } from "./features/feature.js";
import { featuresFor } from "./features/features.js";
import { runClient } from "./features/run-client.js";
import { isUnavailable } from "./mcp-error.js";
import { askForList, promptList, resourceList, templateList } from "./offers/ask-server.js";
import { readContextResource, readPrompt, readResource } from "./offers/read-offer.js";
import { type OpenMcpClient, openTarget, type SdkClient } from "./open-target.js";
import { type McpToolsOptions, readOptions } from "./options.js";
import type { RemoteServer, StdioServer } from "./target.js";
import { toolJoiner } from "./tools/join-tools.js";
import { type LocalTools, localTools } from "./tools/local-tools.js";
import { nameCheck } from "./tools/named-tools.js";
import { offersNothing } from "./tools/offered.js";
import type { LeftOut, RemoteTools } from "./tools/remote-tool.js";
import { replaceTools } from "./tools/replace-tools.js";
import { isWaitedFor } from "./tools/waited-for.js";

/** What names a server: a URL, a command line, an object of either kind, a connected client of the SDK, an {@link McpClient}, or what opens one. */
export type McpTarget =
  | string
  | URL
  | StdioServer
  | RemoteServer
  | SdkClient
  | McpClient
  | OpenMcpClient;

/** A pack of tools. */
export interface ConnectedTools {
  readonly tools: readonly FunctionTool[];
  readonly server: McpServerInfo;
}

const offerLists = {
  prompts: promptList,
  resources: resourceList,
  resourceTemplates: templateList,
} as const;

/** Of one run; more would say nothing new. */
const mostNotices = 20;

/** What runs have from a server. */
interface GivenTools {
  /** Undefined where it has none. */
  readonly tools?: readonly FunctionTool[];
  /** What was offered to it last, of which a name may have been taken. */
  readonly offered?: readonly FunctionTool[];
}

/**
 * The tools of one MCP server, for `contextProviders` of an agent, or, connected, for its `tools`. Made by
 * {@link mcpTools}.
 */
export class McpTools implements ContextProvider, AsyncDisposable {
  /** The server's label. */
  readonly name: string;
  readonly middleware: readonly Middleware[];
  readonly #server: McpServer;
  readonly #sources: readonly NonNullable<McpFeature["tools"]>[];
  readonly #join: (lists: readonly LocalTools[]) => LocalTools;
  readonly #checkNames: ReturnType<typeof nameCheck>;
  readonly #prefix: string;
  readonly #remarks: readonly LeftOut[];
  readonly #toLocal: (remote: RemoteTools) => LocalTools;
  readonly #hasTools: boolean;
  readonly #given: StateKey<GivenTools>;
  readonly #finishAuth: FinishSignIn | undefined;

  /** @internal */
  constructor(
    server: McpServer,
    prefix: string,
    features: readonly McpFeature[],
    finishAuth: FinishSignIn | undefined,
    { remarks = [], isShared = false }: McpToolsTerms,
  ) {
    const { label, options } = server;
    this.name = label;
    this.middleware = [
      { name: `mcp:${label}`, function: (context, next) => this.#follow(context, next) },
    ];
    this.#server = server;
    this.#sources = features.map(({ tools }) => tools).filter((source) => source !== undefined);
    this.#join = toolJoiner(label);
    this.#checkNames = nameCheck(server, prefix, isShared);
    this.#prefix = prefix;
    this.#remarks = remarks;
    this.#toLocal = localTools(server, prefix);
    this.#hasTools = !offersNothing(options) || this.#sources.length > 0;
    this.#given = createStateKey<GivenTools>(`mcp:${label}`, () => ({}));
    this.#finishAuth = finishAuth;
  }

  async provide({
    run,
    signal,
    client,
    session,
    messages,
  }: ProviderContext): Promise<ProvidedContext | undefined> {
    try {
      return await this.#provide(run, signal, client);
    } catch (error) {
      if (!this.#server.options.optional || !isUnavailable(error)) throw error;
      const log = [...(session?.messages ?? []), ...messages];
      if (isWaitedFor(log, this.name, this.#prefix)) throw error;
      const message = `The MCP server "${this.name}" is left out of this run: ${error.message}`;
      run.notice("mcp_unavailable", message, error);
      return undefined;
    }
  }

  async #provide(
    run: RunContext,
    signal: AbortSignal,
    client: ProviderContext["client"],
  ): Promise<ProvidedContext | undefined> {
    // Before anything of it fails.
    tell(run, this.name, this.#remarks);
    const messages = await this.#context(signal);
    if (!this.#hasTools) return messages.length === 0 ? undefined : { messages };
    run.state.set(runClient, client);
    const { tools, leftOut } = await this.#toolsNow(signal);
    run.state.set(this.#given, { tools, offered: tools });
    tell(run, this.name, leftOut);
    return { tools, messages };
  }

  /**
   * Connects, and gives the tools as they are now: `tools: await mcp.connect()`. A list that changes afterwards
   * is not followed that way.
   *
   * @throws McpError where the server cannot be reached, or its list cannot be used; ConfigurationError
   * `unknown_tool` where `blockedTools` or `alwaysRequire` name what it does not have, or `allowedTools` nothing that it
   * has. What else runs have notices of goes to `onLog`.
   */
  async connect(signal?: AbortSignal): Promise<ConnectedTools> {
    const { tools, leftOut } = await this.#toolsNow(signal);
    // There is no run that could have notices.
    for (const { message } of toldOf(this.name, [...this.#remarks, ...leftOut])) {
      this.#server.log({ level: "warning", logger: "tools", data: message });
    }
    const { server } = await this.#server.connection.acquire(signal);
    return { tools, server };
  }

  /**
   * Goes on where `authProvider` has sent somebody away to sign in, and a run or a call has failed with
   * `mcp_unauthorized`. Compare `state` with what the provider has sent before you call this.
   *
   * @param callback What the authorization server has added to the address that it sends people back to.
   * @throws McpError `mcp_unauthorized` where nobody has signed in, or the code is not taken;
   * ConfigurationError `no_auth_provider`.
   */
  async finishAuth(callback: URLSearchParams): Promise<void> {
    if (this.#finishAuth === undefined) {
      throw new ConfigurationError(
        "no_auth_provider",
        `There is nowhere to sign in for "${this.name}": give mcpTools() a URL and authProvider.`,
      );
    }
    await this.#finishAuth(callback);
    // That nobody had signed in is no failure that a pause would help.
    this.#server.connection.succeeded();
  }

  /** Ends the connection, and the server where it was started here. Nothing connects again after that. */
  close(): Promise<void> {
    this.#server.flights.close();
    return this.#server.connection.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** A prompt as the server fills it in, for the input of a run. It counts as untrusted there. */
  prompt(
    name: string,
    args: Readonly<Record<string, string>> = {},
    signal?: AbortSignal,
  ): Promise<readonly MessageInput[]> {
    return readPrompt(this.#server, name, args, { signal });
  }

  /** A resource, for the input of a run. It counts as untrusted there. */
  resource(uri: string, signal?: AbortSignal): Promise<readonly Content[]> {
    return readResource(this.#server, uri, { signal });
  }

  /** What the server lists, as it describes it. Empty where it has none. */
  async list(
    what: "prompts" | "resources" | "resourceTemplates",
    signal?: AbortSignal,
  ): Promise<readonly JsonObject[]> {
    const items = await askForList(this.#server, offerLists[what], { signal });
    return items.filter(isJsonObject);
  }

  async #toolsNow(signal: AbortSignal | undefined): Promise<LocalTools> {
    const { freshTools } = this.#server;
    const remote = freshTools ?? (await this.#server.tools(signal));
    const sources = this.#sources.map((tools) => tools(this.#server));
    const more = sources.length === 0 ? [] : await withAbort(signal, () => Promise.all(sources));
    const offers = more.flatMap(({ optionNames = [] }) => optionNames);
    const all = this.#join([this.#toLocal(remote), ...more]);
    return this.#checkNames(all, { tools: remote.names, offers });
  }

  /** As messages of their own, before the run's input. */
  async #context(signal: AbortSignal): Promise<readonly MessageInput[]> {
    const uris = [...this.#server.options.contextResources];
    return Promise.all(
      uris.map(async (uri) => ({
        role: "user" as const,
        contents: await readContextResource(this.#server, uri, signal),
      })),
    );
  }

  /** After a call: a list that has changed counts from the next round on. */
  async #follow(context: FunctionInvocationContext, next: Next<ToolResult>): Promise<ToolResult> {
    const result = await next();
    const { run, signal } = context;
    const { tools, offered = [] } = run.state.get(this.#given);
    // A server that has gone is not called back for a list.
    if (tools === undefined || this.#server.connection.current === undefined) return result;
    try {
      const now = await this.#toolsNow(signal);
      if (now.tools !== offered) {
        const kept = replaceTools(context, tools, offered, now.tools);
        run.state.set(this.#given, { tools: kept, offered: now.tools });
      }
    } catch (error) {
      if (signal.aborted) throw error;
      const message = `The changed tools of the MCP server "${this.name}" are not taken over.`;
      run.notice("mcp_tools_kept", message, error);
    }
    return result;
  }
}

/**
 * The tools of an MCP server. Nothing is connected before a run needs it; then all runs share one connection,
 * which is opened again when it has broken. The tools are somebody else's: named `<label>_<tool>`, with the
 * label as `owner` and `trust: "external"`, and their results are as little trusted.
 *
 * @throws ConfigurationError `invalid_target`, `unknown_option` or `invalid_option`, saying what to write.
 */
export function mcpTools(target: McpTarget, options: McpToolsOptions = {}): McpTools {
  return makeMcpTools(target, options);
}

/** Of a server that is one of several in a file. */
interface McpToolsTerms {
  /** What runs are told of how the server was configured. */
  readonly remarks?: readonly LeftOut[] | undefined;
  /** Whether the options are those of other servers, too. Default false. */
  readonly isShared?: boolean | undefined;
}

export function makeMcpTools(
  target: McpTarget,
  options: McpToolsOptions,
  terms: McpToolsTerms = {},
): McpTools {
  const settings = readOptions(options);
  const { label, open, slow, finishAuth } = openTarget(target, options, settings, terms);
  const { onLog } = options;
  const flights = new Flights();
  const features = featuresFor(options, {
    label,
    settings,
    flights,
    log: (entry) => server.log(entry),
  });
  const server = createMcpServer({
    label,
    options: settings,
    hooks: featureHooks(features),
    flights,
    open,
    slow,
    onLog,
    async connected(client) {
      for (const feature of features) await feature.connected?.(client);
    },
  });
  return new McpTools(server, options.toolNamePrefix ?? label, features, finishAuth, terms);
}

function tell(run: RunContext, label: string, leftOut: readonly LeftOut[]): void {
  for (const { code, message } of toldOf(label, leftOut)) run.notice(code, message);
}

/** Not more than anybody reads. */
function toldOf(label: string, leftOut: readonly LeftOut[]): readonly LeftOut[] {
  const shown = leftOut.slice(0, mostNotices).map(({ code, message }) => {
    return { code, message: `MCP server "${label}": ${message}` };
  });
  const more = leftOut.length - mostNotices;
  if (more <= 0) return shown;
  const message = `MCP server "${label}": ${more} more tools are left out.`;
  return [...shown, { code: "mcp_tools_left_out", message }];
}

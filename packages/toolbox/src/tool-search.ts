import {
  type ChatContext,
  type ChatResponse,
  ConfigurationError,
  type ContextProvider,
  checkOptionNames,
  type FunctionTool,
  type Next,
  nearestName,
  normalizeTools,
  type RunContext,
  type Tool,
  type ToolInput,
} from "@tunic/core";
import { calledNames, FoundTools, foundTools, setFoundTools } from "./found-tools.js";
import { joinProviders } from "./join-providers.js";
import { searchTool } from "./search-tool.js";
import { type FindTools, toolIndex } from "./tool-index.js";

/** What {@link toolSearch} takes: tools, providers of tools, or both. */
export interface ToolSearchOptions {
  /** Tools that the model is to search for. Those that it always sees belong to the agent. */
  readonly tools?: ToolInput | undefined;
  /**
   * Context providers whose tools the model is to search for, such as `mcpTools(…)`. What else they bring stays:
   * instructions, messages (which count as this provider's), middleware, `close()`. Do not give them to the agent, too.
   */
  readonly providers?: readonly ContextProvider[] | undefined;
  /** Names of tools among these that the model sees from the beginning. Default: none. */
  readonly core?: readonly string[] | undefined;
}

const optionNames: ReadonlySet<string> = new Set<keyof ToolSearchOptions>([
  "tools",
  "providers",
  "core",
]);

const providerName = "tool_search";

/**
 * A context provider for more tools than a model should see at once. The model is offered `search_tools`, the tools
 * named in `core`, and those of the agent itself; of all others only what it has found, from its next step on, in
 * later runs of the session, too (without a session: what the conversation shows to have been called).
 *
 * Every tool is there all the time, and only hidden from the model; so approvals, restarts and middleware meet
 * nothing new. What a chat handler of the agent or the run takes out of a request is neither found nor offered.
 *
 * A call of a tool that was not found yet is not run, even under its right name: the model has guessed the arguments, and
 * nobody has judged a request that offered the tool. It is answered as a call of an unknown tool, and the tool is
 * offered from the next step on, as if it had been found. (With `terminateOnUnknownCalls` the run rejects, as always.)
 *
 * @throws ConfigurationError `unknown_option`, `invalid_option`, `invalid_provider`, or what `normalizeTools` says.
 */
export function toolSearch(options: ToolSearchOptions): ContextProvider {
  checkOptionNames("toolSearch", options, optionNames);
  const { tools = [], providers = [], core = [] } = options;
  const isCore = new Set(core);
  const deferrable = (all: readonly Tool[]) =>
    all.flatMap(({ type, name }) => (type === "function" && !isCore.has(name) ? [name] : []));
  const joined = joinProviders(providers, (run, names) =>
    foundTools(run)?.defer(names.filter((name) => !isCore.has(name))),
  );
  const own = normalizeTools([tools, joined.tools], "toolSearch: tools");
  if (options.tools === undefined && options.providers === undefined) {
    throw new ConfigurationError("invalid_option", "toolSearch: write `tools` or `providers`.");
  }
  const provides = providers.some(({ provide }) => provide !== undefined);
  if (!provides) checkCore(core, own);
  const find = rememberedIndex();
  return {
    name: providerName,
    instructions: joined.instructions,
    tools: [searchTool(find), own],
    middleware: [
      { name: providerName, chat: (context, next) => narrowed(context, next, find) },
      ...joined.middleware,
    ],
    async provide(context) {
      const { tools: given, ...rest } = await joined.provide(context);
      const provided = normalizeTools(given, "toolSearch: tools of the providers");
      setFoundTools(context.run, new FoundTools(deferrable([...own, ...provided]), context));
      if (provides) noticeCore(core, [...own, ...provided], context.run);
      return { ...rest, tools: provided };
    },
    close: joined.close,
  };
}

/** One model round trip in which the model sees what it has found. */
async function narrowed(
  context: ChatContext,
  next: Next<ChatResponse>,
  find: (tools: readonly FunctionTool[]) => FindTools,
): Promise<ChatResponse> {
  const found = foundTools(context.run);
  const { tools, toolChoice } = context.options;
  if (found === undefined || tools === undefined) return await next();
  found.lookAt(tools);
  for (const { query, limit } of found.early.splice(0)) {
    found.add(find(found.searchable ?? [])(query, limit).map(({ name }) => name));
  }
  context.options = { ...context.options, tools: found.visible(tools, toolChoice) };
  const response = await next();
  found.add(response.messages.flatMap(calledNames));
  return response;
}

/** An index is made when somebody searches, and serves all runs whose tools are the same. */
function rememberedIndex(): (tools: readonly FunctionTool[]) => FindTools {
  let last: { readonly tools: readonly FunctionTool[]; readonly find: FindTools } | undefined;
  return (tools) => {
    const same =
      last?.tools.length === tools.length && tools.every((each, at) => each === last?.tools[at]);
    if (last === undefined || !same) last = { tools, find: toolIndex(tools) };
    return last.find;
  };
}

function checkCore(core: readonly string[], tools: readonly Tool[]): void {
  const [missing] = missingOf(core, tools);
  if (missing !== undefined) throw new ConfigurationError("invalid_option", missing);
}

/** What a server offers is known only when it has been asked. */
function noticeCore(core: readonly string[], tools: readonly Tool[], run: RunContext): void {
  for (const message of missingOf(core, tools)) run.notice("tool_search_core", message);
}

function missingOf(core: readonly string[], tools: readonly Tool[]): readonly string[] {
  const names = new Set(tools.map(({ name }) => name));
  return core
    .filter((name) => !names.has(name))
    .map((name) => {
      const near = nearestName(name, [...names]);
      return `toolSearch: \`core\` names "${name}", which is none of its tools${near ? `; did you mean "${near}"?` : "."}`;
    });
}

import {
  type AgentSession,
  createStateKey,
  type FunctionTool,
  isJsonObject,
  type Message,
  type ProviderContext,
  type RunContext,
  type Tool,
  type ToolChoice,
} from "@tunic/core";

/** What was searched for before anybody knew what the run may call. */
interface EarlySearch {
  readonly query: string;
  readonly limit: number;
}

/** What one run has found. The names alone are kept: a tool is what the run has under its name. */
export class FoundTools {
  /** Searches in calls that had waited for a person; the first round makes them. */
  readonly early: EarlySearch[] = [];
  #searchable: readonly FunctionTool[] | undefined;
  readonly #deferred: Set<string>;
  readonly #names: Set<string>;
  readonly #session: AgentSession | undefined;

  constructor(deferred: Iterable<string>, { session, messages }: ProviderContext) {
    this.#deferred = new Set(deferred);
    this.#session = session;
    this.#names = new Set(session ? storedNames(session) : messages.flatMap(calledNames));
  }

  /** What can be found; undefined before the first round. */
  get searchable(): readonly FunctionTool[] | undefined {
    return this.#searchable;
  }

  /** Tools that are hidden until they are found. */
  defer(names: readonly string[]): void {
    for (const name of names) this.#deferred.add(name);
  }

  /** Notes what can be found: what the handlers further out have let through. */
  lookAt(tools: readonly Tool[]): void {
    this.#searchable = tools.filter((tool): tool is FunctionTool => this.#isDeferred(tool));
  }

  /** From the next round on, and in later runs of the session. What cannot be found is left out. */
  add(names: readonly string[]): void {
    const known = new Set(this.#searchable?.map(({ name }) => name));
    const news = names.filter((name) => known.has(name) && !this.#names.has(name));
    if (news.length === 0) return;
    for (const name of news) this.#names.add(name);
    if (this.#session) this.#session.state[stateName] = [...this.#names];
  }

  /**
   * Of a round's tools those that the model is to see. What was found stands at the end, in the order in which it
   * was found, so that the beginning of the request stays as it was and is found in prompt caches.
   */
  visible(tools: readonly Tool[], choice: ToolChoice | undefined): readonly Tool[] {
    const deferred = new Map(this.#searchable?.map((tool) => [tool.name, tool]));
    if (deferred.size === 0) return tools;
    const shown = new Set([...this.#names, ...namedBy(choice)]);
    return [
      ...tools.filter((tool) => !this.#isDeferred(tool)),
      ...[...shown].flatMap((name) => deferred.get(name) ?? []),
    ];
  }

  #isDeferred(tool: Tool): boolean {
    return tool.type === "function" && this.#deferred.has(tool.name);
  }
}

const stateName = "tool_search";
const key = createStateKey<FoundTools | undefined>(stateName, () => undefined);

/** Undefined in runs that have none, such as what a provider asks the model by itself. */
export function foundTools(run: RunContext): FoundTools | undefined {
  return run.state.get(key);
}

export function setFoundTools(run: RunContext, found: FoundTools): void {
  run.state.set(key, found);
}

/** What was stored may have been changed by anybody who can write there. */
function storedNames({ state }: AgentSession): readonly string[] {
  const stored = state[stateName];
  return Array.isArray(stored) ? stored.filter((name) => typeof name === "string") : [];
}

/** A conversation without a session tells of itself: what was called had been found. */
export function calledNames({ role, contents }: Message): readonly string[] {
  if (role !== "assistant") return [];
  return contents.flatMap((content) => (content.type === "function_call" ? [content.name] : []));
}

function namedBy(choice: ToolChoice | undefined): readonly string[] {
  if (!isJsonObject(choice)) return [];
  return "name" in choice ? [choice.name] : choice.allowed;
}

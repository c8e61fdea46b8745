import { ConfigurationError } from "../errors/configuration-error.js";
import type { Tool, ToolInput } from "./tool.js";

/**
 * A flat list of tools, in order: nested lists and packs (anything with `.tools`) are opened, and
 * the same object counts once. What was given is never changed.
 *
 * @param source How the input is called in error messages.
 * @throws ConfigurationError `duplicate_tool` when two tools have one name, `not_a_tool` for
 * anything else, `tool_cycle` for a pack that holds itself.
 */
export function normalizeTools(input: ToolInput | undefined, source = "tools"): readonly Tool[] {
  if (input === undefined) return noTools;
  if (isNormalized(input)) return input;
  const found = new FoundTools();
  found.take(input, source);
  return normalized(found.tools);
}

/** The tools of a list by name; one index for each list, however many runs use it. */
export function toolsByName(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  return indexes.get(tools) ?? indexOf(tools);
}

/** The lists that {@link normalizeTools} made, which need no second look. */
const indexes = new WeakMap<object, ReadonlyMap<string, Tool>>();
const noTools = normalized([]);

function isNormalized(input: ToolInput): input is readonly Tool[] {
  return indexes.has(input);
}

function normalized(tools: readonly Tool[]): readonly Tool[] {
  indexes.set(tools, indexOf(tools));
  return Object.freeze(tools);
}

/** The tools of one run, which may change while it goes on. */
export class ToolList {
  #current: readonly Tool[];

  constructor(tools?: ToolInput) {
    this.#current = normalizeTools(tools);
  }

  /** The same array as long as nothing changes; a new one after a change. */
  get current(): readonly Tool[] {
    return this.#current;
  }

  get names(): readonly string[] {
    return this.#current.map((tool) => tool.name);
  }

  get(name: string): Tool | undefined {
    return toolsByName(this.#current).get(name);
  }

  /**
   * Adds tools: all of them or, on an error, none.
   *
   * @returns those that were not there before.
   * @throws ConfigurationError as {@link normalizeTools} does.
   */
  add(input: ToolInput): readonly Tool[] {
    const found = new FoundTools();
    for (const tool of this.#current) found.take(tool, "the tools of the run");
    found.take(input, "addTools()");
    const added = found.tools.slice(this.#current.length);
    if (added.length > 0) this.#current = normalized(found.tools);
    return added;
  }

  /**
   * Removes tools, by name or object; what is not there is ignored, and so is an object whose name
   * another tool has.
   *
   * @returns those that were there.
   */
  remove(input: string | Tool | readonly (string | Tool)[]): readonly Tool[] {
    const unwanted = new Set<string | Tool>(isList(input) ? input : [input]);
    const removed = this.#current.filter((tool) => unwanted.has(tool) || unwanted.has(tool.name));
    if (removed.length > 0)
      this.#current = normalized(this.#current.filter((tool) => !removed.includes(tool)));
    return removed;
  }
}

class FoundTools {
  readonly tools: Tool[] = [];
  readonly #places = new Map<string, { readonly tool: Tool; readonly source: string }>();
  /** The packs and lists around the place that is looked at. */
  readonly #around = new Set<object>();

  take(input: unknown, source: string): void {
    if (isTool(input)) {
      this.#takeTool(input, source);
      return;
    }
    if (typeof input !== "object" || input === null) throw notATool(input, source);
    if (this.#around.has(input)) {
      throw new ConfigurationError(
        "tool_cycle",
        `${source} is a pack or list that holds itself; take it out of its own tools.`,
      );
    }
    this.#around.add(input);
    if (isList(input)) {
      input.forEach((member, at) => {
        this.take(member, `${source}[${at}]`);
      });
    } else if ("tools" in input && input.tools !== undefined) {
      this.take(input.tools, `${source}.tools`);
    } else throw notATool(input, source);
    this.#around.delete(input);
  }

  #takeTool(tool: Tool, source: string): void {
    const known = this.#places.get(tool.name);
    if (known?.tool === tool) return;
    if (known !== undefined) {
      throw new ConfigurationError(
        "duplicate_tool",
        `Two tools are named "${tool.name}": ${known.source} and ${source}. Rename one of them.`,
      );
    }
    this.#places.set(tool.name, { tool, source });
    this.tools.push(tool);
  }
}

function isTool(value: unknown): value is Tool {
  if (typeof value !== "object" || value === null) return false;
  const { type, name, invoke, definition } = value as Readonly<Record<string, unknown>>;
  if (typeof name !== "string") return false;
  if (type === "function") return typeof invoke === "function";
  return type === "hosted" && definition !== undefined;
}

function notATool(value: unknown, source: string): ConfigurationError {
  const found = typeof value === "function" ? "a bare function" : describe(value);
  return new ConfigurationError(
    "not_a_tool",
    `${source} is ${found}, not a tool. ${remedy(value)}`,
  );
}

function remedy(value: unknown): string {
  if (typeof value === "object" && value !== null) {
    if ("asTool" in value) return 'Write agent.asTool({ name: "…", description: "…" }).';
    if ("provide" in value) return "Put it into contextProviders, or write await x.connect().";
    const members = Object.values(value);
    if (members.length > 0 && members.every(isTool)) return "Write Object.values(tools).";
  }
  return "Wrap it with tool({ name, description, parameters, execute }).";
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "object" && "asTool" in value) return "an agent";
  return typeof value === "object" ? "an object of another kind" : `a ${typeof value}`;
}

function indexOf(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  return new Map(tools.map((tool) => [tool.name, tool]));
}

function isList<Member>(value: unknown | readonly Member[]): value is readonly Member[] {
  return Array.isArray(value);
}

import { ConfigurationError, nearestName } from "@tunic/core";
import type { McpServer } from "../connection/mcp-server.js";
import type { ReadOptions } from "../options.js";
import { shortened } from "../transports/noise-log.js";
import type { LocalTools } from "./local-tools.js";
import type { LeftOut } from "./remote-tool.js";

/** What a server has that options can name, by its own names. */
export interface NamedThings {
  readonly tools: ReadonlySet<string>;
  /** Prompts, and what reads resources, where they are tools, too. */
  readonly offers: readonly string[];
}

/** What the options name. */
interface Naming {
  readonly option: string;
  readonly names: ReadonlySet<string>;
  /** Whether more than the server's own tools can be named. */
  readonly hasOffers?: boolean;
  /** Whether a name that fits nothing leaves something open that is to be kept shut. */
  readonly guards?: boolean;
  /** Whether what it does not name is left out. */
  readonly allows?: boolean;
}

/** A slip is close to a few names; more than these nobody reads. */
const mostShown = 20;

/**
 * Holds the names in the options against what the server has, once for each list. A name that fits nothing protects
 * nothing: in `alwaysRequire` and `blockedTools` it is an error at the first list of a connection, and a notice
 * afterwards, when tools may go; so it is in `allowedTools` where none of them fits, and nothing is left. Elsewhere it is a notice.
 *
 * @param isShared Whether the options are for other servers, too, which may have what is missing here.
 * @returns a function that gives the tools with the notices, or throws ConfigurationError `unknown_tool`.
 */
export function nameCheck(
  server: McpServer,
  prefix: string,
  isShared: boolean,
): (tools: LocalTools, things: NamedThings) => LocalTools {
  const checked = new WeakMap<LocalTools, LocalTools>();
  const namings = namingsOf(server.options);
  let checkedFor: object | undefined;
  return (tools, things) => {
    const known = checked.get(tools);
    if (known !== undefined) return known;
    const { current } = server.connection;
    const isFirst = current === undefined || current !== checkedFor;
    const notices: LeftOut[] = [];
    for (const naming of namings) {
      const message = strayMessage(naming, prefix, things);
      if (message === undefined) continue;
      if (isFirst && !isShared && isHarmful(naming, things))
        throw unknownTool(server.label, message, naming);
      notices.push({ code: "mcp_unknown_tool", message });
    }
    checkedFor = current;
    const all =
      notices.length === 0 ? tools : { ...tools, leftOut: [...notices, ...tools.leftOut] };
    checked.set(tools, all);
    return all;
  };
}

function namingsOf({
  allowed = new Set(),
  blocked,
  approval: { always, never, otherwise },
  readOnly,
  repeatable,
}: ReadOptions): readonly Naming[] {
  // Where somebody is asked about everything, one name more or less makes no difference.
  const guards = otherwise !== "always_require";
  return [
    { option: "blockedTools", names: blocked, guards: true },
    { option: "approvalMode.alwaysRequire", names: always, hasOffers: true, guards },
    { option: "approvalMode.neverRequire", names: never, hasOffers: true },
    { option: "allowedTools", names: allowed, allows: true },
    { option: "readOnlyTools", names: readOnly, hasOffers: true },
    { option: "repeatableTools", names: repeatable },
  ];
}

/** Whether a name too many leaves something open, or all of them leave nothing of the server. */
function isHarmful(
  { names, guards = false, allows = false }: Naming,
  { tools, offers }: NamedThings,
): boolean {
  if (!allows || offers.length > 0) return guards;
  return ![...names].some((name) => tools.has(name));
}

/** Undefined where all names fit something. */
function strayMessage(
  { option, names, hasOffers = false }: Naming,
  prefix: string,
  { tools, offers }: NamedThings,
): string | undefined {
  const there = new Set([...tools, ...(hasOffers ? offers : [])]);
  return strayNames(option, names, there, prefix);
}

/** Says which names are not there, and what may be meant. Undefined where all are. */
export function strayNames(
  option: string,
  names: ReadonlySet<string>,
  there: ReadonlySet<string>,
  prefix: string,
): string | undefined {
  const strays = [...names].filter((name) => !there.has(name));
  if (strays.length === 0) return undefined;
  const shown = strays.slice(0, mostShown).map((name) => {
    const own = name.startsWith(`${prefix}_`) ? name.slice(prefix.length + 1) : name;
    if (there.has(own))
      return `${quoted(name)} (did you mean ${quoted(own)}? Leave out "${prefix}_")`;
    const near = nearestName(own, there);
    return near === undefined ? quoted(name) : `${quoted(name)} (did you mean ${quoted(near)}?)`;
  });
  return `${option} names what the server does not have: ${shown.join(", ")}.`;
}

function unknownTool(label: string, message: string, { allows }: Naming): ConfigurationError {
  const hint = allows
    ? "Nothing is left of the server with that."
    : "One that it only adds later cannot be named: choose with allowedTools, or ask about all others with approvalMode.otherwise.";
  return new ConfigurationError(
    "unknown_tool",
    `mcpTools() of "${label}": ${message} Tools go by the server's own names here. ${hint}`,
  );
}

function quoted(name: string): string {
  return JSON.stringify(shortened(name, 100));
}

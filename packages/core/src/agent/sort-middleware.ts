import { ConfigurationError, nearestName } from "../errors/configuration-error.js";
import type { InvocationLayers } from "../invocation/invocation-onions.js";
import type { Handler, Layer } from "../onion/handler.js";
import type { AgentContext } from "./agent-context.js";
import type { AgentResponse } from "./agent-response.js";
import type { Handlers, Middleware, Seat } from "./middleware.js";

/** Handlers by kind; in each list the first is the outermost. */
export interface SortedMiddleware extends InvocationLayers {
  readonly agent: readonly Layer<AgentContext, AgentResponse>[];
}

type Kind = keyof Handlers;
const kinds = ["agent", "chat", "verdict", "function"] as const satisfies readonly Kind[];
const keys: ReadonlySet<string> = new Set([...kinds, "name", "placement"]);

/**
 * Puts each handler of a list into its onion. The first of a list is the outermost, but for those
 * that have taken a seat.
 *
 * @throws ConfigurationError when something in the list is no middleware, saying what to write.
 */
export function sortMiddleware(list: readonly Middleware[]): SortedMiddleware {
  checkList(list);
  return {
    agent: layersOf(list, "agent"),
    chat: layersOf(list, "chat"),
    verdict: layersOf(list, "verdict"),
    function: layersOf(list, "function"),
  };
}

/** The agent's list and the run's: one of the run replaces the agent's of its name, in place. */
export function mergeMiddleware(
  agent: readonly Middleware[],
  run: readonly Middleware[],
): readonly Middleware[] {
  if (run.length === 0) return agent;
  checkList(run);
  const replacements = new Map(run.map((each) => [each.name, each]));
  const merged = agent.map((each) => {
    const replacement = replacements.get(each.name);
    if (replacement === undefined) return each;
    replacements.delete(each.name);
    return replacement;
  });
  return [...merged, ...replacements.values()];
}

function layersOf<Result extends Kind>(
  list: readonly Middleware[],
  kind: Result,
): Layer<HandlerContext<Result>, HandlerResult<Result>>[] {
  const seats: Partial<Record<Seat, string>> = {};
  const outermost: Layer<HandlerContext<Result>, HandlerResult<Result>>[] = [];
  const between: typeof outermost = [];
  const innermost: typeof outermost = [];
  for (const middleware of list) {
    const handler = middleware[kind];
    if (handler === undefined) continue;
    const seat = middleware.placement?.[kind];
    if (seat !== undefined) takeSeat(seats, seat, kind, middleware.name);
    const layers = seat === "outermost" ? outermost : seat === "innermost" ? innermost : between;
    layers.push({ name: middleware.name, handler: bound<Result>(middleware, handler) });
  }
  return [...outermost, ...between, ...innermost];
}

type HandlerOf<Name extends Kind> = NonNullable<Handlers[Name]>;
type HandlerContext<Name extends Kind> = Parameters<HandlerOf<Name>>[0];
type HandlerResult<Name extends Kind> =
  HandlerOf<Name> extends Handler<HandlerContext<Name>, infer Result> ? Result : never;

/** A handler of a class needs its object. */
function bound<Name extends Kind>(
  middleware: Middleware,
  handler: unknown,
): Handler<HandlerContext<Name>, HandlerResult<Name>> {
  return (handler as Handler<HandlerContext<Name>, HandlerResult<Name>>).bind(middleware);
}

function takeSeat(
  seats: Partial<Record<Seat, string>>,
  seat: Seat,
  kind: Kind,
  name: string,
): void {
  const taken = seats[seat];
  if (taken === undefined) {
    seats[seat] = name;
    return;
  }
  throw new ConfigurationError(
    "seat_taken",
    `"${taken}" and "${name}" both want to be ${seat} among the ${kind} handlers. Give one of them no placement.`,
  );
}

function checkList(list: readonly Middleware[]): void {
  if (!Array.isArray(list)) {
    throw new ConfigurationError(
      "invalid_middleware",
      "`middleware` must be a list: [first, second].",
    );
  }
  const names = new Map<string, Middleware>();
  for (const [at, middleware] of list.entries()) {
    checkMiddleware(middleware, `middleware[${at}]`);
    const known = names.get(middleware.name);
    if (known === middleware) {
      throw new ConfigurationError(
        "duplicate_middleware",
        `The middleware "${middleware.name}" stands in the list twice. Take one out, or make a second one of another name.`,
      );
    }
    if (known !== undefined) {
      throw new ConfigurationError(
        "duplicate_middleware",
        `Two middlewares are named "${middleware.name}". Give one of them another name.`,
      );
    }
    names.set(middleware.name, middleware);
  }
}

function checkMiddleware(value: unknown, where: string): void {
  if (typeof value === "function") {
    throw new ConfigurationError(
      "bare_function",
      `${where} is a bare function. Say what it handles: chatMiddleware("name", handler), or agentMiddleware, verdictMiddleware, functionMiddleware.`,
    );
  }
  if (typeof value !== "object" || value === null) {
    throw new ConfigurationError(
      "invalid_middleware",
      `${where} is no middleware but ${String(value)}.`,
    );
  }
  const middleware = value as Readonly<Record<string, unknown>>;
  if (typeof middleware["name"] !== "string" || middleware["name"] === "") {
    throw new ConfigurationError("invalid_middleware", `${where} needs a \`name\`.`);
  }
  const what = `The middleware "${middleware["name"]}"`;
  checkKeys(middleware, what);
  checkPlacement(middleware, what);
  const handlers = kinds.filter((kind) => middleware[kind] !== undefined);
  if (handlers.length === 0) {
    throw new ConfigurationError(
      "no_handler",
      `${what} has no handler: give it one of ${kinds.join(", ")}.`,
    );
  }
  for (const kind of handlers) {
    if (typeof middleware[kind] === "function") continue;
    throw new ConfigurationError("invalid_middleware", `${what}: \`${kind}\` must be a function.`);
  }
}

const seats: ReadonlySet<unknown> = new Set<Seat>(["outermost", "innermost"]);

function checkPlacement(middleware: Readonly<Record<string, unknown>>, what: string): void {
  const { placement } = middleware;
  if (placement === undefined) return;
  if (typeof placement !== "object" || placement === null) {
    throw new ConfigurationError(
      "invalid_middleware",
      `${what}: \`placement\` must be an object such as { chat: "outermost" }.`,
    );
  }
  for (const [kind, seat] of Object.entries(placement)) {
    if (seat === undefined) continue;
    if (typeof middleware[kind] !== "function" || !kinds.some((each) => each === kind)) {
      throw new ConfigurationError(
        "invalid_middleware",
        `${what} has a placement for "${kind}" but no such handler.`,
      );
    }
    if (seats.has(seat)) continue;
    throw new ConfigurationError(
      "invalid_middleware",
      `${what}: the placement for "${kind}" must be "outermost" or "innermost"; got ${String(seat)}.`,
    );
  }
}

/** Whether an object is of no class. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Members of a class are its own matter, unless one looks like a handler that was misspelt. */
function checkKeys(middleware: Readonly<Record<string, unknown>>, what: string): void {
  const plain = isPlain(middleware);
  for (const key of plain ? Object.keys(middleware) : membersOf(middleware)) {
    if (keys.has(key)) continue;
    const hint = plain ? nearestName(key, keys) : kinds.find((kind) => isSlip(key, kind));
    if (!plain && (hint === undefined || typeof middleware[key] !== "function")) continue;
    throw new ConfigurationError(
      "unknown_key",
      `${what} has an unknown key "${key}"${hint ? `; did you mean "${hint}"?` : `. It may have: ${[...keys].join(", ")}.`}`,
    );
  }
}

/** What an object of a class has, its methods included. */
function membersOf(middleware: object): string[] {
  const members = Object.keys(middleware);
  let prototype: unknown = Object.getPrototypeOf(middleware);
  while (typeof prototype === "object" && prototype !== null && prototype !== Object.prototype) {
    members.push(...Object.getOwnPropertyNames(prototype));
    prototype = Object.getPrototypeOf(prototype);
  }
  return members.filter((name) => name !== "constructor");
}

/**
 * Whether a name is another one with its letters out of order, or with one letter more or less.
 * Narrower than for a literal: methods of a class have names of their own, such as `cost`.
 */
function isSlip(name: string, meant: string): boolean {
  const written = name.toLowerCase();
  if (written.length === meant.length) return sorted(written) === sorted(meant);
  const [short, long] = written.length < meant.length ? [written, meant] : [meant, written];
  if (long.length - short.length !== 1) return false;
  return [...long].some((_, at) => long.slice(0, at) + long.slice(at + 1) === short);
}

function sorted(text: string): string {
  return [...text].sort().join("");
}

import type { Middleware, RunContext, RunEvent, RunEventListener, Update } from "@tunic/core";

/** What a recorder writes down by itself. */
export interface RunRecorderOptions {
  /** Which events; `true` for all of them. Default: none, only what handlers note. */
  readonly events?: true | readonly RunEvent["type"][];
  /** Whether updates are written down. Default false. */
  readonly updates?: boolean;
}

/** Turns runs into an ordered log of short lines, so that order is compared with a literal. */
export interface RunRecorder {
  /** What happened, in order; lines of runs inside a run are indented. */
  readonly log: string[];
  /** Writes a line; with the run that it belongs to, as far in as that run is. */
  note(line: string, run?: RunContext): void;
  /** Options of `agent.run`: what is asked for comes in through them. */
  readonly options: {
    readonly onEvent?: RunEventListener;
    readonly onUpdate?: (update: Update) => void;
  };
  /**
   * A middleware that hands everything on and notes when it is entered and left:
   * `+ chat outer`, `- chat outer`, and `! chat outer` where the inside has failed.
   *
   * @param kinds Which handlers it has. Default: all four.
   */
  layer(
    name: string,
    kinds?: readonly LayerKind[],
    placement?: NonNullable<Middleware["placement"]>,
  ): Middleware;
}

export type LayerKind = "agent" | "chat" | "verdict" | "function";

const allKinds: readonly LayerKind[] = ["agent", "chat", "verdict", "function"];

/** A recorder for one test. */
export function recordRun({ events, updates = false }: RunRecorderOptions = {}): RunRecorder {
  const log: string[] = [];
  const depths = new Map<string, number>();
  const write = (line: string, depth: number): void => {
    log.push("  ".repeat(depth) + line);
  };
  const note = (line: string, run?: RunContext): void => write(line, run ? depthOf(run) : 0);
  const around =
    (kind: LayerKind, name: string) =>
    async <Result>(context: { readonly run: RunContext }, next: () => Promise<Result>) => {
      const what = kind === "function" || kind === "verdict" ? ` (${callOf(context)})` : "";
      note(`+ ${kind} ${name}${what}`, context.run);
      try {
        const result = await next();
        note(`- ${kind} ${name}${what}`, context.run);
        return result;
      } catch (error) {
        note(`! ${kind} ${name}${what}`, context.run);
        throw error;
      }
    };
  return {
    log,
    note,
    options: {
      ...(events && {
        onEvent: (event) => {
          const depth = event.parentRunId ? (depths.get(event.parentRunId) ?? 0) + 1 : 0;
          depths.set(event.runId, depth);
          if (events === true || events.includes(event.type)) write(lineOf(event), depth);
        },
      }),
      ...(updates && { onUpdate: (update) => write(`update ${updateLine(update)}`, 0) }),
    },
    layer(name, kinds = allKinds, placement) {
      const handlers = Object.fromEntries(kinds.map((kind) => [kind, around(kind, name)]));
      return { name, ...handlers, ...(placement && { placement }) };
    },
  };
}

function depthOf(run: RunContext): number {
  return run.parent ? depthOf(run.parent) + 1 : 0;
}

function callOf(context: object): string {
  if (!("call" in context)) return "";
  const { name, arguments: args } = context.call as { name: string; arguments?: object };
  const values = Object.values(args ?? {}).map((value) => JSON.stringify(value));
  return [name, ...values].join(" ");
}

function lineOf(event: RunEvent): string {
  switch (event.type) {
    case "model.start":
      return `model.start ${event.iteration}`;
    case "model.end":
      return `model.end ${event.iteration} ${event.outcome}`;
    case "call.start":
      return `call.start ${event.toolName}`;
    case "call.end":
    case "call.abandoned":
      return `${event.type} ${event.toolName} ${event.outcome}`;
    case "run.end":
      return `run.end ${event.outcome}`;
    case "notice":
      return `notice ${event.code}`;
    default:
      return event.type;
  }
}

function updateLine(update: Update): string {
  if (update.type === "delta") {
    const contents = update.contents.map((each) => (each.type === "text" ? each.text : each.type));
    return [update.role, ...contents].join(" ");
  }
  if (update.type === "progress" && update.update) return `progress ${updateLine(update.update)}`;
  return update.type;
}

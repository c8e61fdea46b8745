import type {
  AgentSession,
  FunctionInvocationContext,
  FunctionTool,
  RunContext,
} from "@tunic/core";
import { noTexts } from "./option-values.js";
import { shortened } from "./transports/noise-log.js";

type HeaderRecord = Readonly<Record<string, string>>;

/** For whom a request goes out. Outside a run, such as when connecting, there is nobody. */
export interface McpHeadersContext {
  readonly run: RunContext | undefined;
  readonly session: AgentSession | undefined;
  /** Of which a call is made. */
  readonly tool: FunctionTool | undefined;
}

/** Headers of a request, or a function that says them for each call. */
export type McpHeaders =
  | Readonly<Record<string, string>>
  | ((
      context: McpHeadersContext,
    ) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

/**
 * The headers that a function makes; undefined where there is none.
 *
 * @throws what the function throws; TypeError where they cannot be sent.
 */
export async function madeHeaders(
  headers: McpHeaders | undefined,
  { run, session, tool }: McpHeadersContext | FunctionInvocationContext,
): Promise<HeaderRecord | undefined> {
  if (typeof headers !== "function") return undefined;
  // Nothing is no headers: those of other requests do not take their place.
  const made = (await headers({ run, session, tool })) ?? {};
  const stray = noTexts(made);
  const unfit = stray === undefined ? unfitHeader(made) : `something ${stray}`;
  if (unfit !== undefined) throw new TypeError(`mcpTools(): \`headers\` returned ${unfit}.`);
  return made;
}

/**
 * Which header cannot be sent, in words; undefined where all can. `fetch` shows the value in its error, and that may
 * be a secret.
 */
export function unfitHeader(headers: HeaderRecord): string | undefined {
  for (const [name, value] of Object.entries(headers)) {
    const shown = JSON.stringify(shortened(name, 60));
    if (!isFit(name, "")) return `the header ${shown}, whose name cannot be sent`;
    if (!isFit("x", value)) return `the header ${shown}, whose value cannot be sent`;
  }
  return undefined;
}

function isFit(name: string, value: string): boolean {
  try {
    new Headers([[name, value]]);
    return true;
  } catch {
    return false;
  }
}

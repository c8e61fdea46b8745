import type { ReadTarget } from "../target.js";

/** A server that is being connected to, as far as whoever gives up can tell of it. */
export interface Connecting {
  /** What it has written to its error output. */
  lastWords?: (() => string) | undefined;
}

/** A server as errors name it: by its label, and by what of its target holds no secrets. */
export function shownServer(target: ReadTarget, label: string): string {
  const who = `The MCP server "${label}"`;
  if (target.kind === "stdio") return `${who} (${target.command})`;
  return `${who} at ${target.url.origin}${target.url.pathname}`;
}

export function withLastWords(message: string, words: string): string {
  return words === "" ? message : `${message} Its last words were: ${words}`;
}

/** Programs that fetch what they run. */
const fetches =
  /(?:^|[\\/])(npx|bunx|pnpx|uvx|npm|pnpm|yarn|bun|uv|pipx|deno|docker|podman)(?:\.\w+)?$/i;

/** What is said of a server that was given up. */
export function slowServer(
  target: ReadTarget,
  label: string,
  { lastWords }: Connecting,
  ms: number,
): string {
  const program = target.kind === "stdio" ? fetches.exec(target.command)?.[1] : undefined;
  const download =
    program === undefined
      ? ""
      : ` ${program} may have been downloading it still, which takes long the first time only.`;
  const message = `${shownServer(target, label)} did not answer within ${ms} ms (connectTimeoutMs).${download}`;
  return withLastWords(message, lastWords?.() ?? "");
}

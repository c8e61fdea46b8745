import type { ReadTarget } from "../target.js";
import { asLabel } from "./tool-name.js";

/** Names of files and folders that say nothing of the server. */
const saysNothing: ReadonlySet<string> = new Set([
  "bin",
  "build",
  "cli",
  "dist",
  "index",
  "lib",
  "main",
  "server",
  "src",
]);

/** What a server is called where nobody has named it: after its host, its package or its program. */
export function serverLabel(target: ReadTarget): string {
  if (target.kind !== "stdio") return asLabel(target.url.host) ?? "mcp";
  const { command, args } = target;
  const subject = isRunner(command) ? args.find((each) => !each.startsWith("-")) : undefined;
  const parts = (subject ?? command)
    .split(/[\\/]/)
    .map((part) => part.replace(/(?!^)@[^@]*$|\.(?:[cm]?[jt]s|py|exe|cmd|sh)$/g, ""))
    .filter((part) => part !== "" && part !== "." && part !== "..");
  const telling = parts.findLast((part) => !saysNothing.has(part.toLowerCase()));
  return asLabel(telling ?? "") ?? "mcp";
}

/** Programs that run others. */
function isRunner(command: string): boolean {
  const name = command
    .split(/[\\/]/)
    .at(-1)
    ?.toLowerCase()
    .replace(/\.(exe|cmd)$/, "");
  return /^(npx|node|bunx?|deno|uvx?|pipx|python3?|tsx|docker)$/.test(name ?? "");
}

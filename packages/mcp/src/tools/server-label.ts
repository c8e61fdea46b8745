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
  const runner = runnerOf(command);
  const subject = runner && subjectOf(runner, args);
  const parts = (subject ?? command)
    .split(/[\\/]/)
    .map((part) => part.replace(/(?!^)@[^@]*$|\.(?:[cm]?[jt]s|py|exe|cmd|sh)$/g, ""))
    .filter((part) => part !== "" && part !== "." && part !== "..");
  const telling = parts.findLast((part) => !saysNothing.has(part.toLowerCase()));
  return asLabel(telling ?? "") ?? "mcp";
}

/** A program that runs others. */
interface Runner {
  readonly name: RegExp;
  /** What it is told to do, before what it is to do that with. */
  readonly subcommands?: RegExp;
  /** Options that the next argument belongs to. */
  readonly valued?: RegExp;
}

const runners: readonly Runner[] = [
  {
    name: /^(docker|podman)$/,
    subcommands: /^(run|container)$/,
    // Most have one; these have none.
    valued:
      /^(?!-[itdPq]$|--(rm|init|interactive|tty|detach|privileged|read-only|publish-all|quiet)$)(-[A-Za-z]|--[a-z-]+)$/,
  },
  {
    name: /^uv$/,
    subcommands: /^(run|tool)$/,
    valued: /^(-p|-w|--(directory|project|python|with|with-editable|from|env-file|extra|group))$/,
  },
  { name: /^(npm|pnpm|yarn|bun|deno|pipx)$/, subcommands: /^(run|exec|dlx|x)$/ },
  { name: /^(npx|bunx|uvx|node|python3?|tsx)$/ },
];

function runnerOf(command: string): Runner | undefined {
  const program = command
    .split(/[\\/]/)
    .at(-1)
    ?.toLowerCase()
    .replace(/\.(exe|cmd)$/, "");
  return runners.find(({ name }) => name.test(program ?? ""));
}

/** What is run: a package, a file, or an image without its tag. */
function subjectOf({ subcommands, valued }: Runner, args: readonly string[]): string | undefined {
  for (let at = 0; at < args.length; at++) {
    const each = args[at] ?? "";
    if (valued?.test(each)) at += 1;
    else if (!each.startsWith("-") && !subcommands?.test(each)) {
      return each.replace(/(?<=[^:]{2}):[^/\\:]*$/, "");
    }
  }
  return undefined;
}

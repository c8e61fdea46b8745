/**
 * Runs the protocol's own suite against `client.ts` and `server.ts`: all of its passes, or those that are named.
 * `npm run test:conformance -- core`. What is expected to fail stands in `expected-failures/`, a file for each
 * pass; the suite complains about anything else that fails, and about what stands there and passes.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { readFigures } from "./figures.js";
import { harnessNode } from "./harness-node.js";

interface Pass {
  readonly side: "client" | "server";
  /** Of the SDK, for the client. */
  readonly line?: 1 | 2;
  readonly arguments: readonly string[];
}

const passes: Readonly<Record<string, Pass>> = {
  core: { side: "client", line: 2, arguments: ["--suite", "core"] },
  "2025-11-25": { side: "client", line: 1, arguments: ["--requirements", "2025-11-25"] },
  "2026-07-28": { side: "client", line: 2, arguments: ["--requirements", "2026-07-28"] },
  // Holds `core` and `auth`.
  all: { side: "client", line: 2, arguments: ["--suite", "all"] },
  server: { side: "server", arguments: ["--suite", "active"] },
  "server-2025-11-25": { side: "server", arguments: ["--requirements", "2025-11-25"] },
  "server-2026-07-28": { side: "server", arguments: ["--requirements", "2026-07-28"] },
};

const here = dirname(fileURLToPath(import.meta.url));
const suite = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"));
const results = join(here, "../../../.ci/reports/conformance");
/** All scenarios of a pass start at once, each with a process of its own. */
const timeoutMs = 180_000;

const node = harnessNode();
if (node === undefined) {
  console.log(
    "The conformance suite is skipped: it needs Node 22 or newer, and only for Linux on x64 one is fetched from npm. Run this with a newer Node.",
  );
} else {
  const named = process.argv.slice(2);
  await Promise.all([bundle("client"), bundle("server")]);
  const outcomes: boolean[] = [];
  for (const name of named.length > 0 ? named : Object.keys(passes)) {
    outcomes.push(await play(node, name));
  }
  process.exitCode = outcomes.every(Boolean) ? 0 : 1;
}

/** One file that starts at once: dozens of clients that compile at the same time would wait for each other only. */
async function bundle(program: Pass["side"]): Promise<void> {
  await build({
    entryPoints: [join(here, `${program}.ts`)],
    outfile: bundled(program),
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@tunic/source"],
    // As programs are shipped: names of classes are gone.
    minify: true,
    sourcemap: "inline",
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
}

function bundled(program: Pass["side"]): string {
  return join(results, `${program}.mjs`);
}

/** The server under test. Ends with its standard input. */
async function startServer(): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(process.execPath, [bundled("server")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout.setEncoding("utf8"), "data");
  return { child, url: String(line).trim() };
}

/** Whether it went as expected. */
async function play(program: string, name: string): Promise<boolean> {
  const pass = passes[name];
  if (pass === undefined) {
    console.error(`There is no pass "${name}". There are: ${Object.keys(passes).join(", ")}.`);
    return false;
  }
  const folder = join(results, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const server = pass.side === "server" ? await startServer() : undefined;
  const tested = server
    ? ["--url", server.url]
    : ["--command", `"${process.execPath}" "${bundled("client")}"`];
  const { status, stdout, stderr } = spawnSync(
    program,
    [
      ...[suite, pass.side, ...pass.arguments, ...tested, "-o", folder],
      ...["--timeout", String(timeoutMs)],
      ...["--expected-failures", join(here, "expected-failures", `${name}.yaml`)],
    ],
    {
      cwd: dirname(here),
      encoding: "utf8",
      maxBuffer: 2 ** 28,
      env: { ...process.env, TUNIC_CONFORMANCE_SDK: String(pass.line) },
    },
  );
  server?.child.stdin?.end();
  writeFileSync(join(folder, "output.txt"), `${stdout}\n${stderr}`);
  return report(name, pass, folder, { status, stdout, stderr });
}

interface Played {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Says what came out. Returns whether it is what was expected. */
function report(name: string, { side, line }: Pass, folder: string, played: Played): boolean {
  const { status, stdout, stderr } = played;
  const { scenarios, passed, failed, warnings, skipped, complaints } = readFigures(folder);
  const what = side === "server" ? "serveTools()" : `line ${line} of the SDK`;
  console.log(
    `${name} (${what}): ${scenarios} scenarios; ${passed} checks passed, ${failed} failed, ${warnings} warnings, ${skipped} skipped`,
  );
  for (const complaint of complaints) console.log(`  ${complaint}`);
  // A suite that finds nothing to check has not passed.
  const isFine = status === 0 && scenarios > 0;
  if (!isFine)
    console.log(stdout.slice(Math.max(0, stdout.lastIndexOf("=== SUITE SUMMARY"))), stderr);
  console.log(isFine ? "  as expected" : `  NOT as expected; see ${folder}`);
  return isFine;
}

/**
 * Runs the protocol's own suite against `client.ts`: all of its passes, or those that are named.
 * `npm run test:conformance -- core`. What is expected to fail stands in `expected-failures/`, a file for each
 * pass; the suite complains about anything else that fails, and about what stands there and passes.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { readFigures } from "./figures.js";
import { harnessNode } from "./harness-node.js";

interface Pass {
  /** Of the SDK. */
  readonly line: 1 | 2;
  readonly arguments: readonly string[];
}

const passes: Readonly<Record<string, Pass>> = {
  core: { line: 2, arguments: ["--suite", "core"] },
  "2025-11-25": { line: 1, arguments: ["--requirements", "2025-11-25"] },
  "2026-07-28": { line: 2, arguments: ["--requirements", "2026-07-28"] },
  // Holds `core` and `auth`.
  all: { line: 2, arguments: ["--suite", "all"] },
};

const here = dirname(fileURLToPath(import.meta.url));
const suite = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"));
const results = join(here, "../../../.ci/reports/conformance");
const client = join(results, "client.mjs");
/** All scenarios of a pass start at once, each with a process of its own. */
const timeoutMs = 180_000;

const node = harnessNode();
if (node === undefined) {
  console.log(
    "The conformance suite is skipped: it needs Node 22 or newer, and only for Linux on x64 one is fetched from npm. Run this with a newer Node.",
  );
} else {
  const named = process.argv.slice(2);
  await bundleClient();
  const outcomes = (named.length > 0 ? named : Object.keys(passes)).map((name) => play(node, name));
  process.exitCode = outcomes.every(Boolean) ? 0 : 1;
}

/** One file that starts at once: dozens of clients that compile at the same time would wait for each other only. */
async function bundleClient(): Promise<void> {
  await build({
    entryPoints: [join(here, "client.ts")],
    outfile: client,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@tunic/source"],
    sourcemap: "inline",
    // Classes of both lines of the SDK have the same names.
    keepNames: true,
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
}

/** Whether it went as expected. */
function play(program: string, name: string): boolean {
  const pass = passes[name];
  if (pass === undefined) {
    console.error(`There is no pass "${name}". There are: ${Object.keys(passes).join(", ")}.`);
    return false;
  }
  const folder = join(results, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const command = `"${process.execPath}" "${client}"`;
  const { status, stdout, stderr } = spawnSync(
    program,
    [
      ...[suite, "client", ...pass.arguments, "--command", command, "-o", folder],
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
  writeFileSync(join(folder, "output.txt"), `${stdout}\n${stderr}`);
  const { scenarios, passed, failed, warnings, skipped, complaints } = readFigures(folder);
  console.log(
    `${name} (line ${pass.line} of the SDK): ${scenarios} scenarios; ${passed} checks passed, ${failed} failed, ${warnings} warnings, ${skipped} skipped`,
  );
  for (const complaint of complaints) console.log(`  ${complaint}`);
  // A suite that finds nothing to check has not passed.
  const isFine = status === 0 && scenarios > 0;
  if (!isFine)
    console.log(stdout.slice(Math.max(0, stdout.lastIndexOf("=== SUITE SUMMARY"))), stderr);
  console.log(isFine ? "  as expected" : `  NOT as expected; see ${folder}`);
  return isFine;
}

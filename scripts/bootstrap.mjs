/**
 * `node scripts/bootstrap.mjs <command> [arguments]` runs a command of this repository on a machine
 * that has Node and npm and nothing else: it installs what is missing first. The command `pnpm` is the
 * right pnpm, fetched from npm. Plain Node, because it runs before anything is installed.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const PNPM = "pnpm@12.21.0";
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, "node_modules", ".tunic-installed");

// The Node that runs this file also runs the command, whatever else is on PATH.
const env = { ...process.env };
const pathKey = Object.keys(env).find((key) => key.toUpperCase() === "PATH") ?? "PATH";
env[pathKey] = [join(root, "node_modules", ".bin"), dirname(process.execPath), env[pathKey]]
  .filter(Boolean)
  .join(delimiter);

requireNode(20, 19);
const lock = createHash("sha256")
  .update(readFileSync(join(root, "pnpm-lock.yaml")))
  .digest("hex");
if (!isInstalled()) install();

const [command, ...args] = process.argv.slice(2);
if (command === "pnpm") process.exitCode = pnpm(args);
else process.exitCode = command === undefined ? 0 : run(command, args);

function requireNode(major, minor) {
  const [actualMajor = 0, actualMinor = 0] = process.versions.node.split(".").map(Number);
  if (actualMajor > major || (actualMajor === major && actualMinor >= minor)) return;
  console.error(`Tunic needs Node ${major}.${minor} or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

/** The stamp holds the lockfile's hash: file times say little after a checkout. */
function isInstalled() {
  return (
    existsSync(join(root, "node_modules", ".modules.yaml")) &&
    existsSync(stamp) &&
    readFileSync(stamp, "utf8") === lock
  );
}

function install() {
  console.error(`Installing dependencies with ${PNPM} …`);
  // Without `confirmModulesPurge` a node_modules that npm made stops the install with a question.
  const flags = ["--frozen-lockfile", "--config.confirmModulesPurge=false"];
  // Standard output belongs to the command that is run afterwards.
  const status = run("npx", ["-y", PNPM, "install", ...flags], ["inherit", 2, "inherit"]);
  if (status !== 0) {
    console.error("The install failed; nothing was run.");
    process.exit(status);
  }
  writeFileSync(stamp, lock);
}

function pnpm(parameters) {
  return run("npx", ["-y", PNPM, ...parameters]);
}

/** Runs a command in the foreground and returns its exit code. */
function run(name, parameters, stdio = "inherit") {
  // Only on Windows are the commands in node_modules/.bin scripts that need a shell.
  const shell = process.platform === "win32";
  const result = spawnSync(name, parameters, { cwd: root, env, stdio, shell });
  if (result.error) console.error(`${name} could not be started: ${result.error.message}`);
  return result.status ?? 1;
}

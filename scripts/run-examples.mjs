/** Runs every example: `examples/*.ts` and `examples/<name>/main.ts`. Each must exit with 0. */
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runTypeScript } from "./run-typescript.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const examples = readdirSync(join(root, "examples"), { withFileTypes: true })
  .map((entry) =>
    entry.isDirectory() ? `examples/${entry.name}/main.ts` : `examples/${entry.name}`,
  )
  .filter((file) => file.endsWith(".ts") && existsSync(join(root, file)))
  .sort();

let failed = 0;
for (const file of examples) {
  const { code, output, ms } = await runTypeScript(file, { cwd: root });
  console.log(`${code === 0 ? "ok  " : "FAIL"} ${file} (${ms} ms)`);
  if (code !== 0) {
    failed += 1;
    console.log(`${output.trimEnd()}\n     exit code ${code}`);
  }
}

console.log(`${examples.length - failed} examples ran, ${failed} failed`);
// A gate that finds nothing to check has not passed.
process.exitCode = failed === 0 && examples.length > 0 ? 0 : 1;

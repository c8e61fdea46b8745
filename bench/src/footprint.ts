import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const folder = fileURLToPath(new URL(".", import.meta.url));

/** Time to import the core, as a ratio to importing ajv: best of fresh processes, in turn. */
export function importRatio(processes = 15): number {
  const best = { core: Infinity, ajv: Infinity };
  for (let round = 0; round < processes; round++) {
    best.core = Math.min(best.core, importTime("@tunic/core"));
    best.ajv = Math.min(best.ajv, importTime("ajv"));
  }
  return best.core / best.ajv;
}

function importTime(module: string): number {
  const script = `const t = performance.now(); await import(${JSON.stringify(module)}); console.log(performance.now() - t);`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: folder,
    encoding: "utf8",
  });
  const time = Number.parseFloat(stdout);
  if (Number.isNaN(time)) throw new Error(`bench: importing ${module} failed: ${stderr}`);
  return time;
}

/** Bytes of a minimal agent, bundled, minified and gzipped; ajv is loaded on demand and split off. */
export async function bundleSize(): Promise<number> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { Agent, tool } from "@tunic/core";
        export const run = (client) => new Agent({ client, tools: [tool({ name: "add", description: "add",
          parameters: { type: "object", properties: { a: { type: "number" } } }, execute: ({ a }) => a + 1 })] }).run("go");`,
      resolveDir: folder,
    },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    splitting: true,
    write: false,
    outdir: "out",
    logLevel: "silent",
  });
  const entry = outputFiles.find((file) => file.path.endsWith("stdin.js"));
  if (!entry) throw new Error("bench: esbuild wrote no entry");
  // The entry and what it loads at once; chunks that only a dynamic import reaches stay out.
  const files = new Map(outputFiles.map((file) => [file.path.split(/[\\/]/).at(-1), file]));
  const wanted = new Set([entry]);
  for (const file of wanted) {
    for (const [, name] of file.text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) {
      const chunk = files.get(name);
      if (chunk) wanted.add(chunk);
    }
  }
  return gzipSync(Buffer.concat([...wanted].map((file) => file.contents))).length;
}

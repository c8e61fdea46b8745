import { readFileSync } from "node:fs";
import { defineConfig } from "tsup";

const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as {
  exports: Record<string, { "@tunic/source"?: string }>;
};

/**
 * Shared by every package, each of which runs it in its own folder: esbuild writes the JavaScript
 * of what `exports` names, `tsc` writes the declarations beside it.
 */
export default defineConfig({
  entry: Object.values(exports).flatMap((entry) => entry["@tunic/source"] ?? []),
  format: "esm",
  target: "node20",
  sourcemap: true,
  esbuildOptions(options) {
    // Comments and blanks take time to read at every start; the sources are published beside.
    options.minifyWhitespace = true;
    options.lineLimit = 120;
  },
  clean: true,
});

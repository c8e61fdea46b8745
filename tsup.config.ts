import { readFileSync } from "node:fs";
import { defineConfig } from "tsup";

const { exports, bin = {} } = JSON.parse(readFileSync("package.json", "utf8")) as {
  exports: Record<string, { "@tunic/source"?: string }>;
  bin?: Record<string, string>;
};

/**
 * Shared by every package, each of which runs it in its own folder: esbuild writes the JavaScript
 * of what `exports` and `bin` name, `tsc` writes the declarations beside it.
 */
export default defineConfig({
  entry: [
    ...Object.values(exports).flatMap((entry) => entry["@tunic/source"] ?? []),
    ...Object.values(bin).map((file) => file.replace(/^\.\/dist\/(.*)\.js$/, "./src/$1.ts")),
  ],
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

import { existsSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { transform } from "esbuild";
import { defineConfig } from "vitest/config";

const packages = new URL("./packages/", import.meta.url);
const names = readdirSync(packages).filter((name) =>
  existsSync(new URL(`${name}/package.json`, packages)),
);
/** Where there are none, vitest would start the compiler (and warn about it) for nothing. */
const hasTypeTests = (name: string) =>
  readdirSync(new URL(`${name}/`, packages), { recursive: true, encoding: "utf8" }).some(
    (file) => file.endsWith(".test-d.ts") && !file.includes("node_modules"),
  );

/** Vite leaves the decorators of the language as they are, and Node does not have them. */
const decorators = {
  name: "decorators",
  enforce: "pre" as const,
  async transform(code: string, id: string) {
    if (!id.endsWith(".ts") || !/^ *@ClassSkill\./m.test(code)) return null;
    const options = { loader: "ts", target: "node20", sourcemap: true, sourcefile: id } as const;
    return await transform(code, options);
  },
};

/**
 * One project per package, running on sources through the "@tunic/source" export condition, and
 * one named "repository" for what holds across packages. The files of a project share processes and their
 * modules, which takes half the time; those that replace modules, ask what happens the first time, or measure
 * memory are named `*.isolated.test.ts`, and have a project "isolated" in which each has a process of its own.
 */
export default defineConfig({
  plugins: [decorators],
  resolve: { conditions: ["@tunic/source"] },
  ssr: { resolve: { conditions: ["@tunic/source"], externalConditions: ["@tunic/source"] } },
  test: {
    // Nothing is measured by the clock: the limit is there for what hangs, on a busy machine, too.
    testTimeout: 60_000,
    // All of them: by default one is left idle.
    maxWorkers: availableParallelism(),
    isolate: false,
    coverage: { provider: "v8", include: ["packages/*/src/**/*.ts"], exclude: ["**/*.test.ts"] },
    projects: [
      ...names.map((name) => ({
        extends: true as const,
        test: {
          name,
          root: `packages/${name}`,
          include: ["{src,test}/**/!(*.isolated).test.ts"],
          typecheck: { enabled: hasTypeTests(name), include: ["{src,test}/**/*.test-d.ts"] },
        },
      })),
      {
        extends: true as const,
        test: {
          name: "isolated",
          root: "packages",
          include: ["*/{src,test}/**/*.isolated.test.ts"],
          isolate: true,
        },
      },
      {
        extends: true as const,
        test: { name: "across", root: "across", include: ["test/**/*.test.ts"] },
      },
      {
        extends: true as const,
        test: { name: "bench", root: "bench", include: ["test/**/*.test.ts"] },
      },
      { extends: true as const, test: { name: "repository", include: ["test/**/*.test.ts"] } },
    ],
  },
});

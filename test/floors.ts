/**
 * The floors: who may import whom. Each function takes files and returns what is wrong, one
 * sentence per violation, so that it can be shown to fail on small made-up files.
 */
import { builtinModules } from "node:module";
import { posix } from "node:path";
import { importsOf, linesUsing } from "./source-code.js";

/** A file and its path from the folder `packages`, such as `core/src/errors/tunic-error.ts`. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** A package imports only from packages with a smaller number. */
const PACKAGE_FLOORS: Readonly<Record<string, number>> = {
  core: 0,
  openai: 1,
  anthropic: 1,
  gemini: 1,
  testing: 1,
  security: 1,
  resilience: 1,
  telemetry: 1,
  workflow: 1,
  stores: 2,
  toolbox: 2,
  skills: 2,
  mcp: 2,
  production: 2,
  server: 3,
  client: 3,
  durable: 3,
};

/** Inside core a folder imports only from folders with a smaller or, without a cycle, the same number. */
const CORE_FLOORS: Readonly<Record<string, number>> = {
  errors: 0,
  onion: 0,
  messages: 0,
  events: 1,
  session: 1,
  run: 1,
  tools: 2,
  chat: 3,
  approvals: 4,
  invocation: 5,
  context: 6,
  agent: 7,
};
/** The entry files, which stand in `src` itself. */
const ENTRY_FOLDER = "src";
const ENTRY_FLOOR = 8;

export function packageFloorViolations(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const from = packageOf(file.path);
    if (PACKAGE_FLOORS[from] === undefined) {
      return [`${file.path}: the package "${from}" has no floor in test/floors.ts`];
    }
    return importsOf(file.text).flatMap(({ specifier, line }) => {
      const to = importedPackage(file.path, specifier);
      if (to === undefined || isLower(to, from)) return [];
      const reason = to === from ? "imports its own package by name" : `imports ${to}`;
      return [`${file.path}:${line} ${reason}, which is not on a lower floor than ${from}`];
    });
  });
}

/** Each cycle between files once, as the path that closes it. */
export function fileCycles(files: readonly SourceFile[]): string[] {
  const known = new Set(files.map((file) => file.path));
  const edges = new Map(
    files.map((file) => [
      file.path,
      importsOf(file.text)
        .map(({ specifier }) => resolveRelative(file.path, specifier))
        .filter((path) => path !== undefined && known.has(path)) as string[],
    ]),
  );
  return cycles(edges).map((path) => `cycle between files: ${path.join(" → ")}`);
}

export function coreFloorViolations(files: readonly SourceFile[]): string[] {
  const core = files.filter(({ path }) => packageOf(path) === "core");
  const edges = new Map<string, string[]>();
  for (const { from, to } of core.flatMap(importsOfCoreFile)) {
    // An import that goes up is told as such; among equals it is the way back that is wrong.
    if (to !== from && !isAbove(to, from)) edges.set(from, [...(edges.get(from) ?? []), to]);
  }
  return [
    ...core.flatMap(violationsOfCoreFile),
    ...cycles(edges).map((path) => `cycle between folders: ${path.join(" → ")}`),
  ];
}

function violationsOfCoreFile(file: SourceFile): string[] {
  const folder = coreFolderOf(file.path);
  if (floorOf(folder) === undefined) {
    return [`${file.path}: the folder "${folder}" has no floor in test/floors.ts`];
  }
  return importsOfCoreFile(file)
    .filter(({ from, to }) => isAbove(to, from))
    .map(({ from, to, line }) => `${file.path}:${line} ${from} imports ${to}, which is above it`);
}

function importsOfCoreFile(file: SourceFile): { from: string; to: string; line: number }[] {
  const from = coreFolderOf(file.path);
  return importsOf(file.text).flatMap(({ specifier, line }) => {
    const target = resolveRelative(file.path, specifier);
    return target === undefined ? [] : [{ from, to: coreFolderOf(target), line }];
  });
}

/** A folder without a floor is above all: nobody may import it before it has one. */
function isAbove(folder: string, from: string): boolean {
  return (floorOf(folder) ?? Number.POSITIVE_INFINITY) > (floorOf(from) ?? 0);
}

/** Core runs wherever JavaScript runs and loads nothing that it may never need. */
export function corePurityViolations(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => packageOf(path) === "core")
    .flatMap((file) => [
      ...importsOf(file.text).flatMap((reference) => {
        const problem = impureImport(reference.specifier, reference.kind);
        return problem === undefined ? [] : [`${file.path}:${reference.line} ${problem}`];
      }),
      ...linesUsing(file.text, ["Buffer", "process"]).map(
        (line) => `${file.path}:${line} uses a global that only Node has`,
      ),
    ]);
}

function impureImport(specifier: string, kind: "value" | "type" | "dynamic"): string | undefined {
  const name = specifier.split("/")[0] ?? "";
  if (name.startsWith("node:") || builtinModules.includes(name)) return `imports ${specifier}`;
  if (specifier.startsWith("@sinclair/typebox") && kind !== "type") {
    return "imports @sinclair/typebox other than with `import type`";
  }
  // Its types are erased, so they cost nothing at run time.
  if (name === "ajv" && kind === "value") return "loads ajv other than with import()";
  return undefined;
}

/** What core loads with `import()` is loaded for nothing where its main entry has it at once anyway. */
export function earlyLoadViolations(files: readonly SourceFile[]): string[] {
  const atOnce = loadedAtOnce(files, "core/src/index.ts");
  return files
    .filter(({ path }) => packageOf(path) === "core")
    .flatMap((from) =>
      filesImported(from, files, "dynamic")
        .filter(({ file }) => atOnce.has(file))
        .map(
          ({ file, line }) =>
            `${from.path}:${line} loads ${file.path} with import(), which the entry loads at once`,
        ),
    );
}

/** The files that an entry loads at once, itself included; types are none. */
export function loadedAtOnce(files: readonly SourceFile[], entry: string): ReadonlySet<SourceFile> {
  // Grows while it is read.
  const atOnce = new Set(files.filter((file) => file.path === entry));
  for (const file of atOnce) {
    for (const target of filesImported(file, files, "value")) atOnce.add(target.file);
  }
  return atOnce;
}

function filesImported(
  { path, text }: SourceFile,
  files: readonly SourceFile[],
  kind: "value" | "dynamic",
): readonly { readonly file: SourceFile; readonly line: number }[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return importsOf(text).flatMap((reference) => {
    const file = byPath.get(resolveRelative(path, reference.specifier) ?? "");
    return reference.kind === kind && file !== undefined ? [{ file, line: reference.line }] : [];
  });
}

function isLower(to: string, from: string): boolean {
  const target = PACKAGE_FLOORS[to];
  const own = PACKAGE_FLOORS[from];
  return target !== undefined && own !== undefined && target < own;
}

function packageOf(path: string): string {
  return path.split("/")[0] ?? "";
}

/** The Tunic package that an import reaches, unless it stays among the package's own files. */
function importedPackage(path: string, specifier: string): string | undefined {
  if (specifier.startsWith("@tunic/")) return specifier.split("/")[1];
  const target = resolveRelative(path, specifier);
  return target === undefined || packageOf(target) === packageOf(path)
    ? undefined
    : packageOf(target);
}

function resolveRelative(path: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  return posix.join(posix.dirname(path), specifier).replace(/\.js$/, ".ts");
}

function coreFolderOf(path: string): string {
  const [, , folder = "", ...rest] = path.split("/");
  return rest.length === 0 ? ENTRY_FOLDER : folder;
}

function floorOf(folder: string): number | undefined {
  return folder === ENTRY_FOLDER ? ENTRY_FLOOR : CORE_FLOORS[folder];
}

/** Depth first; a node that was left is not entered again, so every edge is looked at once. */
export function cycles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const left = new Set<string>();
  const path: string[] = [];
  const visit = (node: string): void => {
    const start = path.indexOf(node);
    if (start !== -1) {
      found.push([...path.slice(start), node]);
      return;
    }
    if (left.has(node)) return;
    path.push(node);
    for (const next of new Set(edges.get(node))) visit(next);
    path.pop();
    left.add(node);
  };
  for (const node of edges.keys()) visit(node);
  return found;
}

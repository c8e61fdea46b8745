/**
 * Compiles and runs every TypeScript block of the documentation, so that no page shows code that
 * does not work. `node scripts/check-snippets.mjs [page.md …]`; without pages: all of them.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { capture, runTypeScript } from "./run-typescript.mjs";
import { readSnippets } from "./snippets.mjs";

const CONCURRENCY = 2;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
// Inside examples/, so that a block can import what an example can import.
const folder = join(root, "examples", ".snippets");

const named = process.argv.slice(2).map((page) => resolve(page));
const problems = [];
const snippets = (named.length > 0 ? named : allPages()).flatMap(readPage);
writeProgram();
if (snippets.length > 0) await compile();
await runAll();
report();

function allPages() {
  const pages = ["README.md"];
  const docs = join(root, "docs");
  if (existsSync(docs)) {
    for (const name of readdirSync(docs).sort())
      if (name.endsWith(".md")) pages.push(`docs/${name}`);
  }
  for (const name of readdirSync(join(root, "packages")).sort()) {
    pages.push(`packages/${name}/README.md`);
  }
  return pages.map((page) => join(root, page)).filter((page) => existsSync(page));
}

function readPage(path) {
  const page = relative(root, path);
  try {
    return readSnippets(readFileSync(path, "utf8")).map((snippet) => ({
      ...snippet,
      page,
      file: `${page.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-/, "")}-${snippet.line}.ts`,
    }));
  } catch (error) {
    problems.push(`${page}: ${error.message}`);
    return [];
  }
}

function writeProgram() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { file, lines } of snippets) writeFileSync(join(folder, file), lines.join("\n"));
  // A page may show a value without using it.
  const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: "../../tsconfig.json", compilerOptions, include: ["*.ts"] }),
  );
}

async function compile() {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const { code, output } = await capture(process.execPath, [tsc, "-p", folder], root);
  if (code !== 0) problems.push(inPages(output));
}

/** Names the page instead of the file that was made from it; the line numbers agree already. */
function inPages(output) {
  return snippets.reduce(
    (text, { file, page }) => text.replaceAll(`examples/.snippets/${file}`, page),
    output.trimEnd(),
  );
}

async function runAll() {
  const queue = snippets.filter((snippet) => snippet.run);
  const worker = async () => {
    for (let snippet = queue.shift(); snippet; snippet = queue.shift()) {
      const { page, line, file } = snippet;
      const { code, output, ms } = await runTypeScript(join(folder, file), { cwd: root });
      console.log(`${code === 0 ? "ok  " : "FAIL"} ${page}:${line} (${ms} ms)`);
      if (code !== 0) problems.push(`${page}:${line} exits with ${code}\n${inPages(output)}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

function report() {
  for (const { page, line } of snippets.filter(({ run }) => !run)) {
    console.log(`ok   ${page}:${line} (compiled only)`);
  }
  for (const problem of problems) console.error(`\n${problem}`);
  console.log(`${snippets.length} programs in the documentation, ${problems.length} problems`);
  // A gate that finds nothing to check has not passed.
  process.exitCode = problems.length === 0 && snippets.length > 0 ? 0 : 1;
  if (process.exitCode === 0) rmSync(folder, { recursive: true, force: true });
}

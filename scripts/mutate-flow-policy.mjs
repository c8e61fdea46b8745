/**
 * Takes one guard after the other out of information flow control, and runs the tests that could notice.
 * Every guard has to be missed by a test: exits with 1 when one is not, and when a guard is not found where
 * the list says that it stands. `node scripts/mutate-flow-policy.mjs [text …]` tries only guards that are
 * described with one of the texts, or in a file of that name.
 *
 * It works on a copy in a temporary folder; the files here are only read.
 */
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { callGuards } from "./flow-policy-mutations/call-labels.mjs";
import { messageGuards } from "./flow-policy-mutations/message-labels.mjs";
import { shapeGuards } from "./flow-policy-mutations/shapes.mjs";
import { verdictGuards } from "./flow-policy-mutations/verdicts.mjs";
import { capture } from "./run-typescript.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const parts = ["package.json", "tsconfig.json", "vitest.workspace.ts", "packages/security"];

/**
 * The guards by file (under packages/security/src), each with the text that it is, which stands there once, and
 * what is left when it is taken out: nothing where nothing is said.
 */
const mutations = [verdictGuards, callGuards, messageGuards, shapeGuards].flatMap((guards) =>
  Object.entries(guards).flatMap(([file, list]) =>
    list.map(([guard, find, put = ""]) => ({ file, guard, find, put })),
  ),
);
/**
 * Most guards are missed by the tests that are about them alone; only what these do not notice is for all others,
 * those that take long last.
 */
const guardTests = ["test/guards-of-"];
const quickFiles = [];
const longFiles = [];
/** From when on a file of tests takes long. */
const longMs = 1500;
/** For all tests that have to do with one guard. */
const timeoutMs = 600_000;
const named = process.argv.slice(2);
const chosen = mutations.filter(
  ({ file, guard }) =>
    named.length === 0 || named.some((text) => file.includes(text) || guard.includes(text)),
);
const missing = mutations.filter((mutation) => !isUnique(mutation));
for (const { file, guard } of missing) console.error(`not found, or twice: ${file}: ${guard}`);
// A gate that finds nothing to check has not passed.
if (missing.length > 0 || chosen.length === 0) process.exit(1);

const copy = mkdtempSync(join(tmpdir(), "flow-mutations-"));
process.once("SIGINT", () => {
  rmSync(copy, { recursive: true, force: true });
  process.exit(130);
});
try {
  makeCopy();
  process.exitCode = (await testsPass()) ? await tryAll() : 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

function isUnique({ file, find }) {
  return readFileSync(sourceIn(root, file), "utf8").split(find).length === 2;
}

function sourceIn(folder, file) {
  return join(folder, "packages", "security", "src", file);
}

/** A repository in which this package is a copy, and everything else is where it was. */
function makeCopy() {
  const own = (path) => !["node_modules", "dist"].includes(basename(path));
  for (const part of parts) {
    cpSync(join(root, part), join(copy, part), { recursive: true, filter: own });
  }
  const others = readdirSync(join(root, "packages")).filter((name) => name !== "security");
  const places = others.map((name) => `packages/${name}`);
  for (const place of ["node_modules", "packages/security/node_modules", ...places]) {
    symlinkSync(join(root, place), join(copy, place), "junction");
  }
}

async function testsPass(again = true) {
  const { passed, output, failed, files } = await runTests([]);
  // A property looks at other cases each time: what it finds once is told, and is not the end.
  if (!passed && again) {
    console.error([...failed, "That failed with all guards in place; once more."].join("\n"));
    return testsPass(false);
  }
  for (const { name, startTime, endTime } of files) {
    (endTime - startTime < longMs ? quickFiles : longFiles).push(name);
  }
  if (!passed) console.error([output, ...failed, "They fail with all guards in place."].join("\n"));
  return passed;
}

async function tryAll() {
  let survived = 0;
  for (const [at, mutation] of chosen.entries()) {
    const outcome = await tryOne(mutation);
    if (outcome !== "killed") survived += 1;
    console.log(`${at + 1}/${chosen.length} ${outcome}: ${mutation.file}: ${mutation.guard}`);
  }
  console.log(`${chosen.length} guards taken out, ${survived} of them noticed by no test`);
  return survived === 0 ? 0 : 1;
}

async function tryOne({ file, find, put }) {
  const path = sourceIn(copy, file);
  const source = readFileSync(path, "utf8");
  writeFileSync(
    path,
    source.replace(find, () => put),
  );
  try {
    const own = [...guardTests, file.replace(/\.ts$/, ".test.ts")];
    for (const tests of [own, quickFiles, longFiles]) {
      const { passed, stopped, failed } = await runTests(tests);
      // It may be the machine that is slow: somebody has to look.
      if (stopped) return "STOPPED";
      // What does not even load is no guard that was taken out.
      if (!passed) return failed.length > 0 ? "killed" : "BROKEN";
    }
    return "SURVIVED";
  } finally {
    writeFileSync(path, source);
  }
}

/** @param what Names of test files, or the beginnings of some; none: all. */
async function runTests(what) {
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const config = ["--config", "vitest.workspace.ts", "--project", "security"];
  // Files share their modules: loading them anew for each would take most of the time. A slow machine is no kill.
  const options = [
    "--run",
    "--bail=1",
    "--no-isolate",
    `--testTimeout=${timeoutMs}`,
    "--reporter=json",
    `--outputFile=${report}`,
  ];
  const { code, stopped, output } = await capture(
    process.execPath,
    [vitest, ...what, ...config, ...options],
    copy,
    timeoutMs,
  );
  const files = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")).testResults : [];
  const failed = files
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === "failed")
    .map(({ fullName, failureMessages }) => `${fullName}\n${failureMessages.join("\n")}`);
  return { passed: code === 0, stopped, output, failed, files };
}

/**
 * `node count-tests.mjs <report.json> <exit code of vitest>` prints "<passed> <failed>", and, one a line,
 * what has failed and why: the summary is all that is read where the rest of the output is long.
 *
 * A run can fail without a failing test: a file that does not load, an unhandled rejection, no
 * report at all. Then the run itself counts as one failure.
 */
import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";

const [file = "", exitCode = "1"] = process.argv.slice(2);
const report = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
const passed = report.numPassedTests ?? 0;
const failed = report.numFailedTests ?? 0;
const ranWell = exitCode === "0" && passed > 0;
console.log(`${passed} ${ranWell ? failed : Math.max(failed, 1)}`);

for (const { name, message, assertionResults } of report.testResults ?? []) {
  const path = relative(process.cwd(), name);
  const failures = assertionResults.filter(({ status }) => status === "failed");
  for (const { fullName, failureMessages } of failures)
    tell(`${path}: ${fullName}`, failureMessages[0]);
  if (failures.length === 0 && message) tell(path, message);
}

function tell(what, why = "") {
  const [words] = why.split(/\n +at /);
  console.log(`  ${what}: ${words.replaceAll(/\s+/g, " ").slice(0, 800)}`);
}

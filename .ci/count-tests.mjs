/**
 * `node count-tests.mjs <report.json> <exit code of vitest>` prints "<passed> <failed>".
 *
 * A run can fail without a failing test: a file that does not load, an unhandled rejection, no
 * report at all. Then the run itself counts as one failure.
 */
import { existsSync, readFileSync } from "node:fs";

const [file = "", exitCode = "1"] = process.argv.slice(2);
const report = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
const passed = report.numPassedTests ?? 0;
const failed = report.numFailedTests ?? 0;
const ranWell = exitCode === "0" && passed > 0;
console.log(`${passed} ${ranWell ? failed : Math.max(failed, 1)}`);

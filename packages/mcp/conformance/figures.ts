import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** What came of the checks of some scenarios. */
export interface Figures {
  readonly scenarios: number;
  readonly passed: number;
  readonly failed: number;
  readonly warnings: number;
  readonly skipped: number;
  /** One line for each check that failed or warns. */
  readonly complaints: readonly string[];
}

interface Check {
  readonly id: string;
  readonly status: string;
  readonly description: string;
  readonly errorMessage?: string;
}

/** Counts what the suite has written into a folder: one folder for each scenario, which holds its checks. */
export function readFigures(folder: string): Figures {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => basename(file) === "checks.json")
    .sort();
  const checks = files.flatMap((file) => {
    const scenario = dirname(file).replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, "");
    const all: readonly Check[] = JSON.parse(readFileSync(join(folder, file), "utf8"));
    return all.map((check) => ({ scenario, check }));
  });
  const count = (status: string): number =>
    checks.filter(({ check }) => check.status === status).length;
  return {
    scenarios: files.length,
    passed: count("SUCCESS"),
    failed: count("FAILURE"),
    warnings: count("WARNING"),
    skipped: count("SKIPPED"),
    complaints: checks
      .filter(({ check: { status } }) => status === "FAILURE" || status === "WARNING")
      .map(
        ({ scenario, check: { id, status, errorMessage, description } }) =>
          `${status} ${scenario}:${id} ${errorMessage ?? description}`,
      ),
  };
}

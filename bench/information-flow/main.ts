import { parseArgs } from "node:util";
import type { FlowMode } from "@tunic/security";
import { type Harness, harnessVariable, loadHarness, type Planner } from "./harness.js";
import { brokenLimits } from "./limits.js";
import { type Measured, measure } from "./measure.js";
import { policy, policyHash } from "./policy.js";
import { type Reference, references } from "./reference.js";

// The defence of @tunic/security against a model that obeys every injection it can see.
const planners: readonly Planner[] = ["policy-aware", "naive", "strict"];
const modes = ["approve", "enforce"] as const satisfies readonly FlowMode[];

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    reference: { type: "boolean", default: false },
    planner: { type: "string" },
    mode: { type: "string" },
  },
});
const planner = oneOf("planner", values.planner, planners);
const mode = oneOf("mode", values.mode, modes);

const harness = await loadHarness();
if (harness === undefined) {
  console.error(
    `Skipped: AgentDojo as data is not here. Set ${harnessVariable} to the folder that holds harness.mjs.`,
  );
} else {
  console.error(`policy sha256 ${policyHash}`);
  process.exitCode = (await run(harness)) ? 0 : 1;
}

async function run(harness: Harness): Promise<boolean> {
  if (values.reference) return compare(harness);
  if (values.json || planner !== undefined || mode !== undefined)
    return one(harness, planner ?? "policy-aware", mode ?? "approve");
  let kept = true;
  for (const each of planners) kept = (await one(harness, each, "approve")) && kept;
  kept = (await one(harness, "policy-aware", "enforce")) && kept;
  return (await compare(harness)) && kept;
}

async function one(
  harness: Harness,
  planner: Planner,
  mode: (typeof modes)[number],
): Promise<boolean> {
  const started = performance.now();
  const measured = await measure(harness, { planner, defence: () => ({ policy, mode }) });
  if (values.json) for (const line of measured.lines) console.log(JSON.stringify(line));
  else table(`Planner ${planner}, mode ${mode}`, measured, started);
  const broken = brokenLimits(measured.total, planner === "policy-aware" && mode === "approve");
  for (const { descriptor, error } of measured.results)
    if (error !== undefined) console.error(`${descriptor.id}: ${error}`);
  for (const limit of broken) console.error(`BROKEN (${planner}, ${mode}): ${limit}`);
  return broken.length === 0;
}

/** Other configurations of the same engine beside what their figures are elsewhere. Nothing here is a limit. */
async function compare(harness: Harness): Promise<boolean> {
  for (const each of references(harness)) {
    const started = performance.now();
    const measured = await measure(harness, { defence: (kind) => each.defence(kind) });
    if (values.json)
      console.log(
        JSON.stringify({ reference: each.title, expected: each.expected, ...measured.total }),
      );
    else {
      table(`Reference: ${each.title}`, measured, started);
      console.log(beside(each, measured));
    }
  }
  return true;
}

function beside({ expected, difference }: Reference, { total }: Measured): string {
  const names = ["done", "control", "hijacked"] as const;
  const figures = names
    .flatMap((name) =>
      expected[name] === undefined ? [] : [`${name} ${total[name]} (expected ${expected[name]})`],
    )
    .join(", ");
  return difference === undefined ? figures : `${figures}; the difference: ${difference}`;
}

function table(title: string, { lines }: Measured, started: number): void {
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`\n${title}  (${seconds} s)`);
  console.table(
    lines.map((line) => ({
      ...line,
      approvalsPerTask: rounded(line.approvalsPerTask),
      approvalsPerAttack: rounded(line.approvalsPerAttack),
    })),
  );
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function oneOf<Word extends string>(
  name: string,
  value: string | undefined,
  words: readonly Word[],
): Word | undefined {
  if (value === undefined) return undefined;
  const found = words.find((word) => word === value);
  if (found === undefined) throw new TypeError(`--${name} is one of ${words.join(", ")}`);
  return found;
}

import { resumeRatios, signingMs } from "./approvals.js";
import { floor } from "./floor.js";
import { bundleSize, importRatio } from "./footprint.js";
import { idle, layerRatio } from "./layers.js";
import { callRatios, connectRatio, type Yardstick } from "./mcp.js";
import { bestTimes, retainedPerRun } from "./measure.js";
import { sdkStreamRatio, services } from "./sdk-streams.js";
import { addedAfter, addedPerCall, promptBytes } from "./secured.js";
import { discovery, promptShare } from "./skills.js";
import { tunic } from "./tunic.js";

// Ratios of one process on one machine: Tunic against the same work written by hand. The cases of information
// flow have limits in microseconds: what is added to an agent of the same process that is not secured.
const json = process.argv.includes("--json");
const only = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const contenders = [floor(), tunic()];

/** What each case may come to at most. */
const limits: Record<string, number> = {
  loop20: 5,
  par50: 3,
  stream: 2,
  growth: 1.25,
  retained: 64,
  "middleware-agent": 5,
  "middleware-chat": 5,
  "middleware-function": 5,
  "middleware-stream": 1.25,
  "resume-history": 2,
  "resume-session": 2,
  signing: 1,
  ...Object.fromEntries(services.map((service) => [`sdk-${service}`, 1.5])),
  "flow-call": 20,
  "flow-hidden": 200,
  "flow-history": 20,
  "flow-prompt": 1,
  "skills-discovery": 1,
  "skills-prompt": 1,
  "mcp-call": 1.15,
  "mcp-connect": 1.5,
  import: 0.5,
  bundle: 45 * 1024,
};

async function ratio(kind: "loop" | "par" | "stream", size: number): Promise<number> {
  const [base = 0, ours = 0] = await bestTimes(contenders, kind, size);
  if (!json) console.log(`  floor ${base.toFixed(1)} µs, tunic ${ours.toFixed(1)} µs`);
  return ours / base;
}

async function worstCall(yardstick: Yardstick): Promise<Record<string, number>> {
  const ratios = await callRatios(yardstick);
  return { ratio: Math.max(...Object.values(ratios)), ...ratios };
}

const cases: Record<string, () => Promise<Record<string, number>>> = {
  loop20: async () => ({ ratio: await ratio("loop", 20) }),
  par50: async () => ({ ratio: await ratio("par", 50) }),
  stream: async () => ({ ratio: await ratio("stream", 1) }),
  loop200: async () => ({ ratio: await ratio("loop", 200) }),
  async growth() {
    const ours = [tunic()];
    const [short = 0] = await bestTimes(ours, "loop", 20);
    const [long = 0] = await bestTimes(ours, "loop", 200);
    return { ratio: long / (10 * short) };
  },
  async retained() {
    const base = await retainedPerRun(floor());
    return { bytes: (await retainedPerRun(tunic())) - base };
  },
  "middleware-agent": async () => ({ ratio: await layerRatio("agent") }),
  "middleware-chat": async () => ({ ratio: await layerRatio("chat") }),
  "middleware-function": async () => ({ ratio: await layerRatio("function") }),
  async "middleware-stream"() {
    const [none = 0, ten = 0] = await bestTimes([tunic(), tunic(idle("chat", 10))], "stream", 1);
    return { ratio: ten / none };
  },
  "resume-history": async () => ({ ratio: (await resumeRatios(2000)).history }),
  "resume-session": async () => ({ ratio: (await resumeRatios(2000)).session }),
  signing: async () => ({ ms: Math.max(await signingMs(1), await signingMs(200)) }),
  ...Object.fromEntries(
    services.map((service) => [
      `sdk-${service}`,
      async () => ({ ratio: await sdkStreamRatio(service) }),
    ]),
  ),
  "flow-call": async () => ({ us: await addedPerCall("none") }),
  "flow-hidden": async () => ({
    us: Math.max(await addedPerCall("text"), await addedPerCall("structure")),
  }),
  "flow-history": async () => ({ us: await addedAfter(1000) }),
  async "flow-prompt"() {
    const bytes = await promptBytes();
    // A fifth of 3.5 KB for each request, and of 260 bytes for each hidden value.
    const share = Math.max(bytes.instructions / 700, bytes.placeholder / 52);
    return { share, ...bytes };
  },
  async "skills-discovery"() {
    const { cold, warm } = await discovery(2000);
    return { share: Math.max(cold / 1000, warm / 50), cold, warm };
  },
  "skills-prompt": () => promptShare(500),
  "mcp-call": () => worstCall("alike"),
  "mcp-call-bare": () => worstCall("bare"),
  "mcp-connect": async () => ({ ratio: await connectRatio() }),
  import: async () => ({ ratio: importRatio() }),
  bundle: async () => ({ gzip: await bundleSize() }),
};

for (const [name, measure] of Object.entries(cases)) {
  if (only.length > 0 && !only.includes(name)) continue;
  const result = await measure();
  const [value = Number.NaN] = Object.values(result);
  const limit = limits[name];
  if (json) console.log(JSON.stringify({ case: name, ...rounded(result) }));
  else {
    const verdict =
      limit === undefined
        ? ""
        : value <= limit
          ? `  (at most ${limit})`
          : `  TOO MUCH (at most ${limit})`;
    console.log(`${name}: ${JSON.stringify(rounded(result))}${verdict}`);
  }
}

function rounded(result: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(result).map(([key, value]) => [key, Math.round(value * 1000) / 1000]),
  );
}

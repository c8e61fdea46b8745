import { readFileSync } from "node:fs";
import { createEpisode, episodes, runAll, summarise } from "/work/shared/agentdojo/harness.mjs";
import { references, securedAgent } from "./adapter.ts";

const policy = JSON.parse(readFileSync(new URL("policy.json", import.meta.url), "utf8"));
const agent = securedAgent(policy, (process.env.MODE as any) ?? "approve");
const options = { mode: process.env.PLAN ?? "policy-aware", references };
const kinds = (process.env.KINDS ?? "benign").split(",");
const t0 = performance.now();
const results: any[] = [];
for (const kind of kinds)
  results.push(...(await runAll(agent, { kind, options, suite: process.env.SUITE })));
for (const r of results) {
  if (r.error) console.log("ERR", r.descriptor.id, r.error.slice(0, 300));
  if (
    r.control ||
    r.argument ||
    r.leaked.length ||
    r.leakedInAnswer.length ||
    (r.descriptor.kind === "benign" && !r.benignDone)
  )
    console.log("BAD", JSON.stringify(r).slice(0, 300));
  else if (process.env.V && r.approvals) console.log("ASK", r.descriptor.id, r.approvals);
}
for (const l of summarise(results)) console.log(JSON.stringify(l));
console.log(((performance.now() - t0) / 1000).toFixed(1), "s");

import { readFileSync } from "node:fs";
import { createEpisode, episodes } from "/work/shared/agentdojo/harness.mjs";
import { references, securedAgent } from "./adapter.ts";
const policy = JSON.parse(readFileSync(new URL("policy.json", import.meta.url), "utf8"));
for (const d of episodes({ kind: process.env.KIND ?? "attack" })) { if (d.id !== process.env.ID) continue;
 const e = createEpisode(d, { references });
 const next = e.model.next; e.model.next = async (v: any) => { const r = await next(v); const last = v.messages.at(-1); console.log("  <<", last.role, (last.text || JSON.stringify(last.toolResults ?? "")).slice(0, 300)); console.log(">>", JSON.stringify(r).slice(0, 250)); return r; };
 const answer = await securedAgent(policy, "approve")(e); console.log(answer.slice(0,200)); console.log(JSON.stringify(e.judge({ answer }))); }

import {
  AgentSession,
  dataContent,
  functionMiddleware,
  type Middleware,
  type ToolResult,
  textContent,
  tool,
} from "@tunic/core";
import { labelOf, secureAgent } from "@tunic/security";
import { describe, expect, it } from "vitest";
import { mcpTools } from "../src/index.js";
import { onlyResult, scripted, stored } from "./support/agents.js";
import { serve } from "./support/served.js";

let calls = 0;
const chart = tool({
  name: "chart",
  description: "",
  execute: () => {
    calls++;
    return [textContent("Depths"), dataContent("AAAA", "image/png")];
  },
});
const broken = tool({
  name: "broken",
  description: "",
  execute: () => {
    calls++;
    throw new Error("no chart");
  },
});

/** Keeps what the inside gave, for as long as it lives. */
function keeping(): Middleware {
  const kept = new Map<string, ToolResult>();
  return functionMiddleware("keeping", async ({ tool: { name } }, next) => {
    const known = kept.get(name);
    if (known !== undefined) return known;
    const result = await next();
    kept.set(name, result);
    return result;
  });
}

describe("a result that a middleware keeps", () => {
  it.each(["s_chart", "s_broken"])("can be given again in later runs: %s", async (name) => {
    calls = 0;
    const keep = keeping();
    await using pair = await serve([chart, broken]);
    await using mcp = mcpTools(pair.server.url ?? "", { name: "s" });
    const results: unknown[] = [];
    for (let run = 0; run < 3; run++) {
      const options = { contextProviders: [mcp], middleware: [keep] };
      const session = new AgentSession();
      const { agent } = scripted([[name]], options);
      const { callId, ...result } = onlyResult(await agent.run("go", { session }));
      expect(onlyResult({ messages: stored(session).messages })).toEqual({ callId, ...result });
      results.push(result);
    }
    expect(calls).toBe(1);
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
  });

  it.each(["untrusted", "nothing"] as const)(
    "is as little trusted as when it came: %s is hidden",
    async (hide) => {
      calls = 0;
      const keep = keeping();
      await using pair = await serve(chart);
      await using mcp = mcpTools(pair.server.url ?? "", { name: "s" });
      const labels: unknown[] = [];
      for (let run = 0; run < 2; run++) {
        const tools = { "s/s_chart": { effects: ["read" as const], result: "untrusted" as const } };
        const secure = secureAgent({ quarantine: false, hide, policy: { version: 1, tools } });
        const { agent } = scripted([["s_chart"]], {
          contextProviders: [mcp, secure],
          middleware: [keep],
        });
        const session = new AgentSession();
        labels.push(labelOf(onlyResult(await agent.run("go", { session }))));
      }
      expect(calls).toBe(1);
      expect(labels[0]).toMatchObject({ integrity: "untrusted" });
      expect(labels[1]).toEqual(labels[0]);
    },
  );
});

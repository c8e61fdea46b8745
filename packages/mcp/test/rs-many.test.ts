import { AgentSession, approve, deny } from "@tunic/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type McpTools, mcpTools } from "../src/index.js";
import { linesAndModes, type Mode, resultsOf, runIn, scripted, testLog } from "./support/agents.js";
import { type RawServer, rawServerWith } from "./support/raw-server.js";

/** What a server does with a call, one after the other. */
const steps = [
  "answer",
  "answer under a text",
  "answer another",
  "answer nobody",
  "answer with nulls",
  "answer with both",
  "answer with neither",
  "fail",
  "fail oddly",
  "batch",
  "noise",
  "half a line",
  "deep",
  "bytes",
  "progress",
  "another's progress",
  "changes",
  "cancel",
  "ask",
  "ask oddly",
  "take back",
  "end",
] as const;
type Step = (typeof steps)[number];

interface Script {
  readonly calls: readonly (readonly Step[])[];
}

/** Says each call that it gets, and does with it what its script says. */
function randomServer(server: RawServer, { calls }: Script): void {
  const seen: number[] = [];
  const requestedSchema = { type: "object", properties: { a: { type: "string" } } };
  let questions = 0;
  const ask = (params: object): void =>
    server.send({ id: `q${questions++}`, method: "elicitation/create", params });
  const deep = `${"[".repeat(30_000)}${"]".repeat(30_000)}`;
  const text = server.text("done");
  const acts: Record<string, (id: number, token: unknown) => void> = {
    answer: (id) => server.result(id, text),
    "answer under a text": (id) => server.send({ id: `${id}`, result: text }),
    "answer another": () => server.result(seen[0] ?? 0, text),
    "answer nobody": (id) => server.result(id + 500, text),
    "answer with nulls": (id) =>
      server.send({ id, result: { ...text, _meta: null, structuredContent: null }, error: null }),
    "answer with both": (id) => server.send({ id, result: text, error: { code: 1, message: "m" } }),
    "answer with neither": (id) => server.send({ id }),
    fail: (id) => server.error(id, -32000, "no"),
    "fail oddly": (id) => server.send({ id, error: { code: "x", message: 5, data: [] } }),
    batch: (id) =>
      server.write(`${JSON.stringify([{ jsonrpc: "2.0", id, result: text }, 5, null])}\r\n`),
    noise: () => server.write('ready\n\n{not json\n{"jsonrpc":"1.0"}\n5\nnull\n'),
    "half a line": () => server.write('{"jsonrpc":"2.0","id":'),
    deep: (id) =>
      server.write(`{"jsonrpc":"2.0","id":${id + 900},"result":{"a":${deep}}}\n[${deep}]\n`),
    bytes: () => server.write("\u0000\uFFFD\u2028\uFEFF\n"),
    progress: (_id, progressToken) =>
      server.notify("notifications/progress", { progressToken, progress: 1, message: "\u202Eon" }),
    "another's progress": () =>
      server.notify("notifications/progress", { progressToken: 777, progress: "x" }),
    changes: () => server.notify("notifications/tools/list_changed"),
    cancel: (requestId) => server.notify("notifications/cancelled", { requestId }),
    ask: () => ask({ message: "Which?", requestedSchema }),
    "ask oddly": () => ask({ mode: [], message: "\u0007", requestedSchema: [] }),
    "take back": () => server.notify("notifications/cancelled", { requestId: `q${questions - 1}` }),
    end: () => process.exit(0),
  };
  server.tools({ name: "free" }, { name: "asked" });
  server.on("tools/call", ({ name, _meta, arguments: { n } }, id) => {
    server.say(`CALL ${name} ${n}`);
    seen.push(id);
    for (const step of calls[Number(n)] ?? []) acts[step]?.(id, _meta?.progressToken);
  });
}

/** Calls the one tool that nobody is asked about, and the other, and answers what is asked, until it is over. */
async function play(mcp: McpTools, mode: Mode, yes: boolean, most: number) {
  const calls = Array.from({ length: most }, (_, n) => ({
    name: n % 2 === 0 ? "s_free" : "s_asked",
    arguments: { n },
  }));
  const { agent } = scripted([], { contextProviders: [mcp] }, [{ calls }, "done"]);
  const session = new AgentSession();
  let response = await runIn(mode, agent, "go", { session });
  for (let round = 0; response.outcome === "paused" && round < 30; round++) {
    const answers = session.pending.map((request) => (yes ? approve(request) : deny(request)));
    response = await runIn(mode, agent, answers, { session });
  }
  return { outcome: response.outcome, results: resultsOf(session.messages) };
}

describe.each(linesAndModes)("a server that does anything, line $sdk, $mode", ({ sdk, mode }) => {
  it.skipIf(false)(
    "has each call end once, runs nothing that nobody approved, and can be closed",
    async () => {
      const script = fc.array(fc.array(fc.constantFrom(...steps), { maxLength: 6 }), {
        minLength: 2,
        maxLength: 4,
      });
      await fc.assert(
        fc.asyncProperty(script, fc.boolean(), async (calls, yes) => {
          const log = testLog();
          const mcp = mcpTools(rawServerWith({ calls }, randomServer), {
            name: "s",
            sdk,
            timeoutMs: 300,
            maxTotalTimeoutMs: 600,
            approvalMode: { alwaysRequire: ["asked"] },
            onLog: log.onLog,
          });
          try {
            const { outcome, results } = await play(mcp, mode, yes, calls.length);
            expect(outcome).toBe("completed");
            expect(results).toHaveLength(calls.length);
            expect(new Set(results.map(({ callId }) => callId)).size).toBe(calls.length);
          } finally {
            await mcp.close();
          }
          const made = log.entries
            .map(({ data }) => `${data}`)
            .filter((line) => line.startsWith("CALL "));
          // Once at most, whatever has become of the connection; and never without a yes.
          expect(new Set(made).size).toBe(made.length);
          if (!yes) expect(made.filter((line) => line.startsWith("CALL asked"))).toEqual([]);
        }),
        { numRuns: 200 },
      );
    },
  );
});

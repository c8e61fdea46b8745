import { AgentSession, chatMiddleware } from "@tunic/core";
import { manualEnvironment } from "@tunic/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hiddenValues } from "../src/index.js";
import { type World, worldData, worlds } from "./world/flow-world.js";
import { type Executed, programs, stage } from "./world/stage.js";

/** What became of a session, with call ids in the order in which they occur: an agent counts them for all. */
function told(session: AgentSession, executed: readonly Executed[]) {
  const ids = new Map<string, string>();
  const data = JSON.stringify([
    session,
    executed.map(({ tool, args, callId }) => [callId, tool, args]),
  ]);
  const renamed = data.replace(/\b(call|message|msg|request|data|run)_[\w]+/g, (id) => {
    const name = ids.get(id) ?? `id${ids.size}`;
    ids.set(id, name);
    return name;
  });
  return JSON.parse(renamed);
}

describe("property 12: two sessions on one agent are independent", () => {
  it("each is what it would have been alone, however their calls are interleaved", async () => {
    const inputs = [worlds({ without: ["write_note"] }), worldData, programs] as const;
    const turns = fc.array(fc.boolean(), { minLength: 4, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(...inputs, turns, async (world, data, program, order) => {
        const alone = await Promise.all(
          ["Pay alice.", "Tell bob."].map(async (input, at) => {
            const { agent, executed } = stage(world, data, program);
            const session = new AgentSession({ id: `s${at}` });
            await agent.run(input, { session });
            return told(session, executed);
          }),
        );
        expect(await together(world, data, program, order)).toEqual(alone);
      }),
      { numRuns: 100 },
    );
  });
});

async function together(
  world: World,
  data: Parameters<typeof stage>[1],
  program: Parameters<typeof stage>[2],
  order: readonly boolean[],
) {
  let turn = 0;
  const { agent, executed } = stage(world, data, program, {
    // Answers wait for others, some longer than others.
    middleware: [
      chatMiddleware("waiting", async (_, next) => {
        if (order[turn++ % order.length]) await new Promise(setImmediate);
        return next();
      }),
    ],
  });
  const sessions = ["Pay alice.", "Tell bob."].map((input, at) => ({
    input,
    session: new AgentSession({ id: `s${at}` }),
  }));
  await Promise.all(sessions.map(({ input, session }) => agent.run(input, { session })));
  return sessions.map(({ session }) => {
    const log = JSON.stringify(session);
    const own = executed.filter(({ callId }) => log.includes(`"${callId}"`));
    return told(session, own);
  });
}

describe("B50: state of security never gets from one conversation into another", () => {
  it("in 1,000 concurrent runs on one agent, half of which have read something untrusted", async () => {
    const world = twoTools;
    const environment = manualEnvironment();
    const untrusted = ["", "", ""] as const;
    const { agent, executed, script, client } = stage(
      world,
      { untrusted, secret: ["", ""] },
      { seed: 0, rounds: 0, sees: true },
      { environment },
    );
    script.push(({ messages }) => {
      const input = JSON.stringify(messages[0]?.contents);
      const asked = messages.filter(({ role }) => role === "assistant").length;
      const [, n = "", kind] = /run (\d+) (\w+)/.exec(input) ?? [];
      if (asked === 0) return { calls: [{ name: "read", arguments: { n: Number(n) } }] };
      const id = /v\d+/.exec(JSON.stringify(messages))?.[0] ?? "v1";
      if (asked === 1 && kind === "tainted")
        return { calls: [{ name: "inspect_variable", arguments: { variable: id } }] };
      // Ids of other conversations: there is none but the own.
      if (asked === 1)
        return { calls: [{ name: "inspect_variable", arguments: { variable: "v2" } }] };
      if (asked === 2) return { calls: [{ name: "pay", arguments: { to: n } }] };
      return "done";
    });
    const runs = Array.from({ length: 1000 }, (_, n) => ({
      n,
      tainted: n % 2 === 0,
      session: new AgentSession({ id: `s${n}` }),
    }));
    await Promise.all(
      runs.map(({ n, tainted, session }) =>
        agent.run(`run ${n} ${tainted ? "tainted" : "clean"}`, { session }),
      ),
    );
    const paid = executed.filter(({ tool }) => tool === "pay").map(({ args }) => args["to"]);
    const clean = runs.filter(({ tainted }) => !tainted).map(({ n }) => String(n));
    expect(new Set(paid)).toEqual(new Set(clean));
    expect(paid.length).toBe(clean.length);
    for (const { n, session } of runs) {
      expect(hiddenValues(session).map(({ id, value }) => [id, value])).toEqual([
        ["v1", `secret of ${n}`],
      ]);
    }
    expect(client.requests.length).toBe(4000);
  });
});

const twoTools: World = {
  hide: "untrusted",
  tools: [
    {
      name: "read",
      arguments: ["n"],
      flow: { effects: ["read"], result: "untrusted" },
      does: ({ n }) => `secret of ${n}`,
    },
    { name: "pay", arguments: ["to"], flow: { result: "trusted" }, does: () => "paid" },
  ],
  policy: {
    version: 1,
    tools: { read: { effects: ["read"], result: "untrusted" }, pay: { result: "trusted" } },
  },
};

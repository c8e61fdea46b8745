import { Agent, type AgentOptions, type RunEvent, tool } from "@tunic/core";
import { ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { rejection } from "./support/play.js";
import { ask, broken, lamp, ping } from "./support/tools.js";

/** What an event is about: the run, a model round trip, or a call. */
function subject(event: RunEvent): string {
  const [what] = event.type.split(".");
  if ("callId" in event) return `${what} ${event.callId}`;
  return "iteration" in event ? `${what} ${event.iteration}` : `${what}`;
}

describe("each start has one end", () => {
  const scenarios: readonly {
    readonly name: string;
    readonly turns: readonly ScriptedTurn[];
    readonly agent?: Omit<AgentOptions, "client">;
    readonly ends: readonly string[];
    readonly stop?: boolean;
    readonly brokenConsumer?: boolean;
  }[] = [
    { name: "an answer", turns: ["ok"], ends: ["model completed", "run completed"] },
    {
      name: "a limit",
      turns: [{ calls: [{ name: "ping" }] }, "enough"],
      agent: { tools: ping, invocation: { maxIterations: 1 } },
      ends: ["model completed", "call completed", "model completed", "run limit"],
    },
    {
      name: "a pause",
      turns: [{ calls: [{ name: "ask" }, { name: "ping" }] }],
      agent: { tools: [ask, ping] },
      ends: ["model completed", "call completed", "run paused"],
    },
    {
      name: "a failing service",
      turns: [{ error: new Error("down") }],
      ends: ["model failed", "run failed"],
    },
    {
      name: "a failing tool",
      turns: [{ calls: [{ name: "broken" }] }, "sorry"],
      agent: { tools: broken },
      ends: ["model completed", "call failed", "model completed", "run completed"],
    },
    {
      name: "calls that may not run",
      turns: [{ calls: [{ name: "zzz" }, { name: "lamp" }] }, "sorry"],
      agent: { tools: lamp },
      ends: ["model completed", "call refused", "call refused", "model completed", "run completed"],
    },
    {
      name: "an unknown call that ends the run",
      turns: [{ calls: [{ name: "zzz" }] }],
      agent: { tools: ping, invocation: { terminateOnUnknownCalls: true } },
      ends: ["model completed", "run failed"],
    },
    {
      name: "an abort while a tool runs",
      turns: [{ calls: [{ name: "stop" }, { name: "ping" }] }],
      stop: true,
      ends: ["model completed", "call completed", "call interrupted", "run aborted"],
    },
    {
      name: "an abort in the model call",
      turns: [{ text: "long", beforePiece: () => controller.abort("stop") }],
      stop: true,
      ends: ["model aborted", "run aborted"],
    },
  ];
  let controller = new AbortController();
  const stop = tool({
    name: "stop",
    execute: () => {
      setImmediate(() => controller.abort("stop"));
      return new Promise(() => {});
    },
  });

  describe.each([{ streamed: false }, { streamed: true }])(
    "streamed: $streamed",
    ({ streamed }) => {
      it.each(scenarios)("$name", async (scenario) => {
        controller = new AbortController();
        const client = new ScriptedChatClient(scenario.turns);
        const agent = new Agent({ client, tools: [ping, stop], ...scenario.agent });
        const open = new Map<string, number>();
        const ends: string[] = [];
        const onEvent = (event: RunEvent): void => {
          const [what = "", edge] = event.type.split(".");
          if (edge === "start") open.set(subject(event), (open.get(subject(event)) ?? 0) + 1);
          if (edge !== "end" || !("outcome" in event)) return;
          ends.push(`${what} ${event.outcome}`);
          expect(open.get(subject(event)), `ends: ${subject(event)}`).toBe(1);
          open.delete(subject(event));
        };
        const run = agent.run("go", {
          onEvent,
          ...(scenario.stop && { signal: controller.signal }),
          ...(streamed && { onUpdate: () => {} }),
        });
        await run.then(undefined, () => {});
        expect(ends).toEqual(scenario.ends);
        expect([...open.keys()]).toEqual([]);
      });
    },
  );

  it("input that is refused starts no run", async () => {
    const events: RunEvent[] = [];
    const agent = new Agent({ client: new ScriptedChatClient([]) });
    await rejection(agent.run([], { onEvent: (event) => events.push(event) }));
    expect(events).toEqual([]);
  });
});

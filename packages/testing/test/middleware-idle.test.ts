import {
  Agent,
  type FunctionInvocationConfiguration,
  type Middleware,
  type RunEvent,
  tool,
  type Update,
} from "@tunic/core";
import { type ManualEnvironment, manualEnvironment, ScriptedChatClient } from "@tunic/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type GeneratedTurn, generatedTurns } from "./support/generated-turns.js";
import { type Kind, kinds, middlewareOf } from "./support/onions.js";

/** Idle handlers of the ways in which one can be written. */
const shapes = {
  async: async (_context: unknown, next: () => Promise<never>) => next(),
  plain: (_context: unknown, next: () => Promise<never>) => next(),
  awaiting: async (_context: unknown, next: () => Promise<never>) => {
    const result = await next();
    return result;
  },
  rethrowing: async (_context: unknown, next: () => Promise<never>) => {
    try {
      return await next();
    } finally {
      // Nothing: it only looks.
    }
  },
};

const stacks: fc.Arbitrary<Middleware[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom<Kind>(...kinds),
      shape: fc.constantFrom(...(Object.keys(shapes) as (keyof typeof shapes)[])),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((list) =>
    list.map(({ kind, shape }, at) => middlewareOf(kind, `idle ${at}`, shapes[shape])),
  );

const configurations: fc.Arbitrary<FunctionInvocationConfiguration> = fc.record(
  {
    maxIterations: fc.integer({ min: 1, max: 4 }),
    maxFunctionCalls: fc.integer({ min: 1, max: 3 }),
    maxConsecutiveErrors: fc.integer({ min: 0, max: 2 }),
    maxDurationMs: fc.integer({ min: 5, max: 40 }),
    terminateOnUnknownCalls: fc.boolean(),
  },
  { requiredKeys: [] },
);

/** How a run ends from outside: the piece of the answers at which the caller gives up. */
const aborts = fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined, freq: 2 });
/** At which piece of an answer the consumer throws. */
const failures = fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined, freq: 3 });

interface Scene {
  readonly turns: readonly GeneratedTurn[];
  readonly configuration: FunctionInvocationConfiguration;
  readonly abortAt: number | undefined;
  readonly throwAt: number | undefined;
  readonly stream: boolean;
}

/** Everything that can be observed of a run. */
async function observe(scene: Scene, middleware: readonly Middleware[]) {
  const environment = manualEnvironment();
  const controller = new AbortController();
  let pieces = 0;
  const client = new ScriptedChatClient(
    scene.turns.map((turn) => ({
      ...turn,
      beforePiece: () => {
        if (pieces++ === scene.abortAt) controller.abort(new Error("the caller gave up"));
      },
    })),
    { environment, delayMs: 3 },
  );
  const ran: string[] = [];
  const agent = new Agent({
    id: "agent",
    client,
    environment,
    invocation: scene.configuration,
    tools: toolsOf(environment, ran),
    ...(middleware.length > 0 && { middleware }),
  });
  // Loading takes real time, in which the manual clock would go on.
  await agent.prepare();
  const updates: Update[] = [];
  const events: RunEvent[] = [];
  let settled = false;
  let deltas = 0;
  const outcome = agent
    .run("go", {
      signal: controller.signal,
      onEvent: (event) => events.push(event),
      ...(scene.stream && {
        onUpdate: (update) => {
          updates.push(update);
          // Not at a result: how many of its siblings had begun by then is a matter of timing.
          if (update.type !== "delta" || update.role !== "assistant") return;
          if (deltas++ === scene.throwAt) throw new Error("the consumer failed");
        },
      }),
    })
    .then(
      (response) => ({ response }),
      (error: unknown) => ({ error, transcript: (error as { transcript?: unknown }).transcript }),
    )
    .finally(() => {
      settled = true;
    });
  for (let step = 0; step < 100 && !settled; step++) await environment.advance(20);
  const { response, ...failure } = { response: undefined, ...(await outcome) };
  return {
    ...failure,
    response: response && { ...response, text: response.text },
    updates,
    ran,
    requests: client.requests.map(({ messages, options: { tools, ...options } }) => ({
      messages,
      options,
      tools: tools?.map((each) => each.name),
    })),
    // Calls that run together may take turns at another microtask; each has its own order.
    events: byCall(events),
  };
}

function byCall(events: readonly RunEvent[]): unknown {
  const groups: Record<string, RunEvent[]> = {};
  for (const event of events) {
    const { transcript: _transcript, ...rest } = event as RunEvent & { transcript?: unknown };
    const key = "callId" in rest ? String(rest.callId) : "run";
    groups[key] = [...(groups[key] ?? []), rest as RunEvent];
  }
  return groups;
}

function toolsOf(environment: ManualEnvironment, ran: string[]) {
  const parameters = {
    type: "object",
    properties: { a: { type: "number" } },
    required: ["a"],
    additionalProperties: false,
  } as const;
  return [
    tool({
      name: "add",
      parameters,
      execute: ({ a }) => {
        ran.push(`add ${a}`);
        return a + 1;
      },
    }),
    tool({
      name: "fail",
      parameters,
      execute: () => {
        throw new Error("no");
      },
    }),
    tool({
      name: "slow",
      parameters,
      execute: ({ a }) =>
        new Promise<string>((resolve) => {
          ran.push(`slow ${a}`);
          environment.setTimer(() => resolve("late"), 5 + a);
        }),
    }),
    tool({ name: "ping", execute: (_args, context) => context.call.callId }),
    tool({ name: "ask_user" }),
  ];
}

describe("handlers that only hand on", () => {
  it("change nothing: messages, updates, results, errors, events per call, aborts", async () => {
    await fc.assert(
      fc.asyncProperty(
        stacks,
        generatedTurns,
        configurations,
        aborts,
        failures,
        fc.boolean(),
        async (stack, turns, configuration, abortAt, throwAt, stream) => {
          const scene = { turns, configuration, abortAt, throwAt, stream };
          expect(await observe(scene, stack)).toEqual(await observe(scene, []));
        },
      ),
      { numRuns: Number(process.env["IDLE_RUNS"] ?? 150) },
    );
  }, 600_000);
});

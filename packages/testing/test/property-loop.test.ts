import {
  Agent,
  type AgentResponse,
  checkHistory,
  type FunctionInvocationConfiguration,
  foldUpdates,
  type Message,
  modelView,
  type Tool,
  tool,
  type Update,
} from "@tunic/core";
import { manualEnvironment, ScriptedChatClient } from "@tunic/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type GeneratedTurn, generatedTurns } from "./support/generated-turns.js";

/** What a run came to, in terms that do not depend on whether it was streamed. */
interface Observed {
  readonly response?: AgentResponse;
  readonly error?: string;
  readonly ran: readonly string[];
  readonly updates: readonly Update[];
  readonly transcript: readonly Message[];
}

const configurations: fc.Arbitrary<FunctionInvocationConfiguration> = fc.record(
  {
    maxIterations: fc.integer({ min: 1, max: 5 }),
    maxFunctionCalls: fc.integer({ min: 1, max: 4 }),
    maxConsecutiveErrors: fc.integer({ min: 0, max: 2 }),
    maxTotalTokens: fc.integer({ min: 1, max: 60 }),
    maxConcurrency: fc.integer({ min: 1, max: 3 }),
    terminateOnUnknownCalls: fc.boolean(),
    includeDetailedErrors: fc.boolean(),
  },
  { requiredKeys: [] },
);

describe("the loop, over generated model scripts", () => {
  it("is the same streamed and not, and what the consumer has folded is the response", async () => {
    await fc.assert(
      fc.asyncProperty(generatedTurns, configurations, async (turns, configuration) => {
        const whole = await observe(turns, configuration, false);
        const streamed = await observe(turns, configuration, true);
        expect(comparable(streamed)).toEqual(comparable(whole));
        if (!streamed.response) return;
        const fold = foldUpdates(streamed.updates);
        expect(fold.messages).toEqual(streamed.response.messages);
        expect(fold.usage).toEqual(streamed.response.usage);
      }),
      { numRuns: 1500 },
    );
  });

  it("leaves a valid log on every exit path, and each view is a prefix of the next", async () => {
    await fc.assert(
      fc.asyncProperty(
        generatedTurns,
        configurations,
        fc.boolean(),
        async (turns, configuration, stream) => {
          const { response, transcript } = await observe(turns, configuration, stream);
          const log = response?.newMessages ?? transcript;
          expect(checkHistory(log)).toEqual([]);
          let before: readonly Message[] = [];
          for (let length = 1; length <= log.length; length++) {
            const view = modelView(log.slice(0, length));
            expect(view.slice(0, before.length)).toEqual(before);
            before = view;
          }
        },
      ),
      { numRuns: 600 },
    );
  });

  it("runs nothing with broken, cut or invalid arguments, and nothing above a budget", async () => {
    await fc.assert(
      fc.asyncProperty(
        generatedTurns,
        configurations,
        fc.boolean(),
        async (turns, configuration, stream) => {
          const { ran } = await observe(turns, configuration, stream);
          for (const call of ran) expect(call).toMatch(/^(add|fail|slow) \{"a":-?\d+\}$|^ping /);
          expect(ran.length).toBeLessThanOrEqual(configuration.maxFunctionCalls ?? Infinity);
        },
      ),
      { numRuns: 600 },
    );
  });

  it("answers every call once, or leaves it open for the caller", async () => {
    await fc.assert(
      fc.asyncProperty(generatedTurns, configurations, async (turns, configuration) => {
        const { response } = await observe(turns, configuration, true);
        if (!response) return;
        const open = new Set(response.openCalls.map((call) => call.name));
        expect([...open].every((name) => name === "ask_user")).toBe(true);
        expect(response.outcome === "paused").toBe(open.size > 0);
      }),
      { numRuns: 400 },
    );
  });
});

function comparable({ response, error, ran }: Observed): unknown {
  return {
    error,
    ran,
    messages: response?.messages,
    outcome: response?.outcome,
    limit: response?.limit,
    usage: response?.usage,
    lastUsage: response?.lastUsage,
    finishReason: response?.finishReason,
    text: response?.text,
  };
}

async function observe(
  turns: readonly GeneratedTurn[],
  invocation: FunctionInvocationConfiguration,
  stream: boolean,
): Promise<Observed> {
  const ran: string[] = [];
  const updates: Update[] = [];
  let transcript: readonly Message[] = [];
  const client = new ScriptedChatClient([...turns, ...Array.from({ length: 8 }, () => "the end")]);
  const agent = new Agent({
    client,
    tools: tools(ran),
    invocation,
    environment: manualEnvironment(),
  });
  agent.events.on("run.end", (event) => {
    transcript = event.transcript;
  });
  try {
    const response = await agent.run(
      "go",
      stream
        ? {
            onUpdate: (update) => {
              updates.push(update);
            },
          }
        : {},
    );
    return { response, ran, updates, transcript };
  } catch (error) {
    return { error: String(error), ran, updates, transcript };
  }
}

/** Tools that write down what they were called with. */
function tools(ran: string[]): readonly Tool[] {
  const parameters = {
    type: "object",
    properties: { a: { type: "integer" } },
    required: ["a"],
    additionalProperties: false,
  } as const;
  const note = (name: string, input: unknown): void => {
    ran.push(`${name} ${JSON.stringify(input)}`);
  };
  return [
    tool({
      name: "add",
      parameters,
      execute(input) {
        note("add", input);
        return input.a + 1;
      },
    }),
    tool({
      name: "fail",
      parameters,
      execute(input) {
        note("fail", input);
        throw new Error("no");
      },
    }),
    tool({
      name: "slow",
      parameters,
      concurrencySafe: false,
      async execute(input) {
        note("slow", input);
        await Promise.resolve();
        return { slow: input.a };
      },
    }),
    tool({
      name: "ping",
      maxInvocations: 2,
      execute(input) {
        note("ping", input);
        return undefined;
      },
    }),
    tool({ name: "ask_user", parameters }),
  ];
}

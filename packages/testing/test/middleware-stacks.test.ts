import {
  Agent,
  ChatClientError,
  type ChatResponse,
  foldUpdates,
  type Message,
  textOf,
  tool,
  type Update,
  withMiddleware,
} from "@tunic/core";
import {
  type ManualEnvironment,
  manualEnvironment,
  type ScriptedAnswer,
  ScriptedChatClient,
} from "@tunic/testing";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type AgentKind,
  agentKinds,
  agentStack,
  type ChatKind,
  chatKinds,
  chatStack,
} from "./support/stacks.js";

const runs = Number(process.env["STACK_RUNS"] ?? 300);

/** How one answer of the model goes. */
interface Play {
  readonly text: string;
  readonly chunkSize: number;
  readonly calls: number;
  /** After how many pieces the service fails. */
  readonly failAfter: number | undefined;
  readonly slow: boolean;
}

const plays: fc.Arbitrary<readonly Play[]> = fc.array(
  fc.record({
    text: fc.constantFrom("", "hello", "pay 4111 now", "a secret 4111", "x", "1234567890"),
    chunkSize: fc.integer({ min: 1, max: 6 }),
    calls: fc.constantFrom(0, 0, 0, 1, 2),
    failAfter: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined, freq: 3 }),
    slow: fc.boolean(),
  }),
  { minLength: 1, maxLength: 6 },
);

/** The piece, counted over all answers, before which the caller gives up. */
const aborts = fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined, freq: 3 });

const unhandled: unknown[] = [];
const note = (error: unknown): void => {
  unhandled.push(error);
};
beforeAll(() => {
  process.on("unhandledRejection", note);
});
afterAll(() => {
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

/** A model that plays the last answer for ever, and a signal that fires in the middle of it. */
function scene(script: readonly Play[], abortAt: number | undefined) {
  const environment = manualEnvironment();
  const controller = new AbortController();
  let pieces = 0;
  let asked = 0;
  const client = new ScriptedChatClient(
    (): ScriptedAnswer => {
      const play = script[Math.min(asked++, script.length - 1)] as Play;
      const calls = asked > 8 ? 0 : play.calls;
      return {
        text: play.text,
        chunkSize: play.chunkSize,
        calls: Array.from({ length: calls }, (_, at) => ({ name: "work", id: `c${asked}-${at}` })),
        ...(play.slow && { delayMs: 10 }),
        ...(play.failAfter !== undefined && {
          error: new ChatClientError("server_error", "cut", { retryable: true }),
          errorAfter: play.failAfter,
        }),
        beforePiece: () => {
          if (pieces++ === abortAt) controller.abort(new Error("the caller gave up"));
        },
      };
    },
    { environment },
  );
  return { environment, controller, client };
}

interface Observed {
  readonly response?: ChatResponse;
  readonly error?: string;
  readonly updates: readonly Update[];
  readonly requests: readonly (readonly Message[])[];
}

/** Lets the manual clock run until the work is done. */
async function played(
  { environment, client }: { environment: ManualEnvironment; client: ScriptedChatClient },
  work: (onUpdate: (update: Update) => void | Promise<void>) => Promise<ChatResponse>,
): Promise<Observed> {
  const updates: Update[] = [];
  let settled = false;
  const outcome = work((update) => {
    updates.push(update);
    // Now and then the consumer takes its time.
    return updates.length % 3 === 0 ? Promise.resolve() : undefined;
  }).then(
    (response) => ({ response }),
    (error: unknown) => ({ error: String(error) }),
  );
  const done = outcome.finally(() => {
    settled = true;
  });
  for (let step = 0; step < 200 && !settled; step++) await environment.advance(50);
  expect(settled).toBe(true);
  const before = updates.length;
  const result = await done;
  // Whatever was given up may go on for as long as it likes: nobody hears of it.
  await environment.advance(5000);
  expect(updates.length).toBe(before);
  return { ...result, updates, requests: client.requests.map((request) => request.messages) };
}

function comparable({ response, error, requests }: Observed): unknown {
  return {
    error,
    requests: requests.map((messages) => messages.map(said)),
    messages: response?.messages.map(said),
    outcome: response?.outcome,
    model: response?.model,
    endedBy: response?.endedBy,
  };
}

function said({ role, contents }: Message): unknown {
  return { role, contents };
}

/** What must hold of any stack: the three are one, and nothing is injected twice. */
function check(
  streamed: Observed,
  whole: Observed,
  kinds: readonly string[],
  marks: readonly number[],
): void {
  expect(comparable(streamed)).toEqual(comparable(whole));
  if (streamed.response) {
    expect(foldUpdates(streamed.updates).messages).toEqual(streamed.response.messages);
  }
  for (const request of [...streamed.requests, ...whole.requests]) {
    const texts = request.map(textOf).filter((text) => text.startsWith("inject-"));
    const wanted = kinds.flatMap((kind, at) => (kind === "inject" ? [`inject-${marks[at]}`] : []));
    expect([...texts].sort()).toEqual(wanted.sort());
  }
}

describe("over random stacks of handlers, failing, slow and aborted streams", () => {
  it("a wrapped client: what the consumer folds is the response, streamed and not", async () => {
    const run = (
      kinds: readonly ChatKind[],
      script: readonly Play[],
      abortAt: number | undefined,
      stream: boolean,
    ) => {
      const stage = scene(
        script.map((play) => ({ ...play, calls: 0 })),
        abortAt,
      );
      const client = withMiddleware(stage.client, chatStack(kinds, stage.environment));
      return played(stage, (onUpdate) =>
        client.getResponse({
          messages: [
            { id: "m", role: "user", contents: [{ type: "text", text: "hi" }], createdAt: 0 },
          ],
          options: {},
          signal: stage.controller.signal,
          ...(stream && { onUpdate }),
        }),
      );
    };
    await fc.assert(
      fc.asyncProperty(chatKinds, plays, aborts, async (kinds, script, abortAt) => {
        const streamed = await run(kinds, script, abortAt, true);
        const whole = await run(kinds, script, abortAt, false);
        check(streamed, whole, kinds, [...kinds.keys()]);
      }),
      { numRuns: runs },
    );
  }, 600_000);

  it("an agent with handlers in both onions: the same", async () => {
    const run = async (
      agentList: readonly AgentKind[],
      chatList: readonly ChatKind[],
      script: readonly Play[],
      abortAt: number | undefined,
      stream: boolean,
    ) => {
      const stage = scene(script, abortAt);
      const agent = new Agent({
        client: stage.client,
        environment: stage.environment,
        tools: [tool({ name: "work", description: "Works.", execute: () => "worked 4111" })],
        middleware: [
          ...agentStack(agentList, stage.environment),
          ...chatStack(chatList, stage.environment),
        ],
      });
      // The validator is loaded from disk, which takes real time; the clock here is the test's.
      await agent.prepare();
      return played(stage, (onUpdate) =>
        agent.run("hi", { signal: stage.controller.signal, ...(stream && { onUpdate }) }),
      );
    };
    await fc.assert(
      fc.asyncProperty(
        agentKinds,
        chatKinds,
        plays,
        aborts,
        async (agents, chats, script, abortAt) => {
          const streamed = await run(agents, chats, script, abortAt, true);
          const whole = await run(agents, chats, script, abortAt, false);
          const marks = [...[...agents.keys()].map((at) => at + 100), ...chats.keys()];
          check(streamed, whole, [...agents, ...chats], marks);
        },
      ),
      { numRuns: runs },
    );
  }, 600_000);
});

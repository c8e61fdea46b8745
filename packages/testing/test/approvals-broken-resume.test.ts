import {
  Agent,
  AgentSession,
  approve,
  checkHistory,
  type Middleware,
  modelView,
  type SpentRequests,
  tool,
} from "@tunic/core";
import { manualEnvironment, ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it, vi } from "vitest";
import { expectValid } from "./support/approval-logs.js";
import { expectNoUnhandledRejections } from "./support/onions.js";
import { settled } from "./support/play.js";

expectNoUnhandledRejections();

/** Called wherever a resume calls or waits for something outside of the loop. */
type Probe = (place: string) => void;

const parameters = {
  type: "object",
  properties: { n: { type: "number" } },
  required: ["n"],
} as const;

/** A batch of a free call, two that ask, and a sub-agent that asks; every await of it is probed. */
function world(environment = manualEnvironment()) {
  let probe: Probe = () => {};
  let begun = false;
  const at = (place: string): void => {
    begun ||= place === "function handler, before";
    probe(place);
  };
  const started: string[] = [];
  const asks = (): boolean => {
    at("predicate");
    return true;
  };
  const work = (name: string) =>
    tool({
      name,
      parameters,
      approvalMode: name === "free" ? "never_require" : asks,
      async execute({ n }, context) {
        at(`${name} is called`);
        started.push(`${context.agentName} ${context.call.callId} ${name} ${n}`);
        await context.reportProgress("begun");
        at(`${name} has begun`);
        await Promise.resolve();
        at(`${name} is done`);
        return `${name} ${n}`;
      },
    });
  const probing: Middleware = {
    name: "probing",
    async agent(_context, next) {
      at("agent handler, before");
      const response = await next();
      at("agent handler, after");
      return response;
    },
    async chat(_context, next) {
      at("chat handler, before");
      const response = await next();
      at("chat handler, after");
      return response;
    },
    async verdict(_context, next) {
      at("verdict, before");
      const verdict = await next();
      at("verdict, after");
      return verdict;
    },
    async function(_context, next) {
      at("function handler, before");
      const result = await next();
      at("function handler, after");
      return result;
    },
  };
  const spent: SpentRequests = {
    async take() {
      at("store, before");
      await Promise.resolve();
      at("store, after");
      return true;
    },
  };
  const child = new Agent({
    name: "child",
    environment,
    client: new ScriptedChatClient(({ messages }) =>
      messages.some((message) => message.role === "tool")
        ? "child done"
        : { calls: [{ name: "wipe", arguments: { n: 7 } }] },
    ),
    tools: work("wipe"),
    middleware: [probing],
  });
  const beforePiece = (): void => at("model, in its answer");
  const agent = new Agent({
    name: "parent",
    environment,
    client: new ScriptedChatClient(
      [
        {
          calls: [
            { name: "free", arguments: { n: 1 }, id: "c1" },
            { name: "wipe", arguments: { n: 2 }, id: "c2" },
            { name: "wipe", arguments: { n: 3 }, id: "c3" },
            { name: "child", arguments: { task: "t" }, id: "c4" },
          ],
        },
        ...Array.from({ length: 9 }, () => ({ text: "done", beforePiece })),
      ],
      { chunkSize: 2 },
    ),
    tools: [work("free"), work("wipe"), child.asTool()],
    middleware: [probing],
    invocation: { approvals: { spent } },
  });
  return {
    agent,
    started,
    /** Whether a call has begun, be it in a handler before its function. */
    hasBegun: (): boolean => begun,
    probeWith(next: Probe): void {
      probe = next;
    },
    consumer: (): void => at("consumer"),
  };
}

/** A paused session, restored as after a restart, and a way to answer everything that waits in it. */
async function pausedWorld(streamed: boolean) {
  const made = world();
  const { agent, consumer } = made;
  const first = new AgentSession({ id: "s" });
  await agent.run("go", { session: first });
  const session = AgentSession.fromJSON(JSON.parse(JSON.stringify(first)));
  const resume = (signal?: AbortSignal) =>
    agent.run(session.pending.length > 0 ? session.pending.map((each) => approve(each)) : "go on", {
      session,
      signal,
      ...(streamed && { onUpdate: consumer }),
    });
  return { ...made, session, resume };
}

/** What holds after whatever happened: the session is valid, goes on, and nothing has run twice. */
async function expectRecovers(paused: Awaited<ReturnType<typeof pausedWorld>>): Promise<void> {
  const { session, resume, started, probeWith, hasBegun } = paused;
  probeWith(() => {});
  expect(checkHistory(session.messages)).toEqual([]);
  expectValid(modelView(session.messages));
  const before = [...started];
  const untouched = !hasBegun();
  // What was started is never started again; what still waits is answered anew.
  for (let turns = 0; turns < 4 && session.pending.length > 0; turns++) await resume();
  expect((await resume()).outcome).toBe("completed");
  expect(session.pending).toEqual([]);
  expect(new Set(started).size).toBe(started.length);
  expect(started.slice(0, before.length)).toEqual(before);
  expect(checkHistory(session.messages)).toEqual([]);
  const results = session.messages.flatMap((message) =>
    message.contents.flatMap((each) => (each.type === "function_result" ? [each.callId] : [])),
  );
  expect(results.toSorted()).toEqual(["c1", "c2", "c3", "c4"]);
  // Where nothing had begun, nothing is lost: everything that was approved has run.
  if (untouched) expect(started).toHaveLength(4);
}

describe.each([
  { manner: "whole", streamed: false },
  { manner: "streamed", streamed: true },
])("a resume, $manner", ({ streamed }) => {
  it("that fails at any of its awaits leaves a session that goes on, and runs nothing twice", async () => {
    const places: string[] = [];
    const whole = await pausedWorld(streamed);
    whole.probeWith((place) => places.push(place));
    await whole.resume();
    while (whole.session.pending.length > 0) await whole.resume();
    await expectRecovers(whole);
    for (const point of places.keys()) {
      const broken = await pausedWorld(streamed);
      let points = 0;
      broken.probeWith(() => {
        if (points++ === point) throw new Error(`broken at ${places[point]}`);
      });
      for (let turns = 0; turns < 3 && points <= point; turns++) {
        await broken.resume().catch((error: unknown) => {
          expect(String(error)).toMatch(/broken at/);
        });
      }
      await expectRecovers(broken);
    }
    expect(places.length).toBeGreaterThan(40);
  });

  it("that is aborted at any of its awaits does so, too", async () => {
    const places: string[] = [];
    const whole = await pausedWorld(streamed);
    whole.probeWith((place) => places.push(place));
    while (whole.session.pending.length > 0) await whole.resume();
    for (const point of places.keys()) {
      const stopped = await pausedWorld(streamed);
      const controller = new AbortController();
      let points = 0;
      stopped.probeWith(() => {
        if (points++ === point) controller.abort(new Error("stop"));
      });
      for (let turns = 0; turns < 3 && points <= point; turns++) {
        await stopped.resume(controller.signal).catch((error: unknown) => {
          expect(error).toBe(controller.signal.reason);
        });
      }
      await settled();
      await expectRecovers(stopped);
    }
  });

  it("that is aborted after any number of microtasks does so, too", async () => {
    for (let ticks = 0; ticks < 400; ticks += 3) {
      const stopped = await pausedWorld(streamed);
      const controller = new AbortController();
      const resumed = stopped.resume(controller.signal).catch((error: unknown) => {
        expect(error).toBe(controller.signal.reason);
      });
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      controller.abort(new Error("stop"));
      await resumed;
      await settled();
      await expectRecovers(stopped);
    }
  });
});

it("a resume whose Web Crypto fails leaves the session as it was", async () => {
  const paused = await pausedWorld(false);
  const before = JSON.stringify(paused.session);
  const digest = vi.spyOn(crypto.subtle, "digest").mockRejectedValue(new Error("no entropy"));
  const environment = manualEnvironment();
  // Two processes never make the same ids.
  for (let id = 0; id < 20; id++) environment.randomId();
  const other = world(environment);
  const failure = await other.agent
    .run(
      paused.session.pending.map((each) => approve(each)),
      { session: paused.session },
    )
    .catch(String);
  digest.mockRestore();
  expect(failure).toMatch(/no entropy/);
  expect(JSON.stringify(paused.session)).toBe(before);
  await expectRecovers(paused);
});

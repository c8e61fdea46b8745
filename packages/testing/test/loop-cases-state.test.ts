import { getEventListeners } from "node:events";
import {
  Agent,
  AgentSession,
  ChatClientError,
  checkHistory,
  FunctionInvocationLayer,
  tool,
} from "@tunic/core";
import { ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { outline, resultsIn, resultTexts } from "./support/outline.js";
import { deepFreeze, deferred, inBothManners, rejection, settled } from "./support/play.js";
import { broken, lamp, lampIn } from "./support/tools.js";

describe.each([
  { manner: "whole", options: {} },
  { manner: "streamed", options: { onUpdate: () => {} } },
])("B47 a run that breaks off between call and result ($manner)", ({ options }) => {
  const interrupted = "Error: interrupted: may or may not have run.";

  it("leaves a valid session: finished results kept, calls in flight marked", async () => {
    const controller = new AbortController();
    const stuck = tool({
      name: "stuck",
      execute: () => {
        setImmediate(() => controller.abort(new Error("cancelled")));
        return new Promise(() => {});
      },
    });
    const client = new ScriptedChatClient([
      { text: "both", calls: [lampIn("hall"), { name: "stuck" }] },
      "fine",
    ]);
    const agent = new Agent({ client, tools: [lamp, stuck] });
    const session = new AgentSession();
    await rejection(agent.run("go", { session, signal: controller.signal, ...options }));
    expect(checkHistory(session.messages)).toEqual([]);
    expect(outline(session.messages)).toEqual([
      "user: go",
      'assistant: both | lamp({"room":"hall"}) | stuck({})',
      `tool: hall lit | !${interrupted}`,
    ]);
    await agent.run("and now?", { session, ...options });
    expect(outline(client.requests[1]?.messages ?? [])).toEqual([
      "user: go",
      'assistant: both | lamp({"room":"hall"}) | stuck({})',
      `tool: hall lit | !${interrupted}`,
      "user: and now?",
    ]);
  });

  it("(b) a service that fails after the calls: results kept, nobody is said to have cancelled", async () => {
    const client = new ScriptedChatClient([
      { calls: [lampIn("hall")] },
      { error: new ChatClientError("overloaded", "busy") },
    ]);
    const session = new AgentSession();
    const agent = new Agent({ client, tools: lamp });
    const error = await rejection(agent.run("go", { session, ...options }));
    expect(error).toMatchObject({ code: "overloaded" });
    expect(resultTexts(session.messages)).toEqual(["hall lit"]);
    expect(JSON.stringify(session.messages)).not.toMatch(/cancel|abort/i);
    expect(outline((error as ChatClientError).transcript ?? [])).toEqual([
      'assistant: lamp({"room":"hall"})',
      "tool: hall lit",
    ]);
  });

  it("(b) a failure beside a call in flight: its result names no culprit", async () => {
    const client = new ScriptedChatClient([
      { calls: [{ name: "stuck" }, { name: "shout" }] },
      "never",
    ]);
    const stuck = tool({ name: "stuck", execute: () => new Promise(() => {}) });
    const shout = tool({ name: "shout", execute: (_, context) => context.reportProgress("hey") });
    const session = new AgentSession();
    const run = new Agent({ client, tools: [stuck, shout] }).run("go", {
      session,
      onUpdate: (update) => {
        if (update.type === "progress") throw new Error("the consumer broke");
      },
    });
    expect(await rejection(run)).toMatchObject({ message: "the consumer broke" });
    expect(resultTexts(session.messages)[0]).toBe(interrupted);
    expect(JSON.stringify(session.messages)).not.toMatch(/cancel|abort/i);
  });

  it("(c) half-streamed arguments leave no call in the history", async () => {
    const controller = new AbortController();
    const client = new ScriptedChatClient(
      [
        {
          text: "now",
          calls: [lampIn("hall")],
          beforePiece: (piece) => {
            if (piece === 3) controller.abort("stop");
          },
        },
      ],
      { chunkSize: 5 },
    );
    const session = new AgentSession();
    const agent = new Agent({ client, tools: lamp });
    await rejection(agent.run("go", { session, signal: controller.signal, ...options }));
    expect(outline(session.messages)).toEqual(["user: go"]);
  });
});

describe("B48 usage of a run is the sum of its steps", () => {
  const first = { inputTokens: 10, outputTokens: 4, cachedInputTokens: 2 };
  const last = { inputTokens: 20, outputTokens: 6 };
  const calls = [lampIn("hall")];

  inBothManners((play) => {
    it("with the last step's beside it", async () => {
      const { response } = await play({
        turns: [
          { calls, usage: first },
          { text: "done", usage: last },
        ],
        agent: { tools: lamp },
      });
      expect(response.usage).toEqual({ inputTokens: 30, outputTokens: 10, cachedInputTokens: 2 });
      expect(response.lastUsage).toEqual(last);
    });

    it("a step without usage adds nothing", async () => {
      const { response } = await play({
        turns: [{ calls, usage: first }, { calls }, { text: "done", usage: last }],
        agent: { tools: lamp },
      });
      expect(response.usage).toEqual({ inputTokens: 30, outputTokens: 10, cachedInputTokens: 2 });
    });

    it("a count that is no number adds nothing", async () => {
      const { response } = await play({
        turns: [
          { calls, usage: { inputTokens: Number.NaN } },
          { text: "done", usage: last },
        ],
        agent: { tools: lamp },
      });
      expect(response.usage).toEqual(last);
    });

    it("the token budget goes by the sum", async () => {
      const { response, requests } = await play({
        turns: [{ calls, usage: first }, { calls, usage: last }, { text: "enough" }],
        agent: { tools: lamp, invocation: { maxTotalTokens: 40 } },
      });
      expect([response.limit, requests.length]).toEqual(["maxTotalTokens", 3]);
    });
  });
});

describe("B49 the limits of a tool belong to a run", () => {
  const limited = tool({ name: "limited", maxInvocations: 2, execute: async () => "ran" });
  const three: ScriptedTurn[] = [
    { calls: [{ name: "limited" }] },
    { calls: [{ name: "limited" }] },
    { calls: [{ name: "limited" }] },
    "done",
  ];
  const expected = ["ran", "ran", "Error: not run: limit reached (maxInvocations)."];
  const agentWith = (turns: ScriptedTurn[]) =>
    new Agent({ client: new ScriptedChatClient(turns), tools: limited });

  it("one run after the other has its own count", async () => {
    const before = JSON.stringify(limited);
    for (const agent of [agentWith(three), agentWith(three)]) {
      expect(resultTexts((await agent.run("go")).messages)).toEqual(expected);
    }
    expect(JSON.stringify(limited)).toBe(before);
    expect(Object.isFrozen(limited)).toBe(true);
  });

  it("runs at the same time have theirs, of one agent and of two", async () => {
    const one = agentWith([...three, ...three]);
    const stepwise = new Agent({
      client: new ScriptedChatClient(({ messages }) => {
        const done = messages.filter((message) => message.role === "tool").length;
        return done < 3 ? { calls: [{ name: "limited" }] } : "done";
      }),
      tools: limited,
    });
    const runs = [one.run("A"), stepwise.run("B"), stepwise.run("C")];
    for (const response of (await Promise.all(runs)).slice(1)) {
      expect(resultTexts(response.messages)).toEqual(expected);
    }
  });
});

describe("B52 what the caller handed over is never changed", () => {
  it("frozen input and options serve two runs at once; both send the same first request", async () => {
    const input = deepFreeze([
      { role: "system" as const, contents: "Be brief." },
      {
        role: "user" as const,
        contents: [{ type: "text" as const, text: "light" }],
        id: "m1",
        createdAt: 1,
      },
    ]);
    const options = deepFreeze({ temperature: 0, metadata: { user: "u" }, stop: ["."] });
    const before = JSON.stringify([input, options]);
    const client = new ScriptedChatClient(({ messages }) => {
      const results = messages.filter((message) => message.role === "tool").length;
      // Wrong arguments first: the model tries again.
      return [{ calls: [{ name: "lamp" }] }, { calls: [lampIn("hall")] }, "done"][results] ?? "";
    });
    const tools = deepFreeze([lamp]);
    const agent = new Agent({ client, tools, options, allowSystemMessages: true });
    const [one, two] = await Promise.all([agent.run(input), agent.run(input)]);
    await agent.stream(input).response;
    expect(JSON.stringify([input, options])).toBe(before);
    const firsts = client.requests.filter((request) => request.messages.length === 2);
    expect(firsts).toHaveLength(3);
    expect(new Set(firsts.map((request) => JSON.stringify(outline(request.messages)))).size).toBe(
      1,
    );
    expect(outline(one?.messages ?? [])).toEqual(outline(two?.messages ?? []));
    expect(one?.newMessages).toHaveLength(2 + (one?.messages.length ?? 0));
  });

  it("the loop on its own leaves its request as it was", async () => {
    const client = new ScriptedChatClient([{ calls: [lampIn("hall")] }, "done"]);
    const request = deepFreeze({
      messages: [
        {
          id: "m",
          role: "user" as const,
          contents: [{ type: "text" as const, text: "x" }],
          createdAt: 0,
        },
      ],
      options: { tools: [lamp], toolChoice: "required" as const },
    });
    const response = await new FunctionInvocationLayer(client).getResponse(request);
    expect(request.messages).toHaveLength(1);
    expect(request.options.toolChoice).toBe("required");
    expect(outline(response.messages).at(-1)).toBe("assistant: done");
  });
});

describe("B53 listeners on the caller's signal", () => {
  const warnings: Error[] = [];
  const warn = (warning: Error): void => void warnings.push(warning);
  beforeEach(() => void process.on("warning", warn));
  afterEach(() => void process.off("warning", warn));

  const twice = { calls: [lampIn("hall"), { name: "broken" }] };
  const client = () => new ScriptedChatClient([twice, twice, "done"]);

  it("are gone after each of fifty runs, also when tools throw", async () => {
    const { signal } = new AbortController();
    for (let run = 0; run < 50; run++) {
      const agent = new Agent({ client: client(), tools: [lamp, broken] });
      await agent.run("go", { signal });
      expect(getEventListeners(signal, "abort")).toHaveLength(0);
    }
  });

  it("are gone after each of fifty streams, read or awaited", async () => {
    const { signal } = new AbortController();
    for (let run = 0; run < 50; run++) {
      const stream = new Agent({ client: client(), tools: [lamp, broken] }).stream("go", {
        signal,
      });
      if (run % 2 === 0) await stream.response;
      else for await (const _update of stream);
      await settled();
      expect(getEventListeners(signal, "abort")).toHaveLength(0);
    }
  });

  it("are gone after failures and early ends", async () => {
    const { signal } = new AbortController();
    const failing = new Agent({ client: new ScriptedChatClient([]) });
    await rejection(failing.run("go", { signal }));
    await rejection(failing.stream("go", { signal }).response);
    for await (const _update of new Agent({ client: client() }).stream("go", { signal })) break;
    await settled();
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("are gone after input that was refused", async () => {
    const { signal } = new AbortController();
    const agent = new Agent({ client: client() });
    await rejection(agent.run([], { signal }));
    await rejection(agent.run({ role: "system", contents: "x" }, { signal }));
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("are few while twenty tools run: no warning with the default limit", async () => {
    const { signal } = new AbortController();
    const all = deferred();
    let waiting = 0;
    let most = 0;
    const wait = tool({
      name: "wait",
      execute: async (_, context) => {
        most = Math.max(most, getEventListeners(context.signal, "abort").length);
        if (++waiting === 20) all.resolve();
        await all.promise;
      },
    });
    const calls = Array.from({ length: 20 }, () => ({ name: "wait" }));
    const agent = new Agent({
      client: new ScriptedChatClient([{ calls }, "done"]),
      tools: wait,
      invocation: { maxConcurrency: 20 },
    });
    const response = await agent.run("go", { signal });
    expect(resultsIn(response.messages)).toHaveLength(20);
    await new Promise((resolve) => process.nextTick(resolve));
    expect(warnings).toEqual([]);
    expect(most).toBeLessThanOrEqual(1);
  });
});

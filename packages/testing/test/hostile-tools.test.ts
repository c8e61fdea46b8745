import {
  Agent,
  type FunctionTool,
  type RunContext,
  textContent,
  tool,
  toolResult,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";

type Execute = NonNullable<Parameters<typeof tool>[0]["execute"]>;

const hostile = (execute: Execute, options: object = {}): FunctionTool =>
  tool({ name: "work", execute, ...options });

/** One call (or several) of the tool, then an answer. */
const agentWith = (work: FunctionTool, calls = 1): Agent =>
  new Agent({
    client: new ScriptedChatClient([
      { calls: Array.from({ length: calls }, () => ({ name: "work" })) },
      "done",
    ]),
    tools: [work],
  });

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

describe("what a tool returns is data, whatever it does when it is looked at", () => {
  it.each<[string, () => unknown]>([
    ["a revoked proxy", revoked],
    [
      "an object that throws when it is asked for `then`",
      () => new Proxy({}, { has: () => true, get: thrower }),
    ],
    [
      "a promise that throws when it is asked for its constructor",
      () => Object.defineProperty(Promise.resolve(1), "constructor", { get: thrower }),
    ],
  ])("%s is an error result, not the end of the run", async (_, value) => {
    const response = await agentWith(hostile(value)).run("go");
    expect(response.text).toBe("done");
    expect(response.messages[1]?.contents[0]).toMatchObject({ isError: true });
  });

  it("contents that JSON cannot say do not fail a call because somebody watches it", async () => {
    const odd = textContent("x", { additionalProperties: { n: 1n as never } });
    const response = await agentWith(hostile(() => odd)).run("go", { onEvent() {} });
    expect(response.text).toBe("done");
  });

  it("a list that claims four billion places is cut at once", async () => {
    const response = await agentWith(hostile(() => new Array(2 ** 32 - 1))).run("go");
    expect(response.text).toBe("done");
  });

  it("stays in the log as it was returned, whatever the tool does with it afterwards", async () => {
    const contents = [textContent("before")];
    const returned = toolResult({ contents });
    const response = await agentWith(hostile(() => returned)).run("go");
    Object.assign(contents[0] ?? {}, { text: "after" });
    (returned.contents as unknown[]).push(textContent("more"));
    expect(response.messages[1]?.contents[0]).toMatchObject({
      contents: [{ type: "text", text: "before" }],
    });
  });
});

describe("what a tool does to its input", () => {
  it("does not change the call in the log, where defaults were filled in too", async () => {
    const work = tool({
      name: "work",
      parameters: {
        type: "object",
        properties: { list: { type: "array" }, unit: { type: "string", default: "m" } },
      },
      execute: ({ list }) => (list as unknown[]).push("changed"),
    });
    const client = new ScriptedChatClient([
      { calls: [{ name: "work", arguments: { list: [1] } }] },
      "done",
    ]);
    const response = await new Agent({ client, tools: [work] }).run("go");
    expect(response.messages[0]?.contents[0]).toMatchObject({ arguments: { list: [1] } });
  });
});

describe("resources that are no list", () => {
  it.each([undefined, 5, "key", Promise.resolve(["key"])])(
    "give the call everything to itself: %s",
    async (keys) => {
      let running = 0;
      let most = 0;
      const work = hostile(
        async () => {
          most = Math.max(most, ++running);
          await pause(1);
          running--;
        },
        { resources: () => keys },
      );
      expect((await agentWith(work, 3).run("go")).text).toBe("done");
      expect(most).toBe(1);
    },
  );
});

describe("progress that a tool does not wait for", () => {
  it("ends no process when the run is stopped meanwhile", async () => {
    const rejections: unknown[] = [];
    const note = (reason: unknown): void => {
      rejections.push(reason);
    };
    process.on("unhandledRejection", note);
    const stop = new AbortController();
    const work = hostile(async (_, { reportProgress }) => {
      void reportProgress("careless");
      stop.abort("enough");
    });
    const onUpdate = ({ type }: { type: string }) => (type === "progress" ? pause(5) : undefined);
    const run = agentWith(work).run("go", { signal: stop.signal, onUpdate });
    await expect(run).rejects.toBe("enough");
    await pause(10);
    process.off("unhandledRejection", note);
    expect(rejections).toEqual([]);
  });
});

describe("a tool that the time limit has abandoned", () => {
  it("finds its signal and the run's stopped, whenever it looks", async () => {
    let signal: (() => AbortSignal) | undefined;
    let run: RunContext | undefined;
    const work = hostile((_, context) => {
      signal = () => context.signal;
      run = context.run;
      return new Promise(() => {});
    });
    const agent = new Agent({
      client: new ScriptedChatClient([{ calls: [{ name: "work" }] }]),
      tools: [work],
      invocation: { maxDurationMs: 5 },
    });
    expect((await agent.run("go")).limit).toBe("maxDurationMs");
    expect([signal?.().aborted, run?.signal.aborted]).toEqual([true, true]);
    const child = new Agent({ client: new ScriptedChatClient(["late"]) });
    await expect(child.run("go", { parent: run as RunContext })).rejects.toMatchObject({
      code: "time_is_up",
    });
  });
});

describe("a batch of very many calls", () => {
  it("of a tool that runs alone costs as many waits, not their square", async () => {
    let running = 0;
    let most = 0;
    const work = hostile(
      async () => {
        most = Math.max(most, ++running);
        await undefined;
        running--;
      },
      { exclusive: true },
    );
    const response = await agentWith(work, 10_000).run("go");
    expect([response.messages[1]?.contents.length, most]).toEqual([10_000, 1]);
  });

  it("of names that do not exist is answered at once", async () => {
    const tools = Array.from({ length: 20 }, (_, index) =>
      hostile(() => 1, { name: `${"h".repeat(98)}${index}` }),
    );
    const client = new ScriptedChatClient([
      { calls: Array.from({ length: 10_000 }, (_, index) => ({ name: "g".repeat(95) + index })) },
      "done",
    ]);
    expect((await new Agent({ client, tools }).run("go")).text).toBe("done");
  });
});

function thrower(): never {
  throw new Error("do not look");
}

import {
  Agent,
  AgentSession,
  type ChatClient,
  ChatClientError,
  type ChatRequest,
  type ChatResponse,
  checkHistory,
  FunctionInvocationLayer,
  streamResponse,
  tool,
  type Update,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";

/** A client as JavaScript allows it. */
const client = (getResponse: (request: ChatRequest) => unknown): ChatClient => ({
  metadata: { provider: "careless" },
  getResponse: getResponse as ChatClient["getResponse"],
});
const say = (...contents: object[]) => ({ role: "assistant", contents });
const text = (words: string) => ({ type: "text", text: words });
const delta = (words: string): Update => ({
  type: "delta",
  messageId: "m",
  role: "assistant",
  contents: [{ type: "text", text: words }],
});
const nothing = (): void => {};
/** The three ways in which a run can wait for its client. */
const ways = [{}, { signal: new AbortController().signal }, { onUpdate: nothing }];

const unreadable = (): Error =>
  Object.defineProperty(new Error(), "message", {
    get() {
      throw new Error("do not look");
    },
  });
const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

describe("a client that throws what cannot be read", () => {
  it.each<[string, unknown]>([
    ["an object without a prototype", Object.create(null)],
    ["an error whose message throws", unreadable()],
    ["a revoked proxy", revoked()],
  ])("%s ends the run with a ChatClientError, and every start has its end", async (_, thrown) => {
    const seen: string[] = [];
    const agent = new Agent({ client: client(() => Promise.reject(thrown)) });
    const run = agent.run("go", { onEvent: ({ type }) => seen.push(type) });
    await expect(run).rejects.toMatchObject({ code: "unknown", transcript: [] });
    expect(seen).toEqual(["run.start", "model.start", "model.end", "run.end"]);
  });

  it("a frozen error of Tunic's is what the run rejects with, and the run has its end", async () => {
    const error = Object.freeze(new ChatClientError("overloaded", "busy"));
    const seen: string[] = [];
    const agent = new Agent({ client: client(() => Promise.reject(error)) });
    const run = agent.run("go", { onEvent: ({ type }) => seen.push(type) });
    await expect(run).rejects.toBe(error);
    expect(seen.at(-1)).toBe("run.end");
  });
});

describe("a listener that throws what cannot be read", () => {
  it("hurts nobody", async () => {
    const agent = new Agent({ client: new ScriptedChatClient(["fine"]) });
    agent.events.on("run.start", () => {
      throw Object.create(null);
    });
    agent.events.on("run.end", () => Promise.reject(unreadable()));
    const onEvent = (): never => {
      throw revoked();
    };
    expect((await agent.run("go", { onEvent })).text).toBe("fine");
  });
});

describe("a client that returns no promise", () => {
  it.each(ways)("is taken at its word: %o", async (options) => {
    const agent = new Agent({ client: client(() => ({ messages: [say(text("at once"))] })) });
    expect((await agent.run("go", options)).text).toBe("at once");
  });

  it.each(ways)("nor an answer is told so: %o", async (options) => {
    const agent = new Agent({ client: client(() => undefined) });
    await expect(agent.run("go", options)).rejects.toMatchObject({ code: "malformed_response" });
  });
});

describe("an answer that is none is told so, streamed or not", () => {
  it.each<[string, object]>([
    ["a message of the role system", { role: "system", contents: [text("obey")] }],
    ["a role that is an object", { role: {}, contents: [text("x")] }],
    ["a content that is null", { role: "assistant", contents: [null] }],
    ["a content without a type", say({})],
    ["a call without a name", say({ type: "function_call", callId: "c1", name: null })],
    ["a call without an id", say({ type: "function_call", name: "work" })],
  ])("%s", async (_, message) => {
    for (const options of ways) {
      const run = new Agent({ client: client(() => ({ messages: [message] })) }).run("go", options);
      await expect(run).rejects.toMatchObject({ code: "malformed_response" });
    }
  });

  it.each([[[1]], [7], ["text"]])("arguments that are %o are an argument error", async (given) => {
    const answers = [say({ type: "function_call", callId: "c", name: "work", arguments: given })];
    const agent = new Agent({
      client: client(() => ({ messages: [answers.pop() ?? say(text("done"))] })),
      tools: [tool({ name: "work", execute: () => "ran" })],
    });
    const { messages } = await agent.run("go");
    expect(messages[0]?.contents[0]).toHaveProperty("parseError");
    expect(messages[1]?.contents[0]).toMatchObject({ error: { code: "invalid_arguments" } });
  });
});

describe("a client that runs calls itself", () => {
  const call = { type: "function_call", callId: "c1", name: "work", arguments: {} };
  const result = (callId: string) => ({
    role: "tool",
    contents: [{ type: "function_result", callId, contents: [text("inside")] }],
  });
  let ran = 0;
  const agentOf = (messages: readonly object[]): Agent => {
    const answers = [{ messages }];
    return new Agent({
      client: client(() => answers.pop() ?? { messages: [say(text("done"))] }),
      tools: [tool({ name: "work", execute: () => `outside ${++ran}` })],
    });
  };

  it.each(ways)(
    "under the same ids in each answer: none of them runs again (%o)",
    async (options) => {
      ran = 0;
      const session = new AgentSession();
      for (const words of ["one", "two", "three"]) {
        await agentOf([say(call), result("c1"), say(text("ok"))]).run(words, {
          ...options,
          session,
        });
      }
      expect([ran, checkHistory(session.messages), session.messages.length]).toEqual([0, [], 12]);
    },
  );

  it.each<[string, readonly object[], number]>([
    ["without a call", [result("c9"), say(text("ok"))], 0],
    ["before its call", [result("c1"), say(call)], 1],
    ["inside the message of its call", [say(call, ...result("c1").contents)], 1],
    ["a second time", [say(call), result("c1"), result("c1"), say(text("ok"))], 0],
  ])("a result %s does not enter the log, and is told", async (_, messages, runs) => {
    ran = 0;
    const notices: string[] = [];
    const response = await agentOf(messages).run("go", {
      onEvent: (event) => event.type === "notice" && notices.push(event.code),
    });
    expect(checkHistory(response.newMessages)).toEqual([]);
    expect([ran, notices]).toEqual([runs, ["stray_result"]]);
  });
});

describe("updates that come too late", () => {
  it.each<[string, (reject: (reason: unknown) => void, stop: AbortController) => void]>([
    ["its failure", (reject) => reject(new Error("gone"))],
    ["an abort", (_, stop) => stop.abort()],
  ])("of a client that streams after %s reach nobody", async (_, end) => {
    const seen: Update[] = [];
    const stop = new AbortController();
    let push: ChatRequest["onUpdate"];
    let fail: (reason: unknown) => void = nothing;
    const agent = new Agent({
      client: client((request) => {
        push = request.onUpdate;
        return new Promise((_, reject) => {
          fail = reject;
        });
      }),
    });
    const run = agent.run("go", { signal: stop.signal, onUpdate: (update) => seen.push(update) });
    await Promise.resolve();
    void push?.(delta("in time"));
    end(fail, stop);
    await expect(run).rejects.toBeDefined();
    void push?.(delta("late"));
    expect(seen.length).toBe(1);
  });

  it("after an abort in the middle of the last answer: nothing more is sent, and the run rejects", async () => {
    const stop = new AbortController();
    const seen: string[] = [];
    const agent = new Agent({ client: client(async () => ({ messages: [say(text("whole"))] })) });
    const run = agent.run("go", {
      signal: stop.signal,
      onUpdate({ type }) {
        seen.push(type);
        stop.abort("enough");
      },
    });
    await expect(run).rejects.toBe("enough");
    expect(seen).toEqual(["delta"]);
  });
});

describe("a client that never settles", () => {
  const deaf = client(({ onUpdate }) => {
    void onUpdate?.(delta("and then"));
    return new Promise<ChatResponse>(nothing);
  });
  const request = { messages: [], options: {} };

  it("holds up nobody who leaves its stream", async () => {
    const stream = streamResponse(deaf, request);
    for await (const _ of stream) break;
    await expect(stream.response).rejects.toMatchObject({ code: "stream_closed" });
  });

  it("holds up nobody who aborts", async () => {
    const stop = new AbortController();
    const stream = streamResponse(deaf, { ...request, signal: stop.signal });
    stop.abort("enough");
    await expect(stream.response).rejects.toBe("enough");
  });
});

describe("many runs under one signal", () => {
  it("make no warning, neither side by side nor as children of one run", async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => {
      warnings.push(warning);
    };
    process.on("warning", note);
    const { signal } = new AbortController();
    const slow = client(async () => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      return { messages: [say(text("ok"))] };
    });
    const sub = new Agent({ name: "sub", client: slow });
    const calls = Array.from({ length: 16 }, () => ({ name: "sub", arguments: { task: "t" } }));
    const parent = new Agent({
      client: new ScriptedChatClient([{ calls }, "done"]),
      tools: [sub.asTool()],
    });
    await Promise.all([
      parent.run("go", { signal }),
      ...calls.map(() => sub.run("go", { signal })),
    ]);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", note);
    expect(warnings).toEqual([]);
  });
});

describe("an answer of very many parts", () => {
  it("costs no more than its parts: blocks of text, and calls of one id", async () => {
    const blocks = Array.from({ length: 20_000 }, (_, id) => ({ ...text("x"), id: `b${id}` }));
    const calls = Array.from({ length: 10_000 }, () => ({
      type: "function_call",
      callId: "same",
      name: "work",
      arguments: {},
    }));
    const answers = [say(...calls)];
    const agent = new Agent({
      client: client(() => ({ messages: [answers.pop() ?? say(...blocks)] })),
      tools: [tool({ name: "work", execute: () => 1 })],
    });
    const startedAt = performance.now();
    const { messages } = await agent.run("go");
    expect(new Set(messages[0]?.contents.map((each) => "callId" in each && each.callId)).size).toBe(
      10_000,
    );
    // Their square takes a minute.
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});

describe("a consumer that returns something", () => {
  it("that is no promise is not waited for", async () => {
    const updates: Update[] = [];
    const layer = new FunctionInvocationLayer(new ScriptedChatClient(["hello"]));
    const onUpdate = ((update: Update) => updates.push(update)) as unknown as () => void;
    await layer.getResponse({ messages: [], options: {}, onUpdate });
    expect(updates.length).toBeGreaterThan(0);
  });
});

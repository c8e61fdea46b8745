import {
  Agent,
  type AgentOptions,
  AgentSession,
  agentMiddleware,
  type ContextProvider,
  chatMiddleware,
  type Message,
  type ProvidedContext,
  type ProviderContext,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectNoUnhandledRejections } from "./support/onions.js";
import { outline } from "./support/outline.js";
import { deferred, inBothManners } from "./support/play.js";
import { lamp, lampIn, ping } from "./support/tools.js";

expectNoUnhandledRejections();

const provider = (
  name: string,
  provided: ProvidedContext | ((context: ProviderContext) => ProvidedContext | undefined),
): ContextProvider => ({
  name,
  provide: (context) => (typeof provided === "function" ? provided(context) : provided),
});
const note = (text: string) => ({ messages: [{ role: "user" as const, contents: text }] });

inBothManners((play) => {
  describe("provided messages", () => {
    it("are seen in every round before the run's own input, and neither returned nor stored", async () => {
      const session = new AgentSession();
      const contextProviders = [
        provider("notes", note("note")),
        provider("talk", {
          messages: [
            { role: "user", contents: "q" },
            { role: "assistant", contents: [{ type: "text", text: "a" }] },
          ],
        }),
      ];
      const agent = { tools: lamp, contextProviders };
      await play({ turns: ["hi"], agent, input: "hello", run: { session } });
      const { response, requests } = await play({
        turns: [{ calls: [lampIn("hall")] }, "lit"],
        agent,
        run: { session },
      });
      const seen = ["user: hello", "assistant: hi", "user: note", "user: q", "assistant: a"];
      expect(outline(requests[0]?.messages ?? [])).toEqual([...seen, "user: go"]);
      expect(outline(requests[1]?.messages ?? [])).toEqual([
        ...seen,
        "user: go",
        'assistant: lamp({"room":"hall"})',
        "tool: hall lit",
      ]);
      const own = [
        "user: go",
        'assistant: lamp({"room":"hall"})',
        "tool: hall lit",
        "assistant: lit",
      ];
      expect(outline(response.newMessages)).toEqual(own);
      expect(outline(session.messages)).toEqual(["user: hello", "assistant: hi", ...own]);
    });

    it("stand after the answers of a history that comes in with the input", async () => {
      const { requests } = await play({
        turns: ["done"],
        agent: { contextProviders: [provider("notes", note("note"))] },
        input: [
          { role: "user", contents: "hello" },
          { role: "assistant", contents: "hi" },
          { role: "user", contents: "go" },
        ],
      });
      expect(outline(requests[0]?.messages ?? [])).toEqual([
        "user: hello",
        "assistant: hi",
        "user: note",
        "user: go",
      ]);
    });

    it("have ids and times of the run, and say who has provided them", async () => {
      const given = {
        role: "user" as const,
        contents: "note",
        id: "mine",
        createdAt: 5,
        additionalProperties: { label: "public", contextProvider: "somebody else" },
      };
      const { requests } = await play({
        turns: ["done"],
        agent: { contextProviders: [provider("a", { messages: [given, given] })] },
      });
      const [one, two, input] = requests[0]?.messages ?? [];
      expect(one).toMatchObject({
        createdAt: 5,
        additionalProperties: { label: "public", contextProvider: "a" },
      });
      expect(new Set([one?.id, two?.id, input?.id, "mine"]).size).toBe(4);
      expect(input).not.toHaveProperty("additionalProperties");
      expect(given).toMatchObject({ id: "mine" });
    });

    it("are provided anew in the next run, with the old messages as the same objects", async () => {
      const session = new AgentSession();
      let runs = 0;
      const contextProviders = [provider("count", () => note(`run ${++runs}`))];
      await play({ turns: ["one"], agent: { contextProviders }, run: { session } });
      const kept = session.messages;
      const { requests } = await play({
        turns: ["two"],
        agent: { contextProviders },
        run: { session },
      });
      const { messages = [] } = requests[0] ?? {};
      expect(outline(messages)).toEqual(["user: go", "assistant: one", "user: run 2", "user: go"]);
      for (const [at, message] of kept.entries()) expect(messages[at]).toBe(message);
    });
  });

  it("provided instructions and tools hold for the run, after those that are fixed", async () => {
    const contextProviders: ContextProvider[] = [
      { name: "a", instructions: "A.", provide: async () => ({ instructions: "A now." }) },
      { name: "b", instructions: "B.", provide: () => ({ tools: [lamp], instructions: "" }) },
      { name: "c", provide: () => undefined },
    ];
    const { response, requests } = await play({
      turns: [{ calls: [lampIn("hall")] }, "lit"],
      agent: { instructions: "I.", tools: ping, contextProviders },
      run: { options: { toolChoice: { name: "lamp" } } },
    });
    expect(response.text).toBe("lit");
    for (const { options } of requests) {
      expect(options.tools).toEqual([ping, lamp]);
      expect(options.instructions).toEqual([
        { source: "agent", text: "I." },
        { source: "a", text: "A." },
        { source: "b", text: "B." },
        { source: "a", text: "A now.", provided: true },
      ]);
    }
  });

  it("providers see the run, its session and its input as the agent handlers left it", async () => {
    const session = new AgentSession();
    const seen: (readonly unknown[])[] = [];
    const look = provider("look", (context) => {
      const { run, messages, agent, signal } = context;
      seen.push([outline(messages), agent, context.session, run.session, signal === run.signal]);
      return undefined;
    });
    const change = agentMiddleware("change", async (context, next) => {
      const [first] = context.messages as [Message];
      context.messages = [{ ...first, contents: [{ type: "text", text: "changed" }] }];
      context.options = { ...context.options, instructions: "Mine." };
      return next();
    });
    const say = provider("say", { ...note("note"), instructions: "More." });
    const agent = {
      id: "a1",
      name: "helper",
      middleware: [change],
      contextProviders: [look, say],
    };
    const { requests } = await play({ turns: ["done"], agent, run: { session } });
    expect(seen).toEqual([
      [["user: changed"], { id: "a1", name: "helper" }, session, session, true],
    ]);
    expect(outline(requests[0]?.messages ?? [])).toEqual(["user: note", "user: changed"]);
    expect(requests[0]?.options.instructions).toEqual([
      { source: "agent", text: "Mine." },
      { source: "say", text: "More.", provided: true },
    ]);
  });

  it("chat handlers see what was provided, and may change it", async () => {
    const drop = chatMiddleware("drop", async (context, next) => {
      context.messages = context.messages.filter((message) => !message.additionalProperties);
      return next();
    });
    const { requests } = await play({
      turns: ["done"],
      agent: { middleware: [drop], contextProviders: [provider("notes", note("note"))] },
    });
    expect(outline(requests[0]?.messages ?? [])).toEqual(["user: go"]);
  });

  it("a provider is asked once in a run, however often an agent handler runs the inside", async () => {
    let asked = 0;
    const twice = agentMiddleware("twice", async (_, next) => {
      await next();
      return next({ signal: new AbortController().signal });
    });
    const { requests } = await play({
      turns: ["one", "two"],
      agent: {
        middleware: [twice],
        contextProviders: [provider("count", () => note(`note ${++asked}`))],
      },
    });
    expect(requests.map(({ messages }) => outline(messages))).toEqual([
      ["user: note 1", "user: go"],
      ["user: note 1", "user: go"],
    ]);
  });

  it("an agent handler that answers by itself spares the providers the question", async () => {
    let asked = 0;
    const { response } = await play({
      turns: [],
      agent: {
        middleware: [agentMiddleware("own", async (context) => context.respond("mine"))],
        contextProviders: [provider("count", () => note(`note ${++asked}`))],
      },
    });
    expect([response.text, asked]).toEqual(["mine", 0]);
  });
});

it("providers are asked at the same time, and what they provide stands in the order of the list", async () => {
  const first = deferred<ProvidedContext>();
  const contextProviders: ContextProvider[] = [
    { name: "slow", provide: () => first.promise },
    {
      name: "quick",
      provide: () => {
        first.resolve(note("slow"));
        return note("quick");
      },
    },
  ];
  const client = new ScriptedChatClient(["done"]);
  await new Agent({ client, contextProviders }).run("go");
  expect(outline(client.requests[0]?.messages ?? [])).toEqual([
    "user: slow",
    "user: quick",
    "user: go",
  ]);
});

it("fifty runs of one agent at once each have what was provided to them", async () => {
  const client = new ScriptedChatClient(({ messages }) =>
    messages.some((message) => message.role === "tool")
      ? outline(messages).join()
      : { calls: [lampIn("hall")] },
  );
  const contextProviders: ContextProvider[] = [
    {
      name: "echo",
      async provide({ messages, run }) {
        await new Promise((resolve) => setImmediate(resolve));
        const text = `for ${outline(messages).join()} of ${run.principal?.id}`;
        return { ...note(text), tools: [{ ...lamp }] };
      },
    },
  ];
  const agent = new Agent({ client, contextProviders });
  const texts = await Promise.all(
    Array.from({ length: 50 }, async (_, at) => {
      const run = agent.run(`task ${at}`, { principal: { id: `p${at}` } });
      return (await run).text;
    }),
  );
  for (const [at, text] of texts.entries()) {
    expect(text).toBe(
      `user: for user: task ${at} of p${at},user: task ${at},assistant: lamp({"room":"hall"}),tool: hall lit`,
    );
  }
});

it("whatever is provided: what the model sees grows at its end alone, and the log is as without it", async () => {
  const someMessages = fc.array(
    fc.record({
      role: fc.constantFrom("user" as const, "assistant" as const),
      contents: fc.string(),
    }),
    { maxLength: 3 },
  );
  const talk = async (options: Omit<AgentOptions, "client">, runs: number, rounds: number) => {
    const session = new AgentSession();
    const seen: (readonly Message[])[][] = [];
    for (let run = 0; run < runs; run++) {
      const calls = Array.from({ length: rounds }, () => ({ calls: [lampIn("hall")] }));
      const client = new ScriptedChatClient([...calls, "done"]);
      await new Agent({ client, tools: lamp, ...options }).run(`task ${run}`, { session });
      seen.push(client.requests.map((request) => request.messages));
    }
    return { seen, log: outline(session.messages) };
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(someMessages, { maxLength: 3 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 0, max: 2 }),
      async (lists, runs, rounds) => {
        const contextProviders = lists.map((messages, at) => provider(`p${at}`, { messages }));
        const { seen, log } = await talk({ contextProviders }, runs, rounds);
        const plain = await talk({}, runs, rounds);
        expect(log).toEqual(plain.log);
        for (const [run, views] of seen.entries()) {
          for (const [at, view] of views.entries()) {
            expect(view.slice(0, views[at - 1]?.length ?? 0)).toEqual(views[at - 1] ?? []);
            const own = view.filter((message) => !message.additionalProperties);
            expect(outline(own)).toEqual(outline(plain.seen[run]?.[at] ?? []));
            expect(view.length - own.length).toBe(lists.flat().length);
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});

import {
  Agent,
  AgentSession,
  agentMiddleware,
  approve,
  type ContextProvider,
  ContextProviderError,
  type FunctionApprovalRequestContent,
  type ProvidedContext,
  type RunEvent,
  tool,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { Conversation } from "./support/desk.js";
import { expectNoUnhandledRejections } from "./support/onions.js";
import { outline } from "./support/outline.js";
import { deferred, rejection, settled } from "./support/play.js";

expectNoUnhandledRejections();

const note = { messages: [{ role: "user" as const, contents: "note" }] };
const providing = (provided: unknown): ContextProvider => ({
  name: "memory",
  provide: () => provided as ProvidedContext,
});

describe.each([{ streamed: false }, { streamed: true }])(
  "a run, streamed: $streamed",
  ({ streamed }) => {
    const run = (agent: Agent, session?: AgentSession, signal?: AbortSignal) =>
      agent.run("go", { session, signal, ...(streamed && { onUpdate: () => {} }) });

    it.each([
      {
        how: "at once",
        provide: () => {
          throw new Error("the store is down");
        },
      },
      {
        how: "later",
        provide: () => settled().then(() => Promise.reject(new Error("the store is down"))),
      },
    ])(
      "fails with the provider's name where one throws $how, and nothing was asked",
      async ({ provide }) => {
        const client = new ScriptedChatClient(["done"]);
        const contextProviders: ContextProvider[] = [
          { name: "fine", provide: () => note },
          { name: "memory", provide },
        ];
        const session = new AgentSession();
        const error = await rejection(run(new Agent({ client, contextProviders }), session));
        expect(error).toBeInstanceOf(ContextProviderError);
        expect(error).toMatchObject({
          code: "provider_failed",
          provider: "memory",
          message: 'Context provider "memory" failed: the store is down',
          cause: new Error("the store is down"),
          transcript: [],
        });
        expect([client.requests, session.messages]).toEqual([[], []]);
        // The session is free again.
        await new Agent({ client }).run("go", { session });
      },
    );

    it("stops at once where a provider hangs and the run is aborted; what comes later is told", async () => {
      const work = deferred<ProvidedContext>();
      const started = deferred();
      const notices: RunEvent[] = [];
      const client = new ScriptedChatClient([]);
      const contextProviders: ContextProvider[] = [
        {
          name: "memory",
          provide() {
            started.resolve();
            return work.promise;
          },
        },
        {
          name: "listens",
          provide: ({ signal }) =>
            new Promise((_, reject) => {
              signal.addEventListener("abort", () => reject(signal.reason));
            }),
        },
      ];
      const agent = new Agent({ client, contextProviders });
      agent.events.on("notice", (event) => void notices.push(event));
      const controller = new AbortController();
      const rejected = rejection(run(agent, undefined, controller.signal));
      await started.promise;
      const reason = new Error("enough");
      controller.abort(reason);
      expect(await rejected).toBe(reason);
      expect(notices).toEqual([]);
      work.resolve(note);
      await settled();
      expect(notices).toMatchObject([
        { code: "provider_abandoned", message: expect.stringContaining('"memory" was given up') },
      ]);
      expect(client.requests).toEqual([]);
    });

    it("that is aborted by what a provider does rejects with the reason, not with the throw", async () => {
      const controller = new AbortController();
      const reason = new Error("enough");
      const provide = () => {
        controller.abort(reason);
        throw new Error("mine");
      };
      const agent = new Agent({
        client: new ScriptedChatClient([]),
        contextProviders: [{ name: "memory", provide }],
      });
      expect(await rejection(run(agent, undefined, controller.signal))).toBe(reason);
    });
  },
);

it.each<[string, unknown, RegExp]>([
  ["null", null, /must be an object such as/],
  ["a text", "note", /must be an object such as/],
  ["a list", [], /must be an object such as/],
  ["instructions that are no text", { instructions: ["x"] }, /`instructions` that are no string/],
  ["messages that are no list", { messages: note.messages[0] }, /`messages` that are no list/],
  ["a message that is a text", { messages: ["note"] }, /a message that is none: write \{ role/],
  [
    "a system message",
    { messages: [{ role: "system", contents: "Obey." }] },
    /role `system`: write it as `instructions`/,
  ],
  ["a tool message", { messages: [{ role: "tool", contents: [] }] }, /than "user" and "assistant"/],
  [
    "a call",
    {
      messages: [
        {
          role: "assistant",
          contents: [{ type: "function_call", callId: "c", name: "x", arguments: {} }],
        },
      ],
    },
    /type "function_call"/,
  ],
  [
    "an answer to a request",
    {
      messages: [
        {
          role: "user",
          contents: [{ type: "function_approval_response", requestId: "r", approved: true }],
        },
      ],
    },
    /type "function_approval_response"/,
  ],
])("%s is not provided: the run fails before anything is asked", async (_, provided, message) => {
  const client = new ScriptedChatClient([]);
  const agent = new Agent({ client, contextProviders: [providing(provided)] });
  const error = await rejection(agent.run("go"));
  expect(error).toMatchObject({ name: "ConfigurationError", code: "invalid_provided" });
  expect(error).toMatchObject({ message: expect.stringMatching(message) });
  expect(error).toMatchObject({ message: expect.stringContaining('"memory"') });
  expect(client.requests).toEqual([]);
});

it("a misspelt member, a tool that is there already and a malformed message are errors that name the provider", async () => {
  const look = tool({ name: "look", description: "Looks.", execute: () => "seen" });
  const failure = (provided: unknown) => {
    const client = new ScriptedChatClient([]);
    return rejection(
      new Agent({ client, tools: look, contextProviders: [providing(provided)] }).run("go"),
    );
  };
  expect(await failure({ message: [] })).toMatchObject({
    code: "unknown_option",
    message: expect.stringMatching(/"memory" provides has no option "message"; .*"messages"/),
  });
  expect(await failure({ tools: [{ ...look }] })).toMatchObject({
    code: "duplicate_tool",
    message: expect.stringContaining('"memory"'),
  });
  expect(
    await failure({ messages: [{ role: "user", contents: [{ type: "text" }] }] }),
  ).toMatchObject({
    code: "provider_failed",
    provider: "memory",
  });
});

it("a handler that catches the failure and tries again has the providers asked again", async () => {
  let asked = 0;
  const again = agentMiddleware("again", async (_, next) => next().catch(() => next()));
  const client = new ScriptedChatClient(["done"]);
  const provide = () => {
    if (++asked === 1) throw new Error("once");
    return note;
  };
  const agent = new Agent({
    client,
    middleware: [again],
    contextProviders: [{ name: "memory", provide }],
  });
  expect((await agent.run("go")).text).toBe("done");
  expect(outline(client.requests[0]?.messages ?? [])).toEqual(["user: note", "user: go"]);
});

it("a bound of an agent handler stops a provider that hangs, and its signal tells", async () => {
  const bound = new AbortController();
  const signals: AbortSignal[] = [];
  const limit = agentMiddleware("limit", async (context, next) => {
    return next({ signal: bound.signal }).catch(() => context.respond("too slow"));
  });
  const agent = new Agent({
    client: new ScriptedChatClient([]),
    middleware: [limit],
    contextProviders: [
      {
        name: "memory",
        provide({ signal }) {
          signals.push(signal);
          queueMicrotask(() => bound.abort(new Error("late")));
          return new Promise(() => {});
        },
      },
    ],
  });
  expect((await agent.run("go")).text).toBe("too slow");
  expect(signals.map((signal) => signal.aborted)).toEqual([true]);
});

describe.each(["session", "history"] as const)(
  "a run that goes on after an approval, in a %s",
  (kept) => {
    /** An agent whose tool comes from its provider. */
    function desk() {
      const ran: string[] = [];
      const wipe = () =>
        tool({
          name: "wipe",
          description: "Wipes.",
          approvalMode: "always_require",
          execute: () => ran.push("wiped"),
        });
      let runs = 0;
      const contextProviders: ContextProvider[] = [
        {
          name: "tools",
          provide: () => ({
            tools: wipe(),
            messages: [{ role: "user", contents: `note ${++runs}` }],
          }),
        },
      ];
      const client = new ScriptedChatClient([
        {
          calls: [
            { name: "wipe", id: "1" },
            { name: "wipe", id: "2" },
          ],
        },
        "done",
      ]);
      return { agent: new Agent({ client, contextProviders }), client, ran };
    }

    it("has its context provided again, and the approved calls run", async () => {
      const { agent, client, ran } = desk();
      const conversation = new Conversation(agent, kept);
      expect((await conversation.say("go")).outcome).toBe("paused");
      conversation.restart();
      const [one, two] = conversation.pending as readonly FunctionApprovalRequestContent[];
      if (!one || !two) throw new Error("two calls are asked about");
      // An answer to some is recorded, and the model is not asked.
      expect((await conversation.say(approve(one))).outcome).toBe("paused");
      expect(client.requests).toHaveLength(1);
      const response = await conversation.say(approve(two));
      expect([response.text, ran]).toEqual(["done", ["wiped", "wiped"]]);
      expect(outline(client.requests[1]?.messages ?? [])).toEqual([
        "user: go",
        "user: note 3",
        "assistant: wipe({}) | wipe({})",
        "tool: 1 | 2",
      ]);
      expect(conversation.log.flatMap((message) => outline([message]))).not.toContainEqual(
        expect.stringContaining("note"),
      );
    });

    it("takes what is provided for no words of the person, who still has to answer the rest", async () => {
      const contents = ["s1", "s2"].map((requestId) => ({
        type: "function_approval_request" as const,
        requestId,
        call: { type: "function_call" as const, callId: requestId, name: "search", arguments: {} },
      }));
      const client = new ScriptedChatClient([{ contents }, "done"]);
      const contextProviders = [providing(note)];
      const conversation = new Conversation(new Agent({ client, contextProviders }), kept);
      await conversation.say("go");
      const [one, two] = conversation.pending as readonly FunctionApprovalRequestContent[];
      if (!one || !two) throw new Error("the service asks twice");
      expect((await conversation.say(approve(one))).outcome).toBe("paused");
      expect(client.requests).toHaveLength(1);
      expect((await conversation.say(approve(two))).text).toBe("done");
    });

    it("asks nobody again where nothing new has come: what waits comes back", async () => {
      const { agent, client } = desk();
      const conversation = new Conversation(agent, kept);
      const { approvalRequests } = await conversation.say("go");
      const again = await conversation.say();
      expect([again.outcome, again.approvalRequests]).toEqual(["paused", approvalRequests]);
      expect(client.requests).toHaveLength(1);
    });
  },
);

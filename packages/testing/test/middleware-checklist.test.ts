import {
  Agent,
  AgentSession,
  agentMiddleware,
  bufferUpdates,
  ConfigurationError,
  chatMiddleware,
  functionMiddleware,
  type Message,
  type Middleware,
  tool,
  toolResult,
  verdictMiddleware,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { expectNoUnhandledRejections, kinds, middlewareOf } from "./support/onions.js";
import { outline, resultTexts } from "./support/outline.js";
import { inBothManners } from "./support/play.js";
import { lamp, lampIn, ping } from "./support/tools.js";

expectNoUnhandledRejections();

const turns = [{ calls: [lampIn("hall")] }, "done"];
const user = (text: string): Message => ({
  id: text,
  role: "user",
  contents: [{ type: "text", text }],
  createdAt: 0,
});

inBothManners((play, streamed) => {
  it("contexts show what they are about", async () => {
    const seen: Record<string, unknown> = {};
    const session = new AgentSession({ id: "s" });
    const middleware: Middleware = {
      name: "watch",
      agent: (context, next) => {
        const { agent, messages, options, streamed: live } = context;
        seen["agent"] = [agent?.name, messages.length, options.model, live, context.session?.id];
        return next();
      },
      chat: (context, next) => {
        const { iteration, messages, options, streamed: live } = context;
        seen[`chat ${iteration}`] = [messages.length, options.tools?.length, live];
        return next();
      },
      verdict: (context, next) => {
        seen["verdict"] = [context.tool.name, context.arguments, context.session?.id];
        return next();
      },
      function: (context, next) => {
        const { agentName, iteration, messages, tools, services, streamed: live } = context;
        seen["function"] = [agentName, iteration, messages.length, tools.length, services, live];
        return next();
      },
    };
    await play({
      turns,
      agent: { name: "ada", tools: [lamp, ping], middleware: [middleware], services: { db: 1 } },
      run: { session, options: { model: "m" } },
    });
    expect(seen).toEqual({
      agent: ["ada", 1, "m", streamed, "s"],
      "chat 1": [1, 2, streamed],
      "chat 2": [3, 2, streamed],
      verdict: ["lamp", { room: "hall" }, "s"],
      function: ["ada", 1, 1, 2, { db: 1 }, streamed],
    });
  });

  it("without next() nothing inside happens: agent, chat, verdict, function", async () => {
    const inner: string[] = [];
    const answers: Record<string, (context: never) => unknown> = {
      agent: (context: { respond(text: string): unknown }) => context.respond("agent says"),
      chat: (context: { respond(text: string): unknown }) => context.respond("chat says"),
      verdict: () => ({ kind: "deny", message: "no" }),
      function: () => toolResult({ contents: "function says" }),
    };
    const results: Record<string, string> = {};
    for (const kind of kinds) {
      const list = [
        middlewareOf(kind, "stops", async (context) => answers[kind]?.(context as never)),
        middlewareOf(kind, "inner", (_context, next) => {
          inner.push(kind);
          return next();
        }),
      ];
      const { response } = await play({ turns, agent: { tools: lamp, middleware: list } });
      results[kind] = [...resultTexts(response.messages), response.text].join(" / ");
    }
    expect(inner).toEqual([]);
    expect(results).toEqual({
      agent: "agent says",
      chat: "chat says",
      verdict: "Error: no / done",
      function: "function says / done",
    });
  });

  it("results are observed and overridden after the fact: agent, chat, function", async () => {
    const seen: unknown[] = [];
    const middleware: Middleware = {
      name: "override",
      agent: async (context, next) => {
        seen.push((await next()).text);
        return context.respond("from the agent handler");
      },
      chat: async (context, next) => {
        const response = await next();
        seen.push(response.finishReason);
        return response.finishReason === "stop"
          ? context.respond("from the chat handler")
          : response;
      },
      function: async (_context, next) => {
        seen.push((await next()).contents);
        return toolResult({ contents: "from the function handler" });
      },
    };
    const { response, requests } = await play({
      turns,
      agent: { tools: lamp, middleware: [middleware] },
    });
    expect(response.text).toBe("from the agent handler");
    expect(resultTexts(requests[1]?.messages ?? [])).toEqual(["from the function handler"]);
    expect(seen).toEqual([
      "tool_calls",
      [{ type: "text", text: "hall lit" }],
      "stop",
      "from the chat handler",
    ]);
  });

  it("messages, options and arguments can be changed, for the inside only", async () => {
    const outside: unknown[] = [];
    const list: Middleware[] = [
      agentMiddleware("outer agent", async (context, next) => {
        const response = await next();
        outside.push(context.messages.length, context.options.model);
        return response;
      }),
      agentMiddleware("agent", (context, next) => {
        context.messages = [...context.messages, user("more")];
        context.options = { ...context.options, model: "small" };
        return next();
      }),
      chatMiddleware("outer chat", async (context, next) => {
        const response = await next();
        outside.push(context.options.temperature);
        return response;
      }),
      chatMiddleware("chat", (context, next) => {
        context.options = { ...context.options, temperature: 0 };
        return next();
      }),
      functionMiddleware("function", (context, next) => {
        context.arguments = { room: "attic" };
        return next();
      }),
    ];
    const { response, requests } = await play({ turns, agent: { tools: lamp, middleware: list } });
    expect(resultTexts(response.messages)).toEqual(["attic lit"]);
    expect(requests.map(({ options }) => [options.model, options.temperature])).toEqual([
      ["small", 0],
      ["small", 0],
    ]);
    expect(outline(requests[0]?.messages ?? [])).toEqual(["user: go", "user: more"]);
    expect(outside).toEqual([undefined, undefined, 1, undefined]);
    // The log says what the model wrote.
    expect(outline(response.messages)[0]).toBe('assistant: lamp({"room":"hall"})');
  });

  it("run-level handlers are that run's alone, and are split by kind", async () => {
    const seen: string[] = [];
    const note = (name: string): Middleware => ({
      name,
      ...Object.fromEntries(
        kinds.map((kind) => [
          kind,
          (_context: unknown, next: () => Promise<never>) => {
            seen.push(`${name} ${kind}`);
            return next();
          },
        ]),
      ),
    });
    const client = new ScriptedChatClient([...turns, ...turns]);
    const agent = new Agent({ client, tools: lamp });
    const options = streamed ? { onUpdate: () => {} } : {};
    await agent.run("go", { ...options, middleware: [note("run")] });
    await agent.run("go", options);
    expect(seen).toEqual(["run agent", "run chat", "run verdict", "run function", "run chat"]);
  });

  it("messages that tools leave in the session are injected into the next round, after the results", async () => {
    const inject = chatMiddleware("inject", (context, next) => {
      const queue = (context.run.session?.state["queue"] ?? []) as string[];
      if (context.run.session) context.run.session.state["queue"] = [];
      context.messages = [...context.messages, ...queue.map(user)];
      return next();
    });
    const remind = tool({
      name: "remind",
      description: "Leaves a note.",
      execute: (_args, context) => {
        if (context.session) context.session.state["queue"] = ["mind the gap"];
      },
    });
    const session = new AgentSession();
    session.state["queue"] = ["before all"];
    const { requests } = await play({
      turns: [{ calls: [{ name: "remind" }] }, "done"],
      agent: { tools: remind, middleware: [inject] },
      run: { session },
    });
    expect(requests.map(({ messages }) => messages.at(-1)?.contents)).toEqual([
      [{ type: "text", text: "before all" }],
      [{ type: "text", text: "mind the gap" }],
    ]);
    expect(outline(session.messages).join()).not.toContain("gap");
  });

  it("what a guard withholds is never stored, and what it changes is stored changed", async () => {
    for (const [text, stored] of [
      ["a secret", "assistant: [withheld]"],
      ["the hall", "assistant: THE HALL"],
    ] as const) {
      const session = new AgentSession();
      const guard = agentMiddleware("guard", async (context, next) => {
        const response = await next();
        if (response.text.includes("secret")) return context.respond("[withheld]");
        const messages = response.messages.map((message) => ({
          ...message,
          contents: [{ type: "text" as const, text: response.text.toUpperCase() }],
        }));
        return response.with({ messages });
      });
      await play({ turns: [text], agent: { middleware: [guard] }, run: { session } });
      expect(outline(session.messages)).toEqual(["user: go", stored]);
    }
  });

  it("an answer that another handler put in is guarded, too", async () => {
    const guard = chatMiddleware("guard", async (context, next) => {
      const response = await next();
      const text = JSON.stringify(response.messages.map((message) => message.contents));
      return text.includes("secret") ? context.respond("[withheld]") : response;
    });
    const cache = chatMiddleware("cache", async (context) => context.respond("a cached secret"));
    const { response } = await play({ turns: [], agent: { middleware: [guard, cache] } });
    expect(response.text).toBe("[withheld]");
  });

  it("a buffered answer shows nothing before the verdict, also through an agent that is a tool", async () => {
    const guard = chatMiddleware("guard", (context, next) => {
      context.transformUpdates(bufferUpdates((_message, text) => !text.includes("secret")));
      return next();
    });
    const child = new Agent({
      name: "child",
      client: new ScriptedChatClient(["it is a secret, you know"], { chunkSize: 3 }),
      middleware: [guard],
    });
    const { response, updates } = await play({
      turns: [{ calls: [{ name: "child", arguments: { task: "tell" } }] }, "it would not say"],
      agent: { tools: child.asTool() },
    });
    expect(response.text).toBe("it would not say");
    expect(JSON.stringify([updates, response.messages])).not.toContain("secret");
  });

  it("handlers see the same session over several runs", async () => {
    const seen: unknown[] = [];
    const session = new AgentSession();
    const watch = agentMiddleware("watch", (context, next) => {
      seen.push(context.session, context.messages.length);
      return next();
    });
    for (const text of ["one", "two"]) {
      await play({ turns: [text], agent: { middleware: [watch] }, run: { session } });
    }
    expect(seen).toEqual([session, 1, session, 1]);
  });
});

describe("decided otherwise than the relative does", () => {
  const client = () => new ScriptedChatClient(["done"]);
  const idle = agentMiddleware("idle", (_context, next) => next());

  it("a single middleware is no list: it is refused with what to write", () => {
    const middleware = idle as unknown as Middleware[];
    expect(() => new Agent({ client: client(), middleware })).toThrow(
      "`middleware` must be a list: [first, second].",
    );
  });

  it.each([[null], ["logging"], [42]])(
    "%s in the list is an error, not skipped with a warning",
    (value) => {
      const middleware = [value] as unknown as Middleware[];
      expect(() => new Agent({ client: client(), middleware })).toThrow(ConfigurationError);
    },
  );

  it("the list is read once: what is added to the array later stands in no run", async () => {
    const seen: string[] = [];
    const note = (name: string): Middleware =>
      agentMiddleware(name, (_context, next) => {
        seen.push(name);
        return next();
      });
    const list = [note("first")];
    const agent = new Agent({ client: client(), middleware: list });
    list.push(note("later"));
    await agent.run("go");
    expect(seen).toEqual(["first"]);
  });

  it("a function handler's own throw fails the run instead of becoming a tool's error", async () => {
    const middleware = [
      functionMiddleware("broken", () => {
        throw new Error("no");
      }),
    ];
    const agent = new Agent({ client: new ScriptedChatClient(turns), tools: lamp, middleware });
    await expect(agent.run("go")).rejects.toMatchObject({ code: "handler_failed" });
  });

  it("a handler that returns nothing is an error instead of an empty result", async () => {
    const middleware = [verdictMiddleware("silent", async () => undefined as never)];
    const agent = new Agent({ client: new ScriptedChatClient(turns), tools: lamp, middleware });
    await expect(agent.run("go")).rejects.toMatchObject({ code: "nothing_returned" });
  });
});

import {
  Agent,
  AgentSession,
  type ChatClient,
  chatMiddleware,
  type Principal,
  type RunContext,
  type RunEvent,
  tool,
} from "@tunic/core";
import { manualEnvironment, ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { expectNoUnhandledRejections, kinds, middlewareOf } from "./support/onions.js";
import { inBothManners, rejection } from "./support/play.js";
import { lamp, lampIn, ping } from "./support/tools.js";

expectNoUnhandledRejections();

const turns = [{ calls: [lampIn("hall")] }, "done"];
const principal: Principal = { id: "ada", roles: ["admin"], tenant: "acme" };

/** Handlers of every kind that write down what they see. */
function watchers(see: (kind: string, run: RunContext) => void) {
  return kinds.map((kind) =>
    middlewareOf(kind, `watch ${kind}`, (context, next) => {
      see(kind, context.run);
      return next();
    }),
  );
}

inBothManners((play) => {
  it("the principal is readable in every context, in tools and in child runs", async () => {
    const seen: unknown[] = [];
    const see = (kind: string, run: RunContext): void => {
      seen.push([kind, run.principal]);
    };
    const inner = tool({
      name: "lamp",
      description: "Lights.",
      execute: (_args, context) => see("tool", context.run),
    });
    const child = new Agent({
      name: "child",
      client: new ScriptedChatClient([{ calls: [{ name: "lamp" }] }, "done"]),
      tools: inner,
      middleware: watchers(see),
    });
    await play({
      turns: [{ calls: [{ name: "child", arguments: { task: "light" } }] }, "done"],
      agent: { tools: child.asTool(), middleware: watchers(see) },
      run: { principal },
    });
    expect(seen).toHaveLength(5 + 6);
    for (const [, given] of seen as [string, Principal][]) expect(given).toEqual(principal);
  });

  it("nothing but the run's options sets it: no session, no tool, no handler, no model", async () => {
    const forged = { id: "root", roles: ["root"] };
    const session = AgentSession.fromJSON({
      ...JSON.parse(JSON.stringify(new AgentSession())),
      principal: forged,
      state: { principal: forged },
    });
    const seen: unknown[] = [];
    const forge = middlewareOf("agent", "forge", (context, next) => {
      expect(() => {
        (context.run.principal as { id: string }).id = "root";
      }).toThrow(TypeError);
      const roles = context.run.principal?.roles as unknown as string[];
      expect(() => roles.push("root")).toThrow(TypeError);
      return next();
    });
    await play({
      turns: [{ calls: [{ name: "lamp", arguments: { room: "x", principal: "root" } }] }, "done"],
      agent: {
        tools: lamp,
        middleware: [forge, ...watchers((_kind, run) => seen.push(run.principal))],
      },
      run: { principal, session },
    });
    for (const given of seen) expect(given).toEqual(principal);
    const { response } = await play({
      turns: ["done"],
      agent: { middleware: watchers((_kind, run) => seen.push(run.principal)) },
      run: { session },
    });
    expect(response.text).toBe("done");
    expect(seen.at(-1)).toBeUndefined();
  });

  it("a principal that the caller changes afterwards is not the run's", async () => {
    const mine = { id: "ada", roles: ["user"] };
    const seen: unknown[] = [];
    await play({
      turns,
      agent: {
        tools: lamp,
        middleware: [
          middlewareOf("agent", "late", (_context, next) => {
            mine.id = "root";
            mine.roles.push("root");
            return next();
          }),
          ...watchers((_kind, run) => seen.push(run.principal)),
        ],
      },
      run: { principal: mine },
    });
    expect(seen.at(-1)).toEqual({ id: "ada", roles: ["user"] });
  });

  it.each([
    "mara",
    null,
    {},
    { id: "" },
    { id: 7 },
    { id: "mara", roles: "admin" },
    { id: "mara", tenant: 1 },
  ])("what is no principal is refused before anything begins: %j", async (wrong) => {
    const run = { principal: wrong as unknown as Principal };
    expect(await rejection(play({ turns: ["done"], run }))).toMatchObject({
      code: "invalid_option",
      message: expect.stringContaining("`principal` must be an object"),
    });
  });

  it("run.child() is for model calls of a handler's own: same principal, services, signal and clock", async () => {
    const seen: RunContext[] = [];
    const judge: ChatClient = {
      metadata: { provider: "judge" },
      async getResponse(request) {
        if (request.run) seen.push(request.run);
        return new ScriptedChatClient(["fine"]).getResponse(request);
      },
    };
    const controller = new AbortController();
    const runs: RunContext[] = [];
    await play({
      turns: ["done"],
      agent: {
        services: { db: 1 },
        environment: manualEnvironment(42),
        middleware: [
          middlewareOf("chat", "judge", async (context, next) => {
            runs.push(context.run);
            const run = context.run.child();
            await judge.getResponse({ messages: [], options: {}, run, signal: run.signal });
            return next();
          }),
        ],
      },
      run: { principal, signal: controller.signal },
    });
    const [child] = seen;
    const [parent] = runs;
    expect(child?.parent).toBe(parent);
    expect(child?.id).not.toBe(parent?.id);
    expect(child?.principal).toEqual(principal);
    expect(child?.services).toEqual({ db: 1 });
    expect(child?.now()).toBe(42);
    expect(child?.state).not.toBe(parent?.state);
  });

  it.each(["before the model", "after it"])(
    "what a run that a chat handler starts %s uses is summed at the run",
    async (when) => {
      const client = new ScriptedChatClient([{ text: "x", usage: { inputTokens: 100 } }]);
      const child = new Agent({ client });
      const asking = chatMiddleware("asking", async ({ run }, next) => {
        if (when === "before the model") await child.run("t", { parent: run });
        const response = await next();
        if (when === "after it") await child.run("t", { parent: run });
        return response;
      });
      const { response } = await play({
        turns: [{ text: "done", usage: { inputTokens: 2 } }],
        agent: { middleware: [asking] },
      });
      expect(response.usage).toEqual({ inputTokens: 102 });
      expect(response.lastUsage).toEqual({ inputTokens: 2 });
    },
  );

  it("a chat handler may take tools away; a call of one that was taken does not run", async () => {
    const narrow = middlewareOf("chat", "narrow", (context, next) => {
      const chat = context as unknown as { options: { tools?: { name: string }[] } };
      const tools = chat.options.tools?.filter((each) => each.name !== "lamp") ?? [];
      chat.options = { ...chat.options, tools };
      return next();
    });
    const { response, requests } = await play({
      turns: [{ calls: [lampIn("hall"), { name: "ping" }] }, "done"],
      agent: { tools: [lamp, ping], middleware: [narrow] },
    });
    expect(requests.map(({ options }) => options.tools?.map((each) => each.name))).toEqual([
      ["ping"],
      ["ping"],
    ]);
    const results = response.messages[1]?.contents ?? [];
    expect(results).toMatchObject([
      { isError: true, error: { code: "unknown_tool" } },
      { contents: [{ text: "pong" }] },
    ]);
    expect(JSON.stringify(results)).not.toContain("lit");
  });
});

describe("layer events", () => {
  const middleware = kinds.map((kind) => middlewareOf(kind, `my ${kind}`, (_c, next) => next()));
  const make = () => new Agent({ client: new ScriptedChatClient(turns), tools: lamp, middleware });

  it("come only to those who ask for them by name, each start with one end", async () => {
    const agent = make();
    const seen: string[] = [];
    const note = (event: RunEvent<"layer.start"> | RunEvent<"layer.end">): void => {
      seen.push(`${event.type} ${event.kind} ${event.middleware}`);
    };
    const off = [agent.events.on("layer.start", note), agent.events.on("layer.end", note)];
    const others: string[] = [];
    await agent.run("go", { onEvent: (event) => others.push(event.type) });
    expect(seen).toEqual([
      "layer.start agent my agent",
      "layer.start chat my chat",
      "layer.end chat my chat",
      "layer.start verdict my verdict",
      "layer.end verdict my verdict",
      "layer.start function my function",
      "layer.end function my function",
      "layer.start chat my chat",
      "layer.end chat my chat",
      "layer.end agent my agent",
    ]);
    expect(others.filter((type) => type.startsWith("layer"))).toEqual([]);
    for (const stop of off) stop();
  });

  it("measure nothing when nobody asked: the clock is not read for layers", async () => {
    const reads = async (withLayers: boolean): Promise<number> => {
      let count = 0;
      const environment = {
        ...manualEnvironment(),
        now: () => {
          count++;
          return 0;
        },
      };
      const agent = new Agent({
        client: new ScriptedChatClient(turns),
        tools: lamp,
        environment,
        ...(withLayers && { middleware }),
      });
      await agent.run("go", { onEvent: () => {} });
      return count;
    };
    expect(await reads(true)).toBe(await reads(false));
  });

  it("say that a layer has failed", async () => {
    const agent = new Agent({
      client: new ScriptedChatClient(["hi"]),
      middleware: [
        middlewareOf("chat", "broken", () => {
          throw new Error("no");
        }),
      ],
    });
    const seen: string[] = [];
    agent.events.on("layer.end", ({ middleware: name, outcome }) =>
      seen.push(`${name} ${outcome}`),
    );
    await agent.run("go").catch(() => {});
    expect(seen).toEqual(["broken failed"]);
  });
});

import {
  Agent,
  AgentSession,
  approve,
  chatMiddleware,
  deny,
  hostedTool,
  type Message,
  textOf,
  tool,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { toolSearch } from "../src/index.js";
import {
  foundIn,
  modes,
  offered,
  plain,
  resultsOf,
  run,
  scripted,
  textOfResult,
} from "./support/agents.js";

const tides = plain("tides_read", "Reads the tide table.");
const lamps = plain("lamps_switch", "Switches a lamp.");
const pay = tool({
  name: "fees_pay",
  description: "Pays harbor fees.",
  approvalMode: "always_require",
  execute: () => "paid",
});
const tools = [tides, lamps, pay];

/** As a program that ends after each run. */
function restored(session: AgentSession): AgentSession {
  return AgentSession.fromJSON(JSON.parse(JSON.stringify(session)));
}

describe.each(modes)("tool search, %s", (mode) => {
  it("hides tools until they are found; what was found stands at the end, in the order in which it was", async () => {
    const { agent, client } = scripted(
      [
        ["search_tools", { query: "tide" }],
        ["tides_read"],
        ["search_tools", { query: "lamp" }],
        "done",
      ],
      { tools: plain("clock"), contextProviders: [toolSearch({ tools: [lamps, tides, pay] })] },
    );
    const { messages } = await run(mode, agent, "go");
    expect(offered(client)).toEqual([
      ["clock", "search_tools"],
      ["clock", "search_tools", "tides_read"],
      ["clock", "search_tools", "tides_read"],
      ["clock", "search_tools", "tides_read", "lamps_switch"],
    ]);
    expect(textOfResult(resultsOf(messages)[1] ?? failed())).toBe("tides_read ran");
  });

  it("shows core tools and hosted tools from the beginning", async () => {
    const hosted = hostedTool({ provider: "scripted", name: "web", definition: { type: "web" } });
    const { agent, client } = scripted(["done"], {
      contextProviders: [toolSearch({ tools: [tides, hosted, lamps], core: ["lamps_switch"] })],
    });
    await run(mode, agent, "go");
    expect(offered(client)).toEqual([["search_tools", "web", "lamps_switch"]]);
  });

  it("offers in later runs of a session what was found in it, and nothing that has gone", async () => {
    const session = new AgentSession();
    const { agent } = scripted([["search_tools", { query: "tide lamp", limit: 2 }], "done"], {
      contextProviders: [toolSearch({ tools })],
    });
    await run(mode, agent, "go", session);
    const later = scripted(["done", "done"], {
      contextProviders: [toolSearch({ tools: [lamps, pay] })],
    });
    const stored = restored(session);
    await run(mode, later.agent, "again", stored);
    expect(offered(later.client)).toEqual([["search_tools", "lamps_switch"]]);
    expect(stored.state).toEqual({ tool_search: ["lamps_switch", "tides_read"] });
  });

  it("takes nothing but names out of a session that somebody has written to", async () => {
    for (const stored of [
      null,
      "lamps_switch",
      { 0: "lamps_switch" },
      [1, null, "nobody", "lamps_switch"],
    ]) {
      const session = new AgentSession();
      session.state["tool_search"] = stored;
      const { agent, client } = scripted(["done"], { contextProviders: [toolSearch({ tools })] });
      await run(mode, agent, "go", session);
      const right = Array.isArray(stored) ? ["search_tools", "lamps_switch"] : ["search_tools"];
      expect(offered(client)).toEqual([right]);
    }
  });

  it("knows without a session what the conversation shows to have been called", async () => {
    const first = scripted([["search_tools", { query: "tide lamp" }], ["tides_read"], "done"], {
      contextProviders: [toolSearch({ tools })],
    });
    const history: Message[] = [...(await run(mode, first.agent, "go")).newMessages];
    const { agent, client } = scripted(["done"], { contextProviders: [toolSearch({ tools })] });
    await run(mode, agent, [...history, { role: "user", contents: "again" } as never]);
    expect(offered(client)).toEqual([["search_tools", "tides_read"]]);
  });

  it.each(["approved", "denied"])(
    "pauses before a found tool, and goes on after a restart: %s",
    async (decision) => {
      const first = scripted([["search_tools", { query: "fees" }], ["fees_pay"]], {
        contextProviders: [toolSearch({ tools })],
      });
      const session = new AgentSession();
      const asked = await run(mode, first.agent, "go", session);
      expect(asked.outcome).toBe("paused");
      const [request] = asked.approvalRequests;
      if (request === undefined) throw new Error("somebody is asked");

      const { agent, client } = scripted([["fees_pay"], "done"], {
        contextProviders: [toolSearch({ tools })],
      });
      const answer = decision === "approved" ? approve(request) : deny(request);
      const done = await run(mode, agent, answer, restored(session));
      expect(offered(client)[0]).toEqual(["search_tools", "fees_pay"]);
      const [result] = resultsOf(done.messages);
      if (decision === "approved") expect(textOfResult(result ?? failed())).toBe("paid");
      else expect(result?.isError).toBe(true);
    },
  );

  it("makes a search that had waited for a person beside another call", async () => {
    const turns = [
      { calls: [{ name: "search_tools", arguments: { query: "tide" } }, { name: "fees_pay" }] },
      "done",
    ];
    const session = new AgentSession();
    const options = { contextProviders: [toolSearch({ tools, core: ["fees_pay"] })] };
    const asked = await run(mode, scripted(turns.slice(0, 1), options).agent, "go", session);
    const { agent, client } = scripted(turns.slice(1), options);
    const answers = asked.approvalRequests.map((request) => approve(request));
    const done = await run(mode, agent, answers, restored(session));
    expect(offered(client)).toEqual([["search_tools", "fees_pay", "tides_read"]]);
    expect(textOfResult(resultsOf(done.messages)[0] ?? failed())).toContain("from now on");
  });

  it("does not run what was not found yet, says so, and offers it then", async () => {
    const { agent, client } = scripted([["tides_read"], ["tides_read"], "done"], {
      contextProviders: [toolSearch({ tools })],
    });
    const [guessed, called] = resultsOf((await run(mode, agent, "go")).messages);
    expect(guessed?.error).toMatchObject({
      code: "unknown_tool",
      message: 'Requested function "tides_read" not found. The tools are: search_tools.',
    });
    expect(textOfResult(called ?? failed())).toBe("tides_read ran");
    expect(offered(client)[1]).toEqual(["search_tools", "tides_read"]);
  });

  it("neither lists nor offers what a chat handler takes out of the request", async () => {
    const noLamps = chatMiddleware("no-lamps", async (context, next) => {
      const left = context.options.tools?.filter(({ name }) => name !== "lamps_switch");
      context.options = { ...context.options, tools: left };
      return await next();
    });
    const session = new AgentSession();
    const { agent, client } = scripted(
      [
        ["search_tools", { query: "lamps_switch" }],
        ["lamps_switch"],
        ["search_tools", { query: "tide lamp" }],
        "done",
      ],
      { middleware: [noLamps], contextProviders: [toolSearch({ tools })] },
    );
    const [none, refused, some] = resultsOf((await run(mode, agent, "go", session)).messages);
    expect(foundIn(none)).toEqual([]);
    expect(refused?.error?.code).toBe("unknown_tool");
    expect(foundIn(some)).toEqual(["tides_read"]);
    expect(offered(client).flat()).not.toContain("lamps_switch");
    expect(session.state).toEqual({ tool_search: ["tides_read"] });
  });

  it("follows tools that are added and removed while the run goes on", async () => {
    const change = tool({
      name: "change",
      execute: (_input, context) => {
        context.removeTools("tides_read");
        context.addTools(plain("extra"));
      },
    });
    const { agent, client } = scripted(
      [
        ["search_tools", { query: "tide" }],
        ["change"],
        ["search_tools", { query: "tide" }],
        "done",
      ],
      { tools: change, contextProviders: [toolSearch({ tools })] },
    );
    const results = resultsOf((await run(mode, agent, "go")).messages);
    expect(foundIn(results[2])).toEqual([]);
    expect(offered(client)[2]).toEqual(["change", "search_tools", "extra"]);
  });

  it("offers what a tool choice names in the round that it is for", async () => {
    const { agent, client } = scripted([["tides_read"], "done"], {
      options: { toolChoice: { name: "tides_read" } },
      contextProviders: [toolSearch({ tools })],
    });
    const { messages } = await run(mode, agent, "go");
    expect(textOfResult(resultsOf(messages)[0] ?? failed())).toBe("tides_read ran");
    expect(offered(client)[0]).toEqual(["search_tools", "tides_read"]);
  });

  it("keeps runs apart that go on at the same time on one agent", async () => {
    const client = new ScriptedChatClient(({ messages }) => {
      const [first] = messages;
      const query = first === undefined ? "" : textOf(first);
      return messages.length > 1
        ? "done"
        : { calls: [{ name: "search_tools", arguments: { query } }] };
    });
    const agent = new Agent({ client, contextProviders: [toolSearch({ tools })] });
    const sessions = ["tide", "lamp", "fees"].map((query) => [query, new AgentSession()] as const);
    await Promise.all(sessions.map(([query, session]) => run(mode, agent, query, session)));
    expect(sessions.map(([, { state }]) => state["tool_search"])).toEqual([
      ["tides_read"],
      ["lamps_switch"],
      ["fees_pay"],
    ]);
    expect(
      offered(client)
        .slice(3)
        .map((names) => names.length),
    ).toEqual([2, 2, 2]);
  });
});

describe("search_tools", () => {
  const many = Array.from({ length: 30 }, (_, at) =>
    plain(`gate_${at}`, "Opens a gate.".repeat(60)),
  );
  const search = async (args: { query: string; limit?: number }) => {
    const { agent } = scripted([["search_tools", args], "done"], {
      contextProviders: [toolSearch({ tools: many })],
    });
    return resultsOf((await agent.run("go")).messages)[0] ?? failed();
  };

  it("gives five tools, as many as asked for, and never more than twenty", async () => {
    expect(foundIn(await search({ query: "gate" }))).toHaveLength(5);
    expect(foundIn(await search({ query: "gate", limit: 7 }))).toHaveLength(7);
    expect(foundIn(await search({ query: "gate", limit: 1000 }))).toHaveLength(20);
    expect((await search({ query: "gate", limit: 0 })).error?.code).toBe("invalid_arguments");
  });

  it("shortens long descriptions: the whole one comes with the tool", async () => {
    const { tools } = JSON.parse(textOfResult(await search({ query: "gate" })));
    expect(tools[0].description).toBe(`${"Opens a gate.".repeat(60).slice(0, 400)}…`);
  });

  it("is found in no catalogue of its own, and does nothing outside of a run", async () => {
    const [own] = [toolSearch({ tools }).tools].flat(9);
    if (own === undefined || !("invoke" in own)) throw new Error("a tool");
    const { contents } = await own.invoke({ query: "tide" });
    expect(contents).toEqual([
      expect.objectContaining({ text: expect.stringContaining('"tools":[]') }),
    ]);
  });
});

describe("options", () => {
  it.each([
    [{}, "write `tools` or `providers`"],
    [{ tools, cores: [] }, "cores"],
    [{ tools, core: ["tide_read"] }, 'did you mean "tides_read"?'],
    [{ tools: [tides, plain("tides_read")] }, "tides_read"],
    [{ providers: {} }, "must be a list"],
    [{ providers: [{}] }, "providers[0] is no context provider"],
    [{ providers: [{ name: "a", tools }, { name: "a" }] }, 'two providers are "a"'],
  ])("%j is refused", (options, why) => {
    expect(() => toolSearch(options as never)).toThrow(why);
  });

  it("tells in the run of core names that a provider does not have", async () => {
    const notices: unknown[] = [];
    const provider = { name: "a", provide: () => ({ tools }) };
    const { agent } = scripted(["done"], {
      contextProviders: [toolSearch({ providers: [provider], core: ["tide_read", "fees_pay"] })],
    });
    await agent.run("go", { onEvent: (event) => event.type === "notice" && notices.push(event) });
    expect(notices).toEqual([
      expect.objectContaining({
        code: "tool_search_core",
        message: expect.stringContaining('did you mean "tides_read"?'),
      }),
    ]);
  });
});

function failed(): never {
  throw new Error("there is no result");
}

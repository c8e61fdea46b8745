import {
  AgentSession,
  type ContextProvider,
  ContextProviderError,
  type FunctionInvocationContext,
  type Middleware,
  type Next,
  type ToolResult,
  textOf,
  tool,
} from "@tunic/core";
import { describe, expect, it } from "vitest";
import { toolSearch } from "../src/index.js";
import { modes, offered, plain, resultsOf, run, scripted, textOfResult } from "./support/agents.js";

const tides = plain("tides_read", "Reads the tide table.");
const lamp = tool({
  name: "lamps_switch",
  description: "Switches a lamp.",
  parameters: { type: "object", properties: { room: { type: "string" } }, required: ["room"] },
  execute: ({ room }) => `The lamp of the ${room} is on.`,
});

/** Puts every lamp into the hall, and adds a tool after the first call. A class, as providers may be. */
class Hall implements Middleware {
  readonly name = "hall";
  readonly #room = "hall";

  async function(context: FunctionInvocationContext, next: Next<ToolResult>): Promise<ToolResult> {
    if (context.tool.name === "lamps_switch") context.arguments = { room: this.#room };
    const result = await next();
    if (!context.tools.some(({ name }) => name === "lamps_dim")) {
      context.addTools([plain("lamps_dim", "Dims a lamp."), [plain("lamps_list", "Lists lamps.")]]);
    }
    return result;
  }
}

const house = (): ContextProvider & { closed: number } => ({
  name: "house",
  instructions: "Lamps cost money.",
  tools: tides,
  middleware: [new Hall()],
  provide: async () => ({
    instructions: "It is dark.",
    tools: [lamp],
    messages: [{ role: "user", contents: "The hall is dark." }],
  }),
  closed: 0,
  close() {
    this.closed++;
  },
});

describe.each(modes)("wrapped providers, %s", (mode) => {
  it("defers their tools, and keeps instructions, messages and middleware", async () => {
    const { agent, client } = scripted(
      [["search_tools", { query: "lamp" }], ["lamps_switch", { room: "cellar" }], "done"],
      { contextProviders: [toolSearch({ providers: [house()] })] },
    );
    const { messages } = await run(mode, agent, "go");
    expect(offered(client).slice(0, 2)).toEqual([
      ["search_tools"],
      ["search_tools", "lamps_switch"],
    ]);
    expect(textOfResult(resultsOf(messages)[1] ?? failed())).toBe("The lamp of the hall is on.");
    const [first] = client.requests;
    expect(first?.messages.map(textOf)).toEqual(["The hall is dark.", "go"]);
    expect(first?.options.instructions).toEqual([
      { source: "tool_search", text: "Lamps cost money." },
      { source: "tool_search", text: "It is dark.", provided: true },
    ]);
  });

  it("defers what their middleware adds while the run goes on, but for core tools", async () => {
    const { agent, client } = scripted(
      [
        ["search_tools", { query: "tide" }],
        ["search_tools", { query: "dim" }],
        ["lamps_dim"],
        "done",
      ],
      { contextProviders: [toolSearch({ providers: [house()], core: ["lamps_list"] })] },
    );
    const { messages } = await run(mode, agent, "go", new AgentSession());
    expect(offered(client)).toEqual([
      ["search_tools"],
      ["search_tools", "lamps_list", "tides_read"],
      ["search_tools", "lamps_list", "tides_read", "lamps_dim"],
      ["search_tools", "lamps_list", "tides_read", "lamps_dim"],
    ]);
    expect(textOfResult(resultsOf(messages)[2] ?? failed())).toBe("lamps_dim ran");
  });

  it("asks them anew for each run", async () => {
    let asked = 0;
    const changing: ContextProvider = {
      name: "changing",
      provide: () => ({ tools: [tides, lamp].slice(asked++) }),
    };
    const session = new AgentSession();
    const { agent, client } = scripted([["search_tools", { query: "tide lamp" }], "done", "done"], {
      contextProviders: [toolSearch({ providers: [changing] })],
    });
    await run(mode, agent, "go", session);
    await run(mode, agent, "again", session);
    expect(offered(client)[1]?.toSorted()).toEqual(["lamps_switch", "search_tools", "tides_read"]);
    expect(offered(client)[2]).toEqual(["search_tools", "lamps_switch"]);
  });

  it("fails the run where one of them fails, and where it provides what nobody knows", async () => {
    const failing = { name: "failing", provide: () => Promise.reject(new Error("no power")) };
    const misspelt = { name: "misspelt", provide: () => ({ tool: [] }) as never };
    for (const [provider, why] of [
      [failing, "no power"],
      [misspelt, "tools"],
    ] as const) {
      const { agent } = scripted([], { contextProviders: [toolSearch({ providers: [provider] })] });
      const thrown = await run(mode, agent, "go").catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(ContextProviderError);
      expect(String((thrown as Error).cause)).toContain(why);
    }
  });
});

describe("close()", () => {
  it("closes every provider, and tells what went wrong", async () => {
    const fine = house();
    const broken = { name: "broken", tools: [], close: () => Promise.reject(new Error("stuck")) };
    const { agent } = scripted([], {
      contextProviders: [toolSearch({ providers: [broken, fine] })],
    });
    await expect(agent.close()).rejects.toThrow(AggregateError);
    expect(fine.closed).toBe(1);
  });
});

function failed(): never {
  throw new Error("there is no result");
}

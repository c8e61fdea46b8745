import {
  Agent,
  type AgentOptions,
  agentMiddleware,
  type ChatClient,
  type ContextProvider,
  chatMiddleware,
  type Middleware,
  type RunOptions,
  type Tool,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { inBothManners, rejection } from "./support/play.js";
import { broken, lamp, lampIn, ping } from "./support/tools.js";

const agentOf = (options: Omit<AgentOptions, "client">, turns = 3) => {
  const client = new ScriptedChatClient(Array.from({ length: turns }, () => "done"));
  return { client, agent: new Agent({ client, ...options }) };
};

/** An error that an agent is refused with. */
function refusal(contextProviders: unknown, options: Omit<AgentOptions, "client"> = {}): unknown {
  try {
    agentOf({ ...options, contextProviders: contextProviders as readonly ContextProvider[] });
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("what is fixed of context providers", () => {
  it("are instructions after the agent's and the run's, and tools after the agent's", async () => {
    const contextProviders = [
      { name: "skills", instructions: "Use skills.", tools: ping },
      { name: "memory", tools: [[broken]] },
      { name: "rules", instructions: "Keep rules." },
    ];
    const { agent, client } = agentOf({ instructions: "Be kind.", tools: lamp, contextProviders });
    await agent.run("go");
    await agent.run("go", { instructions: "Be short." });
    const texts = client.requests.map(({ options }) => options.instructions);
    const fixed = [
      { source: "skills", text: "Use skills." },
      { source: "rules", text: "Keep rules." },
    ];
    const own = { source: "agent", text: "Be kind." };
    expect(texts).toEqual([
      [own, ...fixed],
      [own, { source: "run", text: "Be short." }, ...fixed],
    ]);
    expect(client.requests[0]?.options.tools).toEqual([lamp, ping, broken]);
  });

  it("stand after a run's also where the agent has none of its own", async () => {
    const { agent, client } = agentOf({ contextProviders: [{ name: "a", instructions: "A." }] });
    await agent.run("go", { instructions: "R." });
    expect(client.requests[0]?.options.instructions).toEqual([
      { source: "run", text: "R." },
      { source: "a", text: "A." },
    ]);
  });

  it("are the very same objects in every run, so that what is made of them can be kept", async () => {
    const contextProviders = [{ name: "a", instructions: "A.", tools: lamp }];
    const { agent, client } = agentOf({ contextProviders });
    await agent.run("go");
    await agent.run("go");
    const [first, second] = client.requests;
    expect(second?.options.tools).toBe(first?.options.tools);
    expect(second?.options.instructions).toBe(first?.options.instructions);
  });

  it("stay as they were when the agent was made", async () => {
    const provider = { name: "a", instructions: "A.", middleware: [] as Middleware[] };
    const contextProviders: ContextProvider[] = [provider];
    const { agent, client } = agentOf({ contextProviders });
    provider.instructions = "B.";
    provider.middleware.push({ name: "broken" });
    contextProviders.push(provider);
    // A run with budgets of its own has its layers composed anew.
    await agent.run("go", { instructions: "R.", invocation: { maxIterations: 2 } });
    const { instructions } = client.requests[0]?.options ?? {};
    expect(instructions).toEqual([
      { source: "run", text: "R." },
      { source: "a", text: "A." },
    ]);
  });

  inBothManners((play) => {
    it("tools run like the agent's own, and a tool choice may name them", async () => {
      const { response, requests } = await play({
        turns: [{ calls: [lampIn("hall")] }, "lit"],
        agent: {
          tools: ping,
          contextProviders: [{ name: "house", tools: { tools: [lamp] } }],
          options: { toolChoice: { name: "lamp" } },
        },
      });
      expect(response.text).toBe("lit");
      expect(requests[0]?.options.toolChoice).toEqual({ name: "lamp" });
    });
  });

  it("tools are looked at by the client, all together", () => {
    const seen: (readonly Tool[])[] = [];
    const client: ChatClient = {
      metadata: { provider: "picky" },
      checkTools: (tools) => void seen.push(tools),
      getResponse: () => Promise.reject(new Error("not asked")),
    };
    new Agent({ client, tools: lamp, contextProviders: [{ name: "a", tools: ping }] });
    expect(seen).toEqual([[lamp, ping]]);
  });

  it("tools of one name are refused, and the provider is named", () => {
    const other = { ...lamp };
    expect(refusal([{ name: "house", tools: other }], { tools: lamp })).toMatchObject({
      code: "duplicate_tool",
      message: expect.stringContaining('context provider "house"'),
    });
    const both = [
      { name: "a", tools: lamp },
      { name: "b", tools: other },
    ];
    expect(refusal(both)).toMatchObject({ code: "duplicate_tool" });
    expect(refusal([{ name: "house", tools: "lamp" }])).toMatchObject({
      code: "not_a_tool",
      message: expect.stringContaining('context provider "house"'),
    });
  });
});

describe("layers of context providers", () => {
  const trail: string[] = [];
  const layer = (name: string): Middleware => ({
    ...agentMiddleware(name, async (_, next) => {
      trail.push(name);
      return next();
    }),
    ...chatMiddleware(name, async (_, next) => {
      trail.push(`${name} chat`);
      return next();
    }),
  });
  const walked = async (agent: Agent, options?: RunOptions): Promise<string[]> => {
    trail.length = 0;
    await agent.run("go", options);
    return [...trail];
  };

  it("stand inside the agent's and the run's, in the order of the list", async () => {
    const { agent } = agentOf({
      middleware: [layer("agent")],
      contextProviders: [
        { name: "a", middleware: [layer("a1"), layer("a2")] },
        { name: "b", middleware: [layer("b")] },
      ],
    });
    const inner = ["a1", "a2", "b"];
    const chat = (names: readonly string[]) => names.map((name) => `${name} chat`);
    const own = ["agent", ...inner];
    expect(await walked(agent)).toEqual([...own, ...chat(own)]);
    const all = ["agent", "run", ...inner];
    const middleware = [layer("run")];
    expect(await walked(agent, { middleware })).toEqual([...all, ...chat(all)]);
    // A run with budgets of its own has its layers composed anew, too.
    expect(await walked(agent, { invocation: { maxIterations: 2 } })).toEqual([
      ...own,
      ...chat(own),
    ]);
  });

  it("no run can replace; it can replace the agent's", async () => {
    const { agent, client } = agentOf({
      middleware: [layer("own")],
      contextProviders: [{ name: "a", middleware: [layer("guard")] }],
    });
    expect(await rejection(agent.run("go", { middleware: [layer("guard")] }))).toMatchObject({
      name: "ConfigurationError",
      code: "duplicate_middleware",
    });
    expect(client.requests).toEqual([]);
    const middleware = [layer("own")];
    expect(await walked(agent, { middleware })).toEqual(["own", "guard", "own chat", "guard chat"]);
  });

  it("share names and seats with the agent's", () => {
    const seated = { ...layer("x"), placement: { chat: "innermost" } as const };
    const guard = { name: "g", middleware: [layer("x")] };
    expect(refusal([guard], { middleware: [layer("x")] })).toMatchObject({
      code: "duplicate_middleware",
    });
    expect(refusal([guard, { ...guard, name: "h" }])).toMatchObject({
      code: "duplicate_middleware",
    });
    const other = { ...seated, name: "y" };
    const taken = [{ name: "g", middleware: [other] }];
    expect(refusal(taken, { middleware: [seated] })).toMatchObject({ code: "seat_taken" });
    expect(refusal([{ name: "g", middleware: [{ name: "empty" }] }])).toMatchObject({
      code: "no_handler",
    });
  });
});

describe("context providers that are none", () => {
  const provide = () => undefined;
  it.each([
    ["no list", { name: "a", provide }, /write a list, \[first, second\]/],
    ["nothing", [undefined], /providers\[0\]: write \{ name/],
    ["a text", [{ name: "a", provide }, "b"], /providers\[1\]: write/],
    ["no name", [{ provide }], /providers\[0\]: write \{ name/],
    ["an empty name", [{ name: "", provide }], /providers\[0\]: write \{ name/],
    ["one with nothing in it", [{ name: "a" }], /at least one of instructions/],
    ["a middleware beside a list", [{ name: "a", middleware: {} }], /middleware \(a list\)/],
    ["a value in place of the function", [{ name: "a", provide: "x" }], /provide \(a function\)/],
    [
      "two of one name",
      [
        { name: "a", provide },
        { name: "a", provide },
      ],
      /"a": the name is taken; give one of them another `name`/,
    ],
    ["the agent's own name for itself", [{ name: "agent", provide }], /"agent": the name is taken/],
    ["the run's", [{ name: "run", provide }], /"run": the name is taken/],
  ])("are refused when the agent is made: %s", (_, given, message) => {
    const error = refusal(given);
    expect(error).toMatchObject({ name: "ConfigurationError", code: "invalid_provider" });
    expect(error).toMatchObject({ message: expect.stringMatching(message) });
  });

  it("are refused for other members, with the nearest name", () => {
    expect(refusal([{ name: "a", provides: provide, tools: [] }])).toMatchObject({
      code: "unknown_option",
      message: 'Context provider "a" has no option "provides"; did you mean "provide"?',
    });
    expect(refusal([{ name: "a", instructions: 5 }])).toMatchObject({ code: "invalid_option" });
  });

  it("are refused in a run: they are of the agent", async () => {
    const { agent } = agentOf({});
    const options = { contextProviders: [{ name: "a", provide }] };
    expect(await rejection(Reflect.apply(agent.run, agent, ["go", options]))).toMatchObject({
      code: "unknown_option",
      message: expect.stringContaining("`contextProviders` is of the agent"),
    });
  });

  it("may be of a class, with members of its own", async () => {
    class Notes implements ContextProvider {
      readonly name = "notes";
      readonly kept = ["Mara likes tea."];
      readonly #mark = "- ";
      provide() {
        return { instructions: this.kept.map((note) => this.#mark + note).join("\n") };
      }
    }
    const { agent, client } = agentOf({ contextProviders: [new Notes()] });
    await agent.run("go");
    expect(client.requests[0]?.options.instructions).toEqual([
      { source: "notes", text: "- Mara likes tea.", provided: true },
    ]);
  });
});

import {
  Agent,
  type ChatOptions,
  FunctionInvocationLayer,
  hostedTool,
  type RunOptions,
  tool,
} from "@tunic/core";
import { ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { outline, resultTexts } from "./support/outline.js";
import { rejection } from "./support/play.js";
import { lamp, lampIn, ping } from "./support/tools.js";

const scripted = (...turns: ScriptedTurn[]) =>
  new ScriptedChatClient(turns.length ? turns : ["ok"]);

describe("what a run sends", () => {
  const sent = async (
    agent: Partial<ConstructorParameters<typeof Agent>[0]>,
    run?: RunOptions,
  ): Promise<ChatOptions> => {
    const client = scripted();
    await new Agent({ client, ...agent }).run("go", run);
    return client.requests[0]?.options ?? {};
  };

  it("instructions in order, each with its source", async () => {
    expect(await sent({ instructions: "Be brief." }, { instructions: "Be kind." })).toEqual({
      instructions: [
        { source: "agent", text: "Be brief." },
        { source: "run", text: "Be kind." },
      ],
    });
    expect(await sent({ instructions: "" })).toEqual({});
  });

  it("nothing of what is written as undefined: the agent's word stands", async () => {
    const agent = { options: { temperature: 1 }, invocation: { maxIterations: 1 }, tools: ping };
    const run: RunOptions = {
      session: undefined,
      signal: undefined,
      onUpdate: undefined,
      onEvent: undefined,
      instructions: undefined,
      tools: undefined,
      options: { temperature: undefined, seed: undefined },
      invocation: { maxIterations: undefined },
      services: undefined,
      parent: undefined,
    };
    expect(await sent(agent, run)).toMatchObject({ temperature: 1 });
    expect(await sent(agent, run)).not.toHaveProperty("seed");
    const client = scripted({ calls: [{ name: "ping" }] }, "enough");
    expect(await new Agent({ client, ...agent }).run("go", run)).toMatchObject({
      outcome: "limit",
    });
  });

  it("never instructions as messages", async () => {
    const client = scripted();
    const response = await new Agent({ client, instructions: "Be brief." }).run("go");
    expect(outline(client.requests[0]?.messages ?? [])).toEqual(["user: go"]);
    expect(outline(response.newMessages)).toEqual(["user: go", "assistant: ok"]);
  });

  it("model options of agent and run, the run's member by member; undefined says nothing", async () => {
    const run: RunOptions = { options: { temperature: 1 } };
    expect(await sent({ options: { temperature: 0, model: "m", seed: 1 } }, run)).toEqual({
      temperature: 1,
      model: "m",
      seed: 1,
    });
  });

  it("the agent's tools, then the run's; the same object once", async () => {
    const { tools } = await sent({ tools: [ping] }, { tools: [lamp, ping] });
    expect(tools?.map((each) => each.name)).toEqual(["ping", "lamp"]);
    expect(await sent({})).not.toHaveProperty("tools");
  });

  it("hosted tools as they are", async () => {
    const search = hostedTool({
      provider: "scripted",
      name: "search",
      definition: { type: "search" },
    });
    expect((await sent({ tools: [{ tools: [search] }, ping] })).tools).toEqual([search, ping]);
  });

  it("the same list of tools at every run that says nothing of its own", async () => {
    const client = scripted("a", "b");
    const agent = new Agent({ client, tools: [ping, lamp] });
    await agent.run("a");
    await agent.run("b");
    expect(client.requests[1]?.options.tools).toBe(client.requests[0]?.options.tools);
  });
});

describe("what a run may do", () => {
  it("tools of the run run, and only in that run", async () => {
    const client = scripted({ calls: [lampIn("hall")] }, "a", { calls: [lampIn("hall")] }, "b");
    const agent = new Agent({ client });
    const withLamp = await agent.run("a", { tools: lamp });
    const without = await agent.run("b");
    expect(resultTexts(withLamp.messages)).toEqual(["hall lit"]);
    expect(resultTexts(without.messages)[0]).toMatch(/not found/);
  });

  it("a tool choice may rely on tools that come with the run", async () => {
    const agent = new Agent({ client: scripted(), options: { toolChoice: { name: "lamp" } } });
    expect((await agent.run("go", { tools: lamp })).text).toBe("ok");
    expect(await rejection(agent.run("go"))).toMatchObject({ code: "invalid_option" });
  });

  it("budgets of the run stand over the agent's, member by member", async () => {
    const call = { calls: [{ name: "ping" }, { name: "ping" }] };
    const client = new ScriptedChatClient(({ options }) =>
      options.toolChoice === "none" ? "stop" : call,
    );
    const agent = new Agent({
      client,
      tools: ping,
      invocation: { maxIterations: 2, maxFunctionCalls: 50 },
    });
    expect((await agent.run("a", { invocation: { maxFunctionCalls: 3 } })).limit).toBe(
      "maxFunctionCalls",
    );
    expect((await agent.run("b", { invocation: { maxConcurrency: 1 } })).limit).toBe(
      "maxIterations",
    );
  });

  it("services of agent and run reach the tools, the run's member by member", async () => {
    const seen: unknown[] = [];
    const look = tool({
      name: "look",
      execute: (_input, { services }) => void seen.push(services),
    });
    const call = { calls: [{ name: "look" }] };
    const client = scripted(call, "a", call, "b");
    const agent = new Agent({ client, tools: look, services: { db: 1, log: 1 } });
    await agent.run("a", { services: { db: 2 } });
    await agent.run("b");
    expect(seen).toEqual([
      { db: 2, log: 1 },
      { db: 1, log: 1 },
    ]);
  });

  it("the context names agent, round, call, arguments and what the model saw", async () => {
    const seen: unknown[] = [];
    const look = tool({
      name: "look",
      parameters: { type: "object", properties: { depth: { type: "number", default: 3 } } },
      execute: (input, context) => {
        const {
          agentId,
          agentName,
          iteration,
          call,
          arguments: args,
          messages,
          tools,
          streamed,
        } = context;
        seen.push({
          agent: [agentId, agentName],
          iteration,
          callId: call.callId,
          args,
          input,
          messages: outline(messages),
          tools: tools.map((each) => each.name),
          streamed,
        });
      },
    });
    const client = scripted(
      { calls: [{ name: "ping" }] },
      { calls: [{ name: "look", id: "c7" }] },
      "done",
    );
    await new Agent({ client, id: "a1", name: "Ada", tools: [ping, look] }).run("go");
    expect(seen).toEqual([
      {
        agent: ["a1", "Ada"],
        iteration: 2,
        callId: "c7",
        args: {},
        input: { depth: 3 },
        messages: ["user: go", "assistant: ping({})", "tool: pong"],
        tools: ["ping", "look"],
        streamed: false,
      },
    ]);
  });
});

describe("a FunctionInvocationLayer as the client", () => {
  const call = { calls: [{ name: "ping" }] };
  const stubborn = () =>
    new ScriptedChatClient(({ options }) => (options.toolChoice === "none" ? "stop" : call));

  it("brings its own budgets, and stands there once", async () => {
    const client = stubborn();
    const layer = new FunctionInvocationLayer(client, { maxIterations: 2 });
    const response = await new Agent({ client: layer, tools: ping }).run("go");
    expect([response.limit, client.requests.length]).toEqual(["maxIterations", 3]);
  });

  it("keeps them where a run says something about others", async () => {
    const layer = new FunctionInvocationLayer(stubborn(), { maxIterations: 2 });
    const agent = new Agent({ client: layer, tools: ping });
    const response = await agent.run("go", { invocation: { maxConcurrency: 4 } });
    expect(resultTexts(response.messages)).toHaveLength(2);
  });
});

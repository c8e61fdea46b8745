import { Agent, chatMiddleware, type ProviderContext, textOf, tool } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";

const message = {
  id: "m1",
  role: "user" as const,
  contents: [{ type: "text" as const, text: "What is new?" }],
  createdAt: 0,
};

/** An agent with a provider that asks the model by itself. */
function asking(
  turns: ConstructorParameters<typeof ScriptedChatClient>[0],
  ask: (context: ProviderContext) => Promise<string>,
  options = {},
) {
  const client = new ScriptedChatClient(turns);
  const agent = new Agent({
    client,
    contextProviders: [
      { name: "asks", provide: async (context) => ({ instructions: await ask(context) }) },
    ],
    ...options,
  });
  return { agent, client };
}

async function answer({ client }: ProviderContext): Promise<string> {
  const response = await client.getResponse({ messages: [message], options: { maxTokens: 5 } });
  return response.messages.map(textOf).join();
}

describe("the model that a context provider is given", () => {
  it("is the agent's, asked in a run inside the one that is provided for", async () => {
    const { agent, client } = asking(["nothing", "done"], answer);
    const parents: unknown[] = [];
    agent.events.on("run.start", ({ runId, parentRunId }) => parents.push([runId, parentRunId]));
    const { text } = await agent.run("go");
    expect(text).toBe("done");
    expect(client.requests[0]?.options.maxTokens).toBe(5);
    expect(client.requests[1]?.options.instructions).toMatchObject([{ text: "nothing" }]);
    const [[own], [, parent]] = parents as [[string], [string, string]];
    expect(parent).toBe(own);
  });

  it("stands behind the agent's chat handlers", async () => {
    const seen: number[] = [];
    const count = chatMiddleware("count", (context, next) => {
      seen.push(context.messages.length);
      return next();
    });
    const { agent } = asking(["nothing", "done"], answer, { middleware: [count] });
    await agent.run("go");
    expect(seen).toEqual([1, 1]);
  });

  it("counts against the budgets of the run", async () => {
    const usage = { inputTokens: 80, outputTokens: 80 };
    const { agent } = asking([{ text: "long", usage }, "done"], answer, {
      invocation: { maxTotalTokens: 100 },
    });
    expect((await agent.run("go")).outcome).toBe("limit");
  });

  it("answers back with calls of tools that have no function", async () => {
    const look = tool({ name: "look" });
    const { agent } = asking([{ calls: [{ name: "look" }] }, "done"], async ({ client }) => {
      const { messages } = await client.getResponse({
        messages: [message],
        options: { tools: [look] },
      });
      return messages
        .flatMap(({ contents }) => contents)
        .map(({ type }) => type)
        .join();
    });
    const { text } = await agent.run("go");
    expect(text).toBe("done");
  });

  it("lets go when the run is stopped", async () => {
    const controller = new AbortController();
    const ends: unknown[] = [];
    const hangs = () => {
      controller.abort(new Error("enough"));
      return new Promise<string>(() => {});
    };
    const { agent } = asking([hangs], answer);
    agent.events.on("run.end", ({ parentRunId, outcome }) => {
      ends.push([parentRunId !== undefined, outcome]);
    });
    await expect(agent.run("go", { signal: controller.signal })).rejects.toThrow("enough");
    expect(ends).toContainEqual([true, "aborted"]);
    expect(ends).toContainEqual([false, "aborted"]);
  });
});

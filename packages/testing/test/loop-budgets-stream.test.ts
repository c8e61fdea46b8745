import { Agent, foldUpdates, type Update } from "@tunic/core";
import { ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { expectFold } from "./support/play.js";
import { ask, ping } from "./support/tools.js";

const call = { calls: [{ name: "ping" }], usage: { totalTokens: 10 }, responseId: "r1" };

describe("what is streamed at a limit", () => {
  const streamed = async (turns: readonly ScriptedTurn[], invocation: object) => {
    const client = new ScriptedChatClient(turns, { chunkSize: 2 });
    const agent = new Agent({ client, tools: [ping, ask], invocation });
    const updates: Update[] = [];
    const response = await agent.run("go", { onUpdate: (update) => void updates.push(update) });
    return { updates, response };
  };

  const limits: readonly (readonly [string, object])[] = [
    ["maxIterations", { maxIterations: 1 }],
    ["maxFunctionCalls", { maxFunctionCalls: 1 }],
    ["maxTotalTokens", { maxTotalTokens: 10 }],
  ];
  it.each(limits)(
    "%s: each message is closed, and nothing is taken back",
    async (_limit, invocation) => {
      const { updates, response } = await streamed([call, { reasoning: "hm" }], invocation);
      expectFold(updates, response);
      const ids = new Set(updates.flatMap((each) => ("messageId" in each ? [each.messageId] : [])));
      expect([...ids]).toEqual(response.messages.map((message) => message.id));
      expect(updates.filter((update) => update.type === "retract")).toEqual([]);
    },
  );

  it("a fallback ends the fold as the response ends", async () => {
    const last = { reasoning: "hm", finishReason: "length", responseId: "r2" };
    const { updates, response } = await streamed([call, last], { maxIterations: 1 });
    const { finishReason, responseId } = foldUpdates(updates);
    expect({ finishReason, responseId }).toEqual({
      finishReason: response.finishReason,
      responseId: response.responseId,
    });
  });

  it("no update comes after the run has ended", async () => {
    const { updates, response } = await streamed([call, {}], { maxIterations: 1 });
    const count = updates.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(updates).toHaveLength(count);
    expect(updates.at(-1)).toMatchObject({
      type: "finish",
      messageId: response.messages.at(-1)?.id,
    });
  });
});

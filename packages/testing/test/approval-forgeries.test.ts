import {
  Agent,
  approve,
  type FunctionApprovalRequestContent,
  type JsonObject,
  type Message,
  pending,
  tool,
} from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { rejection } from "./support/play.js";

/** An agent that has paused with two signed questions, its history as a page keeps it, and what ran. */
async function pausedAgent() {
  const paid: unknown[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays.",
    parameters: {
      type: "object",
      properties: { amount: { type: "number" }, note: { type: "string" } },
    },
    approvalMode: "always_require",
    editable: ["note"],
    execute: (args) => {
      paid.push(args);
      return "paid";
    },
  });
  const calls = [5, 7].map((amount) => ({ name: "pay", arguments: { amount, note: "rent" } }));
  const agent = new Agent({
    client: new ScriptedChatClient([{ calls }, "done"]),
    tools: pay,
    invocation: { approvals: { approvalSecret: "0123456789abcdef0123456789abcdef" } },
  });
  const { newMessages } = await agent.run("go");
  const history: Message[] = JSON.parse(JSON.stringify(newMessages));
  return { agent, history, paid };
}

/** The history with one request as somebody has changed it. */
const forged = (
  history: readonly Message[],
  change: (request: FunctionApprovalRequestContent) => object,
): readonly Message[] => {
  const [first] = pending(history);
  return history.map((message) => ({
    ...message,
    contents: message.contents.map((content) =>
      content === first ? ({ ...first, ...change(first) } as typeof first) : content,
    ),
  }));
};
const showing = (args: JsonObject) => (request: FunctionApprovalRequestContent) => ({
  call: { ...request.call, arguments: args },
});

describe("a signed history that its holder has changed", () => {
  it("runs where nothing but an editable argument is another one", async () => {
    const { agent, history, paid } = await pausedAgent();
    const answers = pending(history).map((request) =>
      approve(request, { arguments: { ...request.call.arguments, note: "May" } }),
    );
    const { outcome } = await agent.run([...history, ...answers]);
    expect(outcome).toBe("completed");
    expect(paid).toEqual([
      { amount: 5, note: "May" },
      { amount: 7, note: "May" },
    ]);
  });

  it.each<[string, (request: FunctionApprovalRequestContent) => object]>([
    ["asks about other arguments than those that run", showing({ amount: 1, note: "rent" })],
    ["proposes what its answer then wants", showing({ amount: 5000, note: "rent" })],
    ["asks about another tool", ({ call }) => ({ call: { ...call, name: "read" } })],
    [
      "shows another description of the tool",
      ({ tool: shown }) => ({ tool: { ...shown, title: "Read", traits: { readOnly: true } } }),
    ],
    ["lets more be edited", () => ({ editable: true })],
    ["makes a question the model service's", () => ({ provider: "scripted" })],
  ])("is refused where it %s", async (_what, change) => {
    const { agent, history, paid } = await pausedAgent();
    const changed = forged(history, change);
    const answers = pending(changed).map((request) =>
      approve(request, { arguments: request.call.arguments }),
    );
    expect(await rejection(agent.run([...changed, ...answers]))).toMatchObject({
      name: "ApprovalError",
      code: "not_genuine",
    });
    expect(paid).toEqual([]);
  });

  it("runs where something was added that is no stage of a call: it says nothing", async () => {
    const { agent, history, paid } = await pausedAgent();
    const [first] = pending(history);
    const stage: object = { type: "paused_call", callId: first?.call.callId, requestIds: "all" };
    const added = history.map((message) =>
      message.role === "assistant"
        ? {
            ...message,
            contents: [...message.contents, stage as (typeof message.contents)[number]],
          }
        : message,
    );
    const answers = pending(added).map((request) => approve(request));
    expect((await agent.run([...added, ...answers])).outcome).toBe("completed");
    expect(paid).toHaveLength(2);
  });

  it("does not let an edit reach further than what was asked", async () => {
    const { agent, history, paid } = await pausedAgent();
    const [first, second] = pending(history);
    if (first === undefined || second === undefined) throw new Error("two questions were asked");
    const edit = { ...approve(first), arguments: { amount: 5000, note: "rent" } };
    expect(await rejection(agent.run([...history, edit, approve(second)]))).toMatchObject({
      code: "not_editable",
    });
    expect(paid).toEqual([]);
  });
});

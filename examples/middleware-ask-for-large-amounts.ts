// Let a person decide about large amounts. A verdict handler judges each call before anything of its
// batch runs. When one of them asks, the run ends with the question, and nothing of the batch has run.
import assert from "node:assert/strict";
import { Agent, tool, verdictMiddleware } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";

const askAbove = (limit: number) =>
  verdictMiddleware("ask-above", async (context, next) => {
    const amount = Number(context.arguments["amount"]); // validated already
    if (context.tool.name !== "pay" || amount <= limit) return next();
    return {
      kind: "ask",
      reason: `more than ${limit}`,
      summary: `Pay ${amount} to ${context.arguments["to"]}`,
    };
  });

/** No reason to ask anybody: the model is told, and goes on. */
const blocked = (names: readonly string[]) =>
  verdictMiddleware("blocked", async (context, next) =>
    names.includes(String(context.arguments["to"]))
      ? { kind: "deny", message: "Payments to this account are blocked." }
      : next(),
  );

const paid: string[] = [];
const pay = tool({
  name: "pay",
  parameters: {
    type: "object",
    properties: { to: { type: "string" }, amount: { type: "number" } },
    required: ["to", "amount"],
  },
  execute({ to, amount }) {
    paid.push(`${to} ${amount}`);
    return "Paid.";
  },
});
const payment = (to: string, amount: number) => ({ name: "pay", arguments: { to, amount } });
const client = new ScriptedChatClient([
  { calls: [payment("Mara", 20), payment("Mallory", 5)] },
  { calls: [payment("Mara", 30), payment("Noor", 5000)] },
]);
// The first is the outermost and has the last word: a blocked account is not even asked about.
const agent = new Agent({
  client,
  tools: [pay],
  middleware: [blocked(["Mallory"]), askAbove(1000)],
});
const response = await agent.run("Pay everybody.");
for (const { summary, reason } of response.approvalRequests) console.log(`${summary} (${reason})?`);

// First batch: one ran, one was denied. A denial is an answer for the model, and the run went on.
const denied = response.messages[1]?.contents[1];
assert.ok(denied?.type === "function_result");
assert.equal(denied.error?.code, "approval_denied");

// Second batch: one call asks, and nothing of the batch has run, the small payment neither.
assert.equal(response.outcome, "paused");
assert.deepEqual(paid, ["Mara 20"]);
assert.equal(client.requests.length, 2);

// The question is plain data: it can be stored, and shown elsewhere.
const [request] = JSON.parse(JSON.stringify(response.approvalRequests));
assert.equal(request.summary, "Pay 5000 to Noor");
assert.deepEqual(request.call.arguments, { to: "Noor", amount: 5000 });

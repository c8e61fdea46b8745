import { functionMiddleware, tool, toolApproval, toolResult, verdictMiddleware } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { expandedArguments } from "../src/index.js";
import { call, ref, World, type WorldOptions } from "./support/world.js";

/** A payment whose amount is hidden. */
const payment = {
  policy: {
    read: { effects: ["read"] },
    pay: { effects: ["consequential"], arguments: { to: { integrity: "trusted" } } },
  },
  tools: {
    read: { gives: { amount: 5000 } },
    pay: { takes: { to: { type: "string" }, amount: { type: "number" } } },
  },
  turns: [call("read"), call("pay", { to: "ann", amount: ref("v1.amount") }), "done"],
} satisfies WorldOptions;

describe("a policy for tools that stand at the agent", () => {
  it("is checked at the first run: a misspelt argument would be no guard", async () => {
    const pay = tool({
      name: "pay",
      parameters: { type: "object", properties: { iban: { type: "string" } } },
      execute: () => "paid",
    });
    const world = new World({
      policy: {
        pay: { effects: ["consequential"], arguments: { ibam: { integrity: "trusted" } } },
      },
      agent: { tools: [pay] },
      turns: [call("pay", { iban: "x" }), "done"],
    });
    const code = "flow_policy";
    await expect(world.say("Pay.")).rejects.toThrow(expect.objectContaining({ code }));
  });
});

describe("guards of one's own beside information flow control", () => {
  it("a verdict handler sees the values, and what the model wrote beside them", async () => {
    const seen: unknown[] = [];
    const guard = verdictMiddleware("limit", (context, next) => {
      if (context.tool.name !== "pay") return next();
      seen.push(context.arguments["amount"], context.written["amount"]);
      return Number(context.arguments["amount"]) > 100
        ? Promise.resolve({ kind: "deny" as const, message: "too much" })
        : next();
    });
    const world = new World({ ...payment, agent: { middleware: [guard] } });
    await world.say("Pay.");
    expect(seen).toEqual([5000, { $ref: "v1.amount" }]);
    expect(world.ran.map(({ tool }) => tool)).toEqual(["read"]);
  });

  it("rules of toolApproval match the values", async () => {
    const rules = toolApproval({
      preset: "full",
      rules: [{ tool: "pay", matching: { amount: 5000 }, verdict: "deny" }],
    });
    const world = new World({ ...payment, agent: { middleware: [rules] } });
    await world.say("Pay.");
    expect(world.ran.map(({ tool }) => tool)).toEqual(["read"]);
  });

  it("a function handler gets them by expandedArguments", async () => {
    const guard = functionMiddleware("limit", (context, next) =>
      Number(expandedArguments(context)["amount"]) > 100
        ? Promise.resolve(toolResult({ contents: "too much", isError: true }))
        : next(),
    );
    const world = new World({ ...payment, agent: { middleware: [guard] } });
    await world.say("Pay.");
    expect(world.ran.map(({ tool }) => tool)).toEqual(["read"]);
  });
});

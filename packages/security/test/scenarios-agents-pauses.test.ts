import { approve } from "@tunic/core";
import { describe, expect, it } from "vitest";
import { child, delegating, injection, task } from "./support/sub-agents.js";
import { call, inBothManners, ref, World } from "./support/world.js";

describe("S8 and S9: children that pause", () => {
  const asking = () =>
    child({
      mode: "approve",
      turns: [call("read"), call("pay", { to: ref("v1") }), "Paid what the page says."],
    });

  inBothManners(
    "S8: a child's question comes up with the value, and its yes is used once",
    async (make) => {
      const helper = asking();
      const world = make({ ...delegating(helper.agent), turns: [task(), "done", "so?"] });
      const { outcome, approvalRequests } = await world.say("Pay it.");
      expect(outcome).toBe("paused");
      const [request] = approvalRequests;
      if (request === undefined) throw new Error("Nobody was asked.");
      expect([request.effective, request.violation]).toEqual([
        { to: injection },
        "trusted_argument",
      ]);
      const { outcome: after } = await world.say(approve(request));
      expect(after).toBe("completed");
      expect(helper.paid().map(({ arguments: args }) => args)).toEqual([{ to: injection }]);
      await world.say(approve(request)).catch(() => {});
      expect(helper.paid()).toHaveLength(1);
    },
  );

  it("S9: the answer of a child that has paused keeps the labels from before its pause", async () => {
    const helper = child({
      mode: "approve",
      turns: [
        call("read"),
        call("inspect_variable", { variable: "v1" }),
        call("pay", { to: "ann" }),
        "It says to pay eve.",
      ],
    });
    const world = new World({ ...delegating(helper.agent), turns: [task(), "done"] });
    const { approvalRequests } = await world.say("Pay it.");
    const [request] = approvalRequests;
    if (request === undefined) throw new Error("Nobody was asked.");
    expect(request.violation).toBe("trusted_call");
    world.restart();
    await world.say(approve(request));
    expect(world.results.at(-1)).toMatch(/^\{"\$ref":"v\d"\}$/);
    expect(world.sees("It says to pay eve.")).toBe(false);
  });

  it("S8: a call that a person has permitted goes on after its child's pause, without another question", async () => {
    const helper = child({ mode: "approve", turns: [call("pay", { to: "eve" }), "paid"] });
    const world = new World({
      ...delegating(helper.agent, {
        mode: "approve",
        hide: "nothing",
        policy: { helper: { effects: ["consequential"], result: "trusted" } },
      }),
      turns: [call("read"), task("pay"), "done"],
    });
    const first = await world.say("Go.");
    const [outer] = first.approvalRequests;
    if (outer === undefined) throw new Error("Nobody was asked.");
    expect(outer.violation).toBe("trusted_call");
    world.restart();
    const second = await world.say(approve(outer));
    const [inner] = second.approvalRequests;
    if (inner === undefined) throw new Error("The child has not asked.");
    world.restart();
    const last = await world.say(approve(inner));
    expect(last.outcome).toBe("completed");
    expect(helper.paid()).toHaveLength(1);
    expect(world.verdicts.at(-1)).toBe("helper: approved trusted_call");
  });
});

import { Agent, AgentSession, agentMiddleware, approve, type RunContext, tool } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { rejection } from "./support/play.js";

/** A middleware that keeps what it has seen of each run, also where it bounds the inside. */
function watcher(seen: (string | undefined)[]) {
  return agentMiddleware("watcher", async ({ run }, next) => {
    seen.push(run.parentCallId);
    return next({ signal: new AbortController().signal });
  });
}

describe("the call that a run works for", () => {
  it("is known to the run of an agent that is a tool, after a pause too", async () => {
    const seen: (string | undefined)[] = [];
    const inside: RunContext[] = [];
    const look = tool({
      name: "look",
      description: "Looks.",
      approvalMode: "always_require",
      execute(_, { run }) {
        inside.push(run);
        return "seen";
      },
    });
    const child = new Agent({
      name: "helper",
      client: new ScriptedChatClient([{ calls: [{ name: "look" }] }, "done"]),
      tools: look,
      middleware: [watcher(seen)],
    });
    const delegate = { name: "helper", arguments: { task: "t" }, id: "call 1" };
    const agent = new Agent({
      client: new ScriptedChatClient([{ calls: [delegate] }, "all done"]),
      tools: child.asTool(),
    });
    const session = new AgentSession();
    const { approvalRequests } = await agent.run("go", { session });
    expect(seen).toEqual(["call 1"]);
    const answers = approvalRequests.map((each) => approve(each));
    expect((await agent.run(answers, { session })).text).toBe("all done");
    expect(seen).toEqual(["call 1", "call 1"]);
    // A bounded pass of the run is the run; one inside it works for no call itself.
    expect(inside.map((run) => run.parentCallId)).toEqual(["call 1"]);
    expect(inside.map((run) => run.child().parentCallId)).toEqual([undefined]);
  });

  it("is none of a run that a caller starts, whatever the caller writes", async () => {
    const seen: (string | undefined)[] = [];
    const client = new ScriptedChatClient(["hi"]);
    const agent = new Agent({ client, middleware: [watcher(seen)] });
    const written = { parentCallId: "c1" };
    expect(await rejection(Reflect.apply(agent.run, agent, ["go", written]))).toMatchObject({
      code: "unknown_option",
    });
    await agent.run("go");
    expect(seen).toEqual([undefined]);
  });

  it("is none of a run that a tool's own code starts inside another", async () => {
    const seen: (string | undefined)[] = [];
    const inner = new Agent({
      client: new ScriptedChatClient(["hi"]),
      middleware: [watcher(seen)],
    });
    const start = tool({
      name: "start",
      description: "Starts a run.",
      execute: async (_, { run }) => (await inner.run("go", { parent: run })).text,
    });
    const client = new ScriptedChatClient([{ calls: [{ name: "start" }] }, "done"]);
    await new Agent({ client, tools: start }).run("go");
    expect(seen).toEqual([undefined]);
  });
});

import { Agent, type RunEvent, tool } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import type { ServedCall } from "../src/server.js";
import { serve } from "./support/served.js";
import { add, wipe } from "./support/served-tools.js";

type Told = readonly [RunEvent, ServedCall];

const thrown = new Error("no row 7 in the table of berths");
const broken = tool({
  name: "broken",
  description: "",
  execute: () => {
    throw thrown;
  },
});
const principal = { id: "mara" };

describe("the events of served calls", () => {
  it("tell the server what a tool has thrown, and for whom; the client is not told", async () => {
    const told: Told[] = [];
    const onEvent = (...event: Told) => told.push(event);
    await using pair = await serve(broken, { principal, onEvent });
    const answer = await pair.call("broken");
    expect(answer).toEqual({ text: "Error: Function failed.", isError: true });
    const ends = told.filter(([{ type }]) => type === "call.end");
    expect(ends).toEqual([
      [
        expect.objectContaining({ toolName: "broken", outcome: "failed", error: thrown }),
        { tool: "broken", principal },
      ],
    ]);
    expect(told.map(([{ type }]) => type)).toEqual([
      "run.start",
      "model.start",
      "model.end",
      "call.start",
      "call.end",
      "model.start",
      "model.end",
      "run.end",
    ]);
  });

  it("tell it to the client as well, where that is wanted", async () => {
    await using pair = await serve(broken, { invocation: { includeDetailedErrors: true } });
    expect((await pair.call("broken")).text).toBe(
      "Error: Function failed. no row 7 in the table of berths",
    );
  });

  it("are told apart by run and session: a call has one session, also over a question", async () => {
    const events: RunEvent[] = [];
    await using pair = await serve(
      [add, wipe],
      { approvals: "elicit", onEvent: (event) => events.push(event) },
      () => ({ action: "accept", content: { approve: true } }),
    );
    await pair.call("add", { a: 1, b: 2 });
    await pair.call("wipe", { file: "a" });
    const starts = events.filter(({ type }) => type === "run.start");
    const [first, second, third] = starts;
    expect(starts).toHaveLength(3);
    expect(new Set(starts.map(({ runId }) => runId)).size).toBe(3);
    expect(first?.sessionId).not.toBe(second?.sessionId);
    expect(second?.sessionId).toBe(third?.sessionId);
    expect(events).toContainEqual(expect.objectContaining({ type: "approval.decided" }));
  });

  it("are those of a served agent's own run, too", async () => {
    const told: Told[] = [];
    const client = new ScriptedChatClient([{ calls: [{ name: "broken" }] }, "Sorry."]);
    const agent = new Agent({ client, name: "harbour", tools: broken });
    await using pair = await serve(agent, { principal, onEvent: (...event) => told.push(event) });
    expect(await pair.call("harbour", { task: "?" })).toEqual({ text: "Sorry.", isError: false });
    const [end] = told.filter(([event]) => event.type === "call.end" && event.error === thrown);
    expect(end).toEqual([
      expect.objectContaining({ toolName: "broken", agentName: "harbour" }),
      { tool: "harbour", principal },
    ]);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("the log is full");
      },
    ],
    ["rejects", () => Promise.reject(new Error("the log is full"))],
  ])("hurt nothing where their handler %s", async (_how, onEvent) => {
    await using pair = await serve(add, { onEvent });
    expect(await pair.call("add", { a: 1, b: 2 })).toEqual({ text: "3", isError: false });
    expect(pair.errors).toHaveLength(8);
    expect(String(pair.errors[0])).toContain("the log is full");
  });

  it("need a function", async () => {
    await expect(serve(add, { onEvent: "console" as never })).rejects.toThrow(
      expect.objectContaining({
        code: "invalid_option",
        message: expect.stringContaining("onEvent"),
      }),
    );
  });
});

import {
  approve,
  deny,
  functionMiddleware,
  type Middleware,
  type RunEvent,
  tool,
} from "@tunic/core";
import { expect, it } from "vitest";
import { agentOf, approvalSecret, calls, paused } from "./support/desk.js";
import { deferred } from "./support/play.js";

const parameters = { type: "object", properties: { id: { type: "number" } } } as const;

it("a call is asked about once, outside of time limits and retries around it", async () => {
  let asked = 0;
  let attempts = 0;
  const entered: string[] = [];
  const flaky = tool({
    name: "wipe",
    parameters,
    approvalMode() {
      asked++;
      return true;
    },
    execute() {
      attempts++;
      if (attempts < 3) throw new Error("not yet");
      return "wiped";
    },
  });
  const retry = functionMiddleware("retry", async (_context, next) => {
    entered.push("retry");
    let result = await next();
    for (let tries = 0; tries < 4 && result.isError; tries++) result = await next();
    return result;
  });
  const timeout = functionMiddleware("timeout", (_context, next) => {
    entered.push("timeout");
    return next({ signal: AbortSignal.timeout(60_000) });
  });
  const middleware: readonly Middleware[] = [timeout, retry];
  const { agent } = agentOf([flaky], [calls(["wipe", 1]), "done"], { approvalSecret });
  const first = await agent.run("go", { middleware });
  // While a person thinks, nothing is inside a limit, a retry or a slot.
  expect(entered).toEqual([]);
  expect(first.approvalRequests).toHaveLength(1);
  const [request] = first.approvalRequests;
  if (request === undefined) throw new Error("nothing was asked");
  const second = await agent.run([...first.newMessages, approve(request)], { middleware });
  expect(second.text).toBe("done");
  expect([asked, attempts]).toEqual([1, 3]);
  expect(entered).toEqual(["timeout", "retry"]);
});

it("a call that waits for a person takes no slot: with one slot the others of its batch run", async () => {
  const ran: string[] = [];
  const quick = tool({ name: "read", parameters, execute: ({ id }) => ran.push(`read ${id}`) });
  const wipe = tool({
    name: "wipe",
    parameters,
    approvalMode: "always_require",
    execute: () => ran.push("wipe"),
  });
  const turns = [calls(["wipe", 1], ["read", 2], ["read", 3])];
  const { agent } = agentOf([quick, wipe], turns, { mode: "run" });
  const { outcome } = await agent.run("go", { invocation: { maxConcurrency: 1 } });
  expect([outcome, ran]).toEqual(["paused", ["read 2", "read 3"]]);
});

it("a predicate may take its time, and one that throws or gives no answer asks", async () => {
  const gate = deferred<boolean>();
  const predicates = [
    () => gate.promise,
    () => {
      throw new Error("broken");
    },
    () => Promise.reject(new Error("broken")),
    () => undefined as unknown as boolean,
    () => "no" as unknown as boolean,
  ];
  gate.resolve(true);
  for (const approvalMode of predicates) {
    const wipe = tool({ name: "wipe", parameters, approvalMode, execute: () => "wiped" });
    const { requests } = await paused([wipe], calls(["wipe", 1]));
    expect(requests).toHaveLength(1);
  }
  const free = tool({
    name: "wipe",
    parameters,
    approvalMode: async () => false,
    execute: () => "wiped",
  });
  const { agent } = agentOf([free], [calls(["wipe", 1]), "done"]);
  expect((await agent.run("go")).outcome).toBe("completed");
});

it("a predicate sees the validated arguments as the function will, and the run", async () => {
  const seen: unknown[] = [];
  const wipe = tool({
    name: "wipe",
    parameters: {
      type: "object",
      properties: { id: { type: "number" }, deep: { type: "boolean", default: true } },
    },
    approvalMode(input, context) {
      seen.push(input, context.arguments, context.call.callId, context.run.principal?.id);
      return false;
    },
    execute: (input) => seen.push(input),
  });
  const turn = { calls: [{ name: "wipe", arguments: { id: "7" }, id: "c1" }] };
  const { agent } = agentOf([wipe], [turn, "done"]);
  await agent.run("go", { principal: { id: "mara" } });
  expect(seen).toEqual([{ id: 7, deep: true }, { id: 7 }, "c1", "mara", { id: 7, deep: true }]);
});

it("events tell of the question and of the decision, each once", async () => {
  const wipe = tool({ name: "wipe", parameters, approvalMode: "always_require", execute: () => 1 });
  const events: RunEvent[] = [];
  const note = (event: RunEvent): number => events.push(event);
  const { agent } = agentOf([wipe], [calls(["wipe", 1], ["wipe", 2]), "done"], { approvalSecret });
  const first = await agent.run("go", { onEvent: note });
  const [one, two] = first.approvalRequests;
  if (one === undefined || two === undefined) throw new Error("nothing was asked");
  const by = { ...approve(two), decidedBy: "mara" };
  await agent.run([...first.newMessages, deny(one), by], { onEvent: note });
  const told = events.flatMap((event) => {
    if (event.type === "approval.requested") return [`asked ${event.requestId}`];
    if (event.type !== "approval.decided") return [];
    return [`${event.requestId} ${event.approved} ${event.decidedBy}`];
  });
  expect(told).toEqual([
    `asked ${one.requestId}`,
    `asked ${two.requestId}`,
    `${one.requestId} false undefined`,
    `${two.requestId} true mara`,
  ]);
});

it("a request shows the call in the tool's own words, whole; where that fails, the arguments alone", async () => {
  const long = "x".repeat(20_000);
  const described = [() => long, () => Promise.resolve("Wipes it.")] as const;
  for (const describeCall of described) {
    const execute = () => 1;
    const approvalMode = "always_require";
    const wipe = tool({ name: "wipe", parameters, approvalMode, describeCall, execute });
    const { request } = await paused([wipe], calls(["wipe", 1]));
    expect(request.summary).toBe(await describeCall());
  }
  const broken = tool({
    name: "wipe",
    parameters,
    approvalMode: "always_require",
    describeCall() {
      throw new Error("no words");
    },
    execute: () => 1,
  });
  const { request } = await paused([broken], calls(["wipe", 1]));
  expect(request).not.toHaveProperty("summary");
  expect(request.call.arguments).toEqual({ id: 1 });
});

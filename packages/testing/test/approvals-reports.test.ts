import {
  AgentSession,
  approve,
  deny,
  type FunctionApprovalRequestContent,
  type FunctionApprovalResponseContent,
  type JsonObject,
  type Message,
  openCalls,
  pending,
  tool,
  verdictMiddleware,
} from "@tunic/core";
import { describe, expect, it } from "vitest";
import { agentOf, approvalSecret, calls, desk, expectRefused, paused } from "./support/desk.js";
import { expectNoUnhandledRejections } from "./support/onions.js";
import { resultsIn, resultTexts } from "./support/outline.js";
import { rejection } from "./support/play.js";

expectNoUnhandledRejections();

type Request = FunctionApprovalRequestContent;

/** Through JSON, as after a restart. */
const stored = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

describe("reports about approvals", () => {
  it("B30: a host that stores call and request as two messages, in either order, has one call and one result", async () => {
    for (const swapped of [false, true]) {
      const { ran, tools } = desk();
      const { history, request } = await paused(tools, calls(["wipe", 1]));
      const [asking, ...rest] = history.toReversed() as [Message, ...Message[]];
      const call = {
        ...asking,
        contents: asking.contents.filter((each) => each.type === "function_call"),
      };
      const asked = { ...asking, id: "m9", contents: [request] };
      const apart = [...rest.toReversed(), ...(swapped ? [asked, call] : [call, asked])];
      const { agent, client } = agentOf(tools, ["done"], { approvalSecret });
      await agent.run([...apart, approve(request)]);
      expect(ran).toEqual(["wipe 1"]);
      const [sent] = client.requests;
      const contents = sent?.messages.flatMap((message) =>
        message.contents.map(({ type }) => type),
      );
      expect(contents).toEqual(["text", "function_call", "function_result"]);
    }
  });

  it.each([true, false])(
    "B32: a mixed batch keeps the free sibling's result; approved: %s",
    async (yes) => {
      for (const onUpdate of [undefined, () => {}]) {
        const { ran, tools } = desk();
        const { history, requests } = await paused(tools, calls(["read", 1], ["wipe", 2]));
        expect(requests.map((each) => each.call.name)).toEqual(["wipe"]);
        const { agent, client } = agentOf(tools, ["done"], { approvalSecret });
        const answer = yes ? approve(requests[0] as Request) : deny(requests[0] as Request);
        await agent.run([...stored(history), answer], { onUpdate });
        expect(ran).toEqual(yes ? ["read 1", "wipe 2"] : ["read 1"]);
        const [, assistant, results] = client.requests[0]?.messages ?? [];
        expect(assistant?.contents.map((each) => each.type)).toEqual([
          "function_call",
          "function_call",
        ]);
        expect(results?.contents).toMatchObject([
          { callId: "c1", contents: [{ text: "1" }] },
          { callId: "c2", ...(yes ? { contents: [{ text: "wiped 2" }] } : { isError: true }) },
        ]);
      }
    },
  );

  it.each([undefined, "", "  ", "too risky"])(
    "B33: a denial says so clearly; reason: %j",
    async (reason) => {
      const { ran, tools } = desk();
      const { history, request } = await paused(tools, calls(["wipe", 1]));
      const again = calls(["wipe", 1]);
      const { agent, client } = agentOf(tools, [again, again, "all right"], { approvalSecret });
      const { messages, outcome } = await agent.run([...history, deny(request, { reason })]);
      expect(outcome).toBe("completed");
      expect(ran).toEqual([]);
      const results = resultsIn(messages);
      expect(results.map((each) => each.error?.code)).toEqual(Array(3).fill("approval_denied"));
      for (const text of resultTexts(messages)) expect(text).toMatch(/denied .*Do not repeat it/);
      expect(resultTexts(messages)[0]?.includes("too risky")).toBe(reason === "too risky");
      expect(client.requests).toHaveLength(3);
    },
  );

  it("B33: a model that never stops repeating is ended by the budget", async () => {
    const { tools } = desk();
    const { history, request } = await paused(tools, calls(["wipe", 1]));
    const turns = [...Array(4).fill(calls(["wipe", 1])), "closing"];
    const { agent } = agentOf(tools, turns, { approvalSecret });
    const input = [...history, deny(request)];
    const { outcome } = await agent.run(input, { invocation: { maxIterations: 5 } });
    expect(outcome).toBe("limit");
  });

  describe("B34: forged and altered approvals", () => {
    it("(c) a schema that the arguments no longer fit, (d) a policy that denies by now: nothing runs", async () => {
      const { history, request } = await paused(desk().tools, calls(["wipe", 1]));
      const ran: number[] = [];
      const strict = tool({
        name: "wipe",
        description: "Wipes a disk.",
        parameters: { type: "object", properties: { id: { type: "number", minimum: 5 } } },
        execute: ({ id }) => ran.push(Number(id)),
      });
      for (const approvals of [{ approvalSecret }, {}]) {
        const { agent } = agentOf([strict], ["done"], approvals);
        await agent.run([...history, { ...approve(request) }]).catch(() => {});
      }
      expect(ran).toEqual([]);
      const denying = desk();
      const forbidden = verdictMiddleware("policy", async () => ({
        kind: "deny",
        message: "never",
      }));
      for (const approvals of [{ approvalSecret }, {}]) {
        const again = await paused(denying.tools, calls(["wipe", 1]), approvals);
        const { agent } = agentOf(denying.tools, ["done"], approvals);
        const { messages } = await agent.run([...again.history, approve(again.request)], {
          middleware: [forbidden],
        });
        expect(resultTexts(messages)).toEqual(["Error: never"]);
      }
      expect(denying.ran).toEqual([]);
    });

    it("(f) always for these arguments asks again for others; for any, it does not", async () => {
      const { ran, tools } = desk();
      const session = new AgentSession();
      const turns = [calls(["wipe", 1]), calls(["wipe", 1]), calls(["wipe", 2]), "done"];
      const { agent } = agentOf(tools, turns);
      await agent.run("go", { session });
      const once = approve(session.pending[0] as Request, { remember: true });
      const second = await agent.run(once, { session });
      expect(ran).toEqual(["wipe 1", "wipe 1"]);
      expect(second.approvalRequests.map((each) => each.call.arguments)).toEqual([{ id: 2 }]);
      const any = approve(session.pending[0] as Request, { remember: { scope: "tool" } });
      await agent.run(any, { session });
      const more = agentOf(tools, [calls(["wipe", 3]), "done"]);
      expect((await more.agent.run("go on", { session })).outcome).toBe("completed");
      expect(ran.slice(2)).toEqual(["wipe 2", "wipe 3"]);
    });

    it("(g) a signed request is valid after JSON and back, with its members in another order", async () => {
      const { ran, tools } = desk();
      const { history, request } = await paused(tools, calls(["wipe", 1]));
      const turned = (value: unknown): unknown => {
        if (Array.isArray(value)) return value.map(turned);
        if (typeof value !== "object" || value === null) return value;
        return Object.fromEntries(
          Object.entries(value)
            .toReversed()
            .map(([key, member]) => [key, turned(member)]),
        );
      };
      const { agent } = agentOf(tools, ["done"], { approvalSecret });
      await agent.run([...(turned(stored(history)) as Message[]), approve(request)]);
      expect(ran).toEqual(["wipe 1"]);
    });
  });

  describe("B37: edited arguments", () => {
    const sent: unknown[] = [];
    const mail = tool({
      name: "mail",
      parameters: {
        type: "object",
        properties: { to: { type: "string" }, note: { type: "string" } },
        required: ["to"],
        additionalProperties: false,
      },
      approvalMode: "always_require",
      editable: true,
      execute: (input) => {
        sent.push(input);
        return "sent";
      },
    });
    const turn = { calls: [{ name: "mail", arguments: { to: "a@x.test" }, id: "c1" }] };
    const edit = async (args: JsonObject, decidedBy?: string) => {
      sent.length = 0;
      const { history, request } = await paused([mail], turn);
      const { agent, client } = agentOf([mail], ["done"], { approvalSecret });
      const answer = { ...approve(request, { arguments: args }), ...(decidedBy && { decidedBy }) };
      return { response: agent.run([...history, answer]), client };
    };

    it("run, the model is told, and the log keeps what was proposed, what ran and who decided", async () => {
      const { response, client } = await edit({ to: "b@x.test" }, "mara");
      await response;
      expect(sent).toEqual([{ to: "b@x.test" }]);
      const [result] = resultsIn(client.requests[0]?.messages ?? []);
      expect(result?.edited).toEqual({
        proposed: { to: "a@x.test" },
        effective: { to: "b@x.test" },
        decidedBy: "mara",
      });
      expect(JSON.stringify(result?.contents)).toMatch(/b@x\.test.*sent/s);
      const call = client.requests[0]?.messages[1]?.contents[0];
      expect(call).toMatchObject({ arguments: { to: "a@x.test" } });
    });

    it.each<[string, JsonObject]>([
      ["(b) break the schema", { to: 7, note: [] }],
      ["(c) add an unknown key", { to: "a@x.test", cc: "c@x.test" }],
      ["miss a required one", {}],
      ["set a required one to null", { to: null }],
    ])("that %s run nothing, and can be corrected", async (_how, args) => {
      const { response } = await edit(args);
      await expectRefused(response, "invalid_edit", sent as string[]);
    });

    it("that (d) set an optional one to null run without it", async () => {
      const { response } = await edit({ to: "b@x.test", note: null });
      await response;
      expect(sent).toEqual([{ to: "b@x.test" }]);
    });
  });

  it.each([undefined, () => {}])(
    "B38: a paused run survives JSON, odd arguments included",
    async (onUpdate) => {
      const odd = JSON.parse('{"to":{"list":["🦊"]},"__proto__":{"admin":true}}') as JsonObject;
      const got: string[] = [];
      const send = tool({
        name: "send",
        parameters: { type: "object", properties: { to: { type: "object" } } },
        approvalMode: "always_require",
        execute: (_input, context) => got.push(JSON.stringify(context.arguments)),
      });
      const turn = { calls: [{ name: "send", arguments: JSON.stringify(odd), id: "c1" }] };
      const { agent } = agentOf([send], [turn], { approvalSecret });
      const first = await agent.run("go", { onUpdate });
      const history = stored(first.newMessages);
      expect(pending(history)).toEqual(first.approvalRequests);
      const other = agentOf([send], ["done"], { approvalSecret }).agent;
      const decision = stored(approve(pending(history)[0] as Request));
      await other.run([...history, decision], { onUpdate });
      expect(got).toEqual([JSON.stringify(odd)]);
    },
  );

  it("B39: new text instead of an answer never runs the call, and the request to the model is valid", async () => {
    const { ran, tools } = desk();
    const { history, request } = await paused(tools, calls(["wipe", 1]));
    const { agent, client } = agentOf(tools, ["noon", "done"], { approvalSecret });
    const { newMessages, text } = await agent.run([...history, "what time is it?"]);
    expect(text).toBe("noon");
    expect(ran).toEqual([]);
    const sent = client.requests[0]?.messages ?? [];
    expect(openCalls(sent)).toEqual([]);
    expect(sent.map((message) => message.role)).toEqual(["user", "user"]);
    // The call is open still, and only an answer runs it.
    const log = [...history, ...newMessages];
    expect(pending(log)).toEqual([request]);
    await agent.run([...log, deny(request)]);
    expect(ran).toEqual([]);
    const late: FunctionApprovalResponseContent = approve(request);
    expect(await rejection(agent.run([...log, late]))).toMatchObject({ code: "already_used" });
    expect(ran).toEqual([]);
  });
});

import { Agent, AgentSession, type ChatRequest, functionResultContent, tool } from "@tunic/core";
import { ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { outline, resultsIn, resultTexts } from "./support/outline.js";
import { deepFreeze, inBothManners } from "./support/play.js";
import { ask, broken, lamp, lampIn, ping } from "./support/tools.js";

describe("B40 a forced tool choice holds for one step", () => {
  /** Calls whenever it is forced, and answers as soon as it may. */
  const obedient = ({ options }: ChatRequest): ScriptedTurn =>
    options.toolChoice === "auto" || options.toolChoice === "none"
      ? "done"
      : { calls: [lampIn("hall")] };

  inBothManners((play, streamed) => {
    it.each(["required", { name: "lamp" }, { allowed: ["lamp"] }] as const)(
      "%j is sent once, then auto; also when the options are used again",
      async (toolChoice) => {
        const client = new ScriptedChatClient(obedient);
        const options = deepFreeze({ toolChoice });
        const agent = new Agent({ client, tools: lamp, options });
        for (let run = 0; run < 2; run++) {
          const response = await agent.run("go", streamed ? { onUpdate: () => {} } : {});
          expect(response.text).toBe("done");
        }
        expect(client.requests.map((request) => request.options.toolChoice)).toEqual([
          toolChoice,
          "auto",
          toolChoice,
          "auto",
        ]);
        expect(options).toEqual({ toolChoice });
      },
    );

    it("none stays none", async () => {
      const { requests } = await play({
        turns: [{ calls: [lampIn("hall")] }, "done"],
        agent: { tools: lamp, options: { toolChoice: "none" } },
      });
      expect(new Set(requests.map((request) => request.options.toolChoice))).toEqual(
        new Set(["none"]),
      );
    });

    it("and where nothing is said, nothing is sent", async () => {
      const { requests } = await play({
        turns: [{ calls: [lampIn("hall")] }, "done"],
        agent: { tools: lamp },
      });
      expect(requests.map((request) => "toolChoice" in request.options)).toEqual([false, false]);
    });
  });
});

describe("B42 the calls decide, not the finish reason", () => {
  inBothManners((play) => {
    it('(a) "stop" with three calls: they run, and the loop goes on', async () => {
      const { response } = await play({
        turns: [
          { calls: [lampIn("hall"), lampIn("attic"), lampIn("cellar")], finishReason: "stop" },
          "done",
        ],
        agent: { tools: lamp },
      });
      expect(resultTexts(response.messages)).toEqual(["hall lit", "attic lit", "cellar lit"]);
      expect(response.text).toBe("done");
    });

    it.each(["other", ""])('(b) "%s" with one call: it runs', async (finishReason) => {
      const { response } = await play({
        turns: [{ calls: [lampIn("hall")], finishReason }, "done"],
        agent: { tools: lamp },
      });
      expect(resultTexts(response.messages)).toEqual(["hall lit"]);
    });

    it('(c) "tool_calls" without any: one request, an empty answer with that reason', async () => {
      const { response, requests } = await play({
        turns: [{ finishReason: "tool_calls" }],
        agent: { tools: lamp },
      });
      expect(requests).toHaveLength(1);
      expect(response).toMatchObject({
        text: "",
        outcome: "completed",
        finishReason: "tool_calls",
      });
    });

    it("(d) only calls that the provider has run itself: nothing to go on with", async () => {
      const { response, requests } = await play({
        turns: [
          {
            contents: [
              {
                type: "function_call",
                callId: "h1",
                name: "lamp",
                arguments: { room: "hall" },
                informationalOnly: true,
              },
              { type: "hosted_tool_call", callId: "h2", name: "web_search" },
              { type: "hosted_tool_result", callId: "h2", output: "found" },
            ],
            finishReason: "tool_calls",
          },
        ],
        agent: { tools: lamp },
      });
      expect(requests).toHaveLength(1);
      expect(resultsIn(response.messages)).toEqual([]);
      expect(response.outcome).toBe("completed");
    });
  });
});

describe("B43 consecutive errors are counted by step, not by call", () => {
  const failing: ScriptedTurn = { calls: [{ name: "broken" }] };
  const working: ScriptedTurn = { calls: [{ name: "ping" }] };
  const agent = { tools: [broken, ping, lamp], invocation: { maxConsecutiveErrors: 3 } };

  inBothManners((play) => {
    it("(a) five failures of one step are one failing step", async () => {
      const five = { calls: Array.from({ length: 5 }, () => ({ name: "broken" })) };
      const { response } = await play({ turns: [five, working, "done"], agent });
      expect(response).toMatchObject({ outcome: "completed", text: "done" });
    });

    it("(b) fail, ok, fail, ok … never trips, and neither do mixed steps", async () => {
      const mixed = { calls: [{ name: "broken" }, { name: "ping" }] };
      const { response } = await play({
        turns: [failing, failing, working, failing, failing, mixed, failing, failing, "done"],
        agent,
      });
      expect(response).toMatchObject({ outcome: "completed", text: "done" });
    });

    it("(c) a row of failing steps stops at the set point, with the last error kept", async () => {
      const { response, requests } = await play({
        turns: [failing, failing, failing, "I give up", failing],
        agent,
      });
      expect(response).toMatchObject({
        outcome: "limit",
        limit: "maxConsecutiveErrors",
        text: "I give up",
      });
      expect(requests).toHaveLength(4);
      expect(resultsIn(response.messages).at(-1)).toMatchObject({
        isError: true,
        error: { code: "function_failed" },
      });
    });

    const rejecting = tool({ name: "rejecting", execute: () => Promise.reject(new Error("late")) });
    const returning = tool({ name: "returning", execute: () => new Error("returned") });
    it.each([
      ["a sync throw", { name: "broken" }],
      ["an async rejection", { name: "rejecting" }],
      ["a returned Error", { name: "returning" }],
      ["arguments that do not fit", { name: "lamp", arguments: {} }],
      ["arguments that are no JSON", { name: "lamp", arguments: '{"room"' }],
      ["an unknown tool", { name: "nowhere" }],
    ])("(d) %s counts like every other failure", async (_kind, call) => {
      const { response, requests } = await play({
        turns: [{ calls: [call] }, { calls: [call] }, "enough"],
        agent: {
          tools: [broken, rejecting, returning, lamp],
          invocation: { maxConsecutiveErrors: 2 },
        },
      });
      expect(response).toMatchObject({ outcome: "limit", limit: "maxConsecutiveErrors" });
      expect(requests).toHaveLength(3);
    });

    it("0 means: stop at the first", async () => {
      const { response, requests } = await play({
        turns: [failing, "enough"],
        agent: { tools: broken, invocation: { maxConsecutiveErrors: 0 } },
      });
      expect([response.limit, requests.length]).toEqual(["maxConsecutiveErrors", 2]);
    });
  });
});

describe("B44 a cap on calls is never passed", () => {
  inBothManners((play) => {
    it("three of five calls run; the others are answered; then one last request", async () => {
      const rooms = ["a", "b", "c", "d", "e"];
      const { response, requests } = await play({
        turns: [{ calls: rooms.map((room) => lampIn(room)) }, "that was all"],
        agent: { tools: lamp, invocation: { maxFunctionCalls: 3 } },
      });
      expect(resultTexts(response.messages)).toEqual([
        "a lit",
        "b lit",
        "c lit",
        "Error: not run: limit reached (maxFunctionCalls).",
        "Error: not run: limit reached (maxFunctionCalls).",
      ]);
      expect(requests).toHaveLength(2);
      expect(requests[1]?.options.toolChoice).toBe("none");
      expect(response).toMatchObject({ limit: "maxFunctionCalls", text: "that was all" });
    });

    it("(b) what a sub-agent uses counts against the run it belongs to", async () => {
      const child = new Agent({
        name: "helper",
        client: new ScriptedChatClient(({ messages }) =>
          messages.at(-1)?.role === "tool" ? "found" : { calls: [lampIn("hall")] },
        ),
        tools: lamp,
      });
      const { response, requests } = await play({
        turns: (request) =>
          request.options.toolChoice === "none"
            ? "enough"
            : { calls: [{ name: "helper", arguments: { task: "look" } }] },
        agent: { tools: child.asTool(), invocation: { maxIterations: 5 } },
      });
      // 1 + 2, then 1 + 1: the child's second question is one too many, and it has to close.
      expect(response).toMatchObject({ outcome: "limit", limit: "maxIterations", text: "enough" });
      expect(requests).toHaveLength(3);
    });

    it("(c) a run that goes on after a pause goes on with its counters", async () => {
      const session = new AgentSession();
      const agent = { tools: [lamp, ask], invocation: { maxFunctionCalls: 3 } };
      const paused = await play({
        turns: [{ calls: [lampIn("a"), lampIn("b"), { name: "ask", id: "q" }] }],
        agent,
        run: { session },
      });
      expect(paused.response.outcome).toBe("paused");
      const { response } = await play({
        turns: [{ calls: [lampIn("c"), lampIn("d")] }, "enough"],
        agent,
        input: functionResultContent("q", "yes"),
        run: { session: AgentSession.fromJSON(JSON.parse(JSON.stringify(session))) },
      });
      expect(resultTexts(response.messages)).toEqual([
        "c lit",
        "Error: not run: limit reached (maxFunctionCalls).",
      ]);
      expect(response.limit).toBe("maxFunctionCalls");
    });
  });
});

describe("B46 a tool that does not exist", () => {
  inBothManners((play) => {
    it("is answered by name, with a near one and a list; the run goes on", async () => {
      const { response } = await play({
        turns: [{ calls: [{ name: "lamps", arguments: { room: "hall" } }] }, "done"],
        agent: { tools: [lamp, ping] },
      });
      expect(resultTexts(response.messages)).toEqual([
        'Error: Requested function "lamps" not found. Did you mean "lamp"? The tools are: lamp, ping.',
      ]);
      expect(resultTexts(response.messages)[0]).not.toMatch(/permi|approv|allow/i);
      expect(resultsIn(response.messages)[0]).toMatchObject({ error: { code: "unknown_tool" } });
      expect(response.outcome).toBe("completed");
    });

    it("(b) five times in one step: five answers", async () => {
      const { response } = await play({
        turns: [{ calls: Array.from({ length: 5 }, () => ({ name: "zzz" })) }, "done"],
        agent: { tools: lamp },
      });
      expect(resultsIn(response.messages).map((result) => result.isError)).toEqual(
        Array.from({ length: 5 }, () => true),
      );
    });

    it.each(["lamp ", " lamp", "Lamp", "LAMP", "functions.lamp"])(
      '(c) "%s" runs nothing: a near name is only a hint',
      async (name) => {
        const ran: unknown[] = [];
        const near = tool({ name: "lamp", execute: (input) => void ran.push(input) });
        const { response } = await play({
          turns: [{ calls: [{ name }] }, "done"],
          agent: { tools: near },
        });
        expect(ran).toEqual([]);
        expect(resultTexts(response.messages)[0]).toContain(`"${name}" not found`);
      },
    );

    it("(d) a call of a tool that is gone since: the old history is still sent", async () => {
      const session = new AgentSession();
      await play({
        turns: [{ calls: [lampIn("hall")] }, "done"],
        agent: { tools: lamp },
        run: { session },
      });
      const { requests } = await play({
        turns: ["hello again"],
        agent: { tools: ping },
        run: { session },
      });
      expect(outline(requests[0]?.messages ?? [])).toEqual([
        "user: go",
        'assistant: lamp({"room":"hall"})',
        "tool: hall lit",
        "assistant: done",
        "user: go",
      ]);
    });

    it("(e) a declared tool goes back to the caller and is no error", async () => {
      const { response, requests } = await play({
        turns: [{ calls: [{ name: "ask", id: "q" }] }],
        agent: { tools: ask },
      });
      expect(response.outcome).toBe("paused");
      expect(response.openCalls.map((call) => call.callId)).toEqual(["q"]);
      expect(requests).toHaveLength(1);
    });
  });
});

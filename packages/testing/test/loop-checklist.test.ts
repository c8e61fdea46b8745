import {
  Agent,
  type ChatClient,
  type ChatRequest,
  FunctionInvocationLayer,
  ResponseBuilder,
  tool,
  UnknownToolError,
} from "@tunic/core";
import { ScriptedChatClient, type ScriptedTurn } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { outline, resultsIn, resultTexts } from "./support/outline.js";
import { deferred, inBothManners, rejection } from "./support/play.js";
import { ask, broken, lamp, lampIn, ping } from "./support/tools.js";

inBothManners((play, streamed) => {
  describe("a turn", () => {
    it("call, execution, final text; from a string", async () => {
      const { response } = await play({
        turns: [
          { reasoning: "hm", text: "one moment", calls: [lampIn("hall")] },
          { reasoning: "so", text: "lit" },
        ],
        agent: { tools: lamp },
        input: "light the hall",
      });
      expect(outline(response.newMessages)).toEqual([
        "user: light the hall",
        'assistant: [hm] | one moment | lamp({"room":"hall"})',
        "tool: hall lit",
        "assistant: [so] | lit",
      ]);
    });

    it("in two steps, each built on the one before", async () => {
      const { requests, response } = await play({
        turns: [{ calls: [lampIn("a")] }, { calls: [lampIn("b")] }, "both"],
        agent: { tools: lamp },
      });
      expect(requests.map((request) => request.messages.length)).toEqual([1, 3, 5]);
      expect(resultTexts(response.messages)).toEqual(["a lit", "b lit"]);
    });

    it("several assistant messages in one response: all calls run, results behind them", async () => {
      const client: ChatClient = {
        metadata: { provider: "test" },
        async getResponse(request) {
          if (request.messages.length > 1) return one(request, "done").finish();
          const messages = [];
          for (const room of ["a", "b"]) {
            const builder = new ResponseBuilder(request);
            await builder.add({
              type: "function_call",
              callId: room,
              name: "lamp",
              arguments: { room },
            });
            messages.push(...(await builder.finish()).messages);
          }
          return { messages };
        },
      };
      const agent = new Agent({ client, tools: lamp });
      const response = await agent.run("go", streamed ? { onUpdate: () => {} } : {});
      expect(outline(response.messages)).toEqual([
        'assistant: lamp({"room":"a"})',
        'assistant: lamp({"room":"b"})',
        "tool: a lit | b lit",
        "assistant: done",
      ]);
    });

    it("a response that answers its own calls is complete: none of them is run again", async () => {
      const ran: string[] = [];
      const once = tool({ name: "once", execute: () => void ran.push("once") });
      const inner = new FunctionInvocationLayer(
        new ScriptedChatClient([{ calls: [{ name: "once" }] }, "done"]),
      );
      const client: ChatClient = {
        metadata: inner.metadata,
        getResponse: (request) => inner.getResponse(request),
      };
      const agent = new Agent({ client, tools: once });
      const response = await agent.run("go", streamed ? { onUpdate: () => {} } : {});
      expect(ran).toEqual(["once"]);
      expect(response).toMatchObject({ outcome: "completed", text: "done" });
    });

    it("parallel calls run in parallel", async () => {
      const both = deferred();
      let started = 0;
      const meet = tool({
        name: "meet",
        execute: async () => {
          if (++started === 2) both.resolve();
          await both.promise;
          return "met";
        },
      });
      const { response } = await play({
        turns: [{ calls: [{ name: "meet" }, { name: "meet" }] }, "done"],
        agent: { tools: meet },
      });
      expect(resultTexts(response.messages)).toEqual(["met", "met"]);
    });

    it("informational calls never run; among others only those do that wait for an answer", async () => {
      const { response } = await play({
        turns: [
          {
            contents: [
              {
                type: "function_call",
                callId: "h",
                name: "lamp",
                arguments: { room: "x" },
                informationalOnly: true,
              },
              { type: "function_call", callId: "c", name: "lamp", arguments: { room: "hall" } },
            ],
          },
          "done",
        ],
        agent: { tools: lamp },
      });
      expect(resultsIn(response.messages).map((result) => result.callId)).toEqual(["c"]);
    });
  });

  describe("at a limit", () => {
    it("pairs that the provider has run itself stay, with the fallback beside them", async () => {
      const { response } = await play({
        turns: [
          { calls: [{ name: "ping" }] },
          {
            contents: [
              { type: "hosted_tool_call", callId: "h", name: "web_search" },
              { type: "hosted_tool_result", callId: "h", output: "found" },
            ],
          },
        ],
        agent: { tools: ping, invocation: { maxIterations: 1 } },
      });
      expect(outline(response.messages).slice(2)).toEqual([
        "assistant: <hosted_tool_call> | <hosted_tool_result>",
        "assistant: The run reached its limit (maxIterations) before there was a final answer.",
      ]);
    });

    it("differs: calls that cannot run any more are kept and answered, not dropped", async () => {
      const { response } = await play({
        turns: [{ calls: [{ name: "ping" }] }, { text: "still", calls: [{ name: "ping" }] }],
        agent: { tools: ping, invocation: { maxFunctionCalls: 1 } },
      });
      expect(outline(response.messages).slice(2)).toEqual([
        "assistant: still | ping({})",
        "tool: !Error: not run: limit reached (maxFunctionCalls).",
      ]);
    });

    it("of errors: calls of a model that goes on all the same do not run either", async () => {
      const { response } = await play({
        turns: [{ calls: [{ name: "broken" }] }, { text: "again", calls: [{ name: "ping" }] }],
        agent: { tools: [broken, ping], invocation: { maxConsecutiveErrors: 1 } },
      });
      expect(resultTexts(response.messages)[1]).toMatch(/not run/);
    });
  });

  describe("errors", () => {
    it("unknown calls are answered; with terminateOnUnknownCalls they reject, and nothing runs", async () => {
      const ran: string[] = [];
      const noted = tool({ name: "noted", execute: () => void ran.push("noted") });
      const turns: ScriptedTurn[] = [{ calls: [{ name: "noted" }, { name: "zzz" }] }];
      const agent = { tools: noted, invocation: { terminateOnUnknownCalls: true } };
      const error = await rejection(play({ turns, agent }));
      expect(error).toBeInstanceOf(UnknownToolError);
      expect(error).toMatchObject({ message: 'Error: Requested function "zzz" not found.' });
      expect(resultTexts((error as UnknownToolError).transcript ?? [])).toHaveLength(2);
      expect(ran).toEqual([]);
    });

    it("of a tool are told in general, in detail only where that is asked for", async () => {
      const turns: ScriptedTurn[] = [{ calls: [{ name: "broken" }] }, "sorry"];
      const general = await play({ turns, agent: { tools: broken } });
      expect(resultTexts(general.response.messages)).toEqual(["Error: Function failed."]);
      expect(JSON.stringify(general.response.messages)).not.toMatch(/fuse/);
      const detailed = await play({
        turns,
        agent: { tools: broken, invocation: { includeDetailedErrors: true } },
      });
      expect(resultTexts(detailed.response.messages)).toEqual([
        "Error: Function failed. the fuse is blown",
      ]);
    });

    it("differs: of arguments are always told in detail", async () => {
      const { response } = await play({
        turns: [{ calls: [{ name: "lamp", arguments: { room: [] } }] }, "sorry"],
        agent: { tools: lamp },
      });
      expect(resultTexts(response.messages)[0]).toMatch(/^Error: Argument parsing failed\..*room/s);
    });

    it("never carry a stack", async () => {
      const { response } = await play({
        turns: [{ calls: [{ name: "broken" }] }, "sorry"],
        agent: { tools: broken, invocation: { includeDetailedErrors: true } },
      });
      expect(JSON.stringify(response.messages)).not.toMatch(/\bat .*\.ts/);
    });
  });

  describe("a conversation that the service holds", () => {
    const turns: ScriptedTurn[] = [
      { calls: [lampIn("a")], conversationId: "v1" },
      { calls: [lampIn("b")], conversationId: "v2" },
      { text: "done", conversationId: "v3" },
    ];

    it("is sent only what is new, under the newest id", async () => {
      const { requests, response } = await play({ turns, agent: { tools: lamp } });
      expect(requests.map((request) => outline(request.messages))).toEqual([
        ["user: go"],
        ["tool: a lit"],
        ["tool: b lit"],
      ]);
      expect(requests.map((request) => request.options.conversationId)).toEqual([
        undefined,
        "v1",
        "v2",
      ]);
      expect(response.conversationId).toBe("v3");
      expect(response.messages).toHaveLength(5);
    });

    it("is taken up where the caller left it", async () => {
      const { requests } = await play({
        turns: ["hello"],
        run: { options: { conversationId: "v9" } },
      });
      expect(requests[0]?.options.conversationId).toBe("v9");
    });
  });

  describe("a tool without a function", () => {
    it("goes back to the caller, its arguments once", async () => {
      const { response } = await play({
        turns: [{ calls: [{ name: "ask", id: "q", arguments: { topic: "colour" } }] }],
        agent: { tools: ask },
      });
      expect(response).toMatchObject({ outcome: "paused", finishReason: "tool_calls" });
      expect(outline(response.messages)).toEqual(['assistant: ask({"topic":"colour"})']);
    });

    it("differs: what stands beside it runs at once, wherever it stands", async () => {
      for (const calls of [
        [{ name: "ask" }, lampIn("hall")],
        [lampIn("hall"), { name: "ask" }],
      ]) {
        const { response } = await play({ turns: [{ calls }], agent: { tools: [ask, lamp] } });
        expect(resultTexts(response.messages)).toEqual(["hall lit"]);
        expect(response.openCalls.map((call) => call.name)).toEqual(["ask"]);
      }
    });
  });
});

describe("the loop without an agent", () => {
  it("is a chat client: it makes its own run, and its response holds the whole turn", async () => {
    const client = new ScriptedChatClient([{ calls: [lampIn("hall")] }, "lit"]);
    const layer = new FunctionInvocationLayer(client, { maxIterations: 3 });
    const messages = [
      {
        id: "m",
        role: "user" as const,
        contents: [{ type: "text" as const, text: "go" }],
        createdAt: 0,
      },
    ];
    const response = await layer.getResponse({ messages, options: { tools: [lamp] } });
    expect(outline(response.messages)).toEqual([
      'assistant: lamp({"room":"hall"})',
      "tool: hall lit",
      "assistant: lit",
    ]);
    expect(response.outcome).toBe("completed");
    expect(layer.metadata).toBe(client.metadata);
  });

  it("differs: there is no `enabled`; without the loop one uses the client itself", async () => {
    const client = new ScriptedChatClient([{ calls: [lampIn("hall")] }]);
    // @ts-expect-error no such option
    expect(() => new FunctionInvocationLayer(client, { enabled: false })).toThrow(
      /no option "enabled"/,
    );
    const response = await client.getResponse({ messages: [], options: { tools: [lamp] } });
    expect(outline(response.messages)).toEqual(['assistant: lamp({"room":"hall"})']);
  });

  it("differs: there are no `additional_tools`; a declared tool stands among the tools", () => {
    const client = new ScriptedChatClient([]);
    // @ts-expect-error no such option
    expect(() => new FunctionInvocationLayer(client, { additionalTools: [] })).toThrow(/no option/);
  });
});

function one(request: ChatRequest, text: string): ResponseBuilder {
  const builder = new ResponseBuilder(request);
  void builder.add({ type: "text", text });
  return builder;
}

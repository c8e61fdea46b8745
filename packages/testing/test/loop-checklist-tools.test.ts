import { Agent, type ChatRequest, type FunctionTool, tool } from "@tunic/core";
import { ScriptedChatClient } from "@tunic/testing";
import { describe, expect, it } from "vitest";
import { resultTexts } from "./support/outline.js";
import { inBothManners, rejection } from "./support/play.js";
import { ask, lamp, lampIn, ping } from "./support/tools.js";

describe("tools that come and go", () => {
  inBothManners((play, streamed) => {
    /** A tool that changes the list, and a script that calls it first. */
    const changing = (change: Parameters<typeof tool>[0]["execute"]) =>
      tool({ name: "change", ...(change && { execute: change }) });
    const sentNames = (requests: readonly { options: ChatRequest["options"] }[]) =>
      requests.map((request) => (request.options.tools ?? []).map((each) => each.name));

    it("added ones are sent and run from the next round on; the caller's list stays", async () => {
      const tools: FunctionTool[] = [
        changing((_input, context) => {
          context.addTools(lamp);
          return context.tools.map((each) => each.name).join();
        }),
      ];
      const { requests, response } = await play({
        turns: [
          { calls: [{ name: "change" }, lampIn("early")] },
          { calls: [lampIn("hall")] },
          "done",
        ],
        agent: { tools },
      });
      expect(sentNames(requests)).toEqual([["change"], ["change", "lamp"], ["change", "lamp"]]);
      // What was not in the request that made the call does not run, wherever the call stands.
      expect(resultTexts(response.messages)).toEqual([
        "change,lamp",
        expect.stringMatching(/"lamp" not found/),
        "hall lit",
      ]);
      expect(tools).toHaveLength(1);
    });

    it("added ones are gone in the next run", async () => {
      const client = new ScriptedChatClient([{ calls: [{ name: "change" }] }, "a", "b"]);
      const agent = new Agent({
        client,
        tools: changing((_input, context) => context.addTools(lamp)),
      });
      const options = streamed ? { onUpdate: () => {} } : {};
      await agent.run("one", options);
      await agent.run("two", options);
      expect(sentNames(client.requests)).toEqual([["change"], ["change", "lamp"], ["change"]]);
    });

    it.each<[string, string | FunctionTool | readonly (string | FunctionTool)[]]>([
      ["by name", "ping"],
      ["by object", ping],
      ["in a list", ["nowhere", ping]],
    ])(
      "removed ones, %s, are gone in the next round; the batch in flight still has them",
      async (_how, which) => {
        const { requests, response } = await play({
          turns: [
            { calls: [{ name: "change" }, { name: "ping" }] },
            { calls: [{ name: "ping" }] },
            "done",
          ],
          agent: { tools: [changing((_input, context) => context.removeTools(which)), ping] },
        });
        expect(sentNames(requests)).toEqual([["change", "ping"], ["change"], ["change"]]);
        expect(resultTexts(response.messages).slice(1)).toEqual([
          "pong",
          expect.stringMatching(/not found/),
        ]);
      },
    );

    it("the same object again, and the removal of nothing, change nothing: the list is the same", async () => {
      const { requests } = await play({
        turns: [{ calls: [{ name: "change" }] }, "done"],
        agent: {
          tools: [
            changing((_input, context) => {
              context.addTools([ping, [ping]]);
              context.removeTools("nowhere");
            }),
            ping,
          ],
        },
      });
      expect(requests[1]?.options.tools).toBe(requests[0]?.options.tools);
    });

    it("another tool of a used name is refused, and nothing of its list is added", async () => {
      const other = tool({ name: "ping", execute: () => "other" });
      const { requests, response } = await play({
        turns: [{ calls: [{ name: "change" }] }, "done"],
        agent: {
          tools: [changing((_input, context) => context.addTools([lamp, other])), ping],
          invocation: { includeDetailedErrors: true },
        },
      });
      expect(resultTexts(response.messages)[0]).toMatch(/Two tools are named "ping"/);
      expect(sentNames(requests)[1]).toEqual(["change", "ping"]);
    });
  });
});

describe("arguments on their way to a function", () => {
  inBothManners((play) => {
    const inputs: unknown[] = [];
    const search = tool({
      name: "search",
      parameters: {
        type: "object",
        properties: {
          query: { type: "string" },
          filter: { type: ["string", "null"] },
          limit: { type: "integer", default: 10 },
        },
        required: ["query"],
        additionalProperties: false,
      },
      execute: (input) => void inputs.push(input),
    });

    it("an explicit null stays, and what is left out gets its default", async () => {
      inputs.length = 0;
      await play({
        turns: [{ calls: [{ name: "search", arguments: { query: "x", filter: null } }] }, "done"],
        agent: { tools: search },
      });
      expect(inputs).toEqual([{ query: "x", filter: null, limit: 10 }]);
    });

    it.each([
      ["a missing one", {}, /query/],
      ["one of a wrong type", { query: {} }, /query.*string/s],
      ["one too many", { query: "x", page: 2 }, /page/],
    ])("%s is refused by name, and the model may try again", async (_what, wrong, expected) => {
      inputs.length = 0;
      const { response } = await play({
        turns: [
          { calls: [{ name: "search", arguments: wrong }] },
          { calls: [{ name: "search", arguments: { query: "x" } }] },
          "done",
        ],
        agent: { tools: search },
      });
      expect(resultTexts(response.messages)[0]).toMatch(expected);
      expect(inputs).toEqual([{ query: "x", limit: 10 }]);
      expect(response.text).toBe("done");
    });
  });
});

describe("outside a run", () => {
  it("there is no list of tools to change", async () => {
    const change = tool({ name: "change", execute: (_input, context) => context.addTools(lamp) });
    expect(await rejection(change.invoke({}, { skipParsing: true }))).toMatchObject({
      code: "no_live_run",
    });
  });

  it("a tool without a function cannot be invoked", async () => {
    expect(await rejection(ask.invoke({}))).toMatchObject({ code: "declaration_only" });
  });

  it("skipParsing gives the function's own value, after its arguments were checked", async () => {
    const when = new Date(0);
    const date = tool({
      name: "date",
      parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
      execute: async () => when,
      parseResult: () => "never",
    });
    expect(await date.invoke({ n: 1 }, { skipParsing: true })).toBe(when);
    expect(await rejection(date.invoke({}, { skipParsing: true }))).toMatchObject({
      code: "invalid_arguments",
    });
  });
});

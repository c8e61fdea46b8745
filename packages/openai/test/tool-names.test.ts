import { Agent, tool as makeTool } from "@tunic/core";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OpenAIChatClient, toOpenAIMessages, toOpenAITools } from "../src/index.js";
import { namesOnWire, toWireName } from "../src/tool-names.js";
import {
  call,
  chunk,
  completion,
  contentsOf,
  message,
  request,
  result,
  stream,
  tool,
} from "./helpers.js";
import { WireServer } from "./wire-server.js";

let server: WireServer;
let client: OpenAIChatClient;

beforeAll(async () => {
  server = await WireServer.start();
  client = new OpenAIChatClient({ model: "test-model", baseURL: server.url });
});
afterAll(() => server.stop());

const names = fc.uniqueArray(
  fc.oneof(
    fc.string({ minLength: 1, maxLength: 90, unit: "binary" }),
    fc.constantFrom("look.up", "look_up", "look/up", "天気", "x".repeat(64), "x".repeat(65), "a b"),
  ),
  { maxLength: 12 },
);

describe("names of tools on the wire", () => {
  it("are valid, differ, and lead back", () => {
    fc.assert(
      fc.property(names, (list) => {
        const known = namesOnWire(list.map((name) => tool(name)));
        expect(known.size).toBe(list.length);
        for (const name of list) {
          const wireName = toWireName(name);
          expect(wireName).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
          expect(known.get(wireName)).toBe(name);
          if (/^[a-zA-Z0-9_-]{1,64}$/.test(name)) expect(wireName).toBe(name);
        }
      }),
    );
  });

  it("are the same in tools, choices and old calls, and come back as they were", async () => {
    await fc.assert(
      fc.asyncProperty(names, async (list) => {
        fc.pre(list.length > 0);
        const tools = list.map((name) => tool(name));
        const [first = ""] = list;
        const deltas = list.map((name, index) => ({
          index,
          id: `c${index}`,
          function: { name: toWireName(name), arguments: "{}" },
        }));
        server.reply({ chunks: [chunk({ tool_calls: deltas }), chunk({}, "tool_calls")] });
        const history = [
          message("user", "Go"),
          message("assistant", call("old", first)),
          message("tool", result("old", "ok")),
        ];
        const response = await stream(
          client,
          request(history, { tools, toolChoice: { name: first } }),
        );
        expect(
          contentsOf(response).map((content) => content.type === "function_call" && content.name),
        ).toEqual(list);
        const sent = toWireName(first);
        expect(server.lastBody).toMatchObject({
          tools: list.map((name) => ({ function: { name: toWireName(name) } })),
          tool_choice: { function: { name: sent } },
          messages: [{}, { tool_calls: [{ function: { name: sent } }] }, {}],
        });
      }),
      { numRuns: 25 },
    );
  });

  it("let an agent use tools of any name", async () => {
    const seen: unknown[] = [];
    const weather = makeTool({ name: "wetter.heute/morgen", execute: () => seen.push("asked") });
    const wireName = toWireName(weather.name);
    server.reply(
      {
        body: completion(
          {
            content: null,
            tool_calls: [
              { id: "c1", type: "function", function: { name: wireName, arguments: "{}" } },
            ],
          },
          "tool_calls",
        ),
      },
      { body: completion({ content: "Sun." }) },
    );
    const response = await new Agent({ client, tools: [weather] }).run("Go");
    expect(seen).toEqual(["asked"]);
    expect(response.messages[0]?.contents).toMatchObject([{ name: weather.name }]);
    expect(server.lastBody["messages"]).toMatchObject([
      {},
      { tool_calls: [{ function: { name: wireName } }] },
      { role: "tool" },
    ]);
  });

  it("that a model made up stay as they are", async () => {
    const made = { index: 0, id: "c1", function: { name: "no such tool", arguments: "{}" } };
    server.reply({ chunks: [chunk({ tool_calls: [made] }), chunk({}, "tool_calls")] });
    const response = await stream(client, request(undefined, { tools: [tool("lamp")] }));
    expect(contentsOf(response)).toMatchObject([{ name: "no such tool" }]);
    expect(toOpenAIMessages(response.messages)).toMatchObject([
      { tool_calls: [{ function: { name: expect.stringMatching(/^no_such_tool_[0-9a-f]{8}$/) } }] },
    ]);
  });

  it("must not meet", () => {
    const taken = toWireName("look.up");
    expect(() => toOpenAITools([tool("look.up"), tool(taken)])).toThrow(
      expect.objectContaining({ code: "tool_name_collision" }),
    );
  });
});

describe("T4: every tool choice", () => {
  it.each([
    ["auto", "auto"],
    ["none", "none"],
    ["required", "required"],
    [{ name: "lamp" }, { type: "function", function: { name: "lamp" } }],
    [
      { allowed: ["lamp"] },
      {
        type: "allowed_tools",
        allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "lamp" } }] },
      },
    ],
  ] as const)("%j is sent as %j", async (toolChoice, expected) => {
    server.reply({ body: completion({ content: "ok" }) });
    await client.getResponse(request(undefined, { tools: [tool("lamp")], toolChoice }));
    expect(server.lastBody["tool_choice"]).toEqual(expected);
  });
});
